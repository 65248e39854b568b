"""The changes of a session as functions from its newest journal to the next one.

A store may ask them again, for another tip or because it cannot tell whether it was understood: a change whose record is
there already changes nothing.
"""

from collections.abc import Iterable

from pydantic import JsonValue

from assay.core.experiment import (
    ChecksResult,
    ChecksState,
    ConfigPayload,
    Header,
    Journal,
    MetricValue,
    RunPayload,
    RunRecord,
    SessionStatus,
)
from assay.core.experiment_rules import require_active, require_outcome, require_room, require_trial
from assay.core.experiment_state import SessionState
from assay.core.metric_lines import select_primary
from assay.core.model import UNKNOWN, Cause, Completed, Metric, Outcome
from assay.core.values import dataclass

MAX_SECONDARY = 512


@dataclass(frozen=True, slots=True)
class Mark:
    """What a new row takes from clock and chance."""

    record_id: str
    now: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run happens: the commit and the branch that are checked out, and the class of machine."""

    head: str | None = None
    branch: str | None = None
    machine: str = UNKNOWN


@dataclass(frozen=True, slots=True)
class Logged:
    """What is to be written of a run that got an outcome."""

    run: str
    outcome: Outcome
    description: str | None = None
    asi: dict[str, str] | None = None
    commit: str | None = None
    reverted_to: str | None = None
    discarded: str | None = None
    as_baseline: bool = False


def new_session(session_id: str, name: str, project: str | None, config: ConfigPayload, mark: Mark) -> Journal:
    """A session in its first segment."""
    header = Header(
        schema="assay.session/1",
        session=session_id,
        name=name,
        project=project,
        status=SessionStatus.ACTIVE,
        created_at=mark.now,
        updated_at=mark.now,
        finalized_at=None,
    )
    return Journal(header).plus(config, mark.record_id, mark.now, segment=1)


def new_segment(journal: Journal, config: ConfigPayload, mark: Mark) -> Journal:
    """The session in its next segment, judged by that config alone. Raises SessionNotActiveError."""
    if journal.has(mark.record_id):
        return journal
    require_active(journal)
    return journal.plus(config, mark.record_id, mark.now, segment=journal.segment + 1)


def namesake(journals: Iterable[Journal], name: str, project: str | None) -> Journal | None:
    """The session of that name and project that is not over yet."""
    open_ones = (SessionStatus.ACTIVE, SessionStatus.FINALIZING)
    return next(
        (one for one in journals if (one.header.name, one.header.project) == (name, project) and one.header.status in open_ones), None
    )


def begin_run(journal: Journal, run: str, command: tuple[str, ...], place: Place, mark: Mark) -> Journal:
    """The session with the row of a run that is about to start. Raises SessionNotActiveError, MaxIterationsError."""
    if journal.has(mark.record_id):
        return journal
    require_active(journal)
    state = SessionState(journal)
    require_room(state)
    checks = ChecksState.NOT_RUN if state.config.checks else ChecksState.NOT_CONFIGURED
    row = RunPayload(
        run=run,
        status=Outcome.PENDING,
        ended=False,
        primary_metric=None,
        secondary_metrics=(),
        parse_warnings=0,
        exit_code=None,
        cause=None,
        detail="",
        duration_ms=None,
        checks=ChecksResult(state=checks, exit_code=None, duration_ms=None),
        command=command,
        log_file=None,
        machine=place.machine,
        head=place.head,
        branch=place.branch,
        tree=None,
        description=None,
        asi={},
        commit=None,
        reverted_to=None,
        discarded=None,
    )
    return journal.plus(row, mark.record_id, mark.now)


def result_of(begun: RunPayload, done: Completed, metric: str, checks: Completed | None, asi: dict[str, str]) -> RunPayload:
    """The row of a run whose process has ended. A process that ended well without the metric has a cause, too."""
    primary = select_primary(done.reading, metric)
    missing = done.cause is None and primary is None
    found = ", ".join(one.name for one in done.reading.metrics[:10]) or "no METRIC line"
    return begun.model_copy(
        update={
            "ended": True,
            "primary_metric": _value(primary) if primary else None,
            "secondary_metrics": tuple(_value(one) for one in done.reading.metrics if one is not primary)[:MAX_SECONDARY],
            "parse_warnings": len(done.reading.warnings),
            "exit_code": done.exit_code,
            "cause": Cause.NO_METRIC if missing else done.cause,
            "detail": f"ended well but did not print {metric}; it printed {found}" if missing else done.detail,
            "duration_ms": max(0, round(done.duration_s * 1000)),
            "checks": _checks(begun.checks, checks),
            "log_file": done.log_file,
            "asi": _json(asi),
        }
    )


def end_run(journal: Journal, result: RunPayload, now: str) -> Journal:
    """The session with the result in the run's first row. A row that has been completed stays as it is."""
    row = _begun(journal, result.run)
    return journal if row.payload.ended else journal.with_payload(row.seq, result, now)


def log_run(journal: Journal, logged: Logged, baseline: str | None, mark: Mark) -> Journal:
    """The session with the run's final row. Numbers come from the stored run. Raises the refusals of `experiment_rules`."""
    if journal.has(mark.record_id):
        return journal
    require_active(journal)
    state = SessionState(journal)
    trial = require_trial(state, logged.run)
    require_outcome(state, trial, logged.outcome, baseline)
    row = trial.stored.model_copy(
        update={
            "status": logged.outcome,
            "description": logged.description,
            "asi": trial.stored.asi | _json(logged.asi or {}),
            "commit": logged.commit,
            "reverted_to": logged.reverted_to,
            "discarded": logged.discarded,
            "as_baseline": logged.as_baseline,
        }
    )
    return journal.plus(row, mark.record_id, mark.now, segment=trial.segment)


def _begun(journal: Journal, run: str) -> RunRecord:
    found = next((one for one in journal.records if isinstance(one, RunRecord) and one.payload.run == run), None)
    if found is None:
        require_trial(SessionState(journal), run)
        raise ValueError(f"{run} has no row")
    return found


def _checks(before: ChecksResult, done: Completed | None) -> ChecksResult:
    if done is None:
        return before
    state = ChecksState.PASSED if done.clean else ChecksState.FAILED
    return ChecksResult(state=state, exit_code=done.exit_code, duration_ms=max(0, round(done.duration_s * 1000)))


def _value(metric: Metric) -> MetricValue:
    return MetricValue(name=metric.name, value=metric.value, unit=metric.unit)


def _json(asi: dict[str, str]) -> dict[str, JsonValue]:
    return dict(asi)
