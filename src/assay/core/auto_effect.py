"""`min_effect: auto`: the smallest change that a benchmark can tell from its own noise, learned from A/A evidence."""

import math
from collections.abc import Sequence

from assay.core import numbers
from assay.core.aa_evidence import AaPair, within_session
from assay.core.location import median
from assay.core.student import normal_quantile
from assay.core.values import dataclass

WITHOUT_EVIDENCE = 0.01
LEAST_PAIRS = 3
"""Fewer pairs of the metric than this say too little, and `auto` is 1 %."""

POWER = 0.8
SMALLEST, LARGEST = 0.001, 0.05
"""`auto` stays within 0.1 % and 5 %: what is worse than that must not pass for noise, however noisy a benchmark is."""

FARTHEST = 3.0
"""A pair counts as at most so many of its own standard errors apart."""


@dataclass(frozen=True, slots=True)
class AutoEffect:
    """What `auto` stands for, a fraction, and of how many pairs it was learned; none where it is the value without evidence."""

    value: float
    pairs: int = 0

    @property
    def sentence(self) -> str:
        """For the report."""
        shown = numbers.percent(self.value)
        if not self.pairs:
            return f"`min_effect: auto` is {shown} until {LEAST_PAIRS} runs of unchanged code are stored; `assay selftest` measures some."
        return f"`min_effect: auto` is {shown}, from {self.pairs} pairs of runs of unchanged code."


def auto_effect(pairs: Sequence[AaPair], benchmark: str, metric: str, units: int, alpha: float) -> AutoEffect:
    """The change that a session of so many units sees with a power of 80 % at the level `alpha`, two-sided.

    The standard error of such a session is the median of that of the pairs, a unit's share of it being 1/√n. Where the two
    sides of one session differed by more than that, it grows by as much (root mean square of their ratios, at least 1).
    """
    inside = within_session(pairs, benchmark, metric)
    known = [pair for pair in pairs if (pair.benchmark, pair.metric) == (benchmark, metric) and pair.error is not None]
    if len(known) < LEAST_PAIRS:
        return AutoEffect(WITHOUT_EVIDENCE)
    error = median([(pair.error or 0.0) * math.sqrt(pair.units) for pair in known]) / math.sqrt(units)
    quantiles = -normal_quantile(0.5 * alpha) - normal_quantile(1.0 - POWER)
    return AutoEffect(_within_bounds(quantiles * error * _excess(inside)), len(known))


def _excess(pairs: Sequence[AaPair]) -> float:
    ratios = [min(abs(pair.change) / pair.error, FARTHEST) for pair in pairs if pair.error]
    if len(ratios) < LEAST_PAIRS:
        return 1.0
    return max(1.0, math.sqrt(math.fsum(ratio * ratio for ratio in ratios) / len(ratios)))


def _within_bounds(effect: float) -> float:
    """With two digits, rounded up, so that it hardly changes while evidence grows."""
    if effect <= SMALLEST:
        return SMALLEST
    if effect >= LARGEST:
        return LARGEST
    unit = 10.0 ** (math.floor(math.log10(effect)) - 1)
    return min(LARGEST, round(math.ceil(effect / unit - 1e-9) * unit, 12))
