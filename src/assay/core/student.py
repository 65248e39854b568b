"""Student's t and the normal distribution, in plain Python.

SciPy has all of this, but importing it costs about half a second, more than a whole `assay compare` may take.

Sources: the incomplete beta function by its continued fraction, DLMF 8.17.22, evaluated with the modified Lentz method
(Press et al., Numerical Recipes, 3rd ed., sections 5.2 and 6.4); many degrees of freedom by the normalising expansion of
G. W. Hill, "Algorithm 395: Student's t-distribution", CACM 13 (1970) 617; the far normal tail by DLMF 7.12.1. Tails are
kept as logarithms, so that none vanishes, and quantiles are Newton iterations on them: concave, so that no step runs away.
"""

import math

SQRT2 = math.sqrt(2.0)
LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
MANY = 1e4
"""Degrees of freedom from which on Hill's expansion has all digits that matter, and the fraction is slow."""

_FAR = 30.0
_TINY = 1e-300
_HUGE = 1e150
_LARGEST = 1e300
_CLOSE = 1e-8  # Newton squares the error: a step this small has left none behind


def normal_cdf(z: float) -> float:
    """The probability of a standard normal value below `z`, with full relative accuracy in the lower tail."""
    return 0.5 * math.erfc(-z / SQRT2)


def normal_quantile(p: float) -> float:
    """The inverse of `normal_cdf`. For an upper tail give the small probability and turn the sign: 1 - p has lost it.

    Raises ValueError unless 0 < p < 1.
    """
    _require_probability(p)
    if p > 0.5:
        return -normal_quantile(1.0 - p)
    z = math.sqrt(-2.0 * math.log(2.0 * p))  # the tail is at most exp(-z²/2) / 2: this start lies beyond the root
    for _ in range(60):
        log_tail = _log_normal_tail(z)
        step = (log_tail - math.log(p)) * math.exp(log_tail + 0.5 * z * z + LOG_SQRT_2PI)
        z += step
        if abs(step) <= _CLOSE * z:
            break
    return -z


def t_sf(t: float, df: float) -> float:
    """The probability of a value above `t` with `df` degrees of freedom, which may be fractional.

    It has full relative accuracy in the upper tail.

    Raises ValueError unless df > 0.
    """
    _require_positive(df)
    tail = math.exp(_log_tail(abs(t), df))
    return 1.0 - tail if t < 0 else tail


def t_quantile(p: float, df: float) -> float:
    """The `t` below which a value lies with probability `p`, at most 1e300.

    For an upper tail give the small probability and turn the sign.
    Raises ValueError unless 0 < p < 1 and df > 0.
    """
    _require_probability(p)
    _require_positive(df)
    if p > 0.5:
        return -t_quantile(1.0 - p, df)
    return -_from_the_middle(1.0 - 2.0 * p, df) if p > 0.25 else -_from_the_tail(p, df)


def _require_probability(p: float) -> None:
    if not 0.0 < p < 1.0:
        raise ValueError(f"a probability between 0 and 1 is needed, not {p}")


def _require_positive(df: float) -> None:
    if not 0.0 < df < math.inf:
        raise ValueError(f"degrees of freedom must be positive, not {df}")


def _from_the_middle(mass: float, df: float) -> float:
    """The t with this `mass` between -t and t. The mass is concave in t, so from 0 every step stays below the root."""
    t = 0.0
    for _ in range(60):
        step = 0.5 * (mass - _middle(t, df)) * math.exp(-_log_density(t, df))
        t += step
        if abs(step) <= _CLOSE * t:
            break
    return t


def _from_the_tail(p: float, df: float) -> float:
    """The t with the probability `p` above it, by Newton's method in log-log, where a heavy tail is a straight line."""
    z = -normal_quantile(p)
    t = z + z * (z * z + 1.0) / (4.0 * df) + z * ((5.0 * z * z + 16.0) * z * z + 3.0) / (96.0 * df * df)  # Cornish and Fisher
    for _ in range(100):
        log_tail = _log_tail(t, df)
        step = (log_tail - math.log(p)) * math.exp(log_tail - _log_density(t, df)) / t
        t = min(t * math.exp(min(step, 10.0)), _LARGEST)
        if abs(step) <= _CLOSE:
            break
    return t


def _log_tail(t: float, df: float) -> float:
    """log P(T > t) for t >= 0."""
    if df > MANY:
        return _log_normal_tail(_normalised(t, df))
    if t * t * (df + 2.0) > 3.0 * df:  # from here on the fraction of the tail is the one that converges, DLMF 8.17(v)
        return _log_incomplete_beta(0.5 * df, 0.5, *_log_shares(t, df)) - math.log(2.0)
    return math.log(0.5 - 0.5 * _middle(t, df))


def _middle(t: float, df: float) -> float:
    """P(-t < T < t) for t >= 0."""
    if df > MANY:
        return math.erf(_normalised(t, df) / SQRT2)
    if t * t * (df + 2.0) > 3.0 * df:
        return 1.0 - 2.0 * math.exp(_log_tail(t, df))
    if t == 0.0:
        return 0.0
    log_x, log_y = _log_shares(t, df)
    return math.exp(_log_incomplete_beta(0.5, 0.5 * df, log_y, log_x))


def _log_shares(t: float, df: float) -> tuple[float, float]:
    """Logarithms of df / (df + t²) and of t² / (df + t²), neither rounded by the other's size."""
    if t > _HUGE:
        return math.log(df) - 2.0 * math.log(t), 0.0
    ratio = t * t / df
    if ratio < _TINY:
        return 0.0, 2.0 * math.log(t) - math.log(df) if t else -math.inf
    return -math.log1p(ratio), -math.log1p(1.0 / ratio)


def _log_incomplete_beta(a: float, b: float, log_x: float, log_y: float) -> float:
    """log I_x(a, b) with y = 1 - x, for x below about (a + 1) / (a + b + 2)."""
    return a * log_x + b * log_y - _log_beta(a, b) + math.log(_fraction(a, b, math.exp(log_x)) / a)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction DLMF 8.17.22, by the modified Lentz method."""
    c, d = 1.0, 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, 2000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d, c = 1.0 / _not_zero(1.0 + even * d), _not_zero(1.0 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d, c = 1.0 / _not_zero(1.0 + odd * d), _not_zero(1.0 + odd / c)
        value *= d * c
        if abs(d * c - 1.0) <= 4e-16:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_density(t: float, df: float) -> float:
    scale = -0.25 / df - LOG_SQRT_2PI if df > MANY else -_log_beta(0.5 * df, 0.5) - 0.5 * math.log(df)
    return scale + 0.5 * (df + 1.0) * _log_shares(t, df)[0]


def _log_normal_tail(z: float) -> float:
    """log P(Z > z), also where the probability itself is too small for a float."""
    if z < _FAR:
        return math.log(normal_cdf(-z))
    r = 1.0 / (z * z)
    return -0.5 * z * z - math.log(z) - LOG_SQRT_2PI + math.log1p(r * (-1.0 + r * (3.0 - r * (15.0 - 105.0 * r))))


def _normalised(t: float, df: float) -> float:
    """Hill's transform: the normal value that has the same tail as t."""
    a = df - 0.5
    b = 48.0 * a * a
    y = -a * _log_shares(t, df)[0]
    return math.sqrt(y) * (1.0 + (y + 3.0 + (((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b)) / b)
