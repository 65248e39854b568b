"""Assay's end of the process that forks supervisors. See `supervisor` for what passes between them."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import assay
from assay.adapters.process.child import LINUX
from assay.adapters.process.orphans import adopt, adopt_no_more, began, collected, orphans
from assay.adapters.process.supervisor import REHEARSE, RUN, SWEEP_S, descendants, send_signal
from assay.core.values import dataclass
from assay.errors import InfrastructureError

LOADER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""All that the server gets of our environment: an interpreter built as a shared library does not start without."""

PATIENCE_S = 30.0
"""How long a fork may take, on a machine that is busy with other things."""

_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from assay.adapters.process.supervisor import serve; serve()"


@dataclass(frozen=True, slots=True)
class Channels:
    """Our ends of what a new supervisor has as its files 0, 1 and 2: a socket, and the pipes of its command's two streams."""

    control: socket.socket
    stdout: int
    stderr: int
    pid: int = 0

    def close(self) -> None:
        self.control.close()
        os.close(self.stdout)
        os.close(self.stderr)


class ForkServer:
    """One small interpreter that forks a supervisor for each run. It starts when it is needed, and anew should it have died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: tuple[subprocess.Popen[bytes], socket.socket] | None = None
        self._supervisors: set[int] = set()
        self._ending: set[int] = set()
        self._since = 0

    def supervisor(self) -> Channels:
        """A new supervisor, which waits for its request. Raises InfrastructureError where no process can be started."""
        try:
            with self._lock:
                try:
                    channels = self._introduced()
                except (TimeoutError, ConnectionError):  # somebody has stopped or killed the server
                    self._drop()
                    channels = self._introduced()
                self._supervisors.add(channels.pid)
        except OSError as error:
            raise no_supervisor(error.errno or errno.ETIMEDOUT) from error
        return channels

    def ended(self, pid: int) -> None:
        """A supervisor has ended, in whatever way."""
        with self._lock:
            self._supervisors.discard(pid)
            self._ending.add(pid)
            self._collect()

    def _collect(self) -> None:
        """Supervisors are children of ours where their server was killed, and then nobody else waits for them."""
        self._ending = {pid for pid in self._ending if not collected(pid)}

    def sweep(self) -> None:
        """Kill what supervisors that were killed have left: what has come to the server, or to us, and is no supervisor.

        It has to be seen twice that nothing is left: who dies closes its files first and hands its children on later.
        """
        over, quiet = time.monotonic() + SWEEP_S, 0
        with self._lock:
            while quiet < 2 and time.monotonic() < over:
                left = self._left()
                quiet = 0 if left else quiet + 1
                send_signal(signal.SIGKILL, left)
                time.sleep(0.01)

    def _left(self) -> set[int]:
        """The server is asked first: what it has comes to us where it was killed as well."""
        if not LINUX:
            return set()
        server = {self._server[0].pid} if self._server is not None else set()
        below = set().union(*(descendants(pid, without=self._supervisors) for pid in server))
        return below | orphans(self._supervisors | server, self._since)

    @cached_property
    def can_shield(self) -> bool:
        """Whether this system lets a command have folders that it cannot write to. Asked once, of a process that does nothing else.

        Some systems grant the namespace and refuse what is then to be written about it, and from there no way leads back.
        """
        with self._lock:
            channels = self._fork(REHEARSE)
        try:
            return _first_word(channels) != b""
        except TimeoutError as error:
            raise no_supervisor(errno.ETIMEDOUT) from error
        finally:
            channels.close()

    def close(self) -> None:
        """End the server. Supervisors that it forked are not its own any more, and go on."""
        with self._lock:
            if self._since:
                adopt_no_more()  # first: one that is about to end would become ours
            self._drop()
            self._collect()

    def _introduced(self) -> Channels:
        """A supervisor that has said its number, which it does before all else."""
        channels = self._fork(RUN)
        try:
            match _first_word(channels).split():
                case [b"here", pid]:
                    return replace(channels, pid=int(pid))
                case [b"refused", number]:
                    raise no_supervisor(int(number))
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
        except BaseException:
            channels.close()
            raise

    def _fork(self, task: bytes) -> Channels:
        try:
            return self._asked(task)
        except OSError as error:
            raise no_supervisor(error.errno) from error

    def _asked(self, task: bytes) -> Channels:
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
            self._send(task, files)
            ours.pop_all()
            return Channels(control, *streams)

    def _send(self, task: bytes, files: list[int]) -> None:
        channel = self._server[1] if self._server is not None else self._start()
        try:
            socket.send_fds(channel, [task], files)
        except (BrokenPipeError, ConnectionResetError):  # somebody killed it since
            self._drop()
            socket.send_fds(self._start(), [task], files)

    def _start(self) -> socket.socket:
        self._server = process, channel = _started()
        if not self._since:
            self._since = began(process.pid)
            adopt()
        return channel

    def _drop(self) -> None:
        if self._server is not None:
            process, channel = self._server
            self._server = None
            channel.close()
            process.kill()  # it might have been stopped, and then it would not hear
            process.wait()


def _first_word(channels: Channels) -> bytes:
    """What a fork says unasked; nothing where it died. Raises TimeoutError where it keeps silent."""
    channels.control.settimeout(PATIENCE_S)
    try:
        return channels.control.recv(64)
    finally:
        channels.control.settimeout(None)


def no_supervisor(number: int | None) -> InfrastructureError:
    """The error where the system refuses a process or a file that a supervisor needs, for its reason `number`."""
    return InfrastructureError(
        f"the supervisor of a run could not be started: {os.strerror(number or 0)}",
        hint="check the limits on processes, files and memory of this account (`ulimit -a`)",
    )


def _started() -> tuple[subprocess.Popen[bytes], socket.socket]:
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
    return process, ours


def _words() -> list[str]:
    """An interpreter that sees its own library and, behind it, us; compiled modules are taken and left where ours are."""
    options = ["-I", "-S"]
    if sys.dont_write_bytecode:
        options.append("-B")
    if sys.pycache_prefix:
        options += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return [sys.executable, *options, "-c", _PROGRAM, str(Path(assay.__file__).parents[1])]
