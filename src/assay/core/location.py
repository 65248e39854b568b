"""Where a sample lies and how well that is known: an estimate that no outlier owns, where there are enough values to tell.

From eight values a side on it is Huber's M-estimator (P. J. Huber, Annals of Mathematical Statistics 35 (1964) 73), its
variance from the influence function (Huber and Ronchetti, Robust Statistics, 2nd ed., section 6.6). With fewer values an
outlier and a second mode look alike, so that below that it is the plain mean.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from assay.core.values import dataclass

ENOUGH_TO_TELL_OUTLIERS = 8
"""With fewer values on a side none of them is called an outlier."""

LIMIT = 2.0
"""A value further away than so many scales pulls no harder than one at that distance."""

CONSISTENT = 1.4826
"""What makes the median absolute deviation of a normal sample its standard deviation."""

_STEPS = 50
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class Location:
    """The centre of a sample of at least two values, and the variance of that estimate."""

    centre: float
    variance: float


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two middle ones."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else mean(ordered[half - 1 : half + 1])


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, exact for equal values and for values as large as floats go."""
    if min(values) == max(values):
        return values[0]
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.fsum(value / len(values) for value in values)


def locations(*sides: Sequence[float]) -> tuple[Location, ...]:
    """Every side's location, outliers told by the scale that all sides have in common."""
    scale = _common_scale(sides)
    return tuple(_huber(side, scale) if scale > 0.0 else _plain(side) for side in sides)


def _common_scale(sides: Sequence[Sequence[float]]) -> float:
    """The median absolute deviation from each side's own median; 0 where there are too few values or most of them are equal."""
    if min(map(len, sides)) < ENOUGH_TO_TELL_OUTLIERS:
        return 0.0
    deviations = [abs(value - middle) for side in sides for middle in (median(side),) for value in side]
    n = len(deviations)
    return CONSISTENT * median(deviations) * n / (n - len(sides))


def _plain(values: Sequence[float]) -> Location:
    middle, n = mean(values), len(values)
    return Location(middle, math.fsum([(value - middle) ** 2 for value in values]) / (n - 1) / n)


def _huber(values: Sequence[float], scale: float) -> Location:
    """Newton's method, which ends after few steps: the sum of the pulls is a broken line. Sorted values make a step cheap."""
    ordered, reach, n = sorted(values), LIMIT * scale, len(values)
    sums = [0.0, *accumulate(ordered)]
    centre = median(ordered)
    for _ in range(_STEPS):
        low, high = bisect_left(ordered, centre - reach), bisect_right(ordered, centre + reach)
        pull = sums[high] - sums[low] - (high - low) * centre + reach * (n - high - low)
        step = pull / max(high - low, 1)
        centre += step
        if abs(step) <= _CLOSE * scale:
            break
    low, high = bisect_left(ordered, centre - reach), bisect_right(ordered, centre + reach)
    if low == high:  # two modes far apart, beside a side that hardly varies: nothing lies in the middle
        return _plain(values)
    squares = math.fsum([(value - centre) ** 2 for value in ordered[low:high]]) + reach * reach * (n - high + low)
    return Location(centre, squares / (n - 1) / n / ((high - low) / n) ** 2)
