"""What comparisons of equal code say about the next one: how large its change may be without anything having changed.

Two things are learned from metrics of the same kind. How their variances are spread, which steadies the variance of a small
sample; and how the size of a change grows with its standard error: as fast where samples tell all the noise there is, hardly
at all where sessions differ by something that no sample of one session shows.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

from assay.core.gamma import digamma, trigamma, trigamma_inverse
from assay.core.location import CONSISTENT, median
from assay.core.values import dataclass

LEAST_SIMILAR = 8
"""Fewer metrics than this say too little about another one."""

TAIL_DF = 2.0
"""Degrees of freedom of the t distribution of changes between sessions, whose tails are heavy."""

SLOPE, SLOPE_SD = 1.0, 0.5
"""What is thought of the slope beforehand, a normal distribution: a change is proportional to its standard error."""

STANDARD_ERRORS = 1.0
"""The level of the line is taken at its upper end: so many standard errors above its estimate."""

_NO_SPREAD = 0.01
_FAR = 300.0
_STEPS = 40

Pair = tuple[float, float]
"""A change and its standard error, both in units of the scale; the error is positive."""


@dataclass(frozen=True, slots=True)
class Line:
    """Without a change, a difference has a scale of `level` × exp(`slope` × (log of its standard error - `middle`))."""

    level: float
    slope: float
    middle: float

    def variance(self, own: float) -> float:
        """The square of that scale for an estimate with the variance `own`."""
        return (self.level * math.exp(min(self.slope * (0.5 * math.log(own) - self.middle), _FAR))) ** 2


@dataclass(frozen=True, slots=True)
class Learned:
    """What `similar` metrics teach a sample with `df` degrees of freedom: a variance worth `prior_df` more of them, and a line."""

    df: float
    prior_df: float
    prior_variance: float
    line: Line

    @property
    def steady_df(self) -> float:
        return self.df + self.prior_df

    def steadied(self, variance: float) -> float:
        """A variance of the sample moved towards that of the others (G. K. Smyth, 2004, equation 3)."""
        return (self.prior_df * self.prior_variance + self.df * variance) / self.steady_df


@lru_cache(maxsize=256)
def learn(similar: tuple[Pair, ...], df: float) -> Learned | None:
    """What these pairs teach; None where they are too few. They are taken to be of samples as large as the one at hand."""
    if len(similar) < LEAST_SIMILAR:
        return None
    prior_df, prior_variance = _prior([error * error for _, error in similar], df)
    learned = Learned(df, prior_df, prior_variance, Line(0.0, 0.0, 0.0))
    errors = [0.5 * math.log(learned.steadied(error * error)) for _, error in similar]
    return Learned(df, prior_df, prior_variance, _line([abs(change) for change, _ in similar], errors))


def _prior(variances: Sequence[float], df: float) -> tuple[float, float]:
    """Degrees of freedom and value of the variance that a scaled F distribution of these variances has in common.

    G. K. Smyth's fit of log variances (2004, section 6.2) with median and median deviation in place of mean and standard
    deviation. The others never count for more than half of the sample itself.
    """
    logs = [math.log(variance) - digamma(0.5 * df) + math.log(0.5 * df) for variance in variances]
    middle = median(logs)
    spread = (CONSISTENT * median([abs(one - middle) for one in logs])) ** 2 - trigamma(0.5 * df)
    if spread <= _NO_SPREAD:
        return 0.5 * df, math.exp(middle)
    half = trigamma_inverse(spread)
    return min(2.0 * half, 0.5 * df), math.exp(middle + digamma(half) - math.log(half))


def _line(changes: Sequence[float], log_errors: Sequence[float]) -> Line:
    """The line under which the changes are most likely to be t distributed around zero, by Fisher's scoring.

    The weights are those of K. L. Lange, R. J. A. Little and J. M. G. Taylor, JASA 84 (1989) 881.
    """
    n, middle = len(changes), math.fsum(log_errors) / len(log_errors)
    xs = [x - middle for x in log_errors]
    information = 2.0 * TAIL_DF / (TAIL_DF + 3.0)
    level, slope = math.log(max(median(changes) / 0.7, 1e-12)), SLOPE
    curvature = information * math.fsum(x * x for x in xs) + SLOPE_SD**-2
    for _ in range(_STEPS):
        pulls = [_pull(change, level + slope * x) for change, x in zip(changes, xs, strict=True)]
        up = math.fsum(pulls) / (information * n)
        turn = (math.fsum(pull * x for pull, x in zip(pulls, xs, strict=True)) - (slope - SLOPE) * SLOPE_SD**-2) / curvature
        level, slope = level + max(-1.0, min(1.0, up)), slope + max(-1.0, min(1.0, turn))
        if abs(up) + abs(turn) < 1e-6:
            break
    error = math.sqrt((TAIL_DF + 3.0) / (2.0 * TAIL_DF * n))
    return Line(math.exp(level) * (1.0 + STANDARD_ERRORS * error), max(0.0, min(1.0, slope)), middle)


def _pull(change: float, log_scale: float) -> float:
    """The derivative of the log likelihood of one change by the logarithm of its scale."""
    if change == 0.0:
        return -1.0
    ratio = math.exp(min(2.0 * (math.log(change) - log_scale), 600.0))
    return (TAIL_DF + 1.0) * ratio / (TAIL_DF + ratio) - 1.0
