"""What may be done with a session and a run as they stand; each refusal says why and what to do."""

from collections.abc import Iterable

from assay.core import escape, numbers
from assay.core.experiment import ChecksState, Journal, SessionStatus
from assay.core.experiment_errors import (
    AlreadyLoggedError,
    MaxIterationsError,
    OutcomeRefusedError,
    SessionNotActiveError,
    UnknownRunError,
    UnknownSessionError,
)
from assay.core.experiment_state import SessionState, Trial
from assay.core.model import Outcome

NEEDS_BASELINE = (Outcome.DISCARD, Outcome.CHECKS_FAILED)

_WHY_NOT = {
    SessionStatus.FINALIZING: "it is being finalized",
    SessionStatus.FINALIZED: "it is finalized",
    SessionStatus.ARCHIVED: "it is archived",
}


def require_active(journal: Journal) -> None:
    """Raise SessionNotActiveError unless the session takes new runs."""
    if journal.header.status is SessionStatus.ACTIVE:
        return
    why = _WHY_NOT[journal.header.status]
    hint = "Begin another one: assay experiment init --name NAME --metric METRIC --better lower"
    if journal.header.status is SessionStatus.FINALIZING:
        hint = "Wait for it to end. If it was killed, run `assay experiment finalize` again: it takes up what is left."
    raise SessionNotActiveError(f"The session {journal.id} ({escape.plain(journal.header.name, 60)}) is not active: {why}.", hint=hint)


def require_room(state: SessionState) -> None:
    """Raise MaxIterationsError where the segment has had all its runs; those that have no outcome yet count."""
    limit, had = state.config.max_iterations, len(state.here)
    if limit is not None and had >= limit:
        raise MaxIterationsError(
            f"Segment {state.segment} of {state.journal.id} has had {numbers.count(had, 'run')}; its limit is --max-iterations {limit}.",
            hint="Finalize the session, or begin a new segment with `assay experiment init` and the same name.",
        )


def require_trial(state: SessionState, run: str) -> Trial:
    """The run of that id. Raises UnknownRunError where the session has none."""
    trial = state.find(run)
    if trial is None:
        raise UnknownRunError(
            f"The session {state.journal.id} has no run {escape.plain(run, 60)}.",
            hint="`assay experiment run` prints the handle of its run; `assay experiment status` lists them.",
        )
    return trial


def require_outcome(state: SessionState, trial: Trial, outcome: Outcome, baseline: str | None) -> None:
    """Raise the refusal for an outcome that this run cannot have."""
    if trial.settled:
        raise AlreadyLoggedError(f"{trial.run} is logged already, as {trial.newest.status}.", hint="Run again for another try.")
    if outcome is Outcome.KEEP:
        _require_keepable(state, trial)
    if outcome in NEEDS_BASELINE and not baseline:
        raise OutcomeRefusedError(
            f"The outcome {outcome} needs a baseline: the commit that the tree goes back to.",
            hint=f"Say --baseline SHA; {trial.run} ran on {trial.stored.head or 'no commit'}.",
        )


def require_baseline(trial: Trial, outcome: Outcome) -> None:
    """Raise OutcomeRefusedError where a run cannot be what the others of its segment are held against."""
    if not trial.stored.clean or outcome in (Outcome.ERRORED, Outcome.CHECKS_FAILED):
        raise OutcomeRefusedError(
            f"{trial.run} has no number that counts, so it is no baseline for others.", hint="Leave --as-baseline out, or run again."
        )


def _require_keepable(state: SessionState, trial: Trial) -> None:
    metric, run = state.config.metric, trial.stored
    again = "Log it as errored or discard, or run again."
    if not run.ended:
        raise OutcomeRefusedError(f"{trial.run} never ended: its host was killed, so there is no {metric}.", hint=again)
    if run.primary_metric is None:
        raise OutcomeRefusedError(
            f"A keep needs the primary metric {escape.plain(metric, 80)}, and {trial.run} did not print it.", hint=again
        )
    if run.cause is not None:
        raise OutcomeRefusedError(f"A keep needs a clean end, and {trial.run} had none: {run.detail or run.cause}.", hint=again)
    if trial.segment != state.segment:
        raise OutcomeRefusedError(f"{trial.run} belongs to segment {trial.segment}, and the session is in {state.segment}.", hint=again)
    if run.checks.state in (ChecksState.FAILED, ChecksState.NOT_RUN):
        said = "failed" if run.checks.state is ChecksState.FAILED else "have not run"
        raise OutcomeRefusedError(
            f"A keep needs checks that have passed, and those of {trial.run} {said}.", hint="Log it as checks_failed."
        )


def unknown_session(session_id: str, known: Iterable[str]) -> UnknownSessionError:
    """The error for an id that the store does not have."""
    newest = next(iter(sorted(known, reverse=True)), None)
    hint = f"The newest one is {newest}; `assay experiment list` has all." if newest else "Begin one with `assay experiment init`."
    return UnknownSessionError(f"The store has no session {escape.plain(session_id, 60)}.", hint=hint)
