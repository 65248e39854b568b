"""Where the output of benchmark processes is kept in full: one folder a session, the oldest removed, none that is in use."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from assay.adapters import atomic_file, trees
from assay.core.ids import is_id
from assay.errors import InfrastructureError

KEPT_SESSIONS = 50
KEPT_BYTES = 1_000_000_000
"""So many sessions, and so many bytes of them all, keep their logs; the envelopes, which hold the numbers, stay in the store."""

_LOCK = ".in-use"


class LogFolder:
    """Makes the folders of sessions. Each is held by a lock until this process ends: another check may look for old ones."""

    def __init__(self, root: Path, prefix: str = "ses", kept: int = KEPT_SESSIONS) -> None:
        """`prefix` is that of the ids by which the folders go, `kept` how many of them stay."""
        self._root = root
        self._prefix = prefix
        self._kept = kept
        self._locks: dict[str, int] = {}

    def session(self, name: str) -> str:
        """A new folder for the logs of one session. Raises InfrastructureError for the disk's refusal."""
        try:
            atomic_file.make_folders(self._root)
            atomic_file.keep_out_of_git(self._root.absolute())
            if not self._locks:  # once, before there is anything of ours
                self._prune()
            return str(self._held(name))
        except OSError as error:
            raise InfrastructureError(
                f"The folder {self._root} for logs could not be made: {error.strerror or error}.",
                hint="Free the disk or the folder's permissions.",
            ) from error

    def _held(self, name: str) -> Path:
        """The folder, made anew as long as somebody removes it between its making and its locking."""
        if name in self._locks:
            return self._root / name
        while True:
            folder = atomic_file.make_folders(self._root, name)
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.fstat(lock).st_nlink:
                self._locks[name] = lock
                return folder
            os.close(lock)

    def _prune(self) -> None:
        """Names of sessions sort by time; what has no such name is not ours to remove."""
        sessions = sorted(
            (entry for entry in self._root.iterdir() if is_id(self._prefix, entry.name) and not entry.is_symlink()), reverse=True
        )
        total = 0
        for number, session in enumerate(sessions):
            total += _size(session)
            if number >= self._kept or total > KEPT_BYTES:
                _remove_if_unused(session)


def _size(folder: Path) -> int:
    with suppress(OSError), os.scandir(folder) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    return 0


def _remove_if_unused(folder: Path) -> None:
    with suppress(OSError):  # somebody holds it, or it is not for us to open
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            trees.remove(folder)
        finally:
            os.close(lock)
