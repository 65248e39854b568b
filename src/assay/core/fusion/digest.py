"""The canonical input of an analysis: all that is known of one result, bounded, redacted, and the same bytes for the same facts.

It is enough to explain the result by. Raw logs never go in: of a failure's output there is a short excerpt, marked as untrusted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from assay.core import canonical, escape, wording
from assay.core.change_points import find_changes
from assay.core.comparison import Comparison
from assay.core.envelope import Run
from assay.core.fusion import statistics
from assay.core.fusion.budget import DIGEST_BYTES
from assay.core.fusion.diff_facts import diff_facts
from assay.core.fusion.history import Past, Today, history_facts
from assay.core.fusion.redact import redact
from assay.core.fusion.statistics import rounded
from assay.core.model import UNKNOWN, Direction, Role
from assay.core.numbers import centre
from assay.core.result import BenchmarkResult, ReuseVerdict, SideFacts
from assay.core.tree import LineCounts
from assay.core.values import dataclass

SCHEMA = "assay.digest/1"
_VALUES, _LINES, _WARNINGS, _SENTENCE, _METRICS = 32, 20, 12, 300, 24


@dataclass(frozen=True, slots=True)
class Subject:
    """One result and what is stored around it. `changed` is each path that differs with the rung it belongs to, None if not known.
    `lines` are counted in these paths, None if that was not done.

    `secrets` are values that must not appear, wherever a stranger may have printed them.
    """

    result: BenchmarkResult
    base: str
    head: str
    base_run: Run | None = None
    head_run: Run | None = None
    past: Past = field(default_factory=Past)
    changed: tuple[tuple[str, str], ...] | None = None
    lines: LineCounts | None = None
    secrets: tuple[str, ...] = ()


def digest_of(subject: Subject) -> dict[str, object]:
    """The digest; of several equally true ones the longest that fits its limit."""
    for kept in (_VALUES, 8, 0):
        found = _digest(subject, _Writer(subject.secrets), kept)
        if len(canonical.compact(found).encode()) <= DIGEST_BYTES:
            return found
    comparisons = found["comparisons"]
    assert isinstance(comparisons, list)
    return found | {"comparisons": comparisons[:3], "excerpts": [], "warnings": [], "diff": UNKNOWN}


@dataclass(frozen=True, slots=True)
class _Writer:
    """Makes a stranger's text one bounded, redacted line."""

    secrets: tuple[str, ...]

    def __call__(self, text: str, limit: int = _SENTENCE) -> str:
        return escape.shorten(redact(escape.clean(text[:4096]), self.secrets), limit)

    def optional(self, text: str | None, limit: int = _SENTENCE) -> str | None:
        return None if text is None else self(text, limit)


def _digest(subject: Subject, write: _Writer, kept: int) -> dict[str, object]:
    result = subject.result
    ordered = sorted(result.comparisons, key=_rank)
    primary = next((one for one in ordered if one.spec.role is Role.PRIMARY), None)
    return {
        "schema": SCHEMA,
        "benchmark": write(result.name, 100),
        "commits": {"base": _commit(subject.base, result.base_run, write), "head": _commit(subject.head, result.head_run, write)},
        "decision": {
            "title": write(wording.title(result)),
            "status": result.status.value,
            "outcome": result.outcome.value if result.outcome else None,
            "conclusion": result.conclusion.value,
            "reason": write(result.reason),
            "next_step": write.optional(result.next_step),
            "policy": write(result.policy, 40),
            "checks": write(result.checks, 40),
        },
        "comparisons": [_comparison(one, write, kept) for one in ordered[:_METRICS]],
        "metrics_left_out": max(0, len(ordered) - _METRICS),
        "guards": [_guard(one, write) for one in ordered if one.spec.role is Role.GUARD][:_METRICS],
        "reuse": _reuse(result.reuse, result.reused_age, write),
        "environment": _environment(subject, write),
        "history": history_facts(subject.past, _today(primary, subject.base)) if primary else None,
        "diff": diff_facts(subject.changed, subject.lines, write),
        "warnings": [write(one) for one in result.warnings[:_WARNINGS]],
        "excerpts": _excerpts(result, write),
    }


def _rank(comparison: Comparison) -> tuple[int, float]:
    """Primary, guards, then the secondary metrics that moved most."""
    moved = abs(comparison.relative_change or 0.0) if comparison.spec.role is Role.SECONDARY else 0.0
    return (tuple(Role).index(comparison.spec.role), -moved)


def _commit(sha: str, side: SideFacts | None, write: _Writer) -> dict[str, object]:
    return {
        "sha": write(sha[:12], 12),
        "subject": write(side.subject, 120) if side else UNKNOWN,
        "processes": side.processes if side else None,
        "warmups": side.warmups if side else None,
        "seconds_each": rounded(side.mean_duration_s) if side else None,
    }


def _comparison(one: Comparison, write: _Writer, kept: int) -> dict[str, object]:
    spec = one.spec
    base, head = centre(one.base), centre(one.head)
    half = (one.interval[1] - one.interval[0]) / 2 if one.interval else None
    return {
        "metric": write(spec.name, 100),
        "unit": write.optional(spec.unit, 40),
        "role": spec.role.value,
        "better": spec.better.value if spec.better else None,
        "verdict": one.verdict.value,
        "undecided_because": one.undecided.value if one.undecided else None,
        "reason": write(one.reason),
        "change": rounded(one.relative_change),
        "interval": [rounded(end) for end in one.interval] if one.interval else None,
        "interval_half_width": rounded(half),
        "confidence": rounded(1.0 - one.alpha),
        "alpha": rounded(one.alpha),
        "p": rounded(one.p),
        "min_effect": rounded(spec.min_effect),
        "max_regression": rounded(spec.max_regression),
        "harm_excluded": rounded(one.harm_excluded),
        "more_pairs": one.more_pairs,
        "difference": rounded(head - base) if base is not None and head is not None else None,
        "ratio": rounded(head / base) if base and head is not None else None,
        "head_better_in_pairs": rounded(_better_share(one)),
        "base": _side(one.base, kept),
        "head": _side(one.head, kept),
    }


def _better_share(one: Comparison) -> float | None:
    below = statistics.share_below(one.head, one.base)
    if below is None or one.spec.better is None:
        return None
    return below if one.spec.better is Direction.LOWER else 1.0 - below


def _side(values: Sequence[float], kept: int) -> dict[str, object]:
    """The values in the order of measuring, as far as they fit, and what the offline analysts go by."""
    found = statistics.describe(values)
    trend = statistics.drift(values)
    return {
        "n": len(values),
        "centre": rounded(centre(values)),
        "mean": rounded(found.mean) if found else None,
        "median": rounded(found.median) if found else None,
        "min": rounded(found.least) if found else None,
        "max": rounded(found.most) if found else None,
        "deviation": rounded(found.deviation) if found else None,
        "spread": rounded(found.spread) if found else None,
        "drift": {"change": rounded(trend.change), "p": rounded(trend.p)} if trend else None,
        "outliers": [rounded(one) for one in statistics.outliers(values)[:5]],
        "modes": find_changes(values).modes if values else 1,
        "values": [rounded(one) for one in values[:kept]],
    }


def _guard(one: Comparison, write: _Writer) -> dict[str, object]:
    return {"metric": write(one.spec.name, 100), "verdict": one.verdict.value, "limit": rounded(one.spec.max_regression)}


def _reuse(verdict: ReuseVerdict | None, age: str | None, write: _Writer) -> dict[str, object] | None:
    if verdict is None:
        return None
    by_rung: dict[str, list[str]] = {}
    for reason in verdict.reasons[:12]:
        by_rung.setdefault(reason.rung.value, []).append(write(reason.detail, 160))
    window = verdict.window
    return {
        "reused": verdict.reuse,
        "via": verdict.via,
        "age": write.optional(age, 60),
        "runs_considered": verdict.considered,
        "forced_by": write.optional(verdict.forced_by, 100),
        "window": {"resolved": window.resolved, "paths": len(window.paths)} if window else None,
        "reasons": by_rung,
    }


def _environment(subject: Subject, write: _Writer) -> dict[str, object]:
    head, base = subject.head_run, subject.base_run
    if head is None:
        return {"machine": write(subject.result.machine or UNKNOWN, 120), "differences": []}
    return {
        "machine": write(head.machine.machine_class, 120),
        "cpu": write(head.machine.cpu, 100),
        "cores_available": head.machine.cores.available,
        "gpu": head.machine.gpu if isinstance(head.machine.gpu, str) else write(head.machine.gpu.model, 100),
        "driver": write(head.environment.driver, 60),
        "cuda": write(head.environment.cuda, 60),
        "python": write(head.python.version, 40),
        "isolated": head.isolation.own_environment,
        "supervision": write(head.supervision, 60),
        "differences": _differences(base, head, write) if base else [],
    }


def _differences(base: Run, head: Run, write: _Writer) -> list[str]:
    """What of the surroundings was not equal for both sides, by name."""
    pairs: Mapping[str, tuple[object, object]] = {
        "machine": (base.machine.machine_class, head.machine.machine_class),
        "box": (base.machine.box, head.machine.box),
        "driver": (base.environment.driver, head.environment.driver),
        "image": (base.environment.image_digest, head.environment.image_digest),
        "lockfiles": (base.environment.lockfiles, head.environment.lockfiles),
        "python": (base.python.version, head.python.version),
        "configuration": (base.config.hash, head.config.hash),
    }
    found = [name for name, (one, other) in pairs.items() if one != other]
    ours, theirs = base.python.dependencies, head.python.dependencies
    if isinstance(ours, dict) and isinstance(theirs, dict):
        moved = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
        found += [f"package {write(name, 60)}" for name in moved[:8]]
    return found


def _excerpts(result: BenchmarkResult, write: _Writer) -> list[dict[str, object]]:
    if not result.output_tail:
        return []
    lines = [write(line, 200) for line in result.output_tail[-_LINES:]]
    return [{"untrusted": True, "source": "the end of the failing process's output", "lines": lines}]


def _today(primary: Comparison, base: str) -> Today:
    return Today(primary.spec.name, primary.spec.better, centre(primary.base), centre(primary.head), base)
