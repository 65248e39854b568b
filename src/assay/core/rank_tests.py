"""Tests by ranks, and the smallest p-value that so few values can reach: below that they are no tests at all."""

import math
from collections.abc import Sequence

from assay.core.student import normal_cdf

EXACT_UP_TO = 40
"""Values a side up to which the distribution is counted out; beyond, the normal one is as good."""


def mann_whitney(base: Sequence[float], head: Sequence[float]) -> float:
    """The two-sided p-value of Mann and Whitney's U: counted without ties, else normal with corrections for ties and continuity.

    H. B. Mann and D. R. Whitney, Annals of Mathematical Statistics 18 (1947) 50.
    """
    n, m = len(base), len(head)
    u = sum((one < other) + 0.5 * (one == other) for one in base for other in head)
    groups = _ties((*base, *head))
    if max(n, m) <= EXACT_UP_TO and not groups:
        return _two_sided(_u_counts(n, m), round(u))
    total = n + m
    variance = n * m / 12.0 * (total + 1.0 - sum(t**3 - t for t in groups) / (total * (total - 1.0)))
    return _normal(abs(u - 0.5 * n * m), variance)


def mann_whitney_least(n: int, m: int) -> float:
    """The smallest two-sided p-value of `n` and `m` values: that of sides that do not overlap."""
    return 2.0 / math.comb(n + m, n)


def wilcoxon(differences: Sequence[float]) -> float:
    """The two-sided p-value of Wilcoxon's signed ranks; pairs without a difference are left out.

    F. Wilcoxon, Biometrics Bulletin 1 (1945) 80. Counted without ties, else normal with a correction for them.
    """
    kept = sorted((one for one in differences if one), key=abs)
    n = len(kept)
    if n == 0:
        return 1.0
    groups = _ties([abs(one) for one in kept])
    ranks = _ranks([abs(one) for one in kept])
    w = sum(rank for rank, one in zip(ranks, kept, strict=True) if one > 0.0)
    if n <= EXACT_UP_TO and not groups:
        return _two_sided(_sign_counts(n), round(w))
    variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - sum(t**3 - t for t in groups) / 48.0
    return _normal(abs(w - 0.25 * n * (n + 1.0)), variance)


def wilcoxon_least(n: int) -> float:
    """The smallest two-sided p-value of `n` pairs: that of differences of one sign. Three pairs never get below 0.25."""
    return min(1.0, 2.0 ** (1 - n))


def _two_sided(counts: Sequence[int], value: int) -> float:
    below = sum(counts[: value + 1])
    return min(1.0, 2.0 * min(below, sum(counts[value:])) / sum(counts))


def _normal(distance: float, variance: float) -> float:
    if variance <= 0.0:
        return 1.0
    return min(1.0, 2.0 * normal_cdf(-max(0.0, distance - 0.5) / math.sqrt(variance)))


def _u_counts(n: int, m: int) -> list[int]:
    """How many of the orders of n and m values have each U: the coefficients of a Gaussian binomial."""
    counts = [1] + [0] * (n * m)
    for k in range(1, n + 1):
        for value in range(n * m, m + k - 1, -1):
            counts[value] -= counts[value - m - k]
        for value in range(k, n * m + 1):
            counts[value] += counts[value - k]
    return counts


def _sign_counts(n: int) -> list[int]:
    counts = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        for value in range(len(counts) - 1, rank - 1, -1):
            counts[value] += counts[value - rank]
    return counts


def _ties(values: Sequence[float]) -> list[int]:
    sizes: dict[float, int] = {}
    for value in values:
        sizes[value] = sizes.get(value, 0) + 1
    return [size for size in sizes.values() if size > 1]


def _ranks(ordered: Sequence[float]) -> list[float]:
    """Ranks from 1, equal values sharing theirs."""
    ranks: list[float] = []
    while len(ranks) < len(ordered):
        start = len(ranks)
        size = sum(value == ordered[start] for value in ordered[start:])
        ranks += [start + 0.5 * (size + 1)] * size
    return ranks
