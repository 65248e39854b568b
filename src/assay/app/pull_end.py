"""How the session of a pull request × benchmark ends, and what a person says of its runs."""

from collections.abc import Callable, Sequence

from assay.app.laboratory import find_session
from assay.app.pull_session import PullBook
from assay.core.experiment import FinalizePayload, Journal, SessionStatus
from assay.core.experiment_edits import Logged, Mark, log_run
from assay.core.experiment_rules import require_active
from assay.core.experiment_state import SessionState, Trial
from assay.core.values import dataclass
from assay.experiment_ports import SessionBook


@dataclass(frozen=True, slots=True)
class Open:
    """A run in a session of a pull request that has no outcome yet."""

    state: SessionState
    trial: Trial

    @property
    def benchmark(self) -> str:
        return self.state.journal.header.name


def end_sessions(book: PullBook, number: int, summary: str) -> tuple[SessionState, ...]:
    """Finalize what sessions a pull request has. It is its own review branch, so none is made."""
    return tuple(_ended(book, state, summary) for state in book.of(number))


def _ended(book: PullBook, state: SessionState, summary: str) -> SessionState:
    return SessionState(_changed(book, state.journal.id, lambda journal, mark: _finalized(journal, summary, mark)))


def _finalized(journal: Journal, summary: str, mark: Mark) -> Journal:
    if journal.header.status is SessionStatus.FINALIZED:  # another job of the same event was quicker
        return journal
    require_active(journal)
    state = SessionState(journal)
    payload = FinalizePayload(
        kept=tuple(one.run for one in state.kept), discarded=tuple(one.run for one in state.discarded), branches=(), summary=summary
    )
    return journal.plus(payload, mark.record_id, mark.now).with_status(SessionStatus.FINALIZED, mark.now)


def settle(book: PullBook, opened: Sequence[Open], logged: Callable[[Open], Logged], baseline: str) -> None:
    """Give open runs their outcome. Raises the refusals of `experiment_rules`, for a run that another job was quicker with, too."""
    for one in opened:
        final = logged(one)

        def edit(journal: Journal, mark: Mark, final: Logged = final) -> Journal:
            return log_run(journal, final, baseline, mark)

        _changed(book, one.state.journal.id, edit)


def _changed(book: PullBook, session: str, edit: Callable[[Journal, Mark], Journal]) -> Journal:
    mark = book.mark()

    def change(sessions: SessionBook) -> Journal:
        journal = find_session(sessions, session)
        return journal if journal.has(mark.record_id) else edit(journal, mark)

    return book.sessions.change(change)
