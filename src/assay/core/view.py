"""What the templates see: one frozen view whose words are already chosen, formatted and escaped."""

from collections.abc import Iterable

from assay.core import escape, numbers, wording
from assay.core.comparison import Comparison
from assay.core.model import Role, Status, Verdict
from assay.core.provenance import facts_of, reuse_of
from assay.core.result import SEVERITY, BenchmarkResult, CheckResult
from assay.core.values import dataclass

_ANALYSIS_TEXT = 700

MARKER = "<!-- assay:report -->"
"""The first bytes of the sticky comment: the renderer puts it there, the finder looks for it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table of numbers."""

    metric: str
    role: str
    base: str
    head: str
    change: str
    n: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of numbers under a title, and how many further ones were left out."""

    rows: tuple[Row, ...] = ()
    title: str = ""
    more: str = ""

    @property
    def visible(self) -> bool:
        return bool(self.rows or self.more)


@dataclass(frozen=True, slots=True)
class AnalysisView:
    """The analysis of a benchmark, every sentence escaped. Empty lists have no title."""

    verdict: tuple[str, ...]
    why: tuple[str, ...]
    to_do: tuple[str, ...]
    uncertain: tuple[str, ...]
    dissent: tuple[str, ...]
    footer: str


@dataclass(frozen=True, slots=True)
class BenchmarkView:
    """One benchmark, most important first. `tail` is a whole code block, or empty."""

    name: str
    headline: str
    standing: str
    next_step: str
    reason: str
    main: Table
    notes: tuple[str, ...]
    secondary: Table
    warnings: tuple[str, ...]
    facts: tuple[str, ...]
    reuse: str
    tail: str
    tail_title: str
    analysis: AnalysisView | None = None


@dataclass(frozen=True, slots=True)
class ReportView:
    """The whole report. `pointer` says where the uncut one is; empty where this one is whole."""

    marker: str
    headline: str
    benchmarks: tuple[BenchmarkView, ...]
    more: str
    remarks: tuple[str, ...]
    reproduce: str
    commits: str
    tool: str
    pointer: str

    @property
    def single(self) -> bool:
        return len(self.benchmarks) == 1 and not self.more


def view(result: CheckResult, marker: str = MARKER) -> ReportView:
    """The view of a check, the worst benchmarks first, nothing left out."""
    return ReportView(
        marker=marker,
        headline=headline(result, wording.MARKDOWN),
        benchmarks=tuple(benchmark_view(one, result) for one in worst_first(result)),
        more="",
        remarks=tuple(escape.inline(remark) for remark in result.remarks),
        reproduce=escape.fence((result.reproduce,)) if result.reproduce else "",
        commits=f"base {escape.short_sha(result.base)} → head {escape.short_sha(result.head)}",
        tool=f"Assay {escape.inline(result.tool_version, 40)}".rstrip(),
        pointer="",
    )


def worst_first(result: CheckResult) -> list[BenchmarkResult]:
    """The benchmarks in the order in which they deserve attention, else in that of the config."""
    return sorted(result.benchmarks, key=lambda one: SEVERITY.index(one.conclusion))


def headline(result: CheckResult, place: wording.Place) -> str:
    """The verdict of the check: of its only benchmark, or how many ended in which way, worst first."""
    if len(result.benchmarks) == 1:
        return wording.headline(result.benchmarks[0], place)
    if not result.benchmarks:
        return "Nothing to check: the config has no benchmark for this change"
    words = [wording.standing(one).lower() for one in worst_first(result)]
    tally = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    return f"{tally[:1].upper()}{tally[1:]} of {numbers.count(len(words), 'benchmark')}"


def benchmark_view(one: BenchmarkResult, result: CheckResult) -> BenchmarkView:
    """The view of one benchmark, nothing left out."""
    secondary = tuple(row(each) for each in one.comparisons if each.spec.role is Role.SECONDARY)
    return BenchmarkView(
        name=escape.name(one.name),
        headline=wording.headline(one, wording.MARKDOWN),
        standing=_standing(one),
        next_step=wording.next_step(one, wording.MARKDOWN),
        reason=""
        if wording.unmeasured(one) and len(one.reason) <= wording.TEXT_LIMIT
        else escape.inline(wording.sentence(one.reason), 1500),
        main=Table(tuple(row(each) for each in wording.judged(one))),
        notes=_notes(one),
        secondary=Table(secondary, title=numbers.count(len(secondary), "secondary metric")),
        warnings=tuple(escape.inline(warning) for warning in one.warnings),
        facts=facts_of(one, result),
        reuse=reuse_of(one),
        tail=escape.fence(one.output_tail) if one.output_tail else "",
        tail_title="The last line of output" if len(one.output_tail) == 1 else f"The last {len(one.output_tail)} lines of output",
        analysis=analysis_view(one),
    )


def analysis_view(one: BenchmarkResult) -> AnalysisView | None:
    """The analysis, if there is one. What it says may come from a model, so that all of it is escaped as a stranger's text."""
    told = one.analysis
    if told is None:
        return None
    notes = (*told.limitations, *told.report.uncertain)
    return AnalysisView(
        verdict=_sentences(told.report.verdict),
        why=_sentences(told.report.why),
        to_do=_sentences(told.report.to_do),
        uncertain=_sentences(notes),
        dissent=tuple(f"{escape.inline(who, 60)}: {escape.inline(what, _ANALYSIS_TEXT)}" for who, what in told.dissent),
        footer=f"{escape.inline(told.footer, 300)}; {escape.name(told.analysis_id)}",
    )


def _sentences(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(escape.inline(item, _ANALYSIS_TEXT) for item in items)


def row(comparison: Comparison) -> Row:
    """The line of a comparison in a Markdown table."""
    spec = comparison.spec
    unit = f" ({escape.inline(spec.unit, 40)})" if spec.unit else ""
    strong = comparison.verdict in (Verdict.IMPROVED, Verdict.REGRESSED)
    verdict = verdict_of(comparison)
    return Row(
        metric=escape.name(spec.name) + unit,
        role=role_of(comparison),
        base=wording.value(comparison.base),
        head=wording.value(comparison.head),
        change=change_of(comparison),
        n=f"{len(comparison.base)} / {len(comparison.head)}",
        verdict=f"**{verdict}**" if strong else verdict,
    )


def role_of(comparison: Comparison) -> str:
    """The role; of a guard with the limit that it holds."""
    limit = comparison.spec.max_regression
    role = comparison.spec.role.value
    return f"{role} (limit {numbers.percent(limit)})" if comparison.spec.role is Role.GUARD and limit is not None else role


def change_of(comparison: Comparison) -> str:
    """The change and, in brackets, its interval."""
    if comparison.relative_change is None:
        return "–"
    said = numbers.change(comparison.relative_change)
    return f"{said} ({numbers.interval(comparison.interval)})" if comparison.interval else said


def verdict_of(comparison: Comparison) -> str:
    """The verdict; of an undecided one the cause, where more samples would not cure it."""
    cause = comparison.undecided
    said = comparison.verdict.value
    return f"{said} ({cause.value})" if cause and not cause.lacks_precision else said


def _standing(one: BenchmarkResult) -> str:
    outcome = f"outcome {one.outcome.value}, " if one.outcome else ""
    how = "" if one.status is Status.FAILED else f"{one.status.value}, "
    said = f"{how}{outcome}conclusion {one.conclusion.value}"
    return said[:1].upper() + said[1:]


def _notes(one: BenchmarkResult) -> tuple[str, ...]:
    """Why a metric that decides is undecided or regressed, where the benchmark's own reason does not say it already."""
    return tuple(
        f"{escape.name(each.spec.name)}: {escape.inline(wording.sentence(each.reason), 600)}"
        for each in wording.judged(one)
        if each.verdict in (Verdict.UNDECIDED, Verdict.REGRESSED) and each.reason and each.reason not in one.reason
    )
