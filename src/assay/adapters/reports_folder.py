"""The files of a check in one folder, each whole or absent."""

from pathlib import Path

from assay.adapters import atomic_file
from assay.errors import InfrastructureError


class ReportsFolder:
    """Satisfies `ports.Reports`. The folder is made with the first file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, name: str, text: str) -> str:
        """Write or replace one file. Raises ValueError for a name with a folder in it, InfrastructureError for the disk's refusal."""
        if not name or name != Path(name).name or name.startswith("."):
            raise ValueError(f"{name!r} is not the name of a report file")
        path = self._folder / name
        try:
            atomic_file.make_folders(self._folder)
            atomic_file.keep_out_of_git(self._folder.absolute())
            atomic_file.sweep(self._folder)
            atomic_file.replace(path, text.encode(), durable=False)  # the evidence behind it is stored
        except OSError as error:
            raise InfrastructureError(
                f"The report {path} could not be written: {error.strerror or error}.",
                hint="Free the disk or the folder's permissions, or name another folder with --out.",
            ) from error
        return str(path)
