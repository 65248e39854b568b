"""Builds real comparisons and results for tests: only what varies is named."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.core.comparison import Comparison
from assay.core.model import Conclusion, Direction, MetricSpec, Outcome, Role, Status, Verdict
from assay.core.numbers import centre
from assay.core.result import BenchmarkResult, CheckResult, LineageKey, ReuseVerdict, SideFacts, worst

BASE = "b" * 40
HEAD = "a1b2c3d" + "4" * 33
RUN = "run-01jd0000000000000000000001"


def comparison(
    text: str,
    better: str | None = "lower",
    *,
    role: Role = Role.PRIMARY,
    unit: str | None = None,
    limit: float | None = None,
    **facts: Any,
) -> Comparison:
    """`"val_loss: 120 121 | 90 91"` as a comparison of base | head; the verdict follows the sign unless it is given."""
    name, _, samples = text.partition(":")
    base, head = (tuple(float(word) for word in side.split()) for side in samples.split("|"))
    direction = Direction(better) if better else None
    spec = MetricSpec(name.strip(), role, direction, unit=unit, max_regression=limit)
    moved = _change(base, head)
    verdict = _verdict(moved, direction)
    found = Comparison(spec, verdict, base, head, reason="The interval lies beyond zero.", relative_change=moved, p=0.0004)
    if moved is not None:
        found = replace(found, interval=(moved - 0.01, moved + 0.01))
    return replace(found, **facts)


def guard(text: str, better: str = "lower", *, limit: float = 0.05, **facts: Any) -> Comparison:
    """A guard with a limit."""
    return comparison(text, better, role=Role.GUARD, limit=limit, **facts)


def secondary(text: str, better: str | None = "lower", **facts: Any) -> Comparison:
    """A secondary metric."""
    return comparison(text, better, role=Role.SECONDARY, **facts)


def benchmark(*comparisons: Comparison, name: str = "bench", **facts: Any) -> BenchmarkResult:
    """A benchmark measured and kept, or discarded where something regressed, or pending where something is undecided."""
    outcome, conclusion = _decision(comparisons)
    one = BenchmarkResult(
        name=name,
        status=Status.MEASURED,
        outcome=outcome,
        conclusion=conclusion,
        reason="The primary metric decides.",
        run_id=RUN,
        comparisons=comparisons,
        base_run=SideFacts("run-base", BASE, "Use the old loop", 5, 1, 0.25),
        head_run=SideFacts(RUN, HEAD, "Use the new loop", 5, 1, 0.2),
        machine="linux x86_64, 8 cores",
        duration_s=72.0,
    )
    return replace(one, **facts)


def reused(*comparisons: Comparison, commit: str = HEAD, **facts: Any) -> BenchmarkResult:
    """A benchmark whose stored decision stands."""
    key = LineageKey(commit, "linux x86_64", "none", "none")
    verdict = ReuseVerdict(True, key, run_id=RUN, path="runs/x.json", commit=commit, via="commit", considered=1)
    return benchmark(*comparisons, **{"status": Status.REUSED, "reuse": verdict, "reused_age": "measured 2 days ago", **facts})


def check(*benchmarks: BenchmarkResult, files: Mapping[str, str] | None = None, **facts: Any) -> CheckResult:
    """A whole check of these benchmarks."""
    result = CheckResult(
        base=BASE,
        head=HEAD,
        conclusion=worst(tuple(one.conclusion for one in benchmarks)),
        benchmarks=benchmarks,
        reproduce=f"assay check --base {BASE} --head {HEAD}",
        tool_version="0.1.0",
        files=files or {},
    )
    return replace(result, **facts)


def _change(base: tuple[float, ...], head: tuple[float, ...]) -> float | None:
    one, other = centre(base), centre(head)
    return None if one is None or other is None or one == 0 else (other - one) / abs(one)


def _verdict(moved: float | None, better: Direction | None) -> Verdict:
    if moved is None or better is None:
        return Verdict.UNDECIDED
    if abs(moved) < 0.01:
        return Verdict.UNCHANGED
    return Verdict.IMPROVED if (moved < 0) is (better is Direction.LOWER) else Verdict.REGRESSED


def _decision(comparisons: tuple[Comparison, ...]) -> tuple[Outcome, Conclusion]:
    verdicts = {one.verdict for one in comparisons if one.spec.role is not Role.SECONDARY}
    if Verdict.REGRESSED in verdicts:
        return Outcome.DISCARD, Conclusion.FAILURE
    if Verdict.UNDECIDED in verdicts:
        return Outcome.PENDING, Conclusion.NEUTRAL
    return Outcome.KEEP, Conclusion.SUCCESS
