"""How far two stretches of a series differ, as distributions: nothing is assumed of the noise but that it is independent.

Benchmarks on shared machines give sharp peaks, one a machine, rather than a bell. A mean and its error see little there;
the distance of the two distribution functions sees a step that moves every peak by the same factor.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

from assay.core.values import dataclass

RANK_WEIGHT = 0.62
"""Brings the rank statistic to the scale of the distance: with it, both reach their 98th percentile on equal code together
(simulated, 20 to 300 values, normal and peaked)."""

QUANTILES = 12
NEAR = 4
"""A shift is looked for between quantiles of which the ranks differ by at most so many twelfths."""

MOST_POINTS = 200
"""Longer stretches are thinned to so many of their quantiles before a shift is looked for."""


@dataclass(frozen=True, slots=True)
class Shift:
    """The shift that makes two stretches most alike, and how unlike they stay after it, in units of `scaled`."""

    size: float
    left: float


def difference(one: Sequence[float], other: Sequence[float]) -> float:
    """How significantly two stretches differ: by their distributions, or by their ranks where that says more."""
    return max(scaled(distance(one, other), len(one), len(other)), RANK_WEIGHT * rank_score(one, other))


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    """The largest difference of the two empirical distribution functions (Kolmogorov–Smirnov)."""
    return _distance(sorted(one), sorted(other))


def scaled(distance_: float, n: int, m: int) -> float:
    """A distance as a number whose significance hardly depends on n and m.

    M. A. Stephens, Journal of the Royal Statistical Society B 32 (1970) 115.
    """
    root = math.sqrt(n * m / (n + m))
    return distance_ * (root + 0.12 + 0.11 / root)


def rank_score(one: Sequence[float], other: Sequence[float]) -> float:
    """The rank sum of `one` in standard errors, ties counted as halves (Wilcoxon, Mann–Whitney)."""
    n, m = len(one), len(other)
    ranks = ranks_of((*one, *other))
    middle = (n + m + 1) / 2
    variance = math.fsum((rank - middle) ** 2 for rank in ranks) / (n + m - 1)
    if variance == 0.0:
        return 0.0
    return abs(math.fsum(ranks[:n]) / n - middle) / math.sqrt(variance * m / (n * (n + m)))


def ranks_of(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1, ties sharing their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    done = 0
    for _, group in groupby(order, key=values.__getitem__):
        tied = list(group)
        for index in tied:
            ranks[index] = done + (len(tied) + 1) / 2
        done += len(tied)
    return ranks


def best_shift(one: Sequence[float], other: Sequence[float]) -> Shift:
    """The shift from `one` to `other` that leaves the least distance; of equal ones the smallest."""
    a, b = _thinned(sorted(one)), _thinned(sorted(other))
    left, size = min((_distance(a, [value - shift for value in b]), abs(shift), shift) for shift in _shifts(a, b))[::2]
    return Shift(size, scaled(left, len(one), len(other)))


def _shifts(a: list[float], b: list[float]) -> set[float]:
    """Differences of like quantiles, for the best shift brings some value of one stretch onto one of the other."""
    points = [(2 * i + 1) / (2 * QUANTILES) for i in range(QUANTILES)]
    low = [a[min(len(a) - 1, int(point * len(a)))] for point in points]
    high = [b[min(len(b) - 1, int(point * len(b)))] for point in points]
    return {high[j] - low[i] for i in range(QUANTILES) for j in range(QUANTILES) if abs(i - j) <= NEAR}


def _thinned(ordered: list[float]) -> list[float]:
    n = len(ordered)
    return ordered if n <= MOST_POINTS else [ordered[(2 * i + 1) * n // (2 * MOST_POINTS)] for i in range(MOST_POINTS)]


_ROUNDING = 1e-9  # values that a shift was to bring together may miss each other by a rounding error


def _distance(a: list[float], b: list[float]) -> float:
    """Of two sorted lists, each distinct value looked up once in both."""
    largest = 0.0
    i = j = 0
    while i < len(a) and j < len(b):
        here = min(a[i], b[j]) + _ROUNDING
        i = _after(a, here, i)
        j = _after(b, here, j)
        largest = max(largest, abs(i / len(a) - j / len(b)))
    return largest


def _after(ordered: list[float], value: float, start: int) -> int:
    """Where the values that are not above `value` end."""
    at = start
    while at < len(ordered) and ordered[at] <= value:
        at += 1
    return at


def levels_of(values: Sequence[float], most: int) -> list[float]:
    """At most so many values that cut a stretch into shares: each is the highest of its share. None where all are equal."""
    distinct = sorted(set(values))[:-1]
    if len(distinct) <= most:
        return distinct
    ordered = sorted(values)
    picked = {ordered[(2 * i + 1) * len(ordered) // (2 * most)] for i in range(most)}
    return [level for level in distinct if level in picked]


def level_of(levels: Sequence[float], value: float) -> int:
    """The index of the first level that is not below the value."""
    return bisect_left(levels, value)
