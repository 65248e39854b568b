"""The small process that stands over one run: it starts the command, owns its deadline, and leaves nothing of it alive.

It is started by path as a script (`python -I -S`), with an almost empty environment and no file open but 0, 1 and 2, so that
start-up is cheap and a hostile child finds nothing in it. That is why it imports only what the interpreter itself is made
of, never `os`, `signal` or a module of Assay.

File 0 is a socket to Assay. In: a length of four bytes and a marshalled request; later any byte asks for an early end, and
its closing means that Assay has died, which asks for the same. Out, one line each: `started PID`, then either
`failed STAGE ERRNO` or `ended REASON STATUS SECONDS CPU_SECONDS RSS_KB ESCAPED UNKILLABLE`.
"""

import _signal  # type: ignore[import-not-found] # what `signal` wraps, without the cost of enum
import errno
import marshal
import posix
import select
import sys
import time

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself would double the start-up
if TYPE_CHECKING:
    from typing import NoReturn

    Command = tuple[list[bytes], bytes, dict[bytes, bytes], tuple[int, int] | None, list[bytes], list[bytes]]
    """Words, working directory, environment, user and group to become, and what it may not, and may again, write to."""

CONTROL = 0
LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38

SETTLE_S = 0.1
"""What helpers that are about to end get, such as a resource tracker, before they count as escaped."""
SWEEP_S = 5.0
"""How long the sweep tries before it reports what it could not kill."""


CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_SLAVE = 0x1, 0x20, 0x1000, 0x4000, 0x80000
KEPT_FLAGS = 0xE  # nosuid, nodev, noexec: a remount may not drop them


def system_call(name: str, *arguments: "int | bytes | None") -> bool:
    """Call a function of the C library; False where it fails or this system has no such call."""
    if not LINUX:
        return False
    try:
        import _ctypes  # `ctypes` itself would cost as much as starting Python does
    except ImportError:
        return False
    call = _ctypes.dlsym(_ctypes.dlopen(None, 0), name)  # type: ignore[arg-type] # None is this program itself
    return bool(_ctypes.call_function(call, arguments) == 0)


def prctl(option: int, value: int) -> bool:
    """Set one attribute of this process; False where that fails."""
    return system_call("prctl", option, value, 0, 0, 0)


# --- the child, between fork and exec


def become(command: "Command", status: int, supervisor: int) -> "NoReturn":
    """Turn into the command. What goes wrong is told over `status`, which closes by itself where exec succeeds."""
    argv, cwd, env, account, read_only, writable = command
    stage = b"account"
    try:
        posix.setsid()
        say(b"started %d\n" % posix.getpid())  # not left to the supervisor, which the command could kill before it says so
        posix.dup2(posix.open("/dev/null", posix.O_RDONLY), 0)
        forget_signals()
        if read_only:
            shield(read_only, writable)
        drop_to(account)
        prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)  # after setuid, which clears it
        if posix.getppid() != supervisor:
            posix._exit(127)  # it died before that could take effect
        stage = b"cwd"
        posix.chdir(cwd)
        stage = b"command"
        execute(argv, env, status)
    except (OSError, ValueError) as error:
        posix.write(status, b"%s %d\n" % (stage, getattr(error, "errno", None) or errno.EINVAL))
    finally:
        posix._exit(127)


def forget_signals() -> None:
    """Give the command the dispositions that a program expects; Python ignores some, and ignoring is inherited."""
    for name in ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGCHLD"):
        _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())


def shield(read_only: list[bytes], writable: list[bytes]) -> None:
    """Make folders read-only for this process and all that come of it, in a view of the file system of its own.

    Root needs no more than that view; anybody else needs a user namespace too, which some systems refuse: what is to be
    protected is then only looked at afterwards. Nothing of it outlives the process.
    """
    uid, gid = posix.getuid(), posix.getgid()
    if not system_call("unshare", CLONE_NEWNS if uid == 0 else CLONE_NEWNS | CLONE_NEWUSER):
        return
    if uid:
        prctl(PR_SET_DUMPABLE, 1)  # or these files of ours would belong to root
        for name, text in (("setgroups", b"deny"), ("uid_map", b"%d %d 1" % (uid, uid)), ("gid_map", b"%d %d 1" % (gid, gid))):
            with open(f"/proc/self/{name}", "wb", 0) as file:  # noqa: PTH123
                file.write(text)
    system_call("mount", None, b"/", None, MS_REC | MS_SLAVE, None)
    bound = [path for path in (*read_only, *writable) if system_call("mount", path, path, None, MS_BIND | MS_REC, None)]
    for path in [path for path in read_only if path in bound]:
        flags = MS_REMOUNT | MS_BIND | MS_RDONLY | posix.statvfs(path).f_flag & KEPT_FLAGS
        system_call("mount", None, path, None, flags, None)


def drop_to(account: "tuple[int, int] | None") -> None:
    """Become the given user, without a way back."""
    if account is not None:
        uid, gid = account
        posix.setgroups([gid])
        posix.setgid(gid)
        posix.setuid(uid)
        prctl(PR_SET_NO_NEW_PRIVS, 1)


def execute(argv: list[bytes], env: dict[bytes, bytes], status: int) -> "NoReturn":
    """Replace this process, looking along the command's own PATH. The clock starts just before."""
    name = argv[0]
    folders = [b""] if b"/" in name else env.get(b"PATH", b"/usr/bin:/bin").split(b":")
    posix.write(status, b"at %d\n" % time.monotonic_ns())
    problem = OSError(errno.ENOENT, "")
    for folder in folders:
        try:
            posix.execve(folder + b"/" + name if folder else name, argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            problem = error if problem.errno == errno.ENOENT else problem
    raise problem


# --- the supervisor


def descendants(ancestor: int) -> "set[int]":
    """Processes below `ancestor` that are still alive, at any depth. As a subreaper we inherit those whose parent ended."""
    try:
        names = posix.listdir("/proc")
    except OSError:  # it is not mounted, and then only the process group is killed
        names = []
    children: dict[int, list[int]] = {}
    zombies = set()
    for name in names:
        if not name.isdigit():
            continue
        state, parent = state_and_parent(int(name))
        children.setdefault(parent, []).append(int(name))
        if state in b"ZX":
            zombies.add(int(name))
    found: set[int] = set()
    ahead = [ancestor]
    while ahead:
        below = children.get(ahead.pop(), [])
        found.update(below)
        ahead.extend(below)
    return found - zombies


def state_and_parent(pid: int) -> "tuple[bytes, int]":
    """The state letter and parent of a process; it counts as gone where it cannot be read."""
    try:
        with open(f"/proc/{pid}/stat", "rb", 0) as file:  # noqa: PTH123 # pathlib would double the start-up
            text = file.read(4096)
    except OSError:
        return b"X", 0
    state, parent = text[text.rfind(b")") + 2 :].split(b" ", 2)[:2]  # the name before it may hold anything
    return state, int(parent)


def send_signal(number: int, pids: "set[int]") -> None:
    """Signal each; one that has gone, or that has become somebody else, is left to be counted later."""
    for pid in pids:
        try:
            posix.kill(pid, number)
        except OSError:
            continue


class Watch:
    """One command and all that comes of it, from its start until nothing is left."""

    def __init__(self, pid: int, began: float, alarm: int) -> None:
        self.pid = pid
        self.began = began
        self.alarm = alarm
        self.status: int | None = None
        self.seconds = self.cpu = 0.0
        self.rss = 0

    def reap(self) -> bool:
        """Collect everyone who has ended; False once we have no child at all."""
        while True:
            try:
                pid, status, usage = posix.wait4(-1, posix.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.pid:
                self.status, self.seconds = status, time.monotonic() - self.began
                self.cpu = usage.ru_utime + usage.ru_stime
                self.rss = usage.ru_maxrss if LINUX else usage.ru_maxrss // 1024

    def until_exit(self, timeout: float) -> bytes:
        """Wait for the command itself: `exit`, or why it must end now, `timeout` or `cancel`."""
        while True:
            self.reap()
            if self.status is not None:
                return b"exit"
            left = self.began + timeout - time.monotonic()
            if left <= 0:
                return b"timeout"
            ready = select.select([CONTROL, self.alarm], [], [], min(left, 3600.0))[0]  # a limit of years is too large for it
            if CONTROL in ready or (self.alarm in ready and _signal.SIGTERM in posix.read(self.alarm, 512)):
                self.reap()
                return b"cancel" if self.status is None else b"exit"

    def rest(self, seconds: float) -> None:
        """Wait for news of a child, but not longer."""
        if select.select([self.alarm], [], [], seconds)[0]:
            posix.read(self.alarm, 512)

    def signal_group(self, number: int) -> bool:
        """Signal the command's process group; False where nobody is in it any more."""
        try:
            posix.killpg(self.pid, number)
        except OSError:
            return False
        return True

    def stop(self, grace: float) -> None:
        """Ask the group to end, and make it end when the grace is over."""
        over = time.monotonic() + grace
        self.signal_group(_signal.SIGTERM)
        self.signal_group(_signal.SIGCONT)  # who is stopped cannot hear
        while self.reap() and self.signal_group(0) and time.monotonic() < over:
            self.rest(0.02)
        self.signal_group(_signal.SIGKILL)
        over = time.monotonic() + SWEEP_S
        while self.status is None and self.reap() and time.monotonic() < over:
            self.rest(0.02)
        self.seconds = self.seconds or time.monotonic() - self.began

    def settle(self) -> None:
        """Let those end who are about to, by themselves or of our signal."""
        over = time.monotonic() + SETTLE_S
        while self.reap() and time.monotonic() < over:
            self.rest(0.01)

    def sweep(self) -> "tuple[int, int]":
        """Kill all who still descend from us, also those who left the group; how many there were and how many would not die."""
        if not LINUX:
            return int(self.signal_group(_signal.SIGKILL)), 0
        killed: set[int] = set()
        over = time.monotonic() + SWEEP_S
        while self.reap() and time.monotonic() < over:
            alive = descendants(posix.getpid())
            send_signal(_signal.SIGKILL, alive)
            self.signal_group(_signal.SIGKILL)  # all that is left to do where /proc hides other users' processes
            killed |= alive
            self.rest(0.01)
        return len(killed), len(descendants(posix.getpid())) if self.reap() else 0


def launch(command: "Command") -> "tuple[int, bytes]":
    """Fork the command; its pid and what it said until exec: when it began, and what failed."""
    reader, writer = posix.pipe()
    here = posix.getpid()
    pid = posix.fork()
    if pid == 0:
        become(command, writer, here)
    posix.close(writer)
    said = b""
    while news := posix.read(reader, 512):
        said += news
    posix.close(reader)
    return pid, said


def alarm() -> int:
    """A file that becomes readable with the number of each signal that arrives."""
    reader, writer = posix.pipe()
    for file in (reader, writer):
        posix.set_blocking(file, False)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (_signal.SIGCHLD, _signal.SIGTERM):
        _signal.signal(number, lambda *_: None)
    return reader


def say(line: bytes) -> None:
    """Tell Assay, if it still lives; all else goes on without it."""
    try:
        posix.write(CONTROL, line)
    except OSError:
        return


def receive() -> "tuple[Command, float, float]":
    """The request that Assay sends: the command, the seconds allowed to it, and those between TERM and KILL."""
    text = b""
    size = 4
    while len(text) < size:
        more = posix.read(CONTROL, size - len(text))
        if not more:
            posix._exit(1)
        text += more
        if size == len(text) == 4:
            size += int.from_bytes(text, "big")
    return marshal.loads(text[4:])  # type: ignore[no-any-return] # noqa: S302 # from our parent, over a socket of its own


def main() -> None:
    """One run, from request to report."""
    command, timeout, grace = receive()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)
    news = alarm()
    pid, said = launch(command)
    null = posix.open("/dev/null", posix.O_RDWR)
    for stream in (1, 2):  # both belong to the command alone now, so that their end is its end
        posix.dup2(null, stream)
    last = said.splitlines()[-1] if said else b"at %d" % time.monotonic_ns()
    if not last.startswith(b"at "):
        posix.waitpid(pid, 0)
        return say(b"failed %s\n" % last)
    watch = Watch(pid, int(last.split()[1]) / 1e9, news)
    reason = watch.until_exit(timeout)
    if reason != b"exit":
        watch.stop(grace)
    watch.settle()
    escaped, left = watch.sweep()
    status = watch.status if watch.status is not None else -1
    say(b"ended %s %d %.6f %.6f %d %d %d\n" % (reason, status, watch.seconds, watch.cpu, watch.rss, escaped, left))
    return None


if __name__ == "__main__":
    shield([path.encode() for path in sys.argv[1:]], []) if len(sys.argv) > 1 else main()  # a rehearsal, or a run
    posix._exit(0)  # nothing to tidy up; an ordinary end of the interpreter takes milliseconds
