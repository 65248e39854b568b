"""A comparison to and from the form that a stored decision holds: nothing is lost on the way."""

from assay.core.comparison import Comparison, Undecided
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.record import Fact, Record


class ComparisonRecord(Record):
    """A comparison with all that it takes to rebuild it: the keys of `assay.result/1`, what was asked, what was answered."""

    metric: Fact
    role: Role
    verdict: Verdict
    relative_change: float | None
    interval: tuple[float, float] | None
    p: float | None
    base: tuple[float, ...]
    head: tuple[float, ...]
    reason: str
    better: Direction | None
    unit: str | None
    min_effect: float
    max_regression: float | None
    alpha: float
    undecided: Undecided | None
    harm_excluded: float | None
    more_pairs: int | None
    raw_interval: tuple[float, float] | None = None
    p_adjusted: float | None = None
    paired: bool = False


def comparison_to_record(comparison: Comparison) -> ComparisonRecord:
    """The stored form. Raises ValueError for a number that is not finite."""
    spec = comparison.spec
    return ComparisonRecord(
        metric=spec.name,
        role=spec.role,
        verdict=comparison.verdict,
        relative_change=comparison.relative_change,
        interval=comparison.interval,
        p=comparison.p,
        base=comparison.base,
        head=comparison.head,
        reason=comparison.reason,
        better=spec.better,
        unit=spec.unit,
        min_effect=spec.min_effect,
        max_regression=spec.max_regression,
        alpha=comparison.alpha,
        undecided=comparison.undecided,
        harm_excluded=comparison.harm_excluded,
        more_pairs=comparison.more_pairs,
        raw_interval=comparison.raw_interval,
        p_adjusted=comparison.p_adjusted,
        paired=comparison.paired,
    )


def comparison_from_record(record: ComparisonRecord) -> Comparison:
    """The comparison that was stored."""
    return Comparison(
        spec=MetricSpec(record.metric, record.role, record.better, record.unit, record.min_effect, record.max_regression),
        verdict=record.verdict,
        base=record.base,
        head=record.head,
        reason=record.reason,
        relative_change=record.relative_change,
        interval=record.interval,
        p=record.p,
        alpha=record.alpha,
        undecided=record.undecided,
        harm_excluded=record.harm_excluded,
        more_pairs=record.more_pairs,
        raw_interval=record.raw_interval,
        p_adjusted=record.p_adjusted,
        paired=record.paired,
    )
