"""From a session's processes to comparisons: which metrics there are, what each is, and what is said of it at a look."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.auto_effect import WITHOUT_EVIDENCE
from assay.core.compare import Pairing, compare, no_comparison, with_undecided
from assay.core.comparison import Comparison, Undecided
from assay.core.config import Benchmark
from assay.core.evidence import WALL_TIME, ProcessRecord, printed_names, unit_of, unit_values
from assay.core.family import adjusted
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.sampling import Level

MOST_UNDECLARED = 100
"""So many metrics that the config does not name are compared, in the order of their printing. All are stored."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The processes of both sides, and what forbids an answer whatever they say."""

    base: tuple[ProcessRecord, ...]
    head: tuple[ProcessRecord, ...]
    baseline_missing: str = ""
    not_isolated: str = ""
    out_of_time: str = ""


def specs_of(benchmark: Benchmark, primary: str, printed: Sequence[str], better: Direction | None) -> tuple[MetricSpec, ...]:
    """The primary metric, the guards, and every other metric that was declared or, up to a number, printed.

    `primary` and `better` matter for a bare command alone, which declares no metric.
    """
    declared = benchmark.metric
    if declared:
        effect = WITHOUT_EVIDENCE if declared.min_effect == "auto" else declared.min_effect
        first = MetricSpec(declared.name, Role.PRIMARY, declared.better, declared.unit, effect)
    else:
        timed = primary == WALL_TIME
        first = MetricSpec(primary, Role.PRIMARY, Direction.LOWER if timed else better, "s" if timed else None, WITHOUT_EVIDENCE)
    guards = [
        MetricSpec(name, Role.GUARD, guard.better, guard.unit, WITHOUT_EVIDENCE, guard.max_regression)
        for name, guard in benchmark.guards.items()
    ]
    others = [MetricSpec(name, Role.SECONDARY, one.better, one.unit) for name, one in benchmark.secondary.items()]
    known = {spec.name for spec in (first, *guards, *others)}
    found = [MetricSpec(name, Role.SECONDARY, None) for name in printed if name not in known]
    return (first, *guards, *others, *found[:MOST_UNDECLARED])


def compare_all(benchmark: Benchmark, primary: str, better: Direction | None, evidence: Evidence, level: Level) -> tuple[Comparison, ...]:
    """Every metric compared at what this look may spend; primary and guards, the family, share it equally."""
    printed = printed_names((*evidence.head, *evidence.base))
    specs = specs_of(benchmark, primary, printed, better)
    family = 1 + len(benchmark.guards)
    shared = Level(level.look / family, level.whole)
    found = [
        _compare_one(_with_unit(spec, evidence), evidence, level if spec.role is Role.SECONDARY else shared, bool(benchmark.seeds))
        for spec in specs
    ]
    timely = adjusted([_overruled(comparison, evidence) for comparison in found], level.share)
    return not_isolated(timely, evidence.not_isolated) if evidence.not_isolated else timely


def not_isolated(comparisons: Sequence[Comparison], reason: str) -> tuple[Comparison, ...]:
    """The same numbers without an answer, for what the two sides shared may have made them."""
    return tuple(
        one if one.undecided is Undecided.NO_BASELINE else with_undecided(one, Undecided.NOT_ISOLATED, reason) for one in comparisons
    )


def _with_unit(spec: MetricSpec, evidence: Evidence) -> MetricSpec:
    unit = spec.unit or unit_of((*evidence.base, *evidence.head), spec.name)
    return MetricSpec(spec.name, spec.role, spec.better, unit, spec.min_effect, spec.max_regression)


def _compare_one(spec: MetricSpec, evidence: Evidence, level: Level, seeded: bool) -> Comparison:  # noqa: FBT001
    base, head = unit_values(evidence.base, spec.name), unit_values(evidence.head, spec.name)
    both = sorted(base.keys() & head.keys())
    if seeded and base:  # one seed on both sides is one pair
        base, head = {unit: base[unit] for unit in both}, {unit: head[unit] for unit in both}
    samples = tuple(base.values()), tuple(head.values())
    if evidence.baseline_missing:
        return no_comparison(spec, (), samples[1], Undecided.NO_BASELINE, evidence.baseline_missing)
    if not samples[1] and evidence.out_of_time:
        return no_comparison(spec, *samples, Undecided.TIME, f"{evidence.out_of_time} before anything was measured")
    if not samples[0] or not samples[1]:
        return no_comparison(spec, *samples, Undecided.NOT_MEASURED, _not_measured(*samples))
    if spec.role is Role.GUARD and (gaps := _gaps(samples, evidence)):
        return no_comparison(spec, *samples, Undecided.NOT_MEASURED, gaps)
    units = {side: unit_of(records, spec.name) for side, records in (("base", evidence.base), ("head", evidence.head))}
    if None not in units.values() and units["base"] != units["head"]:
        reason = "not comparable: the two sides print it in different units"
        return no_comparison(spec, *samples, Undecided.NOT_COMPARABLE, reason)
    return compare(spec, *samples, alpha=level.look, whole=level.whole, pairing=Pairing.PAIRED if seeded else Pairing.INTERLEAVED)


def _gaps(samples: tuple[tuple[float, ...], tuple[float, ...]], evidence: Evidence) -> str:
    """What a guard is missing that some processes of a side did not print: they may be the bad ones. Empty where all did."""
    for side, values, records in zip(("base", "head"), samples, (evidence.base, evidence.head), strict=True):
        measured = len({record.unit for record in records if not record.warmup})
        if len(values) < measured:
            return f"not measured: {measured - len(values)} of {measured} measurements of the {side} do not print it"
    return ""


def _not_measured(base: tuple[float, ...], head: tuple[float, ...]) -> str:
    if not base and not head:
        return "not measured: neither side prints it"
    return "not measured: the base prints it, the head does not" if base else "not measured: the head prints it, the base does not"


def _overruled(comparison: Comparison, evidence: Evidence) -> Comparison:
    if evidence.out_of_time and comparison.undecided is Undecided.SAMPLES:
        return with_undecided(comparison, Undecided.TIME, f"{evidence.out_of_time}; {comparison.reason}")
    return comparison


def settled(comparisons: Sequence[Comparison]) -> bool:
    """Whether no further sample could change what is decided: a regression is found, or more samples would help nothing."""
    gating = [one for one in comparisons if one.spec.role is not Role.SECONDARY]
    if any(one.verdict is Verdict.REGRESSED for one in gating):
        return True
    return not any(one.undecided is not None and one.undecided.more_samples_help for one in gating)
