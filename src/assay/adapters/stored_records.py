"""Stored bytes as records, and records as an answer: the same for every place that a store is kept in."""

from collections.abc import Iterable
from typing import TypeVar

from assay.adapters.store_files import unreadable
from assay.core.analysis_file import AnalysisFile
from assay.core.attempts.entry import AttemptEntry
from assay.core.budget import Spend, Spent
from assay.core.envelope import REMEASURE, Run
from assay.core.model import Status
from assay.core.record import Envelope
from assay.errors import InfrastructureError
from assay.ports import Catalog, Unreadable

E = TypeVar("E", bound=Envelope)

EMPTY = "an empty file, which no packed month is"


class OtherRecordError(InfrastructureError):
    """The store has another record under this id."""


def encoded(envelope: Envelope | AnalysisFile) -> bytes:
    """The content of the file of one record."""
    if isinstance(envelope, AnalysisFile):
        return envelope.data
    return f"{envelope.to_json()}\n".encode()


def parsed(kind: type[E], path: str, data: bytes) -> E | Unreadable:
    """The record that bytes hold. `path` is the name that they go by in a report."""
    try:
        return kind.from_json(data.decode())
    except ValueError as error:
        return unreadable(path, str(error))


def parsed_in_place(kind: type[E], path: str, data: bytes) -> E | Unreadable:
    """The same for a file of one record, which has to be the file of that record."""
    one = parsed(kind, path, data)
    if isinstance(one, Unreadable) or one.path == path:
        return one
    return unreadable(path, f"it holds what belongs in {one.path}")


def catalog(benchmark: str, found: Iterable[Run | Unreadable], hidden: frozenset[str]) -> Catalog:
    """The runs of a benchmark, newest first and each once; hidden ones are left out, unreadable evidence never."""
    runs: dict[str, Run] = {}
    lost: dict[str, Unreadable] = {}
    for one in found:
        if isinstance(one, Unreadable):
            lost.setdefault(one.path, one)
        elif one.benchmark == benchmark and one.run_id not in hidden:
            runs.setdefault(one.run_id, one)
    return Catalog(
        tuple(runs[run_id] for run_id in sorted(runs, reverse=True)),
        tuple(one for one in lost.values() if not is_hidden(one.path, hidden)),
    )


def counts_as_answer(status: str, forced_by: str | None) -> bool:
    """Whether a stored run answered in a decision, or would have, had the rule to remeasure not come first."""
    return status == Status.REUSED or forced_by == REMEASURE


def spent_of(read: Iterable[Spend | Unreadable]) -> Spent:
    """Records of what was spent, each once, and the number of those that could not be read."""
    records: dict[str, Spend] = {}
    lost: set[str] = set()
    for one in read:
        if isinstance(one, Unreadable):
            lost.add(one.path)
        else:
            records[one.spend_id] = one
    return Spent(tuple(records[key] for key in sorted(records)), len(lost))


def attempts_of(read: Iterable[AttemptEntry | Unreadable]) -> tuple[AttemptEntry, ...]:
    """Records of attempts, each once. Raises InfrastructureError where one could not be read: it may have been the third strike."""
    found: dict[str, AttemptEntry] = {}
    for one in read:
        if isinstance(one, Unreadable):
            hint = "Repair that file, or take it out of the store."
            raise InfrastructureError(f"The attempts cannot be counted: {one.path}: {one.reason}.", hint=hint)
        found[one.attempt_id] = one
    return tuple(found[key] for key in sorted(found))


def another_record(where: str) -> OtherRecordError:
    """The error for a second, different record under one id."""
    hint = "A stored file is never changed. Run the command again; it takes a new id."
    return OtherRecordError(f"The store has another record at {where}.", hint=hint)


def is_hidden(path: str, hidden: frozenset[str]) -> bool:
    """Whether a file is that of a hidden run."""
    return path.rpartition("/")[2].removesuffix(".json") in hidden
