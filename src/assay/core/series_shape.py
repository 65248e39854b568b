"""The shape of the noise around a level: how wide it scatters, what strays from it, whether it has two modes."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

from assay.core.change_scan import MIN_SEGMENT
from assay.core.values import dataclass

NORMAL_PER_DEVIATION = 1.2533
"""The standard deviation of normal values over their mean absolute deviation, √(π/2)."""

NORMAL_PER_MEDIAN = 1.4826
CLIP = 3.0
STRAY = 5.0
"""An outlier is so many robust standard deviations from its level."""

MODE_SHARE = 0.1
"""A second mode holds at least this share of the values, and two; less are outliers."""

STEPS_APART = 3.0
"""Two modes are more than so many steps of the metric's resolution apart."""

WIDEST_GAP = 0.9
GAP_PER_ROOT = 2.4
"""Two modes are told by an empty gap between them: its share of the distance of their means is at least the smaller of 0.9
and 2.4 / √n, which 99 % of normal, uniform, skewed and heavy-tailed series do not reach (simulated, 6 to 100 values)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """`outliers` are indexes in the whole series, ascending; `modes` is 1 or 2."""

    outliers: tuple[int, ...]
    modes: int


def scatter(values: Sequence[float]) -> float:
    """A standard deviation that a few strays do not own: values are clipped twice at three of their own deviations."""
    clipped = _clipped(values)
    middle = math.fsum(clipped) / len(clipped)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in clipped) / (len(clipped) - 1)) if len(clipped) > 1 else 0.0


def noise_of(stretches: Sequence[Sequence[float]]) -> float:
    """The scatter around their levels that all stretches show together, outliers left out."""
    kept = [_without(one, set(_strays(one, 0.0))) for one in stretches]
    return math.sqrt(math.fsum(len(one) * scatter(one) ** 2 for one in kept) / sum(map(len, kept)))


def _without(values: Sequence[float], strays: set[int]) -> list[float]:
    return [value for index, value in enumerate(values) if index not in strays]


def reach(values: Sequence[float]) -> float:
    """How far any value is from the median."""
    middle = median(values)
    return max(abs(value - middle) for value in values)


def shape_of(stretches: Sequence[Sequence[float]], resolution: float = 0.0) -> Shape:
    """The outliers and modes of a series of stretches, each seen from its own level.

    `resolution` is the least difference that the metric can show: what rounding does is neither a stray nor a mode.
    """
    away = [value - level for stretch in stretches for level in (median(stretch),) for value in stretch]
    cut = _two_modes(away, STEPS_APART * resolution)
    if cut is None:
        return Shape(tuple(sorted(_strays_of(stretches, resolution))), 1)
    sides = [[index for index, value in enumerate(away) if (value > cut) is upper] for upper in (False, True)]
    strays = (side[found] for side in sides for found in _strays([away[index] for index in side], resolution))
    return Shape(tuple(sorted(strays)), 2)


def _two_modes(values: Sequence[float], least: float) -> float | None:
    """The value that parts two modes, each of which is visited at least twice; None where there is but one."""
    cut = _widest_gap(values, least)
    if cut is None:
        return None
    visits = [upper for upper, _ in groupby(value > cut for value in values)]
    return cut if visits.count(True) > 1 and visits.count(False) > 1 else None


def _strays_of(stretches: Sequence[Sequence[float]], resolution: float) -> Iterator[int]:
    start = 0
    for stretch in stretches:
        yield from (start + index for index in _strays(stretch, resolution))
        start += len(stretch)


def _clipped(values: Sequence[float]) -> list[float]:
    middle, clipped = median(values), list(values)
    for _ in range(2):
        bound = CLIP * NORMAL_PER_DEVIATION * math.fsum(abs(value - middle) for value in clipped) / len(clipped)
        clipped = [min(max(value, middle - bound), middle + bound) for value in clipped]
    return clipped


def _strays(stretch: Sequence[float], resolution: float) -> Iterator[int]:
    if len(stretch) < MIN_SEGMENT:
        return
    middle = median(stretch)
    width = max(resolution, NORMAL_PER_MEDIAN * median(abs(value - middle) for value in stretch) or scatter(stretch))
    for sign in (1.0, -1.0):
        far = [index for index, value in enumerate(stretch) if sign * (value - middle) > STRAY * width]
        if len(far) < max(MIN_SEGMENT, MODE_SHARE * len(stretch)):
            yield from far  # more of them are a mode, or a stretch too short to have been cut off


def _widest_gap(values: Sequence[float], narrow: float) -> float | None:
    """The middle of the gap between two modes; None where nothing sets the two sides of any gap wider than `narrow` apart."""
    n = len(values)
    least = max(2, math.ceil(MODE_SHARE * n))
    ordered = sorted(values)
    total, sofar = math.fsum(ordered), 0.0
    needed, found = min(WIDEST_GAP, GAP_PER_ROOT / math.sqrt(n)) if n else 1.0, None
    for index, (low, high) in enumerate(pairwise(ordered), 1):
        sofar += low
        if index < least or n - index < least or high - low <= narrow:
            continue
        share = (high - low) / ((total - sofar) / (n - index) - sofar / index)
        if share >= needed:
            needed, found = share, (low + high) / 2
    return found
