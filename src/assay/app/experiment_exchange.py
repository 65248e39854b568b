"""Taking in the ledger of another experiment loop, and giving one out."""

from assay.app.laboratory import Laboratory, find_session, readable
from assay.core.experiment import Journal
from assay.core.experiment_edits import namesake
from assay.core.experiment_errors import ImportRefusedError
from assay.core.experiment_export import export_lines
from assay.core.experiment_import import Minting, import_session
from assay.experiment_ports import SessionBook


def take_in(lab: Laboratory, text: str, where: str, name: str | None, project: str | None) -> Journal:
    """A new session with all that a ledger tells. Raises ImportRefusedError, with nothing stored, where it cannot be understood."""
    journal = import_session(text, name, project, Minting(lab.clock.new_id, lab.now(), where))

    def edit(book: SessionBook) -> Journal:
        found = namesake(readable(book.all()), journal.header.name, project)
        if found is not None and found.id != journal.id:
            raise ImportRefusedError(
                f"There is an active session {journal.header.name!r} already, {found.id}.", hint="Give this one another name with --name."
            )
        return journal

    return lab.sessions.change(edit)


def give_out(lab: Laboratory, session_id: str) -> str:
    """A session as JSON lines."""
    return "".join(f"{line}\n" for line in export_lines(find_session(lab.sessions, session_id)))
