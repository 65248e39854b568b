"""Why a comparison says what it says, in one plain sentence that holds no untrusted text."""

from assay.core import numbers
from assay.core.estimate import as_fraction
from assay.core.finding import Finding
from assay.core.model import Verdict

NOTHING_EXCLUDED = "no regression is excluded"
_SHOWN_UP_TO = 10_000.0
_SHOWN_FROM = 0.00001


def reason_of(finding: Finding, verdict: Verdict, pairs: int | None) -> str:
    """The sentence for a four-way answer. `pairs` is what would settle an undecided one, None if that is not known."""
    match verdict:
        case Verdict.IMPROVED | Verdict.REGRESSED:
            return _moved(finding)
        case Verdict.UNCHANGED:
            return _unchanged(finding)
        case Verdict.UNDECIDED:
            return f"{seen(finding)}; {settling(finding, pairs)}"


def seen(finding: Finding) -> str:
    """What an undecided comparison shows all the same: the change, how far it may be off, and which harm is ruled out."""
    low, high = sorted((finding.harm - finding.two_sided, finding.harm + finding.two_sided))
    span = f"anything from {_judged(finding, low)} to {_judged(finding, high)} is possible"
    return f"{_judged(finding, finding.harm)}, but {span}; {excluded(finding.harm_excluded)}"


def undirected(finding: Finding) -> str:
    """For a metric without a declared direction: what was seen, and no judgement of it."""
    low, high = finding.interval
    change = as_fraction(finding.estimate.scale, finding.estimate.change)
    seen = _signed(change) if low == high else f"{_signed(change)}, between {_signed(low)} and {_signed(high)}"
    return f"no direction declared: {seen}"


def excluded(harm: float | None) -> str:
    """Which harm the samples rule out."""
    if harm is None or harm >= _SHOWN_UP_TO or 0.9995 <= harm <= 1.0:
        return NOTHING_EXCLUDED
    return f"regressions above {percent(harm)} are excluded" if harm > 0.0 else "regressions of any size are excluded"


def settling(finding: Finding, pairs: int | None) -> str:
    """What would bring an answer."""
    asked = percent(finding.question.asked)
    if pairs is not None:
        return f"about {numbers.count(pairs, 'more pair')} would settle {asked}"
    if finding.known_p is not None:
        return f"several samples a side would settle {asked}" if not finding.question.trivial else "several samples a side may settle it"
    if finding.question.trivial:
        return "with a limit of zero only a clear difference can settle it"
    return f"no practical number of further pairs would settle {asked}"


def percent(fraction: float) -> str:
    """The size of an effect without its sign, never absurdly long and never a rounded zero."""
    size = abs(fraction)
    if size > _SHOWN_UP_TO:
        return f"more than {numbers.percent(_SHOWN_UP_TO)}"
    if 0.0 < size < _SHOWN_FROM:
        return f"less than {numbers.percent(_SHOWN_FROM)}"
    return numbers.percent(size)


def _moved(finding: Finding) -> str:
    limit = f"; the limit is {percent(finding.question.asked)}" if finding.question.guard else ""
    if finding.estimate.exact:
        return f"{_judged(finding, finding.harm)} in every sample{limit}"
    ends = sorted(abs(end) for end in finding.interval)
    return f"{_judged(finding, finding.harm)}, between {percent(ends[0])} and {percent(ends[1])}{limit}"


def _unchanged(finding: Finding) -> str:
    asked = percent(finding.question.asked)
    if finding.estimate.exact:
        seen = f"{_judged(finding, finding.harm)} in every sample" if finding.harm else "base and head are equal"
        return f"{seen}; the limit is {asked}" if finding.harm else seen
    if finding.question.guard:
        return f"{_judged(finding, finding.harm)}; {excluded(finding.harm_excluded)}, the limit is {asked}"
    gains = f"gains above {percent(finding.gain_excluded)}" if finding.gain_excluded else "gains of any size"
    harms = f"regressions above {percent(finding.harm_excluded)}" if finding.harm_excluded else "regressions of any size"
    return f"no change of {asked} or more: {harms} and {gains} are excluded"


def _judged(finding: Finding, harm: float) -> str:
    """A change in units of the scale, positive where worse, in words: `12.3 % worse`."""
    if harm == 0.0:
        return "no change"
    size = percent(as_fraction(finding.estimate.scale, finding.question.sign * harm))
    return f"{size} {'worse' if harm > 0.0 else 'better'}"


def _signed(change: float) -> str:
    return f"{percent(change)} {'more' if change > 0.0 else 'less'}" if change else "no change"
