"""Assay's end of one supervisor process: starting it, asking it to stop, hearing its report. See `supervisor` for the protocol."""

import contextlib
import functools
import marshal
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.process import supervisor
from assay.core.process import Argv, ProcessRequest
from assay.errors import InfrastructureError

LOADER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""All that a supervisor gets of our environment: an interpreter built as a shared library does not start without."""


@dataclass(frozen=True, slots=True)
class Started:
    """The process of the command is there, as the leader of session and process group `pid`, and is about to become the command."""

    pid: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The command could not be started: at `stage` (account, cwd or command), for the system's reason `errno`."""

    stage: str
    errno: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The command and all its descendants are gone.

    `reason` is exit, timeout or cancel; `status` as `waitpid` gives it, -1 where it could not even be killed.
    """

    reason: str
    status: int
    duration_s: float
    cpu_s: float
    max_rss_kb: int
    escaped: int
    unkillable: int


Message = Started | Failed | Ended


class Supervised:
    """A running supervisor. `stdout` and `stderr` are the read ends of the command's streams, `control` is readable with news."""

    def __init__(self, request: ProcessRequest, grace_s: float) -> None:
        self.control, theirs = socket.socketpair()
        with theirs:
            self._process = _spawn(theirs)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.stdout = self._process.stdout.fileno()
        self.stderr = self._process.stderr.fileno()
        self._unread = b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has died already: `receive` will tell
            self.control.sendall(_encoded(request, grace_s))

    def cancel(self) -> None:
        """Ask for an early end. Safe from any thread, and of no effect once it has ended."""
        with contextlib.suppress(OSError):
            self.control.send(b"c", socket.MSG_DONTWAIT)

    def receive(self) -> tuple[list[Message], bool]:
        """The messages that have arrived, and whether more can come. Call it when `control` is readable."""
        try:
            news = self.control.recv(4096)
        except ConnectionResetError:
            news = b""
        *lines, self._unread = (self._unread + news).split(b"\n")
        return [_parsed(line) for line in lines], bool(news)

    def close(self) -> None:
        """Wait for the supervisor itself and close all files. It ends at once after its report, or when `control` closes."""
        self.control.close()
        with self._process:
            pass


def kill_session(leader: int) -> None:
    """Kill a command whose supervisor has died: its process group, and what else is still in its session."""
    for pid in _members(leader):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _members(session: int) -> list[int]:
    if not Path("/proc/self/stat").exists():
        return []
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if entry.name.isdigit() and os.getsid(int(entry.name)) == session:
                found.append(int(entry.name))
    return found


def _spawn(control: socket.socket) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in LOADER if name in os.environ}
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", _script()],
            stdin=control.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=environment,
            cwd="/",  # or the supervisor would keep a working tree from being removed
            start_new_session=True,
        )
    except OSError as error:
        raise InfrastructureError(
            f"the supervisor of a run could not be started: {error.strerror}",
            hint="check the limits on processes and memory of this account (`ulimit -a`)",
        ) from error


@functools.cache
def _script() -> str:
    """The compiled supervisor where it is up to date, as compiling costs as much as a third of its start; else the source."""
    source = Path(supervisor.__file__)
    compiled = supervisor.__spec__.cached if supervisor.__spec__ else None
    if compiled is None or not Path(compiled).is_file():
        return str(source)
    with Path(compiled).open("rb") as file:
        header = file.read(16)
    facts = source.stat()
    # the layout of PEP 552: magic, flags, time, size; importing the module has just checked the magic
    fresh = bytes(4) + (int(facts.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little") + (facts.st_size & 0xFFFFFFFF).to_bytes(4, "little")
    return compiled if header[4:] == fresh else str(source)


@functools.cache
def can_shield() -> bool:
    """Whether this system lets a command have folders that it cannot write to. Asked once, of a process that does nothing else.

    Some systems grant the namespace and refuse what is then to be written about it, and from there no way leads back.
    """
    words = [sys.executable, "-I", "-S", _script(), "/usr"]
    environment = {name: os.environ[name] for name in LOADER if name in os.environ}
    return subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def _encoded(request: ProcessRequest, grace_s: float) -> bytes:
    words = request.command.words if isinstance(request.command, Argv) else ("/bin/sh", "-c", request.command.text)
    account = (request.account.uid, request.account.gid) if request.account else None
    environment = {os.fsencode(name): os.fsencode(value) for name, value in request.env.items()}
    argv = [os.fsencode(word) for word in words]
    wanted = (request.read_only, request.writable) if request.read_only and can_shield() else ((), ())
    shielded = [[os.fsencode(path) for path in paths] for paths in wanted]
    command = (argv, os.fsencode(request.cwd), environment, account, *shielded)
    body = marshal.dumps((command, float(request.timeout_s), float(grace_s)))
    return len(body).to_bytes(4, "big") + body


def _parsed(line: bytes) -> Message:
    match line.decode("ascii").split():
        case ["started", pid]:
            return Started(int(pid))
        case ["failed", stage, number]:
            return Failed(stage, int(number))
        case ["ended", reason, status, seconds, cpu, rss, escaped, left]:
            return Ended(reason, int(status), float(seconds), float(cpu), int(rss), int(escaped), int(left))
    raise InfrastructureError("the supervisor of a run sent a report that cannot be read", hint="run the check again")
