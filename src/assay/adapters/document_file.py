"""The published document in the user's tree: a small regular file, which is read and written without following any link."""

import os
import stat
from pathlib import Path

from assay.adapters import atomic_file
from assay.errors import InfrastructureError, UsageError

MAX_BYTES = 4 * 2**20
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def document_text(path: str, data: bytes) -> str:
    """The text of a document. Raises UsageError for one that is too large or no UTF-8."""
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} is over {MAX_BYTES // 2**20} MiB, which no table of results is.", hint="Name another file.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no UTF-8 text.", hint="Save it as UTF-8, or name another file.") from error


class TreeDocuments:
    """Satisfies `loop_ports.Documents` for the working tree at `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> str | None:
        self._refuse_links(path)
        try:
            handle = os.open(self._root / path, _FLAGS)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.", hint="Put a regular file there.") from error
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise UsageError(f"{path} is not a regular file.", hint="Put the document itself there.")
        with os.fdopen(handle, "rb") as stream:
            return document_text(path, stream.read(MAX_BYTES + 1))

    def write(self, path: str, text: str) -> str:
        self._refuse_links(path)
        *folders, name = path.split("/")
        try:
            folder = atomic_file.make_folders(self._root, *(one for one in folders if one not in ("", ".")))
            atomic_file.replace(folder / name, text.encode())
        except OSError as error:
            raise InfrastructureError(
                f"{path} cannot be written: {error.strerror or error}.", hint="See the folder's permissions."
            ) from error
        return str(self._root / path)

    def _refuse_links(self, path: str) -> None:
        """Raises UsageError where a link stands in the way: it may lead anywhere."""
        place = self._root
        for step in path.split("/"):
            place = place / step
            if place.is_symlink():
                raise UsageError(f"{path} leads through a symbolic link.", hint="Name a file of the repository itself.")
