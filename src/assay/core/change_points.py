"""Change points of a metric's history: steps, told apart from outliers, from two modes and from a change of the noise.

A commit that makes a benchmark slower moves everything that it prints by one factor. Another machine behind the same
name, or a quieter neighbour, changes the scatter or the mix of peaks as well. So a border between two stretches counts as
a step only where one shift explains it, and where that shift is large enough to matter beside the noise of the series.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import median

from assay.core.change_distance import best_shift
from assay.core.change_scan import segments
from assay.core.series_shape import noise_of, reach, scatter, shape_of

SAME_SHAPE = 1.2
"""Beyond this distance after the best shift, one shift does not explain a border (98 % of equal shapes stay below it)."""

STANDARD_ERRORS = 3.5
SHARE_OF_NOISE = 0.35
"""A step is at least 3.5 of its own standard errors, and this share of the noise that the whole series shows: machines move
by as much on their own."""

QUIET = 0.05
ONE_DRAW = 1.5
"""A stretch that scatters by less than a twentieth of the series' noise has seen one machine only: however many its values,
their level is one draw from that noise, and has to leave it by half as much again."""

BEYOND_SCATTER = 5.0
BEYOND_REACH = 1.5
"""A step of five times the scatter, and of half as much again as any value strays from its level, needs no likeness of shape."""


MOVES = 2
SHORTEST = 2
PLAINLY = 3.0
"""A value belongs to a level that is three times as near as the other; no stretch gets shorter than two values for it."""


class Nature(StrEnum):
    """What a border between two stretches is."""

    STEP = "step"
    NOISE = "noise"
    SMALL = "small"


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """`index` is the first value of the new level; `before` and `after` are the medians of the stretches on both sides.

    `relative_change` is None where `before` is zero.
    """

    index: int
    before: float
    after: float
    relative_change: float | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a history holds. `noise_changes` are borders that no single shift explains: the machine, or its mix, rather than code.

    `modes` is 2 where the values of one level gather around two values in turn, else 1.
    """

    change_points: tuple[ChangePoint, ...]
    noise_changes: tuple[ChangePoint, ...]
    outliers: tuple[int, ...]
    modes: int


def find_changes(values: Sequence[float]) -> Changes:
    """The changes of a series in its order in time. Fewer than eight values hold none.

    Raises ValueError for a value that is not finite.
    """
    if not all(map(math.isfinite, values)):
        raise ValueError("the values of a history must be finite")
    if not values:
        return Changes((), (), (), 1)
    levels = _on_scale(values)
    cuts = _placed(levels, segments(levels))
    stretches = [levels[start:end] for start, end in pairwise((0, *cuts, len(levels)))]
    natures = _natures(stretches)
    points = [_point(values, cuts, position) for position in range(len(cuts))]
    shape = shape_of(stretches, _resolution(values))
    alternates = _alternates(stretches, natures)
    if alternates:
        natures = [Nature.SMALL] * len(cuts)
    return Changes(
        change_points=tuple(point for point, nature in zip(points, natures, strict=True) if nature is Nature.STEP),
        noise_changes=tuple(point for point, nature in zip(points, natures, strict=True) if nature is Nature.NOISE),
        outliers=shape.outliers,
        modes=2 if alternates else shape.modes,
    )


def _placed(levels: list[float], cuts: list[int]) -> list[int]:
    """Borders moved by at most two places to where values beside them plainly belong: near one level and far from the other."""
    placed: list[int] = []
    for position, cut in enumerate(cuts):
        start, end = placed[-1] if placed else 0, cuts[position + 1] if position + 1 < len(cuts) else len(levels)
        before, after = median(levels[start:cut]), median(levels[cut:end])
        moved = cut
        while cut - moved < MOVES and moved - start > SHORTEST and _belongs(levels[moved - 1], after, before):
            moved -= 1
        while moved >= cut and moved - cut < MOVES and end - moved > SHORTEST and _belongs(levels[moved], before, after):
            moved += 1
        placed.append(moved)
    return placed


def _belongs(value: float, here: float, there: float) -> bool:
    return abs(value - here) * PLAINLY < abs(value - there)


def _on_scale(values: Sequence[float]) -> list[float]:
    """Logarithms where all values are positive, so that units do not matter, else shares of the largest size."""
    if min(values) > 0.0:
        reference = median(values)
        return [round(math.log(value) - math.log(reference), 9) for value in values]
    largest = max(map(abs, values)) or 1.0
    return [round(value / largest, 9) for value in values]


def _resolution(values: Sequence[float]) -> float:
    """The finest difference that the series shows, or 1 where it counts, on the scale of `_on_scale`."""
    distinct = sorted(set(values))
    finest = min((high - low for low, high in pairwise(distinct)), default=0.0)
    if all(value.is_integer() for value in map(float, distinct)):
        finest = min(finest, 1.0)
    size = median(distinct) if distinct and distinct[0] > 0.0 else max(map(abs, distinct), default=1.0)
    return finest / (size or 1.0)


def _natures(stretches: list[list[float]]) -> list[Nature]:
    noise = noise_of(stretches)
    return [_nature(before, after, noise) for before, after in pairwise(stretches)]


def _nature(before: list[float], after: list[float], noise: float) -> Nature:
    gap = median(after) - median(before)
    spread = scatter(before), scatter(after)
    if abs(gap) >= max(BEYOND_SCATTER * max(spread), BEYOND_REACH * max(reach(before), reach(after))):
        return Nature.STEP
    shift = best_shift(before, after)
    if shift.left >= SAME_SHAPE:
        return Nature.NOISE
    if min(spread) < QUIET * noise and abs(gap) < ONE_DRAW * noise:
        return Nature.NOISE
    error = math.sqrt(spread[0] ** 2 / len(before) + spread[1] ** 2 / len(after))
    large = abs(shift.size) >= STANDARD_ERRORS * error and abs(shift.size) > SHARE_OF_NOISE * noise
    return Nature.STEP if large and shift.size * gap > 0.0 else Nature.SMALL


def _point(values: Sequence[float], cuts: list[int], position: int) -> ChangePoint:
    start = cuts[position - 1] if position else 0
    end = cuts[position + 1] if position + 1 < len(cuts) else len(values)
    before, after = median(values[start : cuts[position]]), median(values[cuts[position] : end])
    change = (after - before) / abs(before) if before else None
    return ChangePoint(cuts[position], before, after, change if change is not None and math.isfinite(change) else None)


def _alternates(stretches: list[list[float]], natures: list[Nature]) -> bool:
    """Whether the series goes to and fro between the same two levels, at least three times: a machine with two modes."""
    if len(natures) < 3 or any(nature is not Nature.STEP for nature in natures):
        return False
    levels = [median(stretch) for stretch in stretches]
    gap = abs(levels[1] - levels[0])
    return all(abs(levels[i + 2] - levels[i]) < 0.1 * gap for i in range(len(levels) - 2))
