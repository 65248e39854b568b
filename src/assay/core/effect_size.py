"""How large a change is beside the noise, and how often a value of head lies beyond one of base."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from assay.core.location import mean

BANDS = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))
"""Where Cliff's delta changes its name (J. Romano et al., Florida Association of Institutional Research, 2006)."""


def cohens_d(base: Sequence[float], head: Sequence[float]) -> float | None:
    """The difference of the means in units of the pooled standard deviation; None where nothing varies or a side has one value.

    J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd ed. (1988), section 2.2.
    """
    n, m = len(base), len(head)
    if min(n, m) < 2:
        return None
    middles = mean(base), mean(head)
    squares = sum(math.fsum((value - middle) ** 2 for value in side) for side, middle in zip((base, head), middles, strict=True))
    deviation = math.sqrt(squares / (n + m - 2))
    return (middles[1] - middles[0]) / deviation if deviation > 0.0 else None


def cliffs_delta(base: Sequence[float], head: Sequence[float]) -> float:
    """How much more often head exceeds base than base exceeds head, from -1 to 1 (N. Cliff, Psychological Bulletin 114 (1993) 494)."""
    ordered = sorted(base)
    above = sum(bisect_left(ordered, value) - (len(ordered) - bisect_right(ordered, value)) for value in head)
    return above / (len(base) * len(head))


def band(delta: float) -> str:
    """The name of an effect of this size."""
    return next((name for limit, name in BANDS if abs(delta) < limit), "large")
