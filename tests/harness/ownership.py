"""Who owns the files of a step: given to the runner's account before it, counted after it."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

Owners = Mapping[str, int]


def may_give() -> bool:
    """Whether files can be given to another account. Without that everything stays ours, and nothing is foreign."""
    return os.geteuid() == 0


def give(folder: Path, uid: int) -> None:
    """Give a folder with all that is in it to an account, links themselves and not what they lead to."""
    if may_give():
        for path in (folder, *_below(folder)):
            os.chown(path, uid, uid, follow_symlinks=False)


def owners(folder: Path, *, other_than: int) -> Owners:
    """The files below a folder that are not the account's, with their owner."""
    if not may_give():
        return {}
    found = ((path.relative_to(folder).as_posix(), path.lstat().st_uid) for path in _below(folder))
    return {name: uid for name, uid in found if uid != other_than}


def _below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        yield from (Path(root, name) for name in (*folders, *files))
