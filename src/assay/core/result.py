"""The result of a check, `assay.result/1`: what result.json holds and every report is made from."""

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import TYPE_CHECKING

from assay.core.comparison import Comparison
from assay.core.model import Conclusion, Outcome, Rung, Status
from assay.core.values import dataclass

if TYPE_CHECKING:  # nothing here reads one, and it is much code
    from assay.core.fusion.narrative import Narrative

SCHEMA = "assay.result/1"


@dataclass(frozen=True, slots=True)
class LineageKey:
    """What must be equal for a number to be reused: commit × machine × model × precision."""

    commit: str
    machine: str
    model: str
    precision: str


@dataclass(frozen=True, slots=True)
class Window:
    """The paths that differ between a prior run's commit and the commit under test."""

    start: str
    end: str
    resolved: bool
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReuseReason:
    """One rung that stopped reuse, with what fired it."""

    rung: Rung
    detail: str


@dataclass(frozen=True, slots=True)
class ReuseVerdict:
    """Reuse or not, the run, and every reason. `via` is commit, window or fingerprint."""

    reuse: bool
    key: LineageKey
    run_id: str | None = None
    path: str | None = None
    commit: str | None = None
    window: Window | None = None
    via: str | None = None
    considered: int = 0
    forced_by: str | None = None
    reasons: tuple[ReuseReason, ...] = ()


@dataclass(frozen=True, slots=True)
class SideFacts:
    """How one side was measured: for the section that says so. Strings may hold untrusted text."""

    run_id: str
    commit: str
    subject: str
    processes: int
    warmups: int
    mean_duration_s: float | None


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """One benchmark of a check. `reason` is one sentence; `warnings` may quote untrusted text.

    `checks` says what became of the correctness checks: passed, failed, not configured, not run.
    `output_tail` is the last lines of a failed process, for people; it is untrusted. `decision_id` is that of a skip's record;
    `place` is the machine of its cell in a matrix, by the config's name.
    `analysis` explains the result once it stands, and is no part of it. `alpha` is the level of the policy, `most_units` how
    many pairs or seeds the sampling could have taken.
    """

    name: str
    status: Status
    outcome: Outcome | None
    conclusion: Conclusion
    reason: str
    run_id: str | None = None
    reuse: ReuseVerdict | None = None
    comparisons: tuple[Comparison, ...] = ()
    warnings: tuple[str, ...] = ()
    checks: str = "not configured"
    policy: str = "gate"
    base_run: SideFacts | None = None
    head_run: SideFacts | None = None
    machine: str = ""
    duration_s: float | None = None
    reused_age: str | None = None
    output_tail: tuple[str, ...] = ()
    next_step: str | None = None
    decision_id: str | None = None
    place: str = ""
    analysis: "Narrative | None" = None
    alpha: float | None = None
    most_units: int | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The whole check."""

    base: str
    head: str
    conclusion: Conclusion
    benchmarks: tuple[BenchmarkResult, ...]
    remarks: tuple[str, ...] = ()
    reproduce: str = ""
    tool_version: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


SEVERITY = (
    Conclusion.FAILURE,
    Conclusion.TIMED_OUT,
    Conclusion.CANCELLED,
    Conclusion.ACTION_REQUIRED,
    Conclusion.NEUTRAL,
    Conclusion.SUCCESS,
    Conclusion.SKIPPED,
)
"""Worst first: the conclusion of a check is the worst of its benchmarks'."""


def worst(conclusions: tuple[Conclusion, ...]) -> Conclusion:
    """The conclusion of several together; success where there are none."""
    return min(conclusions, key=SEVERITY.index, default=Conclusion.SUCCESS)


def as_json(result: CheckResult) -> dict[str, object]:
    """The result as JSON has it: exactly the keys of `assay.result/1`."""
    return {
        "schema": SCHEMA,
        "base": result.base,
        "head": result.head,
        "conclusion": result.conclusion.value,
        "benchmarks": [_benchmark(one) for one in result.benchmarks],
    }


def _benchmark(one: BenchmarkResult) -> dict[str, object]:
    return {
        "name": one.name,
        "status": one.status.value,
        "outcome": one.outcome.value if one.outcome else None,
        "conclusion": one.conclusion.value,
        "run_id": one.run_id,
        "reason": one.reason,
        "reuse": reuse_json(one.reuse) if one.reuse else None,
        "comparisons": [comparison_json(comparison) for comparison in one.comparisons],
        "warnings": list(one.warnings),
    }


def reuse_json(verdict: ReuseVerdict) -> dict[str, object]:
    """The reuse verdict as `assay.result/1` and `assay reuse --json` print it."""
    window = verdict.window
    return {
        "reuse": verdict.reuse,
        "run_id": verdict.run_id,
        "path": verdict.path,
        "commit": verdict.commit,
        "key": asdict(verdict.key),
        "window": window and {"from": window.start, "to": window.end, "resolved": window.resolved, "paths": list(window.paths)},
        "via": verdict.via,
        "considered": verdict.considered,
        "forced_by": verdict.forced_by,
        "reasons": [{"rung": reason.rung.value, "detail": reason.detail} for reason in verdict.reasons],
    }


def comparison_json(comparison: Comparison) -> dict[str, object]:
    """One comparison, with the four-way answer and the samples of both sides."""
    return {
        "metric": comparison.spec.name,
        "role": comparison.spec.role.value,
        "verdict": comparison.verdict.value,
        "relative_change": comparison.relative_change,
        "interval": list(comparison.interval) if comparison.interval else None,
        "p": comparison.p,
        "p_adjusted": comparison.p_adjusted,
        "raw_interval": list(comparison.raw_interval) if comparison.raw_interval else None,
        "base": list(comparison.base),
        "head": list(comparison.head),
        "reason": comparison.reason,
    }
