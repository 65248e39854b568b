"""Sessions on a data branch: each change is a commit on the tip that it was made from, so two writers never lose a record."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import field

from assay.adapters.session_files import read_session
from assay.adapters.store_branch.delivery import Deliverer
from assay.adapters.store_branch.edit import Edit
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.private_repository import PrivateRepository
from assay.adapters.store_branch.reading import Reader
from assay.adapters.store_branch.snapshot import MAX_BLOB, Snapshot
from assay.adapters.store_files import unreadable
from assay.core.experiment import Journal
from assay.core.store_layout import SESSIONS, session_of, session_path
from assay.core.values import dataclass
from assay.errors import InfrastructureError
from assay.experiment_ports import SessionBook
from assay.ports import Unreadable


@dataclass(frozen=True, slots=True)
class SnapshotBook:
    """Satisfies `experiment_ports.SessionBook` for one tip."""

    snapshot: Snapshot

    def get(self, session_id: str) -> Journal | Unreadable | None:
        with suppress(ValueError):  # text that is no session's id
            return next(iter(self._read([session_path(session_id)])), None)
        return None

    def all(self) -> tuple[Journal | Unreadable, ...]:
        found = (entry for entry in self.snapshot.files(SESSIONS) if session_of(entry.path))
        problems, paths = [], []
        for entry in found:
            if entry.problem:
                problems.append(unreadable(entry.path, entry.problem))
            else:
                paths.append(entry.path)
        return (*self._read(sorted(paths, reverse=True)), *problems)

    def _read(self, paths: Iterable[str]) -> list[Journal | Unreadable]:
        blobs = self.snapshot.blobs(paths)
        contents = dict(self.snapshot.contents(dict.fromkeys(blobs.values())))
        return [_journal(path, contents[blob]) for path, blob in blobs.items()]


@dataclass(slots=True)
class _Change:
    """The edit that a change of a session makes of a tip. It remembers the last answer."""

    edit: Callable[[SessionBook], Journal]
    journal: Journal | None = field(default=None)

    def __call__(self, snapshot: Snapshot) -> Edit:
        book = SnapshotBook(snapshot)
        self.journal = self.edit(book)
        if book.get(self.journal.id) == self.journal:
            return Edit("")
        return Edit(f"Record the experiment {self.journal.id}", {self.journal.path: self.journal.to_text().encode()})


class BranchSessions:
    """Satisfies `experiment_ports.Sessions`."""

    def __init__(self, name: str, repository: PrivateRepository, deliverer: Deliverer, reader: Reader) -> None:
        self._name = name
        self._repository = repository
        self._deliverer = deliverer
        self._reader = reader

    def get(self, session_id: str) -> Journal | Unreadable | None:
        return self._reader.ask(lambda snapshot: SnapshotBook(snapshot).get(session_id))

    def all(self) -> tuple[Journal | Unreadable, ...]:
        found = self._reader.ask(lambda snapshot: SnapshotBook(snapshot).all())
        return (found,) if isinstance(found, Unreadable) else found

    def change(self, edit: Callable[[SessionBook], Journal]) -> Journal:
        """As the port says. What cannot be sent is not recorded: what a session may do next depends on what others have done."""
        change = _Change(edit)
        with self._repository.held():
            outcome = self._deliverer.deliver(change)
        if outcome.kind is not Kind.DONE or change.journal is None:
            what = f"The session could not be written to the data branch `{self._name}`: {outcome.reason}."
            raise InfrastructureError(what, hint=outcome.hint or "Run the command again when the remote can be reached.")
        self._reader.touch()
        return change.journal


def _journal(path: str, data: bytes | None) -> Journal | Unreadable:
    return unreadable(path, f"larger than {MAX_BLOB} bytes") if data is None else read_session(path, data)
