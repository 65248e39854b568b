"""The ledger: one row for each attempt at a task, a line of JSON in the file of its month. Rows are added and never changed."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, ValidationError

from assay.core.canonical import compact, loads
from assay.core.envelope import RunId, Seconds, Sha, Stamp
from assay.core.ids import is_id
from assay.core.loop.vocabulary import Result, Source, ValueClass
from assay.core.model import Direction, Verdict
from assay.core.record import Count, Fact, Record, first_reason
from assay.core.store_layout import LEDGER_PREFIX, ledger_path
from assay.core.timestamp import moment
from assay.core.values import dataclass

ROW_SCHEMA: Final = "assay.ledger/1"
AHEAD: Final = timedelta(days=1)
"""So far the clocks of boxes may be apart. What is dated later than that was written by a clock that was wrong."""


def _row_id(text: str) -> str:
    if not is_id(LEDGER_PREFIX, text):
        raise ValueError("not the id of a row of the ledger")
    return text


class LedgerRow(Record):
    """One attempt at a task. `value` is the task's class, `number` what stands for head's samples of its primary metric.

    `run_id` is head's run, `base_run_id` that of the base beside it. `change` is of head relative to base, signed as the numbers
    are; `base_number` is what it was held against. `held_by` names what was missing for an attempt, `reused` says that a stored
    run answered: both are `skipped`.
    """

    schema_: Literal["assay.ledger/1"] = Field(default=ROW_SCHEMA, alias="schema")
    id: Annotated[str, AfterValidator(_row_id)]
    created_at: Stamp
    task: Fact
    source: Source
    value: ValueClass
    box: Fact
    machine: Fact
    command: str
    result: Result
    run_id: RunId | None
    base_run_id: RunId | None
    commit: Sha | None
    base: Sha | None
    metric: str | None
    unit: str | None
    better: Direction | None
    number: float | None
    base_number: float | None
    samples: Count
    verdict: Verdict | None
    change: float | None
    duration_s: Seconds | None
    gpu_minutes: Annotated[float, Field(ge=0)]
    held_by: str | None
    reused: bool
    note: str

    @property
    def at(self) -> datetime:
        return moment(self.created_at)

    @property
    def path(self) -> str:
        """The file of its month, from the store's root."""
        return ledger_path(f"{self.at:%Y-%m}")

    def to_line(self) -> str:
        """Its one text form, without the line's end."""
        return compact(self.model_dump(mode="json", by_alias=True))

    @classmethod
    def from_line(cls, line: str) -> Self:
        """The row on a line. Raises ValueError, with the reason, for anything else: a word outside its set among it."""
        members = loads(line)
        found = members.get("schema") if isinstance(members, dict) else None
        if found != ROW_SCHEMA:
            raise ValueError(f"its schema is {found!r}, not {ROW_SCHEMA!r}")
        try:
            return cls.model_validate_json(line)
        except ValidationError as error:
            raise ValueError(first_reason(error)) from error


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of the ledger that cannot be read: its place, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """All rows, oldest first and each once, and the lines that could not be read. `ahead` counts rows that were left out as too new."""

    rows: tuple[LedgerRow, ...] = ()
    lost: tuple[BadLine, ...] = ()
    ahead: int = 0

    def joined(self, other: "Ledger") -> "Ledger":
        """Both together."""
        joined = ledger_of((*self.rows, *other.rows), (*self.lost, *other.lost))
        return Ledger(joined.rows, joined.lost, self.ahead + other.ahead)

    def believed(self, now: datetime) -> "Ledger":
        """Without the rows of over a day ahead: their age is not known, so a task would be fresh for as long as the clock was wrong."""
        rows = tuple(one for one in self.rows if one.at - now <= AHEAD)
        return Ledger(rows, self.lost, self.ahead + len(self.rows) - len(rows))


def ledger_of(rows: Iterable[LedgerRow], lost: Iterable[BadLine] = ()) -> Ledger:
    """The rows in the order of time; the id tells them apart."""
    by_id = {one.id: one for one in rows}
    return Ledger(tuple(sorted(by_id.values(), key=lambda one: (one.at, one.id))), tuple(lost))


def read_month(path: str, data: bytes) -> Ledger:
    """The rows of one file."""
    rows: list[LedgerRow] = []
    lost: list[BadLine] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = LedgerRow.from_line(line.decode())
            if row.path != path:
                raise ValueError(f"it belongs in {row.path}")
            rows.append(row)
        except ValueError as error:
            lost.append(BadLine(f"{path}:{number}", str(error)))
    return ledger_of(rows, lost)


def with_rows(path: str, data: bytes, rows: Iterable[LedgerRow]) -> bytes:
    """The content of a month's file with the rows of that month added. What stands there stays, byte for byte."""
    known = {one.id for one in read_month(path, data).rows}
    new = [one for one in ledger_of(rows).rows if one.path == path and one.id not in known]
    joint = b"\n" if data and not data.endswith(b"\n") and new else b""
    return data + joint + b"".join(f"{one.to_line()}\n".encode() for one in new)


def months_of(rows: Iterable[LedgerRow]) -> Iterator[str]:
    """The files that these rows belong in."""
    yield from sorted({one.path for one in rows})
