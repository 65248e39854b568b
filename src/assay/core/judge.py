"""From a session's processes to comparisons: which metrics there are, what each is, and what is said of it at a look."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.core import numbers
from assay.core.auto_effect import WITHOUT_EVIDENCE
from assay.core.compare import Pairing, compare, no_comparison, with_undecided
from assay.core.comparison import Comparison, Undecided
from assay.core.config import Benchmark
from assay.core.evidence import WALL_TIME, ProcessRecord, disturbance_of, printed_names, unit_of, unit_values
from assay.core.family import adjusted
from assay.core.location import median
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.noise import Noise
from assay.core.sampling import Level
from assay.core.session_noise import steadying

_WORK = "the two sides did not do the same work, as the metrics under `workload` count it"

MOST_UNDECLARED = 100
"""So many metrics that the config does not name are compared, in the order of their printing. All are stored."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The processes of both sides, and what forbids an answer whatever they say.

    `variances` are those of single units in earlier sessions, by metric; `noise` is what equal code has shown between sessions,
    by metric, which matters where the sides are not of `one_session`; `environment` says in what theirs differ.
    """

    base: tuple[ProcessRecord, ...]
    head: tuple[ProcessRecord, ...]
    baseline_missing: str = ""
    not_isolated: str = ""
    out_of_time: str = ""
    environment: str = ""
    one_session: bool = True
    variances: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    noise: Mapping[str, Noise] = field(default_factory=dict)


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
    if evidence.not_isolated:
        return not_isolated(timely, evidence.not_isolated)
    if evidence.environment:
        return tuple(_answerless(one, Undecided.ENVIRONMENT, evidence.environment) for one in timely)
    if disturbed := disturbance_of((*evidence.base, *evidence.head)):
        return tuple(_answerless(one, Undecided.DISTURBED, disturbed) for one in timely)
    unequal = _unequal_work(benchmark, evidence)
    return tuple(_answerless(one, Undecided.WORKLOAD, unequal) for one in timely) if unequal else timely


def not_isolated(comparisons: Sequence[Comparison], reason: str) -> tuple[Comparison, ...]:
    """The same numbers without an answer, for what the two sides shared may have made them."""
    return tuple(_answerless(one, Undecided.NOT_ISOLATED, reason) for one in comparisons)


def _answerless(one: Comparison, cause: Undecided, reason: str) -> Comparison:
    """Without an answer, for a cause that overrules it; what has no baseline or no numbers keeps that for its cause."""
    kept = one.undecided in (Undecided.NO_BASELINE, Undecided.NOT_MEASURED) and cause is not Undecided.NOT_ISOLATED
    return one if kept or one.undecided is Undecided.NO_BASELINE else with_undecided(one, cause, reason)


def _unequal_work(benchmark: Benchmark, evidence: Evidence) -> str:
    """In what the sides did not do the same work, by the metrics that the config says count it. Empty where they did."""
    if not evidence.base or not evidence.head:
        return ""
    for name in benchmark.workload:
        base, head = unit_values(evidence.base, name), unit_values(evidence.head, name)
        if not base or not head:
            sides = " and ".join(side for side, values in (("base", base), ("head", head)) if not values)
            return f"{_WORK}, for the {sides} does not print it"
        both = base.keys() & head.keys()
        equal = all(base[unit] == head[unit] for unit in both) if benchmark.seeds else set(base.values()) == set(head.values())
        if not equal:
            counted = (numbers.number(median(list(side.values()))) for side in (base, head))
            return f"{_WORK}: {' for base, '.join(counted)} for head"
    return ""


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
    noise = evidence.noise.get(spec.name)
    if not evidence.one_session:
        return compare(spec, *samples, alpha=level.look, whole=level.whole, noise=noise)
    if seeded:
        return compare(spec, *samples, alpha=level.look, whole=level.whole, pairing=Pairing.PAIRED)
    steady = Noise(similar=steadying(evidence.variances.get(spec.name, ()), min(map(len, samples))))
    return compare(spec, *samples, alpha=level.look, whole=level.whole, pairing=Pairing.INTERLEAVED, noise=steady)


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
