"""What a report says of its statistics: levels, p-values raw and adjusted, samples saved, other tests, false alarms to expect."""

from functools import lru_cache

from assay.core import escape, numbers
from assay.core.comparison import Comparison
from assay.core.family import expected_false_alarms, judged_families
from assay.core.further import further
from assay.core.model import Role, Status
from assay.core.result import BenchmarkResult, CheckResult

_NAMES_SHOWN = 6


def method_facts(one: BenchmarkResult, result: CheckResult) -> tuple[str, ...]:
    """The sentences, as Markdown; none for what was not compared."""
    said = (_confidence(one), _raw_intervals(one), _p_values(one), *_other_tests(one), _saved(one), _false_alarms(one, result))
    return tuple(line for line in said if line)


def _family(one: BenchmarkResult) -> tuple[Comparison, ...]:
    return tuple(each for each in one.comparisons if each.spec.role is not Role.SECONDARY and each.interval)


def _confidence(one: BenchmarkResult) -> str:
    levels = sorted({round(1 - each.alpha, 6) for each in one.comparisons if each.interval})
    if not levels:
        return ""
    shown = numbers.percent(levels[0]) if len(levels) == 1 else f"{numbers.percent(levels[0])} to {numbers.percent(levels[-1])}"
    return f"Confidence of the intervals: {shown}"


def _raw_intervals(one: BenchmarkResult) -> str:
    """Of those that another level would make narrower: the same intervals for readers who look at one metric alone."""
    shown = [
        f"{escape.name(each.spec.name)} {numbers.interval(each.raw_interval)}"
        for each in _family(one)[:_NAMES_SHOWN]
        if each.raw_interval and each.raw_interval != each.interval
    ]
    return f"At {numbers.percent(1 - one.alpha)} without correction: {'; '.join(shown)}" if shown and one.alpha else ""


def _p_values(one: BenchmarkResult) -> str:
    shown = [
        f"{escape.name(each.spec.name)} {_p(each.p)}, adjusted {_p(each.p_adjusted)}"
        for each in _family(one)[:_NAMES_SHOWN]
        if each.p is not None and each.p_adjusted is not None
    ]
    if not shown:
        return ""
    family = numbers.count(len(_family(one)), "metric")
    return f"p-values (adjusted by Holm's method for {family} and for the looks): {'; '.join(shown)}"


def _other_tests(one: BenchmarkResult) -> tuple[str, ...]:
    primary = next((each for each in _family(one) if each.spec.role is Role.PRIMARY), None)
    if primary is None or one.alpha is None:
        return ()
    shown = "; ".join(_further(primary.base, primary.head, one.alpha, primary.paired))
    return (f"Other statistics of {escape.name(primary.spec.name)}, which decide nothing: {shown}",) if shown else ()


@lru_cache(maxsize=64)
def _further(base: tuple[float, ...], head: tuple[float, ...], alpha: float, paired: bool) -> tuple[str, ...]:  # noqa: FBT001
    return tuple(map(str, further(base, head, alpha, paired=paired)))


def _saved(one: BenchmarkResult) -> str:
    units = max((len(each.head) for each in _family(one)), default=0)
    if one.status is not Status.MEASURED or not one.most_units or not 0 < units < one.most_units:
        return ""
    word = "seed" if any(each.paired for each in _family(one)) else "pair"
    saved = numbers.count(one.most_units - units, word)
    return f"Sampling ended after {units} of at most {numbers.count(one.most_units, word)}: {saved} fewer than a fixed design takes"


def _false_alarms(one: BenchmarkResult, result: CheckResult) -> str:
    families = judged_families([each.comparisons for each in result.benchmarks])
    if one.alpha is None or not _family(one) or not families:
        return ""
    whole = f"; {expected_false_alarms(families, one.alpha):.2g} to be expected of the {families} of this check" if families > 1 else ""
    return f"False alarms, were nothing changed: at most {numbers.percent(one.alpha)} of benchmarks{whole}"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"
