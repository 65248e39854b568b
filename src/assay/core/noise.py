"""The noise that the samples of one session cannot show, charged to a comparison of sides that do not share a session.

It comes from evidence alone: changes between sessions of equal code, of this very metric and of similar ones. Pairs that were
measured side by side share their session and are charged nothing.
"""

import math
from collections.abc import Iterable
from dataclasses import replace

from assay.core.estimate import MARGIN, ROUNDING, Estimate, Scale, from_fraction
from assay.core.location import median
from assay.core.similar import LEAST_SIMILAR, TAIL_DF, Learned, Line, Pair, learn
from assay.core.values import dataclass

LEAST_OWN = 3
"""Where there are no similar metrics, fewer changes than this of the metric itself say too little."""

SIMILAR_WORTH = 10.0
"""What is learned from similar metrics counts as much as so many changes of the metric itself."""

LARGEST_RATIO, OUTLYING = 3.0, 2.0
"""An earlier change counts as at most three times the scale of the line, or twice the metric's typical ratio if that is more."""

LARGEST = 1e6
"""An earlier change or standard error beyond this is no different from this one, save that its square may overflow."""

Pairs = tuple[tuple[float, float | None], ...]
"""Relative changes of equal code, each with its standard error where that is known."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Changes between earlier sessions with equal code: of the metric itself (`own`) and of others of its kind (`similar`).

    `history` are earlier values of the metric, oldest first, of whatever code; they serve where a side has a single value.
    """

    own: Pairs = ()
    similar: Pairs = ()
    history: tuple[float, ...] = ()


def informs(noise: Noise) -> bool:
    """Whether this is enough to charge by."""
    return len(noise.own) >= LEAST_OWN or sum(bool(error) for _, error in noise.similar) >= LEAST_SIMILAR


def charged(estimate: Estimate, noise: Noise) -> Estimate:
    """The estimate with the variance and the degrees of freedom that it has once this noise is allowed for.

    A sample that does not vary learns nothing of similar metrics: it may be a count, which is exact everywhere.
    """
    learned = None if estimate.exact else learn(tuple(_usable(noise.similar, estimate.scale)), estimate.pooled_df)
    if learned is None:
        return _with_own_spread(estimate, noise.own)
    sampling = learned.steadied(estimate.variance / MARGIN**2)
    factor = _own_factor(learned, _usable(noise.own, estimate.scale))
    total = max(sampling, factor * learned.line.variance(sampling))
    between = 1.0 - sampling / total
    return replace(
        estimate,
        variance=MARGIN**2 * total,
        df=1.0 / (between**2 / TAIL_DF + (1.0 - between) ** 2 / learned.steady_df),
        pair_variance=estimate.pair_variance * sampling * MARGIN**2 / estimate.variance,
    )


def steadied(estimate: Estimate, noise: Noise) -> Estimate:
    """The estimate with a variance moved towards that of similar metrics, and nothing charged: for sides of one session."""
    learned = None if estimate.exact else learn(tuple(_usable(noise.similar, estimate.scale)), estimate.pooled_df)
    if learned is None:
        return estimate
    factor = learned.steadied(estimate.variance / MARGIN**2) * MARGIN**2 / estimate.variance
    return replace(estimate, variance=factor * estimate.variance, df=learned.steady_df, pair_variance=factor * estimate.pair_variance)


def _own_factor(learned: Learned, own: Iterable[Pair]) -> float:
    """By how much the variance of this metric exceeds that of the line: 1 without evidence, its own mean square with much."""
    ratios = [_ratio(learned.line, change, learned.steadied(error * error)) for change, error in own]
    if not ratios:
        return 1.0
    largest = max(LARGEST_RATIO**2, OUTLYING**2 * median(ratios))
    return (SIMILAR_WORTH + math.fsum(min(ratio, largest) for ratio in ratios)) / (SIMILAR_WORTH + len(ratios))


def _ratio(line: Line, change: float, variance: float) -> float:
    expected = line.variance(variance)
    return min(change * change / expected, 1e100) if expected > 0.0 else 0.0


def _with_own_spread(estimate: Estimate, own: Pairs) -> Estimate:
    """The excess of earlier changes over their own standard errors, by the method of moments, joined to the estimate.

    The degrees of freedom are those of F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110.
    """
    if len(own) < LEAST_OWN:
        return estimate
    excess = math.fsum(scaled(change, estimate.scale) ** 2 - min(error or 0.0, LARGEST) ** 2 for change, error in own)
    spread = MARGIN**2 * excess / len(own)
    if spread <= 0.0:
        return estimate
    total = estimate.variance + spread
    df = 1.0 / ((estimate.variance / total) ** 2 / estimate.df + (spread / total) ** 2 / len(own))
    return replace(estimate, variance=total, df=df)


def _usable(pairs: Pairs, scale: Scale) -> Iterable[Pair]:
    """The pairs in units of the scale, without those that have no standard error or none that varies."""
    return ((scaled(change, scale), min(error, LARGEST)) for change, error in pairs if error is not None and error > ROUNDING)


def scaled(change: float, scale: Scale) -> float:
    """A relative change of the past in units of the scale, within what can be squared."""
    return max(-LARGEST, min(LARGEST, from_fraction(scale, change)))
