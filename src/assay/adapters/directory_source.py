"""A folder of records as what an index is made from: only folders that have changed since are listed, and only new files are read."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.adapters.store_files import BY_MONTH, read_file, walk_folder
from assay.adapters.store_index import Entry, News
from assay.core.store_layout import DECISIONS, INVALIDATED, RUNS, may_hold_one, packed_month
from assay.ports import Unreadable

_UNSETTLED = "unsettled"
_SETTLED_NS = 3 * 10**9
"""A folder that was changed this short a time ago may change again without its time of change telling."""


class VanishedError(Exception):
    """A file that was listed is gone: it is being packed, and stands elsewhere by now."""


@dataclass(slots=True)
class DirectorySource:
    """The store below `root`. With `patient` a file that has vanished since it was listed raises VanishedError, else it is unreadable."""

    root: Path
    patient: bool = True
    _state: dict[str, str] = field(default_factory=dict)

    def news(self, known: Mapping[str, str], files: Callable[[str], Mapping[str, str]]) -> News | None:
        """What differs from the folders as they were. Single files are listed before packed ones, which take them in."""
        self._state = {}
        found = [
            *self._below(DECISIONS, BY_MONTH, known, files),
            *self._below(INVALIDATED, 0, known, files),
            *self._below(RUNS, BY_MONTH, known, files),
        ]
        gone = [path for folder in known if folder not in self._state for path in files(folder)]
        if not found and not gone and self._state == known:
            return None
        return News(self._state, [*found, *(Entry(path, "") for path in gone)], anew=not known)

    def contents(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | str]]:
        """The content of each file, one after the other."""
        for entry in entries:
            data = read_file(self.root, entry.path)
            if isinstance(data, Unreadable) and self.patient and not os.path.lexists(self.root / entry.path):
                raise VanishedError(entry.path)
            yield entry, data.reason if isinstance(data, Unreadable) else data
            del data  # a month may be large, and two at a time are too many

    def _below(self, folder: str, depth: int, known: Mapping[str, str], files: Callable[[str], Mapping[str, str]]) -> Iterator[Entry]:
        """What has changed in the folders below one, and then in itself."""
        stamp = self._stamp(folder)
        if stamp is None:
            return
        if depth:
            for name in self._folders_in(folder, stamp, known):
                yield from self._below(f"{folder}/{name}", depth - 1, known, files)
        self._state[folder] = stamp
        if stamp == _UNSETTLED or stamp != known.get(folder):
            yield from self._differing(folder, depth, files(folder))

    def _folders_in(self, folder: str, stamp: str, known: Mapping[str, str]) -> Iterable[str]:
        """The names of the folders in one, from memory where it has not changed."""
        if stamp != _UNSETTLED and stamp == known.get(folder):
            return [path.rpartition("/")[2] for path in known if path.rpartition("/")[0] == folder]
        return [one.name for one in walk_folder(self.root, folder) if not isinstance(one, Unreadable) and one.is_dir(follow_symlinks=False)]

    def _differing(self, folder: str, depth: int, before: Mapping[str, str]) -> Iterator[Entry]:
        there = set()
        for entry in self._entries(folder, depth):
            there.add(entry.path)
            if before.get(entry.path) != entry.blob:
                yield entry
        yield from (Entry(path, "") for path in before if path not in there)

    def _entries(self, folder: str, depth: int) -> Iterator[Entry]:
        """The files of one folder, each with what tells that its content may be another."""
        for one in walk_folder(self.root, folder):
            if isinstance(one, Unreadable):
                yield Entry(f"{one.path}/", one.reason, one.reason)
            elif depth and one.is_dir(follow_symlinks=False):
                continue
            else:
                yield _entry(f"{folder}/{one.name}", one)

    def _stamp(self, folder: str) -> str | None:
        """What tells that a folder holds other names than before; None where there is none."""
        try:
            found = os.lstat(self.root / folder)
        except OSError:
            return None
        settled = abs(time.time_ns() - found.st_mtime_ns) > _SETTLED_NS
        return f"{found.st_dev}:{found.st_ino}:{found.st_mtime_ns}" if settled else _UNSETTLED


def _entry(path: str, one: "os.DirEntry[str]") -> Entry:
    try:
        facts = one.stat(follow_symlinks=False)
    except OSError:
        return Entry(path, "")
    blob = f"{facts.st_ino}:{facts.st_size}:{facts.st_mtime_ns}"
    if one.is_symlink():
        return Entry(path, blob, "a symbolic link")
    if path.startswith(f"{INVALIDATED}/") or may_hold_one(path) or packed_month(path):
        return Entry(path, blob)
    return Entry(path, blob, "no place of a record in a store")
