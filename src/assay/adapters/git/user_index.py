"""The user's index, changed as git itself does it: under its lock, by a new file that takes the old one's name."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.adapters.git.dot_git import DotGit
from assay.core.escape import plain
from assay.core.experiment_errors import TreeBusyError
from assay.core.values import dataclass
from assay.errors import InfrastructureError

_MARK = b"assay index lock\n"
"""In a lock of ours that is not an index yet. One that nobody holds is of a command that was killed."""


@dataclass(frozen=True, slots=True)
class IndexLock:
    """The right to replace the user's index."""

    descriptor: int
    lock: Path
    index: Path

    def install(self, file: Path) -> None:
        """Put a copy of this index in the place of the user's. It must be the last thing done with the lock."""
        data = file.read_bytes()
        os.ftruncate(self.descriptor, 0)
        rest, place = memoryview(data), 0
        while rest:
            place += os.pwrite(self.descriptor, rest, place)
            rest = memoryview(data)[place:]
        os.fsync(self.descriptor)
        self.lock.replace(self.index)


@contextmanager
def index_lock(dot_git: DotGit) -> Iterator[IndexLock]:
    """Keep others, git included, from changing the index. Raises TreeBusyError where one of them is at it."""
    lock = dot_git.own / "index.lock"
    _clear_dead(lock)
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except FileExistsError as error:
        what = f"Another git command is at work in {plain(str(dot_git.root))}: there is an index.lock in its git folder."
        raise TreeBusyError(what, hint="Wait for it. If no git runs there, remove that file.") from error
    except OSError as error:
        raise InfrastructureError(
            f"The index cannot be locked: {error.strerror} ({lock}).", hint="Free the folder's permissions."
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, _MARK)
        mine = os.fstat(descriptor).st_ino
        yield IndexLock(descriptor, lock, dot_git.own / "index")
    finally:
        with suppress(FileNotFoundError):
            if lock.lstat().st_ino == mine:
                lock.unlink()
        os.close(descriptor)


def _clear_dead(lock: Path) -> None:
    """Remove the lock of a command of ours that was killed."""
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        if os.pread(descriptor, len(_MARK) + 1, 0) == _MARK:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock.unlink(missing_ok=True)
    except BlockingIOError:
        return
    finally:
        os.close(descriptor)
