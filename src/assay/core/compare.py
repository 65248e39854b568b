"""Base samples against head samples of one metric: a four-way answer, with its interval and its reason."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from assay.core import compare_reasons
from assay.core.comparison import Comparison, Undecided
from assay.core.estimate import Scaled, Spread, as_fraction, independent, on_one_scale, paired, units_of_evidence
from assay.core.finding import Finding, find, more_pairs, question, verdict_of
from assay.core.model import MetricSpec, Verdict

METHOD = "welch/1"
"""Names the method in a stored decision; it changes whenever equal samples may get another answer."""

ENOUGH_TO_BE_CONSTANT = 3
"""So many equal values on each side show that a metric does not vary; two may be equal by chance."""


class Pairing(StrEnum):
    """Whether base[i] and head[i] belong together (one seed, or measured next to each other)."""

    NONE = "none"
    PAIRED = "paired"


def compare(
    spec: MetricSpec,
    base: Sequence[float],
    head: Sequence[float],
    *,
    alpha: float = 0.05,
    pairing: Pairing = Pairing.NONE,
    block: int = 1,
    spread: Spread | None = None,
) -> Comparison:
    """Compare two samples of one metric at the level `alpha`, two-sided for a change, one-sided for each equivalence test.

    Every `block` consecutive values come from one process and count as one, their mean. Paired sides of unequal length
    are compared as independent ones. `spread` is variance that these samples cannot show; it is added to independent ones.
    Sides that do not vary are decided exactly once each has three values.
    `relative_change` is the ratio of geometric means where all values are positive, else of arithmetic ones.

    Raises ValueError for a value that is not finite, an alpha outside 0 to 0.5 and a block below 1.
    """
    if not 0.0 < alpha <= 0.5:
        raise ValueError(f"alpha must be above 0 and at most 0.5, not {alpha}")
    blank = Comparison(spec, Verdict.UNDECIDED, tuple(base), tuple(head), "", alpha=alpha)
    units = units_of_evidence(base, block), units_of_evidence(head, block)
    if not all(units):
        return _too_few(blank, *units)
    sides = on_one_scale(*units)
    if sides is None:
        return replace(blank, undecided=Undecided.NOT_COMPARABLE, reason=_incomparable(units[0]))
    if sides.least < 2:
        return _too_few(replace(blank, relative_change=as_fraction(sides.scale, sides.change)), *units)
    return _judge(blank, sides, as_pairs=pairing is Pairing.PAIRED and len(sides.base) == len(sides.head), spread=spread)


def no_comparison(spec: MetricSpec, base: Sequence[float], head: Sequence[float], undecided: Undecided, reason: str) -> Comparison:
    """An undecided comparison that no statistics were asked for: not measured, no baseline, sides not isolated."""
    return Comparison(spec, Verdict.UNDECIDED, tuple(base), tuple(head), reason, undecided=undecided)


def with_undecided(comparison: Comparison, cause: Undecided, reason: str) -> Comparison:
    """The same numbers without their answer, for a cause that overrules it. `reason` replaces the old one."""
    return replace(comparison, verdict=Verdict.UNDECIDED, undecided=cause, reason=reason)


def _judge(blank: Comparison, sides: Scaled, *, as_pairs: bool, spread: Spread | None) -> Comparison:
    spec = blank.spec
    estimate = paired(sides) if as_pairs else independent(sides, spread)
    finding = find(estimate, question(spec, sides.scale), blank.alpha)
    numbers = replace(
        blank,
        relative_change=as_fraction(sides.scale, estimate.change),
        interval=finding.interval,
        p=finding.p,
        harm_excluded=finding.harm_excluded,
    )
    if estimate.exact and sides.least < ENOUGH_TO_BE_CONSTANT:
        return _perhaps_constant(blank, numbers.relative_change)
    if spec.better is None:
        reason = compare_reasons.undirected(finding)
        return replace(numbers, undecided=Undecided.NO_DIRECTION, reason=reason, harm_excluded=None)
    return _answered(numbers, finding, sides.least, as_pairs=as_pairs)


def _answered(numbers: Comparison, finding: Finding, units: int, *, as_pairs: bool) -> Comparison:
    verdict = verdict_of(finding)
    if verdict is not Verdict.UNDECIDED:
        return replace(numbers, verdict=verdict, reason=compare_reasons.reason_of(finding, verdict, None))
    pairs = more_pairs(finding, units, paired=as_pairs)
    reason = compare_reasons.reason_of(finding, verdict, pairs)
    return replace(numbers, undecided=Undecided.SAMPLES, reason=reason, more_pairs=pairs)


def _too_few(blank: Comparison, base: tuple[float, ...], head: tuple[float, ...]) -> Comparison:
    seen = f"{len(base)} and {len(head)} samples" if len(base) != len(head) else f"{len(base)} on each side"
    reason = f"too few samples, {seen}: {compare_reasons.NOTHING_EXCLUDED}; at least 2 on each side are needed to settle anything"
    return _without_answer(blank, reason)


def _perhaps_constant(blank: Comparison, change: float | None) -> Comparison:
    reason = f"two samples a side that do not vary may be chance: {compare_reasons.NOTHING_EXCLUDED}; about 1 more pair would settle it"
    return _without_answer(replace(blank, relative_change=change, more_pairs=1), reason)


def _without_answer(blank: Comparison, reason: str) -> Comparison:
    if blank.spec.better is None:
        return replace(blank, undecided=Undecided.NO_DIRECTION, reason=f"no direction declared; {reason}")
    return replace(blank, undecided=Undecided.SAMPLES, reason=reason)


def _incomparable(base: tuple[float, ...]) -> str:
    zero = "the base is zero" if not any(base) else "the mean of the base is next to nothing beside the samples"
    return f"{zero}, so that a relative change is undefined; no regression is excluded"
