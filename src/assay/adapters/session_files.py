"""Sessions in a directory store: one file each, replaced whole under one lock, so that readers never meet half a record."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from assay.adapters import atomic_file
from assay.adapters.store_files import read_file, unreadable, walk
from assay.core.experiment import Journal
from assay.core.ids import is_id
from assay.core.store_layout import SESSION_PREFIX, SESSIONS, session_of, session_path
from assay.errors import InfrastructureError
from assay.experiment_ports import SessionBook
from assay.ports import Unreadable

_LOCK = ".assay-sessions.lock"


def read_session(path: str, data: bytes) -> Journal | Unreadable:
    """The session that bytes hold, which have to be those of that session's file."""
    try:
        journal = Journal.from_text(data.decode())
    except ValueError as error:
        return unreadable(path, str(error))
    return journal if journal.path == path else unreadable(path, f"it holds what belongs in {journal.path}")


class DirectorySessions:
    """Satisfies `experiment_ports.Sessions`. The directory is made with the first change."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def get(self, session_id: str) -> Journal | Unreadable | None:
        """One session; None for text that is no session's id, too."""
        if not is_id(SESSION_PREFIX, session_id):
            return None
        path = session_path(session_id)
        if not os.path.lexists(self._root / path):
            return None
        data = read_file(self._root, path)
        return data if isinstance(data, Unreadable) else read_session(path, data)

    def all(self) -> tuple[Journal | Unreadable, ...]:
        return tuple(self._all())

    def change(self, edit: Callable[[SessionBook], Journal]) -> Journal:
        try:
            folder = atomic_file.make_folders(self._root, SESSIONS)
            atomic_file.keep_out_of_git(self._root.absolute())
            with atomic_file.alone(self._root / _LOCK):
                atomic_file.sweep(folder)
                journal = edit(self)
                atomic_file.replace(self._root / journal.path, journal.to_text().encode())
        except OSError as error:
            hint = "Free the disk or the folder's permissions, or name another store with --store dir:PATH."
            raise InfrastructureError(f"The sessions in {self._root} cannot be changed: {error.strerror or error}.", hint=hint) from error
        return journal

    def _all(self) -> Iterator[Journal | Unreadable]:
        for entry in walk(self._root, SESSIONS, 0):
            if isinstance(entry, Unreadable):
                yield entry
            elif (name := session_of(entry)) is not None and (found := self.get(name)) is not None:
                yield found
