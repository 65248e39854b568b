"""The queue as `queue.json` holds it: jobs in the order in which they are served, and a config of its own.

People edit the file by hand, so what a person has no reason to write has a default. The order of the list is the order of
service within one priority; whoever goes back to the queue goes to its end.
"""

from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from assay.core.config_types import BENCHMARK_NAME, MAX_COMMAND
from assay.core.envelope import RunId, Sha, Stamp
from assay.core.model import UNKNOWN
from assay.core.record import Count, Record

SCHEMA: Final = "assay.queue/1"
JOB_PREFIX: Final = "job"
CLAIM_PREFIX: Final = "clm"

DEFAULT_OOM_RETRIES: Final = 3
DEFAULT_MIN_BATCH: Final = 1

JOB_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
PARAMETER = r"[a-z][a-z0-9_]{0,31}"
VALUE = r"[A-Za-z0-9_./:+-][A-Za-z0-9_./:+=-]{0,99}"
"""A value of a parameter stands in a shell command, so it has no character that a shell takes for more than a letter."""

RESERVED = frozenset({"seed", "batch", "scale"})
"""What `{…}` of a command is filled with by other means."""

_Whole = Annotated[int, Field(ge=1, le=2**31 - 1)]
JobId = Annotated[str, StringConstraints(pattern=f"^{JOB_ID}$")]
Parameter = Annotated[str, StringConstraints(pattern=f"^{PARAMETER}$")]
Value = Annotated[str, StringConstraints(pattern=f"^{VALUE}$")]
Line = Annotated[str, StringConstraints(max_length=500)]


class JobStatus(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class JobKind(StrEnum):
    """A full run, or the pilot that has to pass before the full runs of its kind begin."""

    RUN = "run"
    PILOT = "pilot"


OPEN = (JobStatus.QUEUED, JobStatus.RUNNING)


class QueueConfig(Record):
    """What holds for the whole queue. What is null is left to each job's benchmark, else 3 retries and a batch of 1."""

    max_concurrent: Annotated[int, Field(ge=1, le=1024)] = 1
    max_oom_retries: Annotated[int, Field(ge=0, le=32)] | None = None
    max_stale_retries: Annotated[int, Field(ge=0, le=32)] = 3
    min_batch_size: _Whole | None = None
    stale_timeout_seconds: Annotated[float, Field(gt=0, le=30 * 86_400, strict=False)] = 1800.0


class Job(Record):
    """One measurement that is wanted: a benchmark at a commit, for one seed, or for all that its config names where `seed` is null.

    `command` is null for the benchmark's own; `{seed}`, `{batch}` and the names of `parameters` are filled in when it runs.
    `claim` names the one taking of the job that may report on it. `pid` and `pid_start` are those of the process that reports,
    on `host`. `full_batch` is the batch size before memory first ran out. `after` is the pilot that has to be done first.
    """

    job_id: JobId
    benchmark: Annotated[str, StringConstraints(pattern=f"^{BENCHMARK_NAME}$")]
    kind: JobKind = JobKind.RUN
    status: JobStatus = JobStatus.QUEUED
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] | None = None
    command: Annotated[str, StringConstraints(min_length=1, max_length=MAX_COMMAND)] | None = None
    commit: Sha | None = None
    parameters: dict[Parameter, Value] = Field(default_factory=dict)
    model: Line | None = None
    precision: Line | None = None
    priority: Annotated[int, Field(ge=-1000, le=1000)] = 0
    after: JobId | None = None
    batch_size: _Whole | None = None
    full_batch: _Whole | None = None
    min_batch: _Whole | None = None
    oom_retries: Annotated[int, Field(ge=0, le=32)] | None = None
    retry_count: Count = 0
    oom_count: Count = 0
    stale_count: Count = 0
    claim: str | None = None
    pid: _Whole | None = None
    pid_start: str | None = None
    host: Line | None = None
    enqueued_at: Stamp | None = None
    started_at: Stamp | None = None
    last_progress_at: Stamp | None = None
    finished_at: Stamp | None = None
    last_error: Line | None = None
    run_id: RunId | None = None
    by: Line | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.status is JobStatus.RUNNING and self.started_at is None:
            raise ValueError("a running job has a `started_at`; to have it run again, set its status to queued")
        if UNKNOWN in (self.model, self.precision):
            raise ValueError("`unknown` is no name of a model or a precision; leave it out where there is none")
        if reserved := RESERVED & self.parameters.keys():
            raise ValueError(f"the parameter {min(reserved)!r} is filled by other means")
        return self

    @property
    def open(self) -> bool:
        """Whether there is still something to come of it."""
        return self.status in OPEN

    @property
    def halved(self) -> bool:
        """Whether it no longer runs with the batch that was asked for, for lack of memory."""
        return self.full_batch is not None and (self.batch_size or 0) < self.full_batch

    @property
    def group(self) -> tuple[object, ...]:
        """What it shares with the jobs that differ from it in their seed alone."""
        return self.benchmark, self.commit, self.command, self.model, self.precision, tuple(sorted(self.parameters.items()))


class Queue(Record):
    """All of it. `revision` counts the changes that Assay has made, so that an edit of an older state is told from one of this."""

    schema_: Literal["assay.queue/1"] = Field(default=SCHEMA, alias="schema")
    revision: Count = 0
    config: QueueConfig = Field(default_factory=QueueConfig)
    jobs: tuple[Job, ...] = ()

    def job(self, job_id: str) -> Job | None:
        """The job of that id."""
        return next((one for one in self.jobs if one.job_id == job_id), None)

    def claimed(self, claim: str) -> Job | None:
        """The job that was last taken by that claim, whatever has become of it."""
        return next((one for one in self.jobs if one.claim == claim), None)

    def of(self, status: JobStatus) -> tuple[Job, ...]:
        """The jobs of one status, in the order of the file."""
        return tuple(one for one in self.jobs if one.status is status)

    def min_batch(self, job: Job) -> int:
        """The smallest batch that the job may run with."""
        return next(one for one in (self.config.min_batch_size, job.min_batch, DEFAULT_MIN_BATCH) if one is not None)

    def oom_retries(self, job: Job) -> int:
        """How often the job may run out of memory and be tried again."""
        return next(one for one in (self.config.max_oom_retries, job.oom_retries, DEFAULT_OOM_RETRIES) if one is not None)
