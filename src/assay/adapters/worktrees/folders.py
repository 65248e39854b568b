"""The temporary folder of one check: made, held by a lock for life, and removed, also when it was left by a dead process."""

import fcntl
import os
import re
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from assay.adapters import trees
from assay.errors import InfrastructureError

PREFIX = "assay-work-"
_LOCK, _FRESH = "lock", "lock.new"
_MARK = b"assay work folder 1\n"
"""What the lock of a folder of ours holds. Without it a folder is somebody else's, whatever its name."""
_ATTEMPTS = 3

ABANDONED_S = 3600.0
"""So long a folder may be without its lock: whoever makes or removes one needs a moment between the two."""
_NAME = re.compile(rf"{PREFIX}[a-z0-9_]{{8}}")


class WorkFolder:
    """A fresh folder under TMPDIR. Whoever finds its lock free knows that its owner is dead."""

    def __init__(self) -> None:
        self._slots: dict[tuple[int, str], Path] = {}
        try:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX)).absolute()  # TMPDIR may be relative
            self._lock = _locked(self.path)
        except OSError as error:
            what = f"No temporary folder can be made: {error.strerror} ({error.filename})."
            raise InfrastructureError(what, hint="Point TMPDIR to a folder that is writable and has space.") from error

    def slot(self, number: int, side: str) -> Path:
        """An empty folder for one side of one benchmark, under a name that the other side cannot guess.

        The names of both sides are equally long, for the length of a path changes the layout of a process's memory and so
        its speed.
        """
        if (number, side) in self._slots:
            trees.remove(self._slots[number, side])
        room = self.path / f"{number:02d}"
        room.mkdir(exist_ok=True)
        self._slots[number, side] = Path(tempfile.mkdtemp(prefix="", dir=room))
        return self._slots[number, side]

    def let_others_through(self, number: int) -> None:
        """Let another account reach its slots; it still cannot list what lies beside them."""
        for folder in (self.path, self.path / f"{number:02d}"):
            folder.chmod(0o711)

    def remove(self) -> None:
        """Remove everything. What resists, such as a file held by a network disk, the next check tries again."""
        try:
            _remove(self.path)
        finally:
            os.close(self._lock)


def _remove(folder: Path) -> bool:
    """Whether it is gone. The lock goes last, for without it no later check would find the rest."""
    with suppress(OSError):
        left = [entry for entry in folder.iterdir() if entry.name != _LOCK and not _removed(entry)]
        return not left and trees.remove(folder)
    return False


def _removed(entry: Path) -> bool:
    if entry.is_dir() and not entry.is_symlink():
        return any(trees.remove(entry) for _ in range(_ATTEMPTS))
    entry.unlink()
    return True


def _locked(folder: Path) -> int:
    """Lock first, then give the lock its name: nobody may ever find it there and free."""
    fresh = folder / _FRESH
    lock = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.write(lock, _MARK)
    fresh.rename(folder / _LOCK)
    return lock


def sweep() -> tuple[str, ...]:
    """Remove the folders that dead checks of ours have left; their paths."""
    try:
        with os.scandir(tempfile.gettempdir()) as entries:
            candidates = [Path(entry.path) for entry in entries if entry.name.startswith(PREFIX)]
    except OSError:  # whoever may not list it may still make a folder in it
        return ()
    return tuple(str(folder) for folder in candidates if _remove_if_dead(folder))


def _remove_if_dead(folder: Path) -> bool:
    try:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return _remove_if_abandoned(folder)
    except OSError:  # none of ours
        return False
    try:
        if not stat.S_ISREG(os.fstat(lock).st_mode) or os.read(lock, len(_MARK) + 1) != _MARK:
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return _remove(folder)
    except OSError:  # held: its check is alive
        return False
    finally:
        os.close(lock)


def _remove_if_abandoned(folder: Path) -> bool:
    """A check that was killed between making a folder and its lock, or between removing them, has left it all but empty."""
    with suppress(OSError):
        left = [entry.name for entry in folder.iterdir()]
        old = time.time() - folder.lstat().st_mtime > ABANDONED_S
        if old and _NAME.fullmatch(folder.name) and left in ([], [_FRESH]):
            (folder / _FRESH).unlink(missing_ok=True)
            folder.rmdir()
            return True
    return False
