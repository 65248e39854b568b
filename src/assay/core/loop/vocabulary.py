"""The closed sets of words that the control loop reads and writes."""

from enum import StrEnum


class Result(StrEnum):
    """What became of one attempt at a task. Only the first two are a datum; *outcome* is another word, for changes."""

    COLLECTED = "collected"
    PASSED = "passed"
    DEGRADED = "degraded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    SKIPPED = "skipped"
    DRY_RUN = "dry-run"

    @property
    def gathered(self) -> bool:
        """Whether it left a datum, so that the task is fresh."""
        return self in (Result.COLLECTED, Result.PASSED)

    @property
    def is_failure(self) -> bool:
        """Whether it ran and left none, so that the next attempt waits."""
        return self in (Result.DEGRADED, Result.FAILED, Result.TIMEOUT)


class ValueClass(StrEnum):
    """What the evidence of a task is worth, the most first."""

    FRONTIER = "frontier"
    WITNESS = "witness"
    REGRESSION = "regression"
    COVERAGE = "coverage"
    SMOKE = "smoke"
    OTHER = "other"

    @property
    def weight(self) -> float:
        return _WEIGHTS[self]

    @property
    def rank(self) -> int:
        """For ties: higher goes first."""
        return len(ValueClass) - 1 - list(ValueClass).index(self)


_WEIGHTS = {
    ValueClass.FRONTIER: 1.0,
    ValueClass.WITNESS: 0.8,
    ValueClass.REGRESSION: 0.55,
    ValueClass.COVERAGE: 0.4,
    ValueClass.SMOKE: 0.15,
    ValueClass.OTHER: 0.3,
}


class Source(StrEnum):
    """Where a task is written down: in the config, or in an overlay file."""

    BENCHMARK = "benchmark"
    OVERLAY = "overlay"


class CellState(StrEnum):
    """How a task stands on one class of machines."""

    DUE = "due"
    FRESH = "fresh"
    REUSED = "reused"
    RUNNING = "running"
    WAITING = "waiting"
    HELD = "held"
    BLOCKED = "blocked"
    ELSEWHERE = "elsewhere"


class ActionKind(StrEnum):
    """The one next action; the first whose condition holds."""

    REFRESH_CATALOG = "refresh_catalog"
    POPULATE_CATALOG = "populate_catalog"
    FIX_BACKLOG = "fix_backlog"
    MANUAL_COLLECT = "manual_collect"
    REUSE_RUN = "reuse_run"
    COLLECT_LOCAL = "collect_local"
    PUBLISH_AUTHORITY = "publish_authority"
    RESOLVE_CAPABILITY = "resolve_capability"
    REVIEW_STATUS = "review_status"
