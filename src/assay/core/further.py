"""Other statistics of a comparison, for readers who know them: shown beside the answer, never deciding it.

Each says that it cannot speak where there are too few values for the level.
"""

from collections.abc import Iterator, Sequence

from assay.core import bootstrap, numbers
from assay.core.effect_size import band, cliffs_delta, cohens_d
from assay.core.estimate import Scaled, as_fraction, on_one_scale
from assay.core.location import mean
from assay.core.rank_tests import mann_whitney, mann_whitney_least, wilcoxon, wilcoxon_least
from assay.core.student import t_sf
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Statistic:
    """One of them: its value where it is an effect size, its p-value where it is a test, its ends where it is an interval.

    `refusal` says why there is none of these.
    """

    name: str
    value: float | None = None
    p: float | None = None
    interval: tuple[float, float] | None = None
    band: str | None = None
    refusal: str | None = None

    def __str__(self) -> str:
        if self.refusal:
            return f"{self.name}: {self.refusal}"
        if self.p is not None:
            return f"{self.name}: p = {self.p:.2g}"
        if self.interval:
            return f"{self.name}: {numbers.interval(self.interval)}"
        return f"{self.name}: {0.0 if self.value is None else self.value:.2f}{f' ({self.band})' if self.band else ''}"


def further(base: Sequence[float], head: Sequence[float], alpha: float, *, paired: bool) -> tuple[Statistic, ...]:
    """The statistics that apply to these sides, one value a unit; empty where a relative change is undefined."""
    sides = on_one_scale(tuple(base), tuple(head)) if base and head else None
    if sides is None:
        return ()
    tests = _of_pairs(sides, alpha) if paired and len(base) == len(head) else _of_ranks(sides, alpha)
    return (*tests, *_effects(sides), _bootstrap(sides, alpha))


def _of_ranks(sides: Scaled, alpha: float) -> Iterator[Statistic]:
    least = mann_whitney_least(len(sides.base), len(sides.head))
    if least > alpha:
        yield Statistic("Mann–Whitney", refusal=_too_few(least, alpha))
    else:
        yield Statistic("Mann–Whitney", p=mann_whitney(sides.base, sides.head))


def _of_pairs(sides: Scaled, alpha: float) -> Iterator[Statistic]:
    differences = [head - base for base, head in zip(sides.base, sides.head, strict=True)]
    least = wilcoxon_least(len(differences))
    if least > alpha:
        yield Statistic("Wilcoxon signed rank", refusal=_too_few(least, alpha))
    else:
        yield Statistic("Wilcoxon signed rank", p=wilcoxon(differences))
    yield _paired_t(differences)


def _paired_t(differences: Sequence[float]) -> Statistic:
    """The textbook's, without the margin of the comparison itself."""
    n = len(differences)
    if n < 2:
        return Statistic("paired t", refusal="needs at least 2 pairs")
    middle = mean(differences)
    error = (sum((one - middle) ** 2 for one in differences) / (n - 1) / n) ** 0.5
    if error == 0.0:
        return Statistic("paired t", refusal="the differences do not vary")
    return Statistic("paired t", p=min(1.0, 2.0 * t_sf(abs(middle) / error, n - 1.0)))


def _effects(sides: Scaled) -> Iterator[Statistic]:
    d = cohens_d(sides.base, sides.head)
    yield Statistic("Cohen's d", refusal="nothing varies, or a side has one value") if d is None else Statistic("Cohen's d", value=d)
    delta = cliffs_delta(sides.base, sides.head)
    yield Statistic("Cliff's delta", value=delta, band=band(delta))


def _bootstrap(sides: Scaled, alpha: float) -> Statistic:
    name = f"bootstrap {numbers.percent(1.0 - alpha)} interval"
    if not bootstrap.attainable(sides.least, alpha):
        return Statistic(name, refusal=f"too few values, {sides.least} on the smaller side")
    low, high = bootstrap.interval(sides.base, sides.head, alpha)
    return Statistic(name, interval=(as_fraction(sides.scale, low), as_fraction(sides.scale, high)))


def _too_few(least: float, alpha: float) -> str:
    return f"cannot reach {alpha:g} with so few values, p is never below {least:.2g}"
