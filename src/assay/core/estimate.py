"""The change from base to head with its uncertainty, on the scale on which it can be judged.

Where every value is positive that is the logarithm of the ratio, so that base and head can change places and units do not
matter. Elsewhere (a log-likelihood, a signed error) it is the difference as a share of the size of base's mean, which is
taken as known: a mean that is only just away from zero makes the share as rough as it is itself.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from assay.core.location import locations, mean, median
from assay.core.values import dataclass

MARGIN = 1.05
"""Every standard error is widened by a twentieth: the noise of real benchmarks is never quite what a formula assumes."""

ROUNDING = 1e-15
"""Changes and standard errors below this are what floats make of equal numbers."""

_FLOAT_MAX = sys.float_info.max
_LOG_MAX = math.log(_FLOAT_MAX)
_SQUARABLE = 1e150
_NO_MEAN = 1e-12  # a mean this small beside its own values is zero but for rounding


class Scale(StrEnum):
    """How a change is measured."""

    LOG = "log ratio"
    LINEAR = "share of the base"


@dataclass(frozen=True, slots=True)
class Scaled:
    """Both sides on one scale, one value a unit of evidence."""

    scale: Scale
    base: tuple[float, ...]
    head: tuple[float, ...]

    @property
    def least(self) -> int:
        return min(len(self.base), len(self.head))

    @property
    def change(self) -> float:
        """The difference of the two means, in units of the scale."""
        return _without_rounding(mean(self.head) - mean(self.base))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A change in units of its scale, the variance of that estimate (0 where nothing varies) and its degrees of freedom.

    `pair_variance` is the part that further pairs divide: the variance of what one pair of units says. `pooled_df` are the
    degrees of freedom that the units would have, were the variances of both sides equal.
    """

    scale: Scale
    change: float
    variance: float
    df: float
    pair_variance: float
    pooled_df: float

    @property
    def exact(self) -> bool:
        return self.variance == 0.0

    @property
    def error(self) -> float:
        return math.sqrt(self.variance)


def as_fraction(scale: Scale, change: float) -> float:
    """A change in units of the scale as a fraction of the base, never infinite."""
    if scale is Scale.LOG:
        return math.expm1(change) if change < _LOG_MAX else _FLOAT_MAX
    return max(-_FLOAT_MAX, min(_FLOAT_MAX, change))


def from_fraction(scale: Scale, fraction: float) -> float:
    """A fraction of the base in units of the scale: the inverse of `as_fraction`, minus infinity for a loss of all and more."""
    if scale is Scale.LOG:
        return math.log1p(fraction) if fraction > -1.0 else -math.inf
    return fraction


def units_of_evidence(values: Sequence[float], block: int) -> tuple[float, ...]:
    """One value, the median, for each `block` consecutive values of one process; the last block may be short.

    Raises ValueError for a block below 1 and for a value that is not finite.
    """
    if block < 1:
        raise ValueError(f"a block has at least 1 value, not {block}")
    if not all(map(math.isfinite, values)):
        raise ValueError("samples must be finite")
    if block == 1:
        return tuple(values)
    return tuple(median(values[start : start + block]) for start in range(0, len(values), block))


def on_one_scale(base: tuple[float, ...], head: tuple[float, ...]) -> Scaled | None:
    """Both sides, neither of them empty, ready to be compared; None where a relative change is undefined."""
    if min(*base, *head) > 0:
        reference = max(*base, *head)
        return Scaled(Scale.LOG, *(tuple(_log_ratio(value, reference) for value in side) for side in (base, head)))
    largest = max(map(abs, base))
    size = abs(mean(base))
    if largest == 0 and not any(head):
        return Scaled(Scale.LINEAR, base, head)
    if size <= _NO_MEAN * largest or max(map(abs, head)) / _SQUARABLE >= size:
        return None
    return Scaled(Scale.LINEAR, *(tuple(value / size for value in side) for side in (base, head)))


def independent(sides: Scaled) -> Estimate:
    """The change of two independent samples of at least 2 units each, with the degrees of freedom of Welch and Satterthwaite.

    B. L. Welch, Biometrika 34 (1947) 28; F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110.
    """
    base, head = locations(sides.base, sides.head)
    n = len(sides.base), len(sides.head)
    variance = base.variance + head.variance
    if variance <= ROUNDING * ROUNDING:
        return _exact(sides, min(n) - 1.0)
    df = 1.0 / ((base.variance / variance) ** 2 / (n[0] - 1) + (head.variance / variance) ** 2 / (n[1] - 1))
    pair = base.variance * n[0] + head.variance * n[1]
    return _estimate(sides.scale, head.centre - base.centre, (variance, pair), (df, n[0] + n[1] - 2.0))


def paired(sides: Scaled) -> Estimate:
    """The change of two samples whose values belong together one by one, at least 2 pairs."""
    (difference,) = locations([head - base for base, head in zip(sides.base, sides.head, strict=True)])
    df = sides.least - 1.0
    if difference.variance <= ROUNDING * ROUNDING:
        return _exact(sides, df)
    return _estimate(sides.scale, difference.centre, (difference.variance, difference.variance * sides.least), (df, df))


def widened(estimate: Estimate, factor: float) -> Estimate:
    """The estimate with a variance larger by this factor."""
    return replace(estimate, variance=factor * estimate.variance, pair_variance=factor * estimate.pair_variance)


def _exact(sides: Scaled, df: float) -> Estimate:
    return Estimate(sides.scale, sides.change, 0.0, df, 0.0, df)


def _estimate(scale: Scale, change: float, variances: tuple[float, float], df: tuple[float, float]) -> Estimate:
    whole, pair = (MARGIN**2 * variance for variance in variances)
    return Estimate(scale, _without_rounding(change), whole, df[0], pair, df[1])


def _log_ratio(value: float, reference: float) -> float:
    """log(value / reference), accurate near 1 and safe where the quotient is too small for a float."""
    ratio = value / reference
    return math.log(ratio) if ratio > sys.float_info.min else math.log(value) - math.log(reference)


def _without_rounding(change: float) -> float:
    return 0.0 if abs(change) <= ROUNDING else change
