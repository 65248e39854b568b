"""The runs of this box that are queued or running, and who has a working tree: lock files in a folder that is ours alone.

A run holds the lock of its own file, so it is alive exactly as long as the process that waits for it. Whoever wants its end
leaves a second file, which the run looks for: no process is ever signalled by a number that a file names.
"""

import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.adapters.process.claims import BoxClaims, Ticket
from assay.adapters.process.lock_folder import own_folder, shared_folder
from assay.core.ids import is_id
from assay.core.store_layout import RUN_PREFIX
from assay.errors import InfrastructureError
from assay.experiment_ports import LiveRun

POLL_S = 0.05
_MAX_BYTES = 4096


class RegisteredRun:
    """Satisfies `experiment_ports.Registration`."""

    def __init__(self, descriptor: int, handle: str, session: str, request: Path) -> None:
        self._descriptor = descriptor
        self._facts: dict[str, object] = {"handle": handle, "session": session, "active": False}
        self._request = request
        self._write()

    def activate(self) -> None:
        self._facts["active"] = True
        self._write()

    def cancelled(self) -> bool:
        return self._request.exists()

    @contextmanager
    def watch(self, end: Callable[[], object]) -> Iterator[None]:
        over = threading.Event()

        def look() -> None:
            while not over.wait(POLL_S):
                if self.cancelled():
                    end()
                    return

        watcher = threading.Thread(target=look, name="cancel-watch", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def _write(self) -> None:
        data = json.dumps(self._facts).encode().ljust(_MAX_BYTES // 8)
        os.pwrite(self._descriptor, data, 0)


class BoxHandles:
    """Satisfies `experiment_ports.Handles`. `folder` is where the processes of this user meet, by default beside their claims."""

    def __init__(self, folder: Path | None = None) -> None:
        self._parent = folder or shared_folder()
        self._folder = self._parent / "runs"

    @contextmanager
    def register(self, handle: str, session: str) -> Iterator[RegisteredRun]:
        """As the port says. Raises InfrastructureError where the folder cannot be used."""
        own_folder(self._parent)
        own_folder(self._folder)
        file, request = self._file(handle), self._request(handle)
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise InfrastructureError(
                f"The run {handle} cannot be made known in {self._folder}: {error.strerror}.", hint="Free that folder."
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield RegisteredRun(descriptor, handle, session, request)
        finally:
            file.unlink(missing_ok=True)
            request.unlink(missing_ok=True)
            os.close(descriptor)

    def live(self, session: str | None = None) -> tuple[LiveRun, ...]:
        found = (self._read(file) for file in sorted(self._folder.glob(f"{RUN_PREFIX}-*.lock")))
        return tuple(one for one in found if one is not None and session in (None, one.session))

    def cancel(self, handle: str) -> bool:
        if not is_id(RUN_PREFIX, handle) or self._read(self._file(handle)) is None:
            return False
        with suppress(FileExistsError):
            os.close(os.open(self._request(handle), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        return True

    def _read(self, file: Path) -> LiveRun | None:
        """What a file says, None where its process is gone; what such a process left behind is removed."""
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return _facts(os.pread(descriptor, _MAX_BYTES, 0))
        else:
            self._forget(file)
            return None
        finally:
            os.close(descriptor)

    def _forget(self, file: Path) -> None:
        """Remove what a dead process left. One that is just being made is not locked yet, so only an old one is dead."""
        with suppress(FileNotFoundError):
            if time.time() - file.lstat().st_mtime > 1.0:
                file.with_suffix(".cancel").unlink(missing_ok=True)
                file.unlink()

    def _file(self, handle: str) -> Path:
        return self._folder / f"{handle}.lock"

    def _request(self, handle: str) -> Path:
        return self._folder / f"{handle}.cancel"


class BoxExclusion:
    """Satisfies `experiment_ports.Exclusion` with the claims that the runner uses, too."""

    def __init__(self, folder: Path | None = None) -> None:
        self._claims = BoxClaims(str(folder) if folder else None)

    @contextmanager
    def held(self, name: str, give_up: Callable[[], bool]) -> Iterator[bool]:
        with self._claims.held(Ticket(frozenset({name}), _GivingUp(give_up))) as got:
            yield got


class _GivingUp(threading.Event):
    """An event that is set as soon as a question is answered with yes."""

    def __init__(self, question: Callable[[], bool]) -> None:
        super().__init__()
        self._question = question

    def is_set(self) -> bool:
        return self._question()


def _facts(data: bytes) -> LiveRun | None:
    try:
        facts = json.loads(data.split(b"\0", 1)[0])
        return LiveRun(str(facts["handle"]), str(facts["session"]), facts["active"] is True)
    except (ValueError, TypeError, KeyError):
        return None
