"""What the order of the values tells: a trend that would explain the change by itself, and values that follow each other.

Where base was measured before head, a machine that grows slower all the while makes head worse without any change of code.
Sides in interleaved order share the trend, and are not asked.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from operator import mul

from assay.core.estimate import Scaled
from assay.core.location import mean, median
from assay.core.student import normal_cdf

LEAST = 5
"""Fewer values a side show no trend."""

CERTAIN = 0.01
"""The level of the test of a trend."""

LEAST_TO_CORRELATE = 8
"""Fewer values a side do not tell how alike neighbours are."""

MOST_CORRELATED = 0.6
"""No correlation of neighbours is believed beyond this."""

SHARE = 0.5
"""A trend that explains so large a share of the change takes the answer away."""


def explains(sides: Scaled) -> bool:
    """Whether both sides drift, and from the middle of one to the middle of the other as far as half of the change.

    The test is Kendall's of a trend, summed over the sides (H. B. Mann, Econometrica 13 (1945) 245); the slope is the median
    over all pairs (P. K. Sen, JASA 63 (1968) 1379).
    """
    if sides.least < LEAST or sides.change == 0.0:
        return False
    slopes = [slope for side in (sides.base, sides.head) for slope in _slopes(side)]
    drift = median(slopes) * 0.5 * (len(sides.base) + len(sides.head))
    return drift * sides.change > 0.0 and abs(drift) >= SHARE * abs(sides.change) and _trend_p(sides) <= CERTAIN


def variance_factor(sides: Scaled) -> float:
    """By how much the variance of a mean grows because neighbours are alike: (1 + r) / (1 - r) for a correlation r of neighbours.

    That of an autoregression of first order (G. V. Bayley and J. M. Hammersley, Suppl. J. R. Statist. Soc. 8 (1946) 184), with r
    corrected for the mean that is taken off, never below zero, and 1 for sides too short to tell.
    """
    if sides.least < LEAST_TO_CORRELATE:
        return 1.0
    products = squares = 0.0
    for side in (sides.base, sides.head):
        middle = mean(side)
        off = [value - middle for value in side]
        products += math.fsum(map(mul, off, off[1:]))
        squares += math.fsum(map(mul, off, off))
    if squares <= 0.0:
        return 1.0
    r = products / squares + 2.0 / (len(sides.base) + len(sides.head))
    r = max(0.0, min(MOST_CORRELATED, r))
    return (1.0 + r) / (1.0 - r)


def _slopes(values: Sequence[float]) -> list[float]:
    return [(values[j] - values[i]) / (j - i) for i, j in combinations(range(len(values)), 2)]


def _trend_p(sides: Scaled) -> float:
    score = variance = 0.0
    for side in (sides.base, sides.head):
        n = len(side)
        score += sum((later > earlier) - (later < earlier) for earlier, later in combinations(side, 2))
        variance += n * (n - 1) * (2 * n + 5) / 18.0
    return 2.0 * normal_cdf(-abs(score) / math.sqrt(variance))
