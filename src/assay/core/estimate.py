"""The change from base to head with its uncertainty, on the scale on which it can be judged.

Where every value is positive that is the logarithm of the ratio, so that base and head can change places and units do not
matter. Elsewhere (a log-likelihood, a signed error) it is the difference as a share of the size of base's mean, which is
taken as known: a mean that is only just away from zero makes the share as rough as it is itself.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

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
class Spread:
    """A variance that no sample of this session shows, such as that between sessions, known from `df` degrees of freedom.

    It is a variance of relative changes.
    """

    variance: float
    df: float


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
        return _without_rounding(_mean(self.head) - _mean(self.base))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A change in units of its scale, the variance of that estimate (0 where nothing varies) and its degrees of freedom.

    `pair_variance` is the part that further pairs divide: the variance of what one pair of units says.
    """

    scale: Scale
    change: float
    variance: float
    df: float
    pair_variance: float

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
    """One value, the mean, for each `block` consecutive values of one process; the last block may be short.

    Raises ValueError for a block below 1 and for a value that is not finite.
    """
    if block < 1:
        raise ValueError(f"a block has at least 1 value, not {block}")
    if not all(map(math.isfinite, values)):
        raise ValueError("samples must be finite")
    if block == 1:
        return tuple(values)
    return tuple(_mean(values[start : start + block]) for start in range(0, len(values), block))


def on_one_scale(base: tuple[float, ...], head: tuple[float, ...]) -> Scaled | None:
    """Both sides, neither of them empty, ready to be compared; None where a relative change is undefined."""
    if min(*base, *head) > 0:
        reference = max(*base, *head)
        return Scaled(Scale.LOG, *(tuple(_log_ratio(value, reference) for value in side) for side in (base, head)))
    largest = max(map(abs, base))
    size = abs(_mean(base))
    if largest == 0 and not any(head):
        return Scaled(Scale.LINEAR, base, head)
    if size <= _NO_MEAN * largest or max(map(abs, head)) / _SQUARABLE >= size:
        return None
    return Scaled(Scale.LINEAR, *(tuple(value / size for value in side) for side in (base, head)))


def independent(sides: Scaled, spread: Spread | None = None) -> Estimate:
    """The change of two independent samples of at least 2 units each: Welch's standard error, Satterthwaite's df.

    B. L. Welch, Biometrika 34 (1947) 28; F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110, which also takes `spread`.
    """
    base, head = _variance(sides.base), _variance(sides.head)
    parts = [(base / len(sides.base), len(sides.base) - 1.0), (head / len(sides.head), len(sides.head) - 1.0)]
    if spread:
        parts.append((spread.variance, spread.df))
    return _estimate(sides.scale, sides.change, parts, base + head)


def paired(sides: Scaled) -> Estimate:
    """The change of two samples whose values belong together one by one, at least 2 pairs."""
    differences = [head - base for base, head in zip(sides.base, sides.head, strict=True)]
    variance = _variance(differences)
    return _estimate(sides.scale, _without_rounding(_mean(differences)), [(variance / sides.least, sides.least - 1.0)], variance)


def _estimate(scale: Scale, change: float, parts: Sequence[tuple[float, float]], pair_variance: float) -> Estimate:
    total = math.fsum(variance for variance, _ in parts)
    if total <= ROUNDING * ROUNDING:
        return Estimate(scale, change, 0.0, min(df for _, df in parts), 0.0)
    df = 1.0 / math.fsum((variance / total) ** 2 / df for variance, df in parts)
    return Estimate(scale, change, total, df, pair_variance)


def _log_ratio(value: float, reference: float) -> float:
    """log(value / reference), accurate near 1 and safe where the quotient is too small for a float."""
    ratio = value / reference
    return math.log(ratio) if ratio > sys.float_info.min else math.log(value) - math.log(reference)


def _without_rounding(change: float) -> float:
    return 0.0 if abs(change) <= ROUNDING else change


def _mean(values: Sequence[float]) -> float:
    if min(values) == max(values):
        return values[0]
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.fsum(value / len(values) for value in values)


def _variance(values: Sequence[float]) -> float:
    middle = _mean(values)
    return math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1)
