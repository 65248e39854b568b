"""The sentences of a report: what was found and what its reader must do. Every word of a template comes from here or from the view."""

from collections.abc import Callable

from assay.core import escape, numbers
from assay.core.comparison import Comparison, Undecided
from assay.core.model import Conclusion, Outcome, Role, Status, Verdict
from assay.core.result import BenchmarkResult
from assay.core.values import dataclass

TITLE_LIMIT = 255
TEXT_LIMIT = 300
"""Characters of a foreign sentence inside one of ours."""


@dataclass(frozen=True, slots=True)
class Place:
    """How foreign names and foreign sentences are made harmless where the words go."""

    name: Callable[[str], str]
    text: Callable[[str], str]


MARKDOWN = Place(name=escape.name, text=lambda text: escape.inline(text, TEXT_LIMIT))
PLAIN = Place(name=lambda text: escape.plain(text, 100), text=lambda text: escape.plain(text, TEXT_LIMIT))

_ENDS = {
    Conclusion.CANCELLED: "Cancelled",
    Conclusion.TIMED_OUT: "Timed out",
}


def judged(one: BenchmarkResult) -> tuple[Comparison, ...]:
    """The comparisons that decide: the primary and the guards."""
    return tuple(comparison for comparison in one.comparisons if comparison.spec.role is not Role.SECONDARY)


def decisive(one: BenchmarkResult) -> Comparison | None:
    """The comparison that the outcome is owed to: what stands in the way, else the primary."""
    if one.outcome in (Outcome.DISCARD, Outcome.PENDING):
        for verdict in (Verdict.REGRESSED, Verdict.UNDECIDED):
            for comparison in judged(one):
                if comparison.verdict is verdict:
                    return comparison
    return next((comparison for comparison in one.comparisons if comparison.spec.role is Role.PRIMARY), None)


def unmeasured(one: BenchmarkResult) -> str | None:
    """The word for a benchmark that ended without numbers to judge, None where there are some."""
    if one.conclusion in _ENDS:
        return _ENDS[one.conclusion]
    if one.status is Status.SKIPPED:
        return "Skipped"
    if one.status is Status.FAILED and one.outcome is Outcome.PENDING and one.conclusion is Conclusion.NEUTRAL:
        return "Not measured"  # for lack of time: nothing has failed
    if one.outcome is Outcome.ERRORED or one.status is Status.FAILED:
        return "Errored"
    return None


def sentence(reason: str) -> str:
    """A reason with a capital, where it begins with an ordinary word, and a full stop."""
    first, blank, rest = reason.partition(" ")
    begun = first.capitalize() + blank + rest if blank and first.isascii() and first.isalpha() and first.islower() else reason
    return begun if not begun or begun.endswith((".", "!", "?", "…")) else f"{begun}."


def standing(one: BenchmarkResult) -> str:
    """The verdict in one word or two, as a headline begins."""
    ended = unmeasured(one)
    if ended:
        return ended
    if one.outcome is Outcome.CHECKS_FAILED:
        return "Checks failed"
    comparison = decisive(one)
    if comparison is None or (one.outcome is Outcome.PENDING and comparison.verdict is not Verdict.UNDECIDED):
        return "Pending"
    return comparison.verdict.value.capitalize()


def headline(one: BenchmarkResult, place: Place) -> str:
    """The verdict first, with its numbers: `Improved: val_loss 120 → 90 (-25 %)`."""
    word = standing(one)
    if unmeasured(one):
        return f"{word}: {place.text(sentence(one.reason))}"
    if one.status is Status.REUSED:
        word = f"{word} (reused)"
    comparison = decisive(one)
    return f"{word}: {numbers_of(comparison, place)}" if comparison else f"{word}: {place.text(sentence(one.reason))}"


def numbers_of(comparison: Comparison, place: Place) -> str:
    """A metric with what became of it: `guard latency 100 → 140 ms (+40 %)`."""
    spec = comparison.spec
    shown = f"guard {place.name(spec.name)}" if spec.role is Role.GUARD else place.name(spec.name)
    unit = f" {place.text(escape.shorten(spec.unit, 40))}" if spec.unit else ""
    base, head = value(comparison.base), value(comparison.head)
    if not comparison.base and not comparison.head:
        return f"{shown} was not printed"
    if not comparison.base:
        return f"{shown} {head}{unit}, without a baseline"
    if not comparison.head:
        return f"{shown} {base}{unit} → not printed"
    changed = "" if comparison.relative_change is None else f" ({numbers.change(comparison.relative_change)})"
    return f"{shown} {base} → {head}{unit}{changed}"


def value(samples: tuple[float, ...]) -> str:
    """The centre of some samples, a dash where there are none."""
    middle = numbers.centre(samples)
    return "–" if middle is None else numbers.number(middle)


def title(one: BenchmarkResult) -> str:
    """The check run's title: `val_loss improved by 25 % (measured)`. A reused one never says *measured*."""
    ended = unmeasured(one)
    if ended and one.status is Status.REUSED:
        return f"reused: {ended.lower()}{_origin(one)}"
    if ended:
        return escape.shorten(f"{ended.lower()}: {escape.plain(one.reason)}", TITLE_LIMIT)
    said = _finding(one)
    if one.outcome is Outcome.CHECKS_FAILED:
        said = f"checks failed; {said}"
    if one.outcome is Outcome.PENDING and standing(one) == "Pending":
        said = f"pending; {said}"
    text = f"reused: {said}{_origin(one)}" if one.status is Status.REUSED else f"{said} (measured)"
    return escape.shorten(text, TITLE_LIMIT)


def next_step(one: BenchmarkResult, place: Place) -> str:
    """What the reader must do, in the words of the decision; where nothing was decided there is little to say."""
    if one.next_step:
        return place.text(one.next_step)
    return "Nothing to do." if one.conclusion in (Conclusion.SUCCESS, Conclusion.SKIPPED) else "Read the reason, then run it again."


def _finding(one: BenchmarkResult) -> str:
    comparison = decisive(one)
    if comparison is None:
        return "no metric was compared"
    said = _clause(comparison)
    primary = next((other for other in one.comparisons if other.spec.role is Role.PRIMARY), comparison)
    return said if primary is comparison else f"{said}; {_clause(primary)}"


def _clause(comparison: Comparison) -> str:
    shown = escape.plain(comparison.spec.name, 60)
    if comparison.spec.role is Role.GUARD:
        shown = f"guard {shown}"
    moved = comparison.relative_change
    if comparison.verdict is Verdict.UNDECIDED:
        return f"{shown} undecided{_why(comparison)}"
    if comparison.verdict is Verdict.UNCHANGED or moved is None:
        return f"{shown} {comparison.verdict.value}"
    return f"{shown} {comparison.verdict.value} by {numbers.percent(abs(moved))}"


def _why(comparison: Comparison) -> str:
    if comparison.undecided is Undecided.NOT_MEASURED:
        return ", missing on head" if comparison.base else ", printed by neither side"
    if comparison.undecided and not comparison.undecided.lacks_precision:
        return f", {comparison.undecided.value}"
    return f", regressions above {numbers.percent(comparison.harm_excluded)} excluded" if comparison.harm_excluded is not None else ""


def _origin(one: BenchmarkResult) -> str:
    """The commit of a reused run. Its age, in whatever words, has no place in a title that must not say *measured*."""
    commit = one.reuse.commit if one.reuse else None
    return f" (commit {escape.plain(commit)[:7]})" if commit else ""
