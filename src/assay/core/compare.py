"""Base samples against head samples of one metric: a four-way answer, with its interval and its reason."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from assay.core import compare_reasons
from assay.core.comparison import Comparison, Undecided
from assay.core.doubts import Doubt, doubt, doubt_of_history
from assay.core.drift import variance_factor
from assay.core.estimate import Estimate, Scaled, as_fraction, independent, on_one_scale, paired, units_of_evidence, widened
from assay.core.finding import Finding, find, more_pairs, question, verdict_of
from assay.core.location import mean, median
from assay.core.model import MetricSpec, Verdict
from assay.core.noise import Noise, charged, informs, steadied
from assay.core.single import against, changes_before, changes_needed

Sides = tuple[tuple[float, ...], tuple[float, ...]]

METHOD = "huber-t/2"
"""Names the method in a stored decision; it changes whenever equal samples may get another answer."""

ENOUGH_TO_BE_CONSTANT = 3
"""So many equal values on each side show that a metric does not vary; two may be equal by chance."""


class Pairing(StrEnum):
    """How the sides belong together.

    Paired: base[i] and head[i] do, one by one (one seed, or measured next to each other). Interleaved: the sides took turns
    in one session, and share its noise and its drift. None: they may be of different sessions.
    """

    NONE = "none"
    INTERLEAVED = "interleaved"
    PAIRED = "paired"


def compare(
    spec: MetricSpec,
    base: Sequence[float],
    head: Sequence[float],
    *,
    alpha: float = 0.05,
    pairing: Pairing = Pairing.NONE,
    block: int = 1,
    noise: Noise | None = None,
    whole: float | None = None,
) -> Comparison:
    """Compare two samples of one metric at the level `alpha`, two-sided for a change, one-sided for each equivalence test.

    Every `block` consecutive values come from one process and count as one, their median. Paired sides of unequal length
    are compared as interleaved ones. `noise` is what equal code has shown between sessions: it steadies the variance, but of
    pairs, and is charged to sides of different sessions. Sides that do not vary are decided exactly once each has three values.
    `relative_change` is the ratio of geometric means where all values are positive, else of arithmetic ones; of eight and
    more units a side, outliers count for less. `whole` is the level of `raw_interval`, where it is not `alpha`.

    Raises ValueError for a value that is not finite, an alpha outside 0 to 0.5 and a block below 1.
    """
    if not 0.0 < alpha <= 0.5:
        raise ValueError(f"alpha must be above 0 and at most 0.5, not {alpha}")
    blank = Comparison(spec, Verdict.UNDECIDED, tuple(base), tuple(head), "", alpha=alpha)
    units = units_of_evidence(base, block), units_of_evidence(head, block)
    if not all(units):
        return _too_few(blank, units)
    sides = on_one_scale(*units)
    if sides is None:
        return replace(blank, undecided=Undecided.NOT_COMPARABLE, reason=_incomparable(units[0]))
    if sides.least < 2:
        return _single(replace(blank, relative_change=as_fraction(sides.scale, sides.change)), sides, units, noise or Noise())
    if pairing is Pairing.PAIRED and len(sides.base) != len(sides.head):
        pairing = Pairing.INTERLEAVED
    return _judge(blank, sides, pairing, units, noise or Noise(), whole or alpha)


def no_comparison(spec: MetricSpec, base: Sequence[float], head: Sequence[float], undecided: Undecided, reason: str) -> Comparison:
    """An undecided comparison that no statistics were asked for: not measured, no baseline, sides not isolated."""
    return Comparison(spec, Verdict.UNDECIDED, tuple(base), tuple(head), reason, undecided=undecided)


def with_undecided(comparison: Comparison, cause: Undecided, reason: str) -> Comparison:
    """The same numbers without their answer, for a cause that overrules it. `reason` replaces the old one."""
    return replace(comparison, verdict=Verdict.UNDECIDED, undecided=cause, reason=reason)


def _judge(blank: Comparison, sides: Scaled, pairing: Pairing, units: Sides, noise: Noise, whole: float) -> Comparison:
    estimate = _estimate(sides, pairing, noise)
    finding = find(estimate, question(blank.spec, sides.scale), blank.alpha)
    if estimate.exact and sides.least < ENOUGH_TO_BE_CONSTANT:
        return _perhaps_constant(blank, as_fraction(sides.scale, estimate.change))
    raw = finding if whole == blank.alpha else find(estimate, finding.question, whole)
    blank = replace(blank, raw_interval=raw.interval, paired=pairing is Pairing.PAIRED)
    verdict = verdict_of(finding)
    against_it = doubt(finding, verdict, sides, took_turns=pairing is not Pairing.NONE)
    against_it = against_it or doubt_of_history(verdict, median(units[0]), median(units[1]), noise.history)
    return _answered(blank, finding, more_pairs(finding, sides.least, paired=pairing is Pairing.PAIRED), against_it)


def _single(blank: Comparison, sides: Scaled, units: Sides, noise: Noise) -> Comparison:
    """A side with one value has no spread of its own; what the metric did from run to run may stand in for it."""
    earlier = changes_before(sides, mean(units[0]), noise.history, noise.own)
    if len(earlier) < changes_needed(blank.alpha):
        return _too_few(blank, units, len(earlier))
    finding = against(sides, earlier, question(blank.spec, sides.scale), blank.alpha)
    return _answered(blank, finding, None, doubt_of_history(verdict_of(finding), median(units[0]), median(units[1]), noise.history))


def _estimate(sides: Scaled, pairing: Pairing, noise: Noise) -> Estimate:
    match pairing:
        case Pairing.PAIRED:
            return paired(sides)
        case Pairing.INTERLEAVED:
            return steadied(independent(sides), noise)
        case Pairing.NONE:
            estimate = independent(sides)
            return charged(estimate, noise) if informs(noise) else widened(estimate, variance_factor(sides))


def _answered(blank: Comparison, finding: Finding, pairs: int | None, against_it: Doubt | None) -> Comparison:
    numbers = replace(
        blank,
        relative_change=as_fraction(finding.estimate.scale, finding.estimate.change),
        interval=finding.interval,
        p=finding.p,
    )
    if blank.spec.better is None:
        return replace(numbers, undecided=Undecided.NO_DIRECTION, reason=compare_reasons.undirected(finding))
    verdict = verdict_of(finding)
    numbers = replace(
        numbers, verdict=verdict, reason=compare_reasons.reason_of(finding, verdict, pairs), harm_excluded=finding.harm_excluded
    )
    if against_it:
        return with_undecided(numbers, against_it.cause, f"{against_it.reason}; {compare_reasons.seen(finding)}")
    return replace(numbers, undecided=Undecided.SAMPLES, more_pairs=pairs) if verdict is Verdict.UNDECIDED else numbers


def _too_few(blank: Comparison, units: Sides, earlier: int = 0) -> Comparison:
    base, head = map(len, units)
    seen = f"{base} and {head} samples" if base != head else f"{base} on each side"
    settle = "at least 2 on each side are needed to settle anything"
    if earlier:
        settle = f"{settle}, or {changes_needed(blank.alpha)} earlier changes to hold it against, of which there are {earlier}"
    return _without_answer(blank, f"too few samples, {seen}: {compare_reasons.NOTHING_EXCLUDED}; {settle}")


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
