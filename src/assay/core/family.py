"""Several metrics of one benchmark are one family: the more of them are judged, the less each may rest on chance."""

from collections.abc import Sequence
from dataclasses import replace

from assay.core.comparison import Comparison
from assay.core.model import Role


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values: each is the smallest level of the whole family at which its own test rejects.

    S. Holm, Scandinavian Journal of Statistics 6 (1979) 65.
    """
    order = sorted(range(len(ps)), key=lambda index: ps[index])
    adjusted, largest = [0.0] * len(ps), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[index]))
        adjusted[index] = largest
    return tuple(adjusted)


def adjusted(comparisons: Sequence[Comparison], share: float) -> tuple[Comparison, ...]:
    """The comparisons with adjusted p-values, for the final display.

    The family is the primary and the guards that have one. `share` is what part of the level the look could spend, so that an
    adjusted p-value is to be held against the level of the policy, whatever look it comes from.
    """
    family = [index for index, one in enumerate(comparisons) if one.spec.role is not Role.SECONDARY and one.p is not None]
    values = dict(zip(family, holm([comparisons[index].p or 0.0 for index in family]), strict=True))
    return tuple(
        replace(one, p_adjusted=min(1.0, values[index] / share)) if index in values else one for index, one in enumerate(comparisons)
    )


def expected_false_alarms(families: int, alpha: float) -> float:
    """How many benchmarks of a check may be expected to raise an alarm though no code changed: none is corrected for the others."""
    return families * alpha


def judged_families(comparisons: Sequence[Sequence[Comparison]]) -> int:
    """How many of these benchmarks were judged at all."""
    return sum(any(one.p is not None and one.spec.role is not Role.SECONDARY for one in each) for each in comparisons)
