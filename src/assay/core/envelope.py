"""The envelope of a run, `assay.run/1`, and of a decision, `assay.decision/1`: self-describing, complete, strict."""

from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, StringConstraints, model_validator

from assay.core.canonical import digest
from assay.core.comparison_record import ComparisonRecord
from assay.core.decide import Hold
from assay.core.facts import EnvironmentFacts, MachineFacts, PythonFacts, SightingFacts
from assay.core.fingerprint import Fingerprints
from assay.core.ids import is_id
from assay.core.model import Cause, Conclusion, Outcome, Status, Trust
from assay.core.record import Absent, Count, Envelope, Fact, Record, Unknown
from assay.core.result import LineageKey
from assay.core.store_layout import DECISION_PREFIX, RUN_PREFIX, decision_path, run_path, tombstone_path
from assay.core.timestamp import moment

RUN_SCHEMA: Final = "assay.run/1"
DECISION_SCHEMA: Final = "assay.decision/1"
TOMBSTONE_SCHEMA: Final = "assay.tombstone/1"

REMEASURE: Final = "remeasure"
"""What a run is forced by where the rule of `reuse.remeasure` wants one although a stored run would do."""


def _stamped(text: str) -> str:
    moment(text)
    return text


def _run_id(text: str) -> str:
    if not is_id(RUN_PREFIX, text):
        raise ValueError("not the id of a run")
    return text


def _decision_id(text: str) -> str:
    if not is_id(DECISION_PREFIX, text):
        raise ValueError("not the id of a decision")
    return text


Stamp = Annotated[str, AfterValidator(_stamped)]
RunId = Annotated[str, AfterValidator(_run_id)]
DecisionId = Annotated[str, AfterValidator(_decision_id)]
Sha = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
Seconds = Annotated[float, Field(ge=0)]


class RunStatus(StrEnum):
    """How a run ended. Only `complete` is clean evidence."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    DEGRADED = "degraded"
    ERRORED = "errored"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    PENDING = "pending"


class ConfigFacts(Record):
    """What of the config the samples depend on (see `core.lineage`), and the hash of exactly that."""

    hash: Fact
    parameters: dict[str, JsonValue]

    @model_validator(mode="after")
    def _hash_belongs(self) -> Self:
        if digest(self.parameters) != self.hash:
            raise ValueError("the hash is not that of the parameters")
        return self


class ProcessFacts(Record):
    """One process of the session, also where it failed. `order` is its place in the session, both sides counted, from 0.

    `gpus` is what was seen of its cards: none where it needs none, unknown where nothing can be seen of them.
    """

    order: Count
    warmup: bool
    seed: int | None
    exit_code: int | None
    signal: int | None
    cause: Cause | None
    started_at: Stamp
    duration_s: Seconds
    cpu_s: Seconds | Unknown
    max_rss_kb: Count | Unknown
    gpus: tuple[SightingFacts, ...] | Absent


class SampleFacts(Record):
    """One value of one metric. `process` is the index of its process in `processes`, `order` that process's order."""

    metric: Fact
    value: float
    order: Count
    seed: int | None
    process: Count


class MetricFacts(Record):
    """A metric name that was found, in order of first sight, with the unit that was printed last."""

    name: Fact
    unit: str | None


class ChecksFacts(Record):
    """The correctness checks: passed, failed, not configured or not run."""

    state: Literal["passed", "failed", "not configured", "not run"]
    exit_code: int | None
    duration_s: Seconds | None


class IsolationFacts(Record):
    """Whether the side had an environment of its own, what both sides share that setup changed, and who it ran as.

    `protection` of what is the user's: `read-only` to every process of the side, `compared` before and after where that could
    not be had, `none` where there was nothing to protect. `other_side`: `closed` to its processes, or `compared` after each.
    """

    own_environment: bool | Unknown
    shared_state_changed: tuple[str, ...]
    account: Fact
    protection: Literal["read-only", "compared", "none"] | Unknown
    other_side: Literal["closed", "compared"] | Unknown


class Timings(Record):
    """Seconds: of setup (null where there is none) and of the whole run."""

    setup_s: Seconds | None
    total_s: Seconds


class Run(Envelope):
    """One benchmark at one commit on one machine.

    `dirty` says that the processes changed tracked files of the worktree that was measured; the user's own tree is apart.
    """

    schema_: Literal["assay.run/1"] = Field(default=RUN_SCHEMA, alias="schema")
    run_id: RunId
    session_id: Fact
    benchmark: Fact
    created_at: Stamp
    finished_at: Stamp
    status: RunStatus
    cause: Cause | None
    detail: str
    trust: Trust
    commit: Sha
    tree: Sha | Unknown
    dirty: bool
    user_tree_dirty: bool | Unknown
    base: Sha | None
    machine: MachineFacts
    environment: EnvironmentFacts
    fingerprints: Fingerprints | Unknown
    python: PythonFacts
    model: Fact
    precision: Fact
    config: ConfigFacts
    command: str
    seeds: tuple[int, ...]
    batch: int | None
    warmup: Count
    processes: tuple[ProcessFacts, ...]
    samples: tuple[SampleFacts, ...]
    metrics: tuple[MetricFacts, ...]
    warnings: tuple[str, ...]
    checks: ChecksFacts
    inputs: dict[str, str]
    isolation: IsolationFacts
    supervision: Fact
    timings: Timings
    tool_version: Fact
    reproduce: str
    notes: tuple[str, ...]

    @model_validator(mode="after")
    def _samples_belong(self) -> Self:
        for sample in self.samples:
            process = self.processes[sample.process] if sample.process < len(self.processes) else None
            if process is None or process.warmup or (process.order, process.seed) != (sample.order, sample.seed):
                raise ValueError(f"a sample of {sample.metric} belongs to no measured process")
        return self

    @property
    def clean(self) -> bool:
        """Whether it is complete, and of the commit alone: evidence that may count again."""
        return self.status is RunStatus.COMPLETE and not self.dirty

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return run_path(self.run_id)

    @property
    def key(self) -> LineageKey:
        return LineageKey(self.commit, self.machine.machine_class, self.model, self.precision)

    def samples_of(self, metric: str) -> tuple[SampleFacts, ...]:
        """The samples of one metric in the order of the session."""
        return tuple(sorted((one for one in self.samples if one.metric == metric), key=lambda one: one.order))


class StoredDecision(Envelope):
    """What was decided on two runs, and by which policy and method. `base_run` is null without a baseline.

    `hold` is what kept it open whatever the numbers said; without it the same runs are decided anew. `forced_by` is what or who
    asked for a measurement although a stored run may have answered. `machine` is `none` where nothing ran and nothing was stored.
    """

    schema_: Literal["assay.decision/1"] = Field(default=DECISION_SCHEMA, alias="schema")
    decision_id: DecisionId
    created_at: Stamp
    benchmark: Fact
    base_run: RunId | None
    head_run: RunId | None
    base: Sha | None
    head: Sha
    machine: Fact
    policy_hash: Fact
    method_version: Fact
    comparisons: tuple[ComparisonRecord, ...]
    outcome: Outcome | None
    conclusion: Conclusion
    reason: str
    next_step: str | None
    warnings: tuple[str, ...]
    checks: str
    status: Status
    hold: Hold
    forced_by: str | None

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return decision_path(self.decision_id)


class Tombstone(Envelope):
    """Why a run no longer counts, who said so, and which run stands in for it. Its name alone hides the run."""

    schema_: Literal["assay.tombstone/1"] = Field(default=TOMBSTONE_SCHEMA, alias="schema")
    run_id: RunId
    created_at: Stamp
    reason: Fact
    by: Fact
    replacement: RunId | None

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return tombstone_path(self.run_id)
