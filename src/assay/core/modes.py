"""Two modes: samples that lie in two clumps with nothing between, as when a benchmark is now on one kind of core, now on another.

Where each side has values in both, the change is mostly one of how often either mode was met, which is a matter of chance.
"""

import math
from collections.abc import Sequence
from operator import sub

from assay.core.values import dataclass

LEAST_IN_A_MODE = 3
"""Fewer values are outliers, no mode."""

LEAST = 10
"""Of fewer values in all, two clumps are too often chance: one in fifty, of eight normal ones."""

GAP = 4.0
"""The gap between two modes, in standard deviations within them."""


@dataclass(frozen=True, slots=True)
class Modes:
    """How many values of base and of head lie in the lower and in the upper mode, and the gap between them."""

    base: tuple[int, int]
    head: tuple[int, int]
    centres: tuple[float, float]

    @property
    def mixed(self) -> bool:
        """Whether some side has values in both modes."""
        return min(self.base) > 0 or min(self.head) > 0

    @property
    def p(self) -> float:
        """How likely counts as unequal as these are where both sides meet the modes equally often: Fisher's exact test, two-sided."""
        return _fisher(self.base, self.head)


def two_modes(base: Sequence[float], head: Sequence[float]) -> Modes | None:
    """The modes of both sides taken together; None where there are not two, or where they are the two sides themselves."""
    ordered = sorted((*base, *head))
    n = len(ordered)
    if n < LEAST:
        return None
    gaps = list(map(sub, ordered[LEAST_IN_A_MODE : n - LEAST_IN_A_MODE + 1], ordered[LEAST_IN_A_MODE - 1 :]))
    gap = max(gaps)
    cut = LEAST_IN_A_MODE + gaps.index(gap)
    lower, upper = ordered[:cut], ordered[cut:]
    within = math.sqrt((_squares(lower) + _squares(upper)) / (n - 2))
    if gap <= GAP * within or gap <= 0.0:
        return None
    edge = upper[0]
    counts = [(sum(value < edge for value in side), sum(value >= edge for value in side)) for side in (base, head)]
    found = Modes(counts[0], counts[1], (math.fsum(lower) / len(lower), math.fsum(upper) / len(upper)))
    return found if found.mixed else None


def _squares(values: Sequence[float]) -> float:
    middle = math.fsum(values) / len(values)
    return math.fsum([(value - middle) ** 2 for value in values])


def _fisher(base: tuple[int, int], head: tuple[int, int]) -> float:
    first, second, lower = sum(base), sum(head), base[0] + head[0]
    ways = {k: math.comb(first, k) * math.comb(second, lower - k) for k in range(max(0, lower - second), min(first, lower) + 1)}
    return sum(way for way in ways.values() if way <= ways[base[0]]) / sum(ways.values())
