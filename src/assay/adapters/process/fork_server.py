"""Assay's end of the process that forks supervisors. See `supervisor` for what passes between them."""

import errno
import os
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import assay
from assay.adapters.process.supervisor import REHEARSE, RUN
from assay.errors import InfrastructureError

LOADER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""All that the server gets of our environment: an interpreter built as a shared library does not start without."""

PATIENCE_S = 30.0
"""How long a fork may take to say that it is there before its server counts as stopped."""

_GONE = (errno.EPIPE, errno.ECONNRESET, errno.EBADF)
"""What sending to a server comes to that has died, or that another thread has found dead: nothing will answer."""

_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from assay.adapters.process.supervisor import serve; serve()"


@dataclass(frozen=True, slots=True)
class Channels:
    """Our ends of what a new supervisor has as its files 0, 1 and 2: a socket, and the pipes of its command's two streams."""

    control: socket.socket
    stdout: int
    stderr: int

    def answer(self) -> bytes:
        """The first line that comes from the other side; empty where none does."""
        self.control.settimeout(PATIENCE_S)
        try:
            return self.control.recv(64)
        except (TimeoutError, ConnectionResetError):
            return b""
        finally:
            self.control.settimeout(None)

    def close(self) -> None:
        self.control.close()
        os.close(self.stdout)
        os.close(self.stderr)


class ForkServer:
    """One small interpreter that forks a supervisor for each run. It starts when it is needed, and anew should it have died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: _Server | None = None

    def supervisor(self) -> Channels:
        """A new supervisor, which waits for its request. Raises InfrastructureError where no process can be started."""
        for _ in range(2):
            server = self._running()
            if channels := _fork(server, RUN):
                return channels
            self._forget(server)  # somebody killed or stopped it, as a benchmark of our own account can
        raise InfrastructureError(
            "the process that starts benchmarks ends as soon as it is there",
            hint="see what kills processes on this machine, or install Assay again",
        )

    @cached_property
    def can_shield(self) -> bool:
        """Whether this system lets a command have folders that it cannot write to. Asked once, of a process that does nothing else.

        Some systems grant the namespace and refuse what is then to be written about it, and from there no way leads back.
        """
        channels = _fork(self._running(), REHEARSE)
        if channels is not None:
            channels.close()
        return channels is not None

    def close(self) -> None:
        """End the server. Supervisors that it forked are not its own any more, and go on."""
        if self._server is not None:
            self._forget(self._server)

    def _running(self) -> "_Server":
        with self._lock:
            if self._server is None:
                try:
                    self._server = _started()
                except OSError as error:
                    raise _no_supervisor(error.errno) from error
            return self._server

    def _forget(self, server: "_Server") -> None:
        """End it, unless another thread has by now."""
        with self._lock:
            if self._server is not server:
                return
            self._server = None
            server.channel.close()
            server.process.kill()  # it might have been stopped, and then it would not hear
            server.process.wait()


@dataclass(frozen=True, slots=True)
class _Server:
    process: subprocess.Popen[bytes]
    channel: socket.socket


def _fork(server: _Server, task: bytes) -> Channels | None:
    """A fork that has done what comes before its request; None where it died of that, or the server did."""
    with ExitStack() as stack:
        try:
            channels = _asked(server, task)
            stack.callback(channels.close)
            answer = channels.answer()
        except OSError as error:
            raise _no_supervisor(error.errno) from error
        match answer.split():
            case [b"ready"]:
                stack.pop_all()
                return channels
            case [b"refused", number]:
                raise _no_supervisor(int(number))
    return None


def _asked(server: _Server, task: bytes) -> Channels:
    with ExitStack() as theirs, ExitStack() as ours:
        control, far = socket.socketpair()
        ours.callback(control.close)
        theirs.callback(far.close)
        files = [far.fileno()]
        streams = []
        for _ in range(2):
            reader, writer = os.pipe()
            ours.callback(os.close, reader)
            theirs.callback(os.close, writer)
            streams.append(reader)
            files.append(writer)
        try:
            socket.send_fds(server.channel, [task], files)
        except OSError as error:
            if error.errno not in _GONE:
                raise
        ours.pop_all()
        return Channels(control, *streams)


def _no_supervisor(number: int | None) -> InfrastructureError:
    """The error where the system refuses a process or a file that a supervisor needs, for its reason `number`."""
    return InfrastructureError(
        f"the supervisor of a run could not be started: {os.strerror(number or 0)}",
        hint="check the limits on processes, files and memory of this account (`ulimit -a`)",
    )


def _started() -> _Server:
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(
                _words(),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in LOADER if name in os.environ},
                cwd="/",  # or it would keep a working tree from being removed
                start_new_session=True,
            )
        except OSError:
            ours.close()
            raise
    return _Server(process, ours)


def _words() -> list[str]:
    """An interpreter that sees its own library and, behind it, us; compiled modules are taken and left where ours are."""
    options = ["-I", "-S"]
    if sys.dont_write_bytecode:
        options.append("-B")
    if sys.pycache_prefix:
        options += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return [sys.executable, *options, "-c", _PROGRAM, str(Path(assay.__file__).parents[1])]
