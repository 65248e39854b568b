"""What can be said of a handful of values beyond their mean: spread, drift, outliers. Plain Python, exact where there are few."""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import median

from assay.core.student import normal_cdf
from assay.core.values import dataclass

OUTLIER_SCORE = 3.5
"""Iglewicz and Hoaglin (1993): a modified z-score beyond this is an outlier."""

_DIGITS = 9
_TO_SIGMA = 0.6745  # the quartile of a standard normal
_EXACT_UP_TO = 30
_LEAST_FOR_OUTLIERS = 5
_LEAST_FOR_DRIFT = 5


@dataclass(frozen=True, slots=True)
class Description:
    """Some values in brief. `deviation` is None for a single one, `spread` is its share of the mean's size, None for a mean of zero."""

    n: int
    mean: float
    median: float
    least: float
    most: float
    deviation: float | None
    spread: float | None


def rounded(value: float | None) -> float | None:
    """Nine digits: what more there is of a float is no measurement, and the same facts shall have the same text."""
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def describe(values: Sequence[float]) -> Description | None:
    """None where there are no values, or where they are too large to be summed."""
    if not values:
        return None
    try:
        mean = math.fsum(values) / len(values)
        deviation = _deviation(values, mean)
    except OverflowError:
        return None
    spread = None if deviation is None or mean == 0 else deviation / abs(mean)
    return Description(len(values), mean, median(values), min(values), max(values), deviation, spread)


def _deviation(values: Sequence[float], mean: float) -> float | None:
    if len(values) < 2:
        return None
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


@dataclass(frozen=True, slots=True)
class Drift:
    """A trend in the order in which values were measured: its whole change as a share of the median, and how likely by chance."""

    change: float
    p: float


def drift(values: Sequence[float]) -> Drift | None:
    """Theil and Sen's slope over the whole stretch, tested as Mann and Kendall do; None for too few values or a median of zero."""
    middle = median(values) if values else 0.0
    if len(values) < _LEAST_FOR_DRIFT or middle == 0:
        return None
    pairs = [(later - earlier, at - before) for at, later in enumerate(values) for before, earlier in enumerate(values[:at])]
    slope = median(rise / run for rise, run in pairs)
    return Drift(slope * (len(values) - 1) / abs(middle), _trend_p([rise for rise, _ in pairs], values))


def _trend_p(rises: Sequence[float], values: Sequence[float]) -> float:
    """Two-sided: exact where no two values are equal and there are few, else by the normal approximation with ties."""
    score = sum((rise > 0) - (rise < 0) for rise in rises)
    count = len(values)
    ties = [values.count(value) for value in set(values)]
    if count <= _EXACT_UP_TO and max(ties) == 1:
        falls = (len(rises) - abs(score)) // 2
        return min(1.0, 2.0 * sum(_permutations(count)[: falls + 1]) / math.factorial(count))
    variance = (count * (count - 1) * (2 * count + 5) - sum(tie * (tie - 1) * (2 * tie + 5) for tie in ties)) / 18
    return 1.0 if variance <= 0 else min(1.0, 2.0 * normal_cdf(-max(0.0, abs(score) - 1) / math.sqrt(variance)))


@lru_cache(maxsize=_EXACT_UP_TO)
def _permutations(count: int) -> tuple[int, ...]:
    """How many orders of `count` things have 0, 1, 2, … inversions."""
    found = [1]
    for size in range(2, count + 1):
        longer = [0] * (len(found) + size - 1)
        for inversions, ways in enumerate(found):
            for more in range(size):
                longer[inversions + more] += ways
        found = longer
    return tuple(found)


def outliers(values: Sequence[float]) -> tuple[float, ...]:
    """The values far from the median, measured by the median distance from it; none where most values are equal."""
    if len(values) < _LEAST_FOR_OUTLIERS:
        return ()
    middle = median(values)
    distance = median(abs(value - middle) for value in values)
    if distance == 0:
        return ()
    return tuple(value for value in values if _TO_SIGMA * abs(value - middle) / distance > OUTLIER_SCORE)


def share_below(ones: Sequence[float], others: Sequence[float]) -> float | None:
    """How often a value of `ones` is below one of `others`, over all pairs; equal ones count half."""
    if not ones or not others:
        return None
    below = sum((one < other) + 0.5 * (one == other) for one in ones for other in others)
    return below / (len(ones) * len(others))
