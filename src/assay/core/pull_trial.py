"""A pull request × benchmark as a session: what its segments are judged by, and a check of it as a run."""

import re
from collections.abc import Iterable, Iterator

from assay.core.comparison import Comparison
from assay.core.config import Benchmark
from assay.core.decide import Mode
from assay.core.envelope import Run
from assay.core.escape import plain
from assay.core.experiment import ChecksResult, ChecksState, ConfigPayload, Journal, MetricValue, RunPayload, SessionStatus
from assay.core.experiment_edits import MAX_SECONDARY, Logged, Mark, log_run, new_segment, new_session
from assay.core.experiment_state import SessionState, Trial
from assay.core.location import mean
from assay.core.model import Conclusion, Direction, Outcome, Role, Status
from assay.core.result import BenchmarkResult
from assay.core.values import dataclass

RESTORING = (Outcome.DISCARD, Outcome.CHECKS_FAILED, Outcome.ERRORED)
BY = "by"
"""The key under which a run says who gave it its outcome, where that was a person."""

_BACK = re.compile(r"assay: back to ([0-9a-f]{40}|[0-9a-f]{64}) after run-[0-9A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a check adds to a session: its terms, the run, and what became of that."""

    name: str
    number: int
    terms: ConfigPayload
    row: RunPayload
    logged: Logged
    baseline: str


@dataclass(frozen=True, slots=True)
class Marks:
    """The ids that an entry may need: of the session, and of its three records."""

    session: str
    config: Mark
    begun: Mark
    final: Mark


def project_of(number: int) -> str:
    """The project of all sessions of a pull request."""
    return f"pull request {number}"


def sessions_of(journals: Iterable[Journal], number: int) -> Iterator[SessionState]:
    """The sessions of a pull request that are not over, newest first."""
    mine = (one for one in journals if one.header.project == project_of(number) and one.header.status is SessionStatus.ACTIVE)
    return (SessionState(one) for one in mine)


def terms_of(benchmark: Benchmark) -> ConfigPayload:
    """What a benchmark is judged by; its limits stand as `rules`. Another metric or limit makes another segment."""
    metric = benchmark.metric
    guards = [
        f"{name}: {guard.better.value} is better, max_regression {guard.max_regression}" for name, guard in sorted(benchmark.guards.items())
    ]
    return ConfigPayload(
        metric=metric.name if metric else "wall_time",
        direction=Direction(metric.better) if metric else Direction.LOWER,
        unit=metric.unit if metric else None,
        max_iterations=None,
        rules="; ".join([f"min_effect {metric.min_effect if metric else 'auto'}", *guards]),
        ideas=None,
        working_dir=None,
        tags=("pull request",),
        checks=benchmark.checks,
    )


def row_of(result: BenchmarkResult, run: Run, head: str, branch: str | None) -> RunPayload:
    """A head's run as the first row of a run in a session; its numbers are the means of the samples that were compared."""
    primary = next((one for one in result.comparisons if one.spec.role is Role.PRIMARY and one.head), None)
    others = [one for one in result.comparisons if one is not primary and one.head][:MAX_SECONDARY]
    last = run.processes[-1] if run.processes else None
    return RunPayload(
        run=run.run_id,
        status=Outcome.PENDING,
        ended=True,
        primary_metric=_value(primary, run) if primary else None,
        secondary_metrics=tuple(_value(one, run) for one in others),
        parse_warnings=0,
        exit_code=last.exit_code if last else None,
        cause=run.cause,
        detail=run.detail,
        duration_ms=max(0, round(run.timings.total_s * 1000)),
        checks=_checks(run),
        command=("sh", "-c", run.command),
        log_file=None,
        machine=run.machine.machine_class,
        head=head,
        branch=branch,
        tree=None if run.tree == "unknown" else run.tree,
        description=None,
        asi={},
        commit=None,
        reverted_to=None,
        discarded=None,
    )


def added(journals: Iterable[Journal], entry: Entry, marks: Marks) -> Journal:
    """The session of a pull request × benchmark with a check more. One whose run is there and settled already changes nothing.

    Raises the refusals of `experiment_rules` where the run cannot have that outcome.
    """
    journal = _opened(journals, entry, marks)
    state = SessionState(journal)
    trial = state.find(entry.row.run)
    if journal.has(marks.final.record_id) or (trial and (trial.settled or entry.logged.outcome is Outcome.PENDING)):
        return journal
    if trial is None:
        journal = journal.plus(entry.row, marks.begun.record_id, marks.begun.now)
    return log_run(journal, entry.logged, entry.baseline, marks.final)


def _opened(journals: Iterable[Journal], entry: Entry, marks: Marks) -> Journal:
    found = next((one for one in sessions_of(journals, entry.number) if one.journal.header.name == entry.name), None)
    if found is None:
        return new_session(marks.session, entry.name, project_of(entry.number), entry.terms, marks.config)
    if _terms(found.config) != _terms(entry.terms):
        return new_segment(found.journal, entry.terms, marks.config)
    return found.journal


def _terms(config: ConfigPayload) -> tuple[str | None, ...]:
    return config.metric, config.direction.value, config.unit, config.rules


def at_commit(state: SessionState, head: str) -> Trial | None:
    """The newest run of a session on that commit."""
    return next((one for one in reversed(state.trials) if one.stored.head == head), None)


def asks_for_restore(results: Iterable[BenchmarkResult]) -> BenchmarkResult | None:
    """The first result whose change is to be taken back. What was cancelled, or failed for another reason than the change, is none."""
    ended = (Status.MEASURED, Status.REUSED)
    wanted = (one for one in results if one.outcome in RESTORING and one.status in ended and one.conclusion is not Conclusion.CANCELLED)
    return next(wanted, None)


def speaks_against(results: Iterable[BenchmarkResult], states: Iterable[SessionState], head: str) -> str | None:
    """Why a branch stays although one of its benchmarks would have it restored: another one keeps the change, or has no answer."""
    results = tuple(results)
    for one in results:
        if one.outcome is Outcome.KEEP:
            return f"{plain(one.name, 80)} keeps the change"
        if one.outcome is Outcome.PENDING or one.status is Status.FAILED:
            return f"{plain(one.name, 80)} has no answer"
    named = {one.name for one in results}
    for state in states:
        name, trial = state.journal.header.name, at_commit(state, head)
        if name not in named and (trial is None or not trial.settled or trial.newest.status is Outcome.KEEP):
            return f"{plain(name, 80)} keeps the change" if trial and trial.settled else f"{plain(name, 80)} has no answer for this commit"
    return None


def kept_heads(states: Iterable[SessionState]) -> tuple[str, ...]:
    """The commits that stay on the branch whatever comes after them, newest first: kept there, and taken back by no benchmark."""
    trials = sorted((one for state in states for one in state.trials), key=lambda one: one.run, reverse=True)
    discarded = {one.stored.head for one in trials if one.newest.status in RESTORING}
    kept = (one.newest.commit for one in trials if one.newest.status is Outcome.KEEP)
    return tuple(dict.fromkeys(one for one in kept if one and one not in discarded))


def restored_message(run: str, baseline: str) -> str:
    """The message of the commit that takes a branch on the forge back."""
    what = "The change of the run did not stand. This commit has the files of the baseline, and what is preserved; revert it for the rest."
    return f"assay: back to {baseline} after {run}\n\n{what}\n\nAssay-Run: {run}\nAssay-Baseline: {baseline}\n"


def claimed_baseline(subject: str) -> str | None:
    """The baseline to which a commit with this subject says that it goes back; anybody can write that."""
    found = _BACK.fullmatch(subject)
    return found.group(1) if found else None


def conclusion_of(outcome: Outcome, mode: Mode) -> Conclusion:
    """What the check says once a person has settled it."""
    if outcome is Outcome.KEEP:
        return Conclusion.SUCCESS
    return Conclusion.FAILURE if mode is Mode.GATE else Conclusion.NEUTRAL


def _value(one: Comparison, run: Run) -> MetricValue:
    unit = next((facts.unit for facts in run.metrics if facts.name == one.spec.name), None)
    return MetricValue(name=one.spec.name, value=mean(one.head), unit=unit or one.spec.unit)


def _checks(run: Run) -> ChecksResult:
    seconds = run.checks.duration_s
    duration = None if seconds is None else max(0, round(seconds * 1000))
    return ChecksResult(state=ChecksState(run.checks.state), exit_code=run.checks.exit_code, duration_ms=duration)
