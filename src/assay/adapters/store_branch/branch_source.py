"""The data branch as what an index is made from."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from assay.adapters.store_branch.private_repository import DamagedError
from assay.adapters.store_branch.snapshot import MAX_BLOB, Snapshot
from assay.adapters.store_branch.snapshot import Entry as TreeEntry
from assay.adapters.store_index import Entry, News
from assay.core.store_layout import DECISIONS, INVALIDATED, RUNS, may_hold_one, packed_month
from assay.core.values import dataclass

_TIP = "tip"
_FOLDERS = (RUNS, DECISIONS, INVALIDATED)


@dataclass(frozen=True, slots=True)
class BranchSource:
    """A commit of the branch. What it holds is told by the tip alone, so nothing is listed while that stays."""

    snapshot: Snapshot

    def news(self, known: Mapping[str, str], files: Callable[[str], Mapping[str, str]]) -> News | None:  # noqa: ARG002 - git tells by itself
        """What differs from the tip that was seen last; everything, where that one has been cleaned away."""
        state = {_TIP: self.snapshot.tip or ""}
        if known == state:
            return None
        if known.get(_TIP) and self.snapshot.tip:
            try:
                changed = tuple(one for one in self.snapshot.changes(known[_TIP]) if one.path.split("/")[0] in _FOLDERS)
            except DamagedError:
                pass
            else:
                return News(state, map(_entry, changed))
        return News(state, map(_entry, self.snapshot.files(*_FOLDERS)), anew=True)

    def contents(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | str]]:
        """The content of each file. Raises DamagedError where our copy lacks one."""
        wanted = tuple(entries)
        contents = self.snapshot.contents(entry.blob for entry in wanted)
        for entry, (_, content) in zip(wanted, contents, strict=True):
            yield entry, f"larger than {MAX_BLOB} bytes" if content is None else content
            del content


def _entry(one: TreeEntry) -> Entry:
    if not one.blob or one.path.startswith(f"{INVALIDATED}/"):  # a tombstone counts by its name and is never read
        return Entry(one.path, one.blob)
    place = None if may_hold_one(one.path) or packed_month(one.path) else "no place of a record in a store"
    return Entry(one.path, one.blob, one.problem or place)
