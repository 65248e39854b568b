"""What an estimate says at a level, seen from the side of harm, and the four-way answer to what was asked."""

import math

from assay.core.estimate import Estimate, Scale, as_fraction, from_fraction
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.sampling import units_needed
from assay.core.student import t_quantile, t_sf
from assay.core.values import dataclass

SLACK = 1e-9
"""An estimate this close to a limit has reached it: 101 is 1 % more than 100, whatever floats say."""


@dataclass(frozen=True, slots=True)
class Question:
    """The harm and the gain that count, in units of the scale.

    `min_effect` counts equally both ways on the scale itself, so that changing sides mirrors the answer. A guard's
    `max_regression` is a share of the base as it was written down: half of the tokens is a regression by 50 %.
    """

    harm: float
    gain: float
    sign: float
    asked: float
    guard: bool

    @property
    def trivial(self) -> bool:
        """Whether any harm at all counts, so that no sample can exclude it."""
        return self.harm <= 0.0


def question(spec: MetricSpec, scale: Scale) -> Question:
    """What is asked of a metric. `sign` is that of a harmful change; without a direction more counts as harm."""
    sign = -1.0 if spec.better is Direction.HIGHER else 1.0
    if spec.role is Role.GUARD and spec.max_regression is not None:
        limit = spec.max_regression
        return Question(sign * from_fraction(scale, sign * limit), -sign * from_fraction(scale, -sign * limit), sign, limit, guard=True)
    effect = from_fraction(scale, spec.min_effect)
    return Question(effect, effect, sign, spec.min_effect, guard=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """An estimate with the half widths of its two-sided interval and of its one-sided bounds, both at `alpha`.

    `known_p` is its p-value where that is not the one of Student's t.
    """

    estimate: Estimate
    question: Question
    alpha: float
    two_sided: float
    one_sided: float
    known_p: float | None = None

    @property
    def harm(self) -> float:
        """The estimate, positive where head is worse."""
        return self.question.sign * self.estimate.change

    @property
    def worst(self) -> float:
        """The upper one-sided bound of harm."""
        return self.harm + self.one_sided

    @property
    def best(self) -> float:
        """The upper one-sided bound of gain."""
        return self.one_sided - self.harm

    @property
    def excludes_zero(self) -> bool:
        return abs(self.estimate.change) > self.two_sided

    @property
    def interval(self) -> tuple[float, float]:
        """The two-sided interval of the relative change."""
        change, scale = self.estimate.change, self.estimate.scale
        return as_fraction(scale, change - self.two_sided), as_fraction(scale, change + self.two_sided)

    @property
    def p(self) -> float:
        """The two-sided p-value of no change."""
        if self.known_p is not None:
            return self.known_p
        if self.estimate.exact:
            return 1.0 if self.estimate.change == 0.0 else 0.0
        return min(1.0, 2.0 * t_sf(abs(self.estimate.change) / self.estimate.error, self.estimate.df))

    @property
    def harm_excluded(self) -> float:
        """The smallest harm that is ruled out, as a fraction of the base; 0 where any is."""
        return max(0.0, self.question.sign * as_fraction(self.estimate.scale, self.question.sign * self.worst))

    @property
    def gain_excluded(self) -> float:
        """The smallest gain that is ruled out, as a fraction of the base; 0 where any is."""
        return max(0.0, -self.question.sign * as_fraction(self.estimate.scale, -self.question.sign * self.best))


def find(estimate: Estimate, asked: Question, alpha: float) -> Finding:
    """The estimate judged at `alpha`: two-sided for the interval, one-sided for each of the two equivalence tests."""
    if estimate.exact:
        return Finding(estimate, asked, alpha, 0.0, 0.0)
    two_sided, one_sided = (-t_quantile(level, estimate.df) * estimate.error for level in (0.5 * alpha, alpha))
    return Finding(estimate, asked, alpha, two_sided, max(0.0, one_sided))


def verdict_of(finding: Finding) -> Verdict:
    """The four-way answer of DESIGN §5. A guard has passed, and is unchanged, once harm of its limit is excluded."""
    asked = finding.question
    if finding.excludes_zero and _reaches(finding.harm, asked.harm):
        return Verdict.REGRESSED
    if finding.excludes_zero and _reaches(-finding.harm, asked.gain):
        return Verdict.IMPROVED
    nothing = finding.estimate.exact and finding.estimate.change == 0.0
    if nothing or (finding.worst < asked.harm and (asked.guard or finding.best < asked.gain)):
        return Verdict.UNCHANGED
    return Verdict.UNDECIDED


def _reaches(effect: float, limit: float) -> bool:
    return effect > 0.0 and effect >= limit * (1.0 - SLACK)


def more_pairs(finding: Finding, units: int, *, paired: bool) -> int | None:
    """About how many further pairs would settle what was asked, from the present spread; None where that cannot be said.

    An estimate beyond the limit is settled once what is as large as the limit can be told from zero; one within it once
    the bounds take up half of the room that is left, so that the next estimate may well differ. While the interval is wider
    than the limit, the estimate itself is mostly noise and counts as none.
    """
    asked, estimate = finding.question, finding.estimate
    distance = finding.harm if asked.guard else abs(finding.harm)
    if estimate.exact or asked.trivial or not math.isfinite(asked.harm):
        return None
    beyond = distance >= asked.harm
    margin = asked.harm if beyond else 0.5 * (asked.harm - distance)
    if finding.two_sided > asked.harm:
        margin = max(margin, 0.5 * asked.harm)
    needed = units_needed(
        margin,
        0.5 * finding.alpha if beyond else finding.alpha,
        pair_variance=estimate.pair_variance,
        fixed_variance=max(0.0, estimate.variance - estimate.pair_variance / units),
        df_per_unit=1 if paired else 2,
    )
    return None if needed is None else max(1, needed - units)
