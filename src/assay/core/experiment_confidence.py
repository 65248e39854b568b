"""How far the best run of a segment stands out of the spread of all of them. Advice for whoever drives the loop, never a verdict."""

from collections.abc import Sequence
from statistics import median

LIKELY = 2.0
MARGINAL = 1.0


def confidence(values: Sequence[float], best: float | None) -> float | None:
    """|best - first| in median absolute deviations of all values; None for fewer than three, no spread, or no better than the first.

    `values` stand in the order of the runs; the first is the baseline. The deviation is between different candidates, so it
    speaks of the search, not of the noise of repeats, and a large gain inflates it for a while.
    """
    if len(values) < 3 or best is None or best == values[0]:
        return None
    middle = median(values)
    deviation = median(abs(value - middle) for value in values)
    return abs(best - values[0]) / deviation if deviation else None


def confidence_words(value: float | None) -> str:
    """The same for a person."""
    if value is None:
        return "not enough runs to tell"
    word = "likely real" if value >= LIKELY else "marginal" if value >= MARGINAL else "within the noise"
    return f"{value:.1f} deviations, {word}"
