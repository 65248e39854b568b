"""The words of the glossary as types: frozen values that every layer shares."""

from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from assay.core.values import dataclass

if TYPE_CHECKING:
    from assay.core.devices import Sighting

UNKNOWN: Final = "unknown"
"""A fact that could not be read. It equals nothing, not even another `unknown` (see `core.lineage`)."""

NONE: Final = "none"
"""A fact that does not apply, such as the model of a benchmark without one. It equals itself."""


KEPT_CHARACTERS: Final = 32_768
"""Of each stream of a process that has been looked at: enough for its last lines, and for what failed."""


class Direction(StrEnum):
    """Which way is better."""

    LOWER = "lower"
    HIGHER = "higher"


class Role(StrEnum):
    """What a metric is to its benchmark."""

    PRIMARY = "primary"
    GUARD = "guard"
    SECONDARY = "secondary"


class Side(StrEnum):
    """Which of the two commits under comparison."""

    BASE = "base"
    HEAD = "head"

    @property
    def other(self) -> "Side":
        return Side.HEAD if self is Side.BASE else Side.BASE


class Verdict(StrEnum):
    """The four-way answer of a comparison."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    UNDECIDED = "undecided"


class Outcome(StrEnum):
    """What becomes of a run."""

    KEEP = "keep"
    DISCARD = "discard"
    CHECKS_FAILED = "checks_failed"
    ERRORED = "errored"
    PENDING = "pending"


class Conclusion(StrEnum):
    """What the check run says."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    TIMED_OUT = "timed_out"
    ACTION_REQUIRED = "action_required"


class Status(StrEnum):
    """How a benchmark of a check came to its numbers."""

    MEASURED = "measured"
    REUSED = "reused"
    SKIPPED = "skipped"
    FAILED = "failed"


class Cause(StrEnum):
    """Why a process, or a run, is no measurement. A clean one has no cause."""

    EXIT = "exit"
    SIGNAL = "signal"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    CANCELLED = "cancelled"
    NO_METRIC = "no_metric"
    NOT_STARTED = "not_started"


class Trust(StrEnum):
    """Of a run's evidence, in rising order; set by the reporter, never by the run."""

    FORK = "fork"
    MEMBER = "member"
    DEFAULT = "default"


class Rung(StrEnum):
    """A reason class that stops reuse."""

    CODE = "code"
    HARNESS = "harness"
    MODEL = "model"
    CONFIG = "config"
    ENVIRONMENT = "environment"
    UNCLASSIFIED = "unclassified"
    EVIDENCE = "evidence"
    FORCED = "forced"


@dataclass(frozen=True, slots=True)
class Metric:
    """One printed number: the last value of its name in one process."""

    name: str
    value: float
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class MetricWarning:
    """A line that looks like METRIC and was refused, or a part of it that was dropped. `line` counts from 1."""

    line: int
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class MetricReading:
    """All that one process printed as metrics.

    `metrics` stand in the order of first sight, each with its last value and unit; `samples` keeps every value of a
    name in order; `lines` counts the lines seen.
    """

    metrics: tuple[Metric, ...] = ()
    samples: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    warnings: tuple[MetricWarning, ...] = ()
    lines: int = 0
    _by_name: Mapping[str, Metric] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {metric.name: metric for metric in self.metrics})

    def get(self, name: str) -> Metric | None:
        """The metric of that name, if the process printed one. It takes no longer where there are thousands."""
        return self._by_name.get(name)


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """What the config declares of a metric.

    `min_effect` and `max_regression` are fractions (0.01 is 1 %); `better` is None where no direction was declared.
    """

    name: str
    role: Role
    better: Direction | None
    unit: str | None = None
    min_effect: float = 0.01
    max_regression: float | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """A process that has ended, however it ended. It is evidence also where it failed.

    `duration_s` runs from just before exec to the exit of the process itself, whatever its children do later.
    `stdout` and `stderr` are bounded: all of it, or the last 64 KiB where `truncated`; `log_file` has everything.
    `cause` is None for exit status 0. `escaped` counts processes that outlived the command and were killed; `shielded`
    says that all it was not to write to was read-only for it. `warnings` are
    sentences on what went wrong beside it and changes no number. `sightings` are what was seen of the GPUs it claimed.
    """

    exit_code: int | None
    signal: int | None
    cause: Cause | None
    started_at: str
    duration_s: float
    stdout: str
    stderr: str
    truncated: bool
    log_file: str
    reading: MetricReading
    cpu_s: float | None = None
    max_rss_kb: int | None = None
    escaped: int = 0
    shielded: bool = False
    detail: str = ""
    warnings: tuple[str, ...] = ()
    sightings: "tuple[Sighting, ...]" = ()

    @property
    def timed_out(self) -> bool:
        return self.cause is Cause.TIMEOUT

    @property
    def clean(self) -> bool:
        return self.cause is None

    def lightened(self) -> "Completed":
        """The same with only the end of what it printed, for who keeps many: stdout alone may have ten megabytes."""
        stdout, stderr = self.stdout[-KEPT_CHARACTERS:], self.stderr[-KEPT_CHARACTERS:]
        return replace(self, stdout=stdout, stderr=stderr, truncated=self.truncated or len(stdout) < len(self.stdout))
