"""Walks and removes folders that foreign code made: of any depth, with paths longer than a path may be, closed to us, or moving.

No link is ever followed, no other file system entered, and no more than two descriptors are open at once.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from assay.core.values import dataclass

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Visit:
    """A folder by its descriptor, which is good until the next one is asked for.

    `left` is None when it is entered, before its subfolders are; else the name of the subfolder that was left just now.
    """

    folder: int
    left: str | None = None

    @property
    def entered(self) -> list[str]:
        """On entering: the folder itself, by the name `.`, and all that is in it. On leaving a subfolder: nothing new."""
        if self.left is not None:
            return []
        with os.scandir(self.folder) as entries:
            return [".", *(entry.name for entry in entries)]


def visits(root: Path) -> Iterator[Visit]:
    """The tree at `root`. What cannot be opened is passed over; where somebody moves the ground away meanwhile, it ends.

    Raises OSError where `root` itself is no folder that can be opened.
    """
    here = os.open(root, _FOLDER)
    try:
        device = os.fstat(here).st_dev
        yield Visit(here)
        trail = [(_identity(here), "", _subfolders(here))]
        while True:
            name = trail[-1][2].pop() if trail[-1][2] else None
            if name is not None:
                below = _opened(name, here, device)
                if below is not None:
                    here = _exchanged(here, below)
                    yield Visit(here)
                    trail.append((_identity(here), name, _subfolders(here)))
                continue
            _, left, _ = trail.pop()
            if not trail:
                return
            here = _exchanged(here, os.open("..", _FOLDER, dir_fd=here))
            if _identity(here) != trail[-1][0]:
                return
            yield Visit(here, left)
    except OSError:  # it was taken away while we stood in it
        return
    finally:
        os.close(here)


def remove(root: Path) -> bool:
    """Remove a folder with all it holds, read-only parts too; whether nothing is left of it."""
    _open_up(str(root))
    with suppress(OSError):
        for visit in visits(root):
            with suppress(OSError):
                if visit.left is None:
                    _empty(visit.folder)
                else:
                    os.rmdir(visit.left, dir_fd=visit.folder)
        root.rmdir()
    return not os.path.lexists(root)


def _empty(folder: int) -> None:
    """Remove all but the subfolders, which are made such that they can be entered."""
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    _open_up(entry.name, folder)
                else:
                    os.unlink(entry.name, dir_fd=folder)


def _open_up(name: str, folder: int | None = None) -> None:
    """Give ourselves the rights on a folder that removing needs; a file's own mode does not protect it."""
    if os.geteuid() == 0:
        return
    with suppress(OSError):
        if os.chmod in os.supports_follow_symlinks:
            os.chmod(name, 0o700, dir_fd=folder, follow_symlinks=False)
            return
        held = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            Path(f"/proc/self/fd/{held}").chmod(0o700)
        finally:
            os.close(held)


def _opened(name: str, folder: int, device: int) -> int | None:
    try:
        below = os.open(name, _FOLDER, dir_fd=folder)
    except OSError:
        return None
    if os.fstat(below).st_dev == device:
        return below
    os.close(below)
    return None


def _exchanged(old: int, new: int) -> int:
    os.close(old)
    return new


def _identity(folder: int) -> tuple[int, int]:
    facts = os.fstat(folder)
    return facts.st_dev, facts.st_ino


def _subfolders(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
