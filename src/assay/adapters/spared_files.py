"""Which new files in a tree are no run's: two lists a session, below `.assay/`, one tree's own."""

import os
from pathlib import Path

from assay.adapters import atomic_file
from assay.core.tree_facts import Spared
from assay.errors import InfrastructureError

FOLDER = "experiments"


class SparedList:
    """Satisfies `experiment_ports.SparedFiles`. `home` is the `.assay` folder of the tree."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def load(self, session: str) -> Spared | None:
        present = self._read(session, "untracked")
        foreign = self._read(session, "foreign")
        return None if present is None else Spared(present, present if foreign is None else foreign)

    def save(self, session: str, files: Spared) -> None:
        """As the port says. Raises InfrastructureError where the disk refuses."""
        try:
            atomic_file.make_folders(self._home, FOLDER)
            atomic_file.keep_out_of_git(self._home.absolute())
            for kind, paths in (("foreign", files.foreign), ("untracked", files.present)):
                atomic_file.replace(self._file(session, kind), b"".join(os.fsencode(path) + b"\0" for path in sorted(paths)))
        except OSError as error:
            what = f"The list of files that are no run's cannot be written: {error.strerror or error} ({error.filename})."
            raise InfrastructureError(what, hint="Free the disk or the folder's permissions.") from error

    def _read(self, session: str, kind: str) -> frozenset[str] | None:
        file = self._file(session, kind)
        if file.is_symlink() or not file.is_file():
            return None
        return frozenset(os.fsdecode(one) for one in file.read_bytes().split(b"\0") if one)

    def _file(self, session: str, kind: str) -> Path:
        return self._home / FOLDER / f"{session}.{kind}"
