"""The templates that ship with the package, read from the wheel or, in a source checkout, from the folder they are written in."""

from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable


class PackageTemplates:
    """`ports.Templates`: an installed package has them as `assay/templates`, a checkout as `templates/` beside `src/`."""

    def __init__(self, package: "Traversable | None" = None) -> None:
        if package is None:
            from importlib.resources import files  # drags in tempfile and zipfile, which only a report is worth

            package = files("assay")
        self._package = package

    def load(self, name: str) -> str:
        """The text of one template.

        Raises InfrastructureError where the installation does not have it.
        """
        try:
            return self._folder().joinpath(name).read_text(encoding="utf-8")
        except OSError as error:
            raise InfrastructureError(f"the template {name} is missing from this installation", hint="Install Assay again.") from error

    def tree(self, name: str) -> dict[str, bytes]:
        """All files below a folder of the templates, by POSIX path from there.

        Raises InfrastructureError where the installation does not have it.
        """
        found = dict(_walk(self._folder().joinpath(name)))
        if not found:
            raise InfrastructureError(f"the files of {name} are missing from this installation", hint="Install Assay again.")
        return found

    def _folder(self) -> "Traversable":
        installed = self._package.joinpath("templates")
        if installed.is_dir() or not isinstance(self._package, Path):
            return installed
        return self._package.parents[1] / "templates"


def _walk(folder: "Traversable", prefix: str = "") -> "Iterator[tuple[str, bytes]]":
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.read_bytes()
