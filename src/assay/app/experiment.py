"""Sessions of experiments: begin one, say how it stands, end it. Running and logging have modules of their own."""

from collections.abc import Sequence

from assay.app.laboratory import Laboratory, find_session, readable
from assay.core.experiment import ConfigPayload, Journal, SessionStatus
from assay.core.experiment_edits import namesake, new_segment, new_session
from assay.core.experiment_errors import SessionNotActiveError, TreeBusyError, UnknownRunError
from assay.core.experiment_state import SessionState
from assay.core.tree_facts import Spared
from assay.core.values import dataclass
from assay.experiment_ports import LiveRun, SessionBook


@dataclass(frozen=True, slots=True)
class Begun:
    """A session after an init, and whether that has created it."""

    journal: Journal
    created: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """A session as it stands, with what of it is queued or running on this box."""

    state: SessionState
    live: tuple[LiveRun, ...]


def begin(lab: Laboratory, name: str, project: str | None, config: ConfigPayload) -> Begun:
    """Create a session, or begin the next segment of the one of that name and project. Raises SessionNotActiveError."""
    present = lab.tree.untracked() if lab.tree else frozenset()
    session_id, mark = lab.clock.new_id("exp"), lab.mark()

    def edit(book: SessionBook) -> Journal:
        found = namesake(readable(book.all()), name, project)
        return new_segment(found, config, mark) if found else new_session(session_id, name, project, config, mark)

    journal = lab.sessions.change(edit)
    lab.spared.save(journal.id, Spared.at_rest(present))
    return Begun(journal, journal.id == session_id)


def status(lab: Laboratory, session_id: str) -> Standing:
    """How a session stands."""
    return Standing(SessionState(find_session(lab.sessions, session_id)), lab.handles.live(session_id))


def cancel(lab: Laboratory, handle: str) -> None:
    """Ask for the end of a run of any process of this box, queued or running. Raises UnknownRunError."""
    if not lab.handles.cancel(handle):
        live = ", ".join(one.handle for one in lab.handles.live()) or "nothing"
        raise UnknownRunError(f"No run of the handle {handle[:60]!r} is queued or running on this machine.", hint=f"There is: {live}.")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which sessions to list; what is None does not matter. `search` is a part of name or working folder."""

    status: SessionStatus | None = None
    project: str | None = None
    tag: str | None = None
    search: str | None = None

    def takes(self, state: SessionState) -> bool:
        """Whether a session is asked for."""
        header, config = state.journal.header, state.config
        return (
            self.status in (None, header.status)
            and self.project in (None, header.project)
            and (self.tag is None or self.tag in config.tags)
            and (self.search is None or self.search.lower() in f"{header.name}\n{config.working_dir or ''}".lower())
        )


def listed(lab: Laboratory, wanted: Filter) -> Sequence[SessionState]:
    """The sessions that a filter takes, newest first."""
    states = (SessionState(one) for one in readable(lab.sessions.all()))
    return [one for one in states if wanted.takes(one)]


def archive(lab: Laboratory, session_id: str) -> Journal:
    """Put a session away. Raises SessionNotActiveError while it is being finalized, TreeBusyError while anything of it runs."""
    if live := lab.handles.live(session_id):
        raise TreeBusyError(
            f"{live[0].handle} of that session is queued or running.", hint=f"Wait for it, or: assay experiment cancel {live[0].handle}"
        )
    now = lab.now()

    def edit(book: SessionBook) -> Journal:
        journal = find_session(book, session_id)
        if journal.header.status is SessionStatus.FINALIZING:
            raise SessionNotActiveError(
                f"The session {session_id} is being finalized.", hint="Wait for it, or run `assay experiment finalize` again."
            )
        return journal.with_status(SessionStatus.ARCHIVED, now)

    return lab.sessions.change(edit)
