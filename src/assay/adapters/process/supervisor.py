"""The small process that stands over one run: it starts the command, owns its deadline, and leaves nothing of it alive.

One interpreter (`python -I -S`) with an almost empty environment serves a whole check: it is started once and forks a
supervisor for each run that Assay asks for, because starting an interpreter costs more than most of a supervisor's work.
A fork of Assay itself would be cheaper still, but large: the memory of a command would be counted from there. That is why
this imports only what the interpreter itself is made of, never `os` or `signal`, and nothing of Assay but `child`.

File 0 of the server is a socket to Assay. In: one byte, `RUN` or `REHEARSE`, and with it three files, which become 0, 1 and
2 of the fork; so a supervisor has no other file open and a hostile child finds nothing in it. The closing of the socket
ends the server, not the supervisors.

File 0 of a supervisor is a socket to Assay as well. In: a length of four bytes and a marshalled request; later any byte asks
for an early end, and its closing means that Assay has died, which asks for the same. Out, one line each: `refused ERRNO`, or
`here PID` of the supervisor, `started PID` of the command, perhaps `shielded`, and then either `failed STAGE ERRNO` or
`ended REASON STATUS SECONDS CPU_SECONDS RSS_KB ESCAPED UNKILLABLE`.

Should a supervisor be killed, what it stood over becomes the server's, where Assay finds it: see `fork_server`.
"""

import _signal  # type: ignore[import-not-found] # what `signal` wraps, without the cost of enum
import _socket
import errno
import marshal
import posix
import resource  # noqa: F401 # what `wait4` answers with: it would else be imported anew in each fork
import select
import sys
import time

from assay.adapters.process.child import CONTROL, LINUX, PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, become, prctl, say, shield

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself would double the start-up
if TYPE_CHECKING:
    from collections.abc import Collection

    from assay.adapters.process.child import Command

RUN, REHEARSE = b"r", b"s"

SETTLE_S = 0.1
"""What helpers that are about to end get, such as a resource tracker, before they count as escaped."""
SWEEP_S = 5.0
"""How long the sweep tries before it reports what it could not kill."""


def descendants(ancestor: int, without: "Collection[int]" = ()) -> "set[int]":
    """Processes below `ancestor` that are still alive, at any depth. A subreaper inherits those whose parent ended.

    Those in `without` are passed over with all that is below them.
    """
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
        below = [pid for pid in children.get(ahead.pop(), []) if pid not in without]
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


def supervise() -> None:
    """One run, from request to report."""
    say(b"here %d\n" % posix.getpid())
    command, timeout, grace = receive()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
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


def serve() -> None:
    """Fork for each that Assay asks for, until it closes its end. Returns in no process."""
    prctl(PR_SET_DUMPABLE, 0)  # what is forked has it from here
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_IGN)  # nobody waits for a child of ours, so the kernel collects it
    server = _socket.socket(fileno=CONTROL)
    while True:
        task, files = asked_for(server)
        if not task:
            posix._exit(0)
        if len(files) == 3 and forked(files):
            server.detach()  # or its end would close what is now ours
            take_over(files)
            rehearse() if task == REHEARSE else supervise()
            posix._exit(0)  # nothing to tidy up; an ordinary end of the interpreter takes milliseconds
        for file in files:
            posix.close(file)


def asked_for(server: "_socket.socket") -> "tuple[bytes, list[int]]":
    """What to fork for, and the files that it gets; nothing once Assay has gone."""
    task, ancillary, _, _ = server.recvmsg(1, _socket.CMSG_SPACE(12))
    sent = b"".join(data for _, kind, data in ancillary if kind == _socket.SCM_RIGHTS)
    return task, [int.from_bytes(sent[at : at + 4], sys.byteorder) for at in range(0, len(sent) - 3, 4)]


def forked(files: "list[int]") -> bool:
    """Whether this is the new process. Where there can be none, Assay is told why."""
    try:
        return posix.fork() == 0
    except OSError as error:
        say(b"refused %d\n" % (error.errno or errno.EAGAIN), files[0])
        return False


def take_over(files: "list[int]") -> None:
    """Make these files 0, 1 and 2, in a session of our own."""
    posix.setsid()
    for stream, file in enumerate(files):
        posix.dup2(file, stream)
        posix.close(file)


def rehearse() -> None:
    """Shield a folder that every system has, and say whether that went well. It cannot be undone, hence a process for it."""
    shield([b"/usr"], [])
    say(b"y")
