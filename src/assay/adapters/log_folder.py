"""Where the output of benchmark processes is kept in full: one folder a session, the oldest removed."""

import shutil
from pathlib import Path

from assay.adapters import atomic_file
from assay.core.ids import is_id
from assay.errors import InfrastructureError

KEPT_SESSIONS = 50
"""So many sessions keep their logs; the envelopes, which hold the numbers, stay in the store."""


class LogFolder:
    """Makes the folder of a session."""

    def __init__(self, root: Path, prefix: str = "ses", kept: int = KEPT_SESSIONS) -> None:
        """`prefix` is that of the ids by which the folders go, `kept` how many of them stay."""
        self._root = root
        self._prefix = prefix
        self._kept = kept

    def session(self, name: str) -> str:
        """A new folder for the logs of one session. Raises InfrastructureError for the disk's refusal."""
        try:
            folder = atomic_file.make_folders(self._root, name)
            atomic_file.keep_out_of_git(self._root.absolute())
            self._prune()
        except OSError as error:
            raise InfrastructureError(
                f"The folder {self._root} for logs could not be made: {error.strerror or error}.",
                hint="Free the disk or the folder's permissions.",
            ) from error
        return str(folder)

    def _prune(self) -> None:
        """Names of sessions sort by time; what has no such name is not ours to remove."""
        sessions = sorted(entry for entry in self._root.iterdir() if is_id(self._prefix, entry.name) and not entry.is_symlink())
        for old in sessions[: -self._kept]:
            shutil.rmtree(old, ignore_errors=True)
