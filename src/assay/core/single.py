"""One value a side, judged by how much the metric has changed from run to run before.

Without a spread of its own, a change can only be held against earlier changes: it stands out at a level alpha where it
exceeds all but a share alpha of them, itself counted (V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random
World, 2005, section 2.2). With too few of them no change, however large, can stand out.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from assay.core.estimate import Estimate, Scale, Scaled
from assay.core.finding import Finding, Question
from assay.core.noise import LARGEST, Pairs, scaled


def changes_before(sides: Scaled, base: float, history: Sequence[float], own: Pairs) -> tuple[float, ...]:
    """The sizes of earlier changes in units of the scale, in rising order: from value to value of the history, up to `base`.

    A history that leaves the scale, such as one with a zero in it, counts only from there on.
    """
    values = [*history, base]
    if sides.scale is Scale.LOG:
        start = next((index + 1 for index in range(len(values) - 1, -1, -1) if values[index] <= 0.0), 0)
        steps = [math.log(after) - math.log(before) for before, after in pairwise(values[start:])]
    else:
        size = abs(base)
        steps = [(after - before) / size for before, after in pairwise(values)] if size else []
    return tuple(sorted([min(abs(step), LARGEST) for step in steps] + [abs(scaled(change, sides.scale)) for change, _ in own]))


def changes_needed(alpha: float) -> int:
    """How many earlier changes make the level attainable."""
    return math.ceil(1.0 / alpha - 1e-9) - 1


def against(sides: Scaled, earlier: Sequence[float], asked: Question, alpha: float) -> Finding:
    """The change between two single values, with the interval and the p-value that `earlier` changes give it."""
    change, n = sides.change, len(earlier)
    at_least = sum(one >= abs(change) for one in earlier)
    estimate = Estimate(sides.scale, change, 1.0, float(n), 0.0, float(n))  # the finding knows its widths without a variance
    widths = _bound(earlier, alpha), _bound(earlier, min(2.0 * alpha, 1.0))
    return Finding(estimate, asked, alpha, *widths, known_p=(1.0 + at_least) / (n + 1.0))


def _bound(earlier: Sequence[float], alpha: float) -> float:
    """The size that all but a share `alpha` of the changes, the new one counted, do not exceed."""
    return earlier[min(len(earlier), math.ceil((len(earlier) + 1) * (1.0 - alpha) - 1e-9)) - 1]
