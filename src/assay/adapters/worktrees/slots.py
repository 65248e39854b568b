"""The slots of a check, one a side: while one is in use the others are closed, or looked at for changes afterwards."""

import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.core.model import Side
from assay.core.process import Account

LOOK_LIMIT = 20_000
"""Entries of one slot that are looked at, those nearest to its top first: a tenth of a second."""

_CLOSED, _PASSABLE = 0o700, 0o711

Shape = tuple[int, ...]


@dataclass(slots=True)
class _Slot:
    side: Side
    folder: Path
    account: Account | None
    seen: dict[str, Shape] | None = None


@dataclass(slots=True)
class Slots:
    """All slots by the root of their worktree.

    Where processes run as another account, a slot is a folder of ours that they can pass only while it is open. Where they
    run as ourselves nothing would hold them; then a slot that is not in use is looked at before and after. Our owner cannot
    be told apart from us by permissions, but not even he can set the time at which a file's facts last changed.
    """

    _slots: dict[str, _Slot] = field(default_factory=dict)

    def add(self, root: str, side: Side, folder: Path, account: Account | None) -> None:
        """A slot that has just been filled. It is closed."""
        folder.chmod(_CLOSED)
        self._slots[root] = _Slot(side, folder, account)

    def open(self, root: str) -> None:
        """Let the processes of one worktree reach their slot, and no other."""
        for slot in self._others(root):
            if slot.account is None:
                slot.seen = slot.seen or look(slot.folder)
            else:
                slot.folder.chmod(_CLOSED)
        own = self._slots[root]
        own.seen = None
        if own.account is not None:
            own.folder.chmod(_PASSABLE)

    def close(self, root: str) -> tuple[str, ...]:
        """Close it again; what has meanwhile changed in the others, by side and path."""
        if self._slots[root].account is not None:
            self._slots[root].folder.chmod(_CLOSED)
        return tuple(sorted(name for slot in self._others(root) if slot.seen is not None for name in _changes(slot)))

    def _others(self, root: str) -> Iterator[_Slot]:
        return (slot for key, slot in self._slots.items() if key != root)


def _changes(slot: _Slot) -> Iterator[str]:
    before, slot.seen = slot.seen or {}, look(slot.folder)
    if before == slot.seen:
        return
    for name in before.keys() | slot.seen.keys():
        if not _alike(before.get(name), slot.seen.get(name)):
            yield f"{slot.side}: {name}"


def _alike(before: Shape | None, now: Shape | None) -> bool:
    """Whether nobody has touched it. Of a file that had and has further names elsewhere, only what it holds counts.

    An installer links files out of its cache, and the other side's installer may link the same one again.
    """
    if before is None or now is None:
        return before is now
    (*content_before, changed_before, names_before), (*content_now, changed_now, names_now) = before, now
    return content_before == content_now and (changed_before == changed_now or min(names_before, names_now) > 1)


def look(folder: Path) -> dict[str, Shape]:
    """The facts of all that is in a folder, by path; links are not followed. Near its top first, up to the limit."""
    skipped = len(str(folder)) + 1
    found = {".": _shape(folder.lstat())}
    ahead = deque([str(folder)])
    while ahead and len(found) < LOOK_LIMIT:
        try:
            with os.scandir(ahead.popleft()) as entries:
                for entry in entries:
                    found[entry.path[skipped:]] = _shape(entry.stat(follow_symlinks=False))
                    if entry.is_dir(follow_symlinks=False):
                        ahead.append(entry.path)
        except OSError:  # closed to us by its own side, or gone: its own facts are among its parent's entries
            continue
    return found


def _shape(facts: os.stat_result) -> Shape:
    names = 1 if stat.S_ISDIR(facts.st_mode) else facts.st_nlink
    return facts.st_mode, facts.st_uid, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, names
