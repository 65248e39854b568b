"""The tracked files of a worktree: whether they still are those of its commit."""

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from assay.core.values import dataclass

_SHA256_DIGITS = 64
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Tracked:
    """What git has laid out below `root`: the id of each file's content, and its facts just after.

    It is held in memory, for an index on disk could be rewritten by whoever rewrites a file.
    """

    root: Path
    ids: Mapping[str, str]
    facts: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, root: Path, ids: Mapping[str, str]) -> Self:
        return cls(root, ids, {name: facts for name in ids if (facts := _facts(root / name)) is not None})

    def changed(self) -> tuple[str, ...]:
        """The paths whose content or kind is another by now. A file that was only touched, or written anew, is none."""
        return tuple(name for name in self.ids if self._differs(name))

    def _differs(self, name: str) -> bool:
        before, now = self.facts.get(name), _facts(self.root / name)
        if before == now:
            return False
        if before is None or now is None or _kind(before[0]) != _kind(now[0]):
            return True
        return _blob_id(self.root / name, self.ids[name]) != self.ids[name]


def _facts(path: Path) -> tuple[int, ...] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_mode, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _kind(mode: int) -> tuple[int, int]:
    """What git records of a mode: file, link or folder, and whether it can be executed."""
    return stat.S_IFMT(mode), mode & stat.S_IXUSR


def _blob_id(path: Path, like: str) -> str | None:
    """The id that git would give to what is there now, in the kind of hash of another id; None where it cannot be read."""
    digest = hashlib.sha256() if len(like) == _SHA256_DIGITS else hashlib.sha1(usedforsecurity=False)
    try:
        if path.is_symlink():
            target = os.fsencode(path.readlink())
            digest.update(b"blob %d\0" % len(target) + target)
            return digest.hexdigest()
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                return None
            digest.update(b"blob %d\0" % facts.st_size)
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()
