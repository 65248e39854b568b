"""The edit that packs the closed months of a tip."""

from dataclasses import dataclass
from datetime import datetime

from assay.adapters.store_branch.edit import Edit
from assay.adapters.store_branch.snapshot import MAX_BLOB, Entry, Snapshot
from assay.core.compaction import LeftAlone, Month, Packed, closed_months, pack
from assay.core.store_layout import RUNS, packed_path, single_month


@dataclass(slots=True)
class CompactionChange:
    """Asked again for each new tip; `packed` is what it came to at last."""

    now: datetime
    packed: tuple[Packed, ...] = ()

    def __call__(self, snapshot: Snapshot) -> Edit:
        """Packed months and the removal of what they have taken in go into one commit, so no reader ever misses a run."""
        files = {entry.path: entry for entry in snapshot.files(RUNS)}
        self.packed = tuple(pack(_month(snapshot, files, name)) for name in closed_months(files, self.now))
        written = [one for one in self.packed if one.content is not None]
        names = ", ".join(one.name for one in written)
        return Edit(
            f"Pack the runs of {names}",
            {one.path: one.content for one in written if one.content is not None},
            tuple(path for one in written for path in one.absorbed),
        )


def _month(snapshot: Snapshot, files: dict[str, Entry], name: str) -> Month:
    entries = [entry for path, entry in files.items() if single_month(path) == name or path == packed_path(name)]
    sound = [entry for entry in entries if entry.problem is None]
    contents = dict(snapshot.contents({entry.blob for entry in sound}))
    read = {entry.path: data for entry in sound if (data := contents[entry.blob]) is not None}
    lost = [LeftAlone(entry.path, entry.problem or f"larger than {MAX_BLOB} bytes") for entry in entries if entry.path not in read]
    packed = read.pop(packed_path(name), None)
    return Month(name, packed, read, tuple(lost))
