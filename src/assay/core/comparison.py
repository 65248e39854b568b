"""What a comparison says: the value that deciding, reporting and storing share."""

from enum import StrEnum

from assay.core.model import MetricSpec, Verdict
from assay.core.values import dataclass


class Undecided(StrEnum):
    """Why there is no answer. Only the first two are a lack of precision; beside them, more samples may cure two modes alone."""

    SAMPLES = "samples"
    TIME = "time"
    MODES = "two modes"
    DRIFT = "drift"
    UNCONFIRMED = "not confirmed"
    SUITE = "suite-wide shift"
    ENVIRONMENT = "environment differs"
    DISTURBED = "GPU disturbed"
    WORKLOAD = "workload differs"
    NOT_MEASURED = "not measured"
    NO_BASELINE = "no baseline"
    NO_DIRECTION = "no direction declared"
    NOT_ISOLATED = "sides not isolated"
    NOT_COMPARABLE = "not comparable"

    @property
    def lacks_precision(self) -> bool:
        return self in (Undecided.SAMPLES, Undecided.TIME)

    @property
    def more_samples_help(self) -> bool:
        return self.lacks_precision or self is Undecided.MODES


@dataclass(frozen=True, slots=True)
class Comparison:
    """Base samples against head samples of one metric.

    Effects are fractions of the base, signed as head relative to base: -0.03 is 3 % less, whichever way is better.
    `interval` has the confidence 1 - `alpha`, where `alpha` is what this look was allowed to spend on this metric;
    `raw_interval` has that of the policy, as if this were the only metric and the only look. `p` is as raw; `p_adjusted` is
    to be held against the policy's level, whatever the number of metrics and looks. `paired` says that values belong together.
    `harm_excluded` is the smallest harm (a positive fraction in the worse direction) that the samples rule out, None
    where they rule out none; `more_pairs` estimates how many further pairs would settle the question.
    `reason` is one plain sentence without untrusted text.
    """

    spec: MetricSpec
    verdict: Verdict
    base: tuple[float, ...]
    head: tuple[float, ...]
    reason: str
    relative_change: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    alpha: float = 0.05
    undecided: Undecided | None = None
    harm_excluded: float | None = None
    more_pairs: int | None = None
    raw_interval: tuple[float, float] | None = None
    p_adjusted: float | None = None
    paired: bool = False
