"""The few steps between a fork and the command: from a copy of the supervisor to what the user asked for.

Like the supervisor this imports only what the interpreter itself is made of.
"""

import _signal  # type: ignore[import-not-found] # what `signal` wraps, without the cost of enum
import errno
import posix
import sys
import time

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself would double the start-up
if TYPE_CHECKING:
    from typing import NoReturn

    Command = tuple[list[bytes], bytes, dict[bytes, bytes], tuple[int, int] | None, list[bytes], list[bytes], bytes]
    """Words, working directory, environment, user and group to become, what it may not, and may again, write to, and file 0."""

CONTROL = 0
LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38

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


def become(command: "Command", status: int, supervisor: int) -> "NoReturn":
    """Turn into the command. What goes wrong is told over `status`, which closes by itself where exec succeeds."""
    argv, cwd, env, account, read_only, writable, stdin = command
    stage = b"account"
    try:
        posix.setsid()
        say(b"started %d\n" % posix.getpid())  # not left to the supervisor, which the command could kill before it says so
        if read_only and shield(read_only, writable):
            say(b"shielded\n")
        posix.dup2(posix.open(stdin, posix.O_RDONLY), 0)  # the command can say nothing there any more
        forget_signals()
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


def shield(read_only: list[bytes], writable: list[bytes]) -> bool:
    """Make folders read-only for this process and all that come of it, in a view of the file system of its own; whether all are.

    Root needs no more than that view; anybody else needs a user namespace too, which some systems refuse: what is to be
    protected is then only looked at afterwards. Nothing of it outlives the process.
    """
    uid, gid = posix.getuid(), posix.getgid()
    if not system_call("unshare", CLONE_NEWNS if uid == 0 else CLONE_NEWNS | CLONE_NEWUSER):
        return False
    if uid:
        prctl(PR_SET_DUMPABLE, 1)  # or these files of ours would belong to root
        for name, text in (("setgroups", b"deny"), ("uid_map", b"%d %d 1" % (uid, uid)), ("gid_map", b"%d %d 1" % (gid, gid))):
            with open(f"/proc/self/{name}", "wb", 0) as file:  # noqa: PTH123
                file.write(text)
    system_call("mount", None, b"/", None, MS_REC | MS_SLAVE, None)
    bound = [path for path in (*read_only, *writable) if system_call("mount", path, path, None, MS_BIND | MS_REC, None)]
    held = [path for path in read_only if path in bound and remount_read_only(path)]
    return len(held) == len(read_only)


def remount_read_only(path: bytes) -> bool:
    """Close a mount of its own to writing; whether that worked."""
    flags = MS_REMOUNT | MS_BIND | MS_RDONLY | posix.statvfs(path).f_flag & KEPT_FLAGS
    return system_call("mount", None, path, None, flags, None)


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


def say(line: bytes, file: int = CONTROL) -> None:
    """Tell Assay, if it still lives; all else goes on without it."""
    try:
        posix.write(file, line)
    except OSError:
        return
