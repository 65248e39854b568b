"""Assay's end of one supervisor process: asking it to start and to stop, hearing its report. See `supervisor` for the protocol."""

import contextlib
import marshal
import os
import signal
import socket
from pathlib import Path

from assay.adapters.process.fork_server import ForkServer
from assay.adapters.process.supervisor import SWEEP_S
from assay.core.process import Argv, ProcessRequest
from assay.core.values import dataclass
from assay.errors import InfrastructureError

SLACK_S = 5.0
"""What a supervisor on a busy machine may be late."""


@dataclass(frozen=True, slots=True)
class Started:
    """The process of the command is there, as the leader of session and process group `pid`, and is about to become the command."""

    pid: int


@dataclass(frozen=True, slots=True)
class Shielded:
    """What the command may not write to is read-only for it."""


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


Message = Started | Shielded | Failed | Ended


class Supervised:
    """A running supervisor. `stdout` and `stderr` are the read ends of the command's streams, `control` is readable with news.

    `at_most_s` is what it may take from the time limit of the command, or from `cancel`, to its report.
    """

    def __init__(self, request: ProcessRequest, grace_s: float, server: ForkServer) -> None:
        text = _encoded(request, grace_s, server)
        self._server = server
        self._channels = server.supervisor()
        self.at_most_s = grace_s + 2 * SWEEP_S + SLACK_S
        self.control = self._channels.control
        self.stdout = self._channels.stdout
        self.stderr = self._channels.stderr
        self._unread = b""
        with contextlib.suppress(OSError):  # it has died or been stopped already, which whoever listens will notice
            self.control.settimeout(SLACK_S)
            self.control.sendall(text)
        self.control.settimeout(None)

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

    def kill(self) -> None:
        """End a supervisor that does not answer. What it stood over is left: see `kill_rest`."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self._channels.pid, signal.SIGKILL)

    def kill_rest(self, leader: int) -> None:
        """Kill the command of a supervisor that has died, and all that came of it."""
        kill_session(leader)
        self._server.ended(self._channels.pid)
        self._server.sweep()

    def close(self) -> None:
        """Wait for the supervisor itself and close all files. It ends at once after its report, or when we hang up."""
        try:
            self.control.settimeout(self.at_most_s)
            self.control.shutdown(socket.SHUT_WR)
            while self.control.recv(4096):
                pass
        except TimeoutError:
            self.kill()
        except OSError:  # it has gone
            pass
        self._server.ended(self._channels.pid)
        self._channels.close()


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


def _encoded(request: ProcessRequest, grace_s: float, server: ForkServer) -> bytes:
    words = request.command.words if isinstance(request.command, Argv) else ("/bin/sh", "-c", request.command.text)
    account = (request.account.uid, request.account.gid) if request.account else None
    environment = {os.fsencode(name): os.fsencode(value) for name, value in request.env.items()}
    argv = [os.fsencode(word) for word in words]
    wanted = (request.read_only, request.writable) if request.read_only and server.can_shield else ((), ())
    shielded = [[os.fsencode(path) for path in paths] for paths in wanted]
    command = (argv, os.fsencode(request.cwd), environment, account, *shielded, os.fsencode(request.stdin_file))
    body = marshal.dumps((command, float(request.timeout_s), float(grace_s)))
    return len(body).to_bytes(4, "big") + body


def _parsed(line: bytes) -> Message:
    match line.decode("ascii").split():
        case ["started", pid]:
            return Started(int(pid))
        case ["shielded"]:
            return Shielded()
        case ["failed", stage, number]:
            return Failed(stage, int(number))
        case ["ended", reason, status, seconds, cpu, rss, escaped, left]:
            return Ended(reason, int(status), float(seconds), float(cpu), int(rss), int(escaped), int(left))
    raise InfrastructureError("the supervisor of a run sent a report that cannot be read", hint="run the check again")
