"""From a file of the data branch to rows of the index: the header of each record in it, or why it has none."""

from collections.abc import Iterator

from assay.adapters.store_branch.snapshot import MAX_BLOB, Entry
from assay.adapters.stored_records import EMPTY, parsed
from assay.core.envelope import Run, StoredDecision
from assay.core.record_header import decision_header, run_header
from assay.core.store_layout import DECISIONS, INVALIDATED, may_hold_one, packed_month
from assay.ports import Unreadable

Row = tuple[str | int | None, ...]
"""The columns of the table `record`, in their order."""


def problem_of(entry: Entry) -> str | None:
    """Why a file is not to be read, told from its name and mode alone. A tombstone counts by its name and is never read."""
    if entry.path.startswith(f"{INVALIDATED}/"):
        return None
    if entry.problem:
        return entry.problem
    return None if may_hold_one(entry.path) or packed_month(entry.path) else "no place of a record in a store"


def rows_of(path: str, blob: str, content: bytes | None) -> Iterator[Row]:
    """The rows of one file: one, or in a packed month one for each line."""
    packed = int(packed_month(path) is not None)
    if content is None:
        yield _broken((blob, packed, 0, 0, 0), f"larger than {MAX_BLOB} bytes")
    elif not packed:
        yield _row(path, path, (blob, packed, 0, 0, len(content)), content)
    elif not content.strip():
        yield _broken((blob, packed, 0, 0, 0), EMPTY)
    else:
        start = 0
        for number, line in enumerate(content.split(b"\n"), 1):
            if line.strip():
                yield _row(path, f"{path}:{number}", (blob, packed, number, start, len(line)), line)
            start += len(line) + 1


def _row(path: str, name: str, where: Row, data: bytes) -> Row:
    kind = StoredDecision if path.startswith(f"{DECISIONS}/") else Run
    if kind is StoredDecision:
        if decision := decision_header(data):
            return (*where, decision.decision_id, None, decision.head_run, *(None,) * 6, None)
    elif run := run_header(data):
        facts = (run.commit, run.machine.machine_class, run.model, run.precision, run.status, run.created_at)
        return (*where, run.run_id, run.benchmark, None, *facts, None)
    one = parsed(kind, name, data)
    return _broken(where, one.reason if isinstance(one, Unreadable) else "it has no header")


def _broken(where: Row, reason: str) -> Row:
    return (*where, *(None,) * 9, reason)
