"""The first two derivatives of log Γ, and the inverse of the second: what fitting a distribution of variances needs.

Sources: DLMF 5.5.2 (recurrence) and 5.11.2 (asymptotic series); the inverse by Newton's method on 1/ψ′, which is nearly a
straight line (G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 3 (2004) 3, appendix).
"""

import math

_FAR = 10.0


def digamma(x: float) -> float:
    """ψ(x) for x > 0."""
    shift = 0.0
    while x < _FAR:
        shift -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    return shift + math.log(x) - 0.5 / x - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))


def trigamma(x: float) -> float:
    """ψ′(x) for x > 0."""
    shift = 0.0
    while x < _FAR:
        shift += 1.0 / (x * x)
        x += 1.0
    r = 1.0 / (x * x)
    return shift + 1.0 / x + 0.5 * r + r / x * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - r * 5 / 66))))


def trigamma_inverse(y: float) -> float:
    """The x with ψ′(x) = y, for y > 0."""
    if y > 1e7:
        return 1.0 / math.sqrt(y)
    if y < 1e-6:
        return 1.0 / y
    x = 0.5 + 1.0 / y
    for _ in range(50):
        value = trigamma(x)
        step = value * (1.0 - value / y) / _tetragamma(x)
        x += step
        if abs(step) <= 1e-10 * x:
            break
    return x


def _tetragamma(x: float) -> float:
    """ψ″(x), which needs only few digits: it sets the size of a step."""
    shift = 0.0
    while x < _FAR:
        shift -= 2.0 / (x * x * x)
        x += 1.0
    r = 1.0 / (x * x)
    return shift - r * (1.0 + 1.0 / x + r * (0.5 - r * (1 / 6 - r / 6)))
