"""A shift that a whole suite shares: a sign of the machine, not of the code, where base and head are of different sessions."""

import math
from collections.abc import Sequence

from assay.core.compare import with_undecided
from assay.core.comparison import Comparison, Undecided
from assay.core.location import median
from assay.core.model import Direction, Verdict
from assay.core.numbers import percent

LEAST_BENCHMARKS = 3
"""Fewer benchmarks have nothing to share."""

SHARED = 0.5
"""Changes lie this close together, as a share of their median, in a shift."""


def shared_shift(primaries: Sequence[Comparison]) -> float | None:
    """The shift that these metrics of different benchmarks have in common, the logarithm of the harm; None where they have none.

    All must have moved the same way, for better or worse, beyond what their intervals leave open, and by about as much.
    """
    if len(primaries) < LEAST_BENCHMARKS:
        return None
    harms = [_harm(one) for one in primaries]
    known = [harm for harm in harms if harm is not None]
    if len(known) < len(harms) or min(known) <= 0.0 <= max(known):
        return None
    middle = median(known)
    return middle if all(abs(harm - middle) <= SHARED * abs(middle) for harm in known) else None


def overruled(comparisons: Sequence[Comparison], shift: float, amount: int) -> tuple[Comparison, ...]:
    """Comparisons of a suite of this `amount` without the alarms that the shift explains."""
    way = "worse" if shift > 0.0 else "better"
    reason = f"all {amount} of the suite are about {percent(abs(math.expm1(shift)))} {way}"
    return tuple(
        with_undecided(one, Undecided.SUITE, f"{reason}, which speaks of the machine; {one.reason}")
        if one.verdict in (Verdict.IMPROVED, Verdict.REGRESSED)
        else one
        for one in comparisons
    )


def _harm(one: Comparison) -> float | None:
    """The change as a logarithm, positive where worse; None where it may be none at all."""
    change, interval = one.relative_change, one.interval
    if change is None or interval is None or change <= -1.0 or interval[0] <= 0.0 <= interval[1]:
        return None
    return math.log1p(change) * (-1.0 if one.spec.better is Direction.HIGHER else 1.0)
