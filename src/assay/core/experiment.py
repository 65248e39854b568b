"""A session of experiments and its records, as the store keeps them: `sessions/<id>.jsonl`, a header and then one record a line.

What a session has come to (its segment, its best run) is never written down but told from the records, so that the two
cannot disagree. A run has one row that is written before its process starts and completed when it has ended, and one row
with what became of it. Seqs are contiguous from 1.
"""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, JsonValue, TypeAdapter, ValidationError

from assay.core.canonical import compact, loads
from assay.core.envelope import RunId, Stamp
from assay.core.ids import is_id
from assay.core.model import Cause, Direction, Outcome
from assay.core.record import Count, Fact, Record
from assay.core.store_layout import SESSION_PREFIX, session_path
from assay.core.values import dataclass

T = TypeVar("T")

SCHEMA: Final = "assay.session/1"
RECORD_PREFIX = "rec"


def _id_with(prefix: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not is_id(prefix, text):
            raise ValueError(f"not an id that begins with {prefix}-")
        return text

    return check


SessionId = Annotated[str, AfterValidator(_id_with(SESSION_PREFIX))]
RecordId = Annotated[str, AfterValidator(_id_with(RECORD_PREFIX))]


class SessionStatus(StrEnum):
    """How far a session has come. It runs only while it is active."""

    ACTIVE = "active"
    FINALIZING = "finalizing"
    FINALIZED = "finalized"
    ARCHIVED = "archived"


class ChecksState(StrEnum):
    """What became of the correctness checks of a run."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"
    NOT_CONFIGURED = "not configured"


class HookName(StrEnum):
    """When a hook runs: before the process of a run, or after a run was logged."""

    BEFORE = "before"
    AFTER = "after"


class MetricValue(Record):
    """A number that a run printed."""

    name: Fact
    value: float
    unit: str | None


class ChecksResult(Record):
    """What became of the checks of one run."""

    state: ChecksState
    exit_code: int | None
    duration_ms: Count | None


class ConfigPayload(Record):
    """What a segment is judged by. `checks` is a shell command that must have passed for a keep; `working_dir` counts from the tree."""

    metric: Fact
    direction: Direction
    unit: str | None
    max_iterations: Annotated[int, Field(ge=1)] | None
    rules: str | None
    ideas: str | None
    working_dir: str | None
    tags: tuple[str, ...]
    checks: str | None


class RunPayload(Record):
    """One run. `ended` tells whether its process was followed to its end; without, its host was killed.

    `head`, `branch` and `tree` are the commit it ran on, that commit's branch, and the tree that it left; `commit` is what a
    keep came to, `reverted_to` and `discarded` what a restore went back to and where the discarded change is kept. With
    `as_baseline` somebody has named it as what the others of its segment are held against.
    """

    run: RunId
    status: Outcome
    ended: bool
    primary_metric: MetricValue | None
    secondary_metrics: tuple[MetricValue, ...]
    parse_warnings: Count
    exit_code: int | None
    cause: Cause | None
    detail: str
    duration_ms: Count | None
    checks: ChecksResult
    command: tuple[str, ...]
    log_file: str | None
    machine: Fact
    head: str | None
    branch: str | None
    tree: str | None
    description: str | None
    asi: dict[str, JsonValue]
    commit: str | None
    reverted_to: str | None
    discarded: str | None
    as_baseline: bool = False

    @property
    def clean(self) -> bool:
        """Whether it ended well and printed the primary metric."""
        return self.ended and self.cause is None and self.primary_metric is not None


class HookPayload(Record):
    """One run of a hook script. `message` is what it printed, for whoever drives the loop."""

    hook: HookName
    exit_code: int | None
    duration_ms: Count
    timed_out: bool
    message: str
    stderr: str


class Branch(Record):
    """A review branch that a finalize made, and the runs whose commits it holds."""

    name: Fact
    title: Fact
    base_commit: Fact
    tip_commit: Fact
    runs: tuple[RunId, ...]


class FinalizePayload(Record):
    """What a session was turned into."""

    kept: tuple[RunId, ...]
    discarded: tuple[RunId, ...]
    branches: tuple[Branch, ...]
    summary: str | None


class _Row(Record):
    id: RecordId
    seq: Annotated[int, Field(ge=1)]
    segment: Annotated[int, Field(ge=1)]
    created_at: Stamp


class ConfigRecord(_Row):
    type: Literal["config"] = "config"
    payload: ConfigPayload


class RunRecord(_Row):
    type: Literal["run"] = "run"
    payload: RunPayload


class HookRecord(_Row):
    type: Literal["hook"] = "hook"
    payload: HookPayload


class FinalizeRecord(_Row):
    type: Literal["finalize"] = "finalize"
    payload: FinalizePayload


AnyRecord = ConfigRecord | RunRecord | HookRecord | FinalizeRecord
Payload = ConfigPayload | RunPayload | HookPayload | FinalizePayload
_KINDS: dict[type[Record], type[AnyRecord]] = {
    ConfigPayload: ConfigRecord,
    RunPayload: RunRecord,
    HookPayload: HookRecord,
    FinalizePayload: FinalizeRecord,
}
_ANY: TypeAdapter[AnyRecord] = TypeAdapter(Annotated[AnyRecord, Field(discriminator="type")])


class Header(Record):
    """The first line of a session's file."""

    schema_: Literal["assay.session/1"] = Field(default=SCHEMA, alias="schema")
    session: SessionId
    name: Fact
    project: str | None
    status: SessionStatus
    created_at: Stamp
    updated_at: Stamp
    finalized_at: Stamp | None


@dataclass(frozen=True, slots=True)
class Journal:
    """A session with all its records."""

    header: Header
    records: tuple[AnyRecord, ...] = ()

    @property
    def id(self) -> str:
        return self.header.session

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return session_path(self.id)

    @property
    def segment(self) -> int:
        """The current segment."""
        return max((one.segment for one in self.records), default=1)

    def to_text(self) -> str:
        """The content of the file. Half characters, which an argument or a JSON escape can hold, become question marks."""
        text = "".join(f"{compact(one.model_dump(mode='json', by_alias=True))}\n" for one in (self.header, *self.records))
        return text.encode("utf-8", "replace").decode()

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The session that a file holds. Raises ValueError that names the line for anything but a whole one."""
        lines = text.split("\n")
        if lines[-1]:
            raise ValueError(f"line {len(lines)} has no end")
        first, *rest = lines[:-1] or [""]
        header = _on_line(1, lambda: Header.model_validate_json(_checked(first)))
        records = tuple(_on_line(number, partial(_record, line)) for number, line in enumerate(rest, 2))
        wrong = next((number for number, one in enumerate(records, 1) if one.seq != number), None)
        if wrong is not None:
            raise ValueError(f"line {wrong + 1}: its seq is {records[wrong - 1].seq}, not {wrong}")
        return cls(header, records)

    def has(self, record_id: str) -> bool:
        """Whether a record is there already: a store may ask for a change again after it was in truth made."""
        return any(one.id == record_id for one in self.records)

    def plus(self, payload: Payload, record_id: str, now: str, segment: int | None = None) -> Self:
        """The session with one record more, in the current segment unless another one is given."""
        row: dict[str, Any] = {
            "id": record_id,
            "seq": len(self.records) + 1,
            "segment": segment or self.segment,
            "created_at": now,
            "payload": payload,
        }
        return replace(self, records=(*self.records, _KINDS[type(payload)](**row)), header=self._touched(now))

    def with_payload(self, seq: int, payload: RunPayload, now: str) -> Self:
        """The session with another payload in a run's row."""
        found = tuple(one.model_copy(update={"payload": payload}) if one.seq == seq else one for one in self.records)
        return replace(self, records=found, header=self._touched(now))

    def with_status(self, status: SessionStatus, now: str) -> Self:
        """The session in another status."""
        finalized = now if status is SessionStatus.FINALIZED else self.header.finalized_at
        return replace(self, header=self._touched(now).model_copy(update={"status": status, "finalized_at": finalized}))

    def _touched(self, now: str) -> Header:
        return self.header.model_copy(update={"updated_at": now})


def record_json(record: AnyRecord) -> dict[str, Any]:
    """A record as a command prints it."""
    return record.model_dump(mode="json")


def _record(line: str) -> AnyRecord:
    return _ANY.validate_json(_checked(line))


def _checked(line: str) -> str:
    loads(line)  # a repeated key or a NaN is no evidence
    return line


def _on_line(number: int, read: Callable[[], T]) -> T:
    try:
        return read()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise ValueError(f"line {number}: {place}: {first['msg']}") from error
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error
