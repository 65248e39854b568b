"""When a session is looked at, and what each look may spend: both fixed before the first process runs."""

import math
from dataclasses import dataclass
from itertools import pairwise

from assay.core.student import normal_cdf, normal_quantile

LEAST_SHARE = 1e-12
"""No look gets less than this share of alpha, so that every level is a usable one, however early the look."""

MOST_UNITS = 10_000
"""No plan beyond this many units a side is worth telling."""


@dataclass(frozen=True, slots=True)
class Level:
    """What a look may spend of the policy's level, and the whole of that."""

    look: float
    whole: float

    @property
    def share(self) -> float:
        return self.look / self.whole


def looks(minimum: int, maximum: int) -> tuple[int, ...]:
    """The numbers of units (pairs, seeds) at which the session is judged.

    The two ends and their rounded geometric mean as long as they are within a factor of four; every further factor of
    four that is begun adds one look. All are spread geometrically: (4, 10) gives 4, 6, 10 and (4, 64) gives 4, 10, 25, 64.

    Raises ValueError unless 1 <= minimum <= maximum.
    """
    if not 1 <= minimum <= maximum:
        raise ValueError(f"looks need 1 <= minimum <= maximum, not {minimum} and {maximum}")
    steps = 2
    while minimum * 4 ** (steps - 1) < maximum:
        steps += 1
    ratio = maximum / minimum
    inner = (round(minimum * ratio ** (step / steps)) for step in range(1, steps))
    return tuple(sorted({minimum, *inner, maximum}))


def spend(looks: tuple[int, ...], alpha: float) -> tuple[float, ...]:
    """The level of each look, for a test of one metric or for its equivalence test; together at most `alpha`.

    The cumulative level at the information fraction t = n / n_max is alpha*(t) = 2 - 2 Φ(z(1 - alpha/2) / √t), the
    O'Brien–Fleming-type function of Lan and DeMets, Biometrika 70 (1983) 659: little is spent early. Each look gets the
    increment (Bonferroni over the looks), which is conservative and holds whatever the looks have in common.

    Raises ValueError unless the looks rise and 0 < alpha < 1.
    """
    if not looks or looks[0] < 1 or any(after <= before for before, after in pairwise(looks)):
        raise ValueError(f"looks must be positive and rise, not {looks}")
    z = -normal_quantile(0.5 * alpha)
    levels: list[float] = []
    for look in looks[:-1]:
        cumulative = 2.0 * normal_cdf(-z / math.sqrt(look / looks[-1]))
        levels.append(max(cumulative - math.fsum(levels), LEAST_SHARE * alpha))
    return (*levels, alpha - math.fsum(levels))


def units_needed(margin: float, level: float, *, pair_variance: float, fixed_variance: float = 0.0, df_per_unit: int = 2) -> int | None:
    """About how many units a side make the one-sided bound at `level` as narrow as `margin`; None where none ever will.

    The normal answer plus z² / (2 df_per_unit), which pays for a variance that is itself estimated
    (W. C. Guenther, The American Statistician 35 (1981) 243). `fixed_variance` is what more units do not divide.
    """
    z = -normal_quantile(level)
    if z <= 0.0:
        return 2
    room = (margin / z) ** 2 - fixed_variance
    if room <= 0.0 or pair_variance / room > MOST_UNITS:
        return None
    return max(2, math.ceil(pair_variance / room + z * z / (2 * df_per_unit)))
