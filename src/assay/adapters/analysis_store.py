"""The files of analyses: one folder each, open to nobody else, the oldest removed."""

import hashlib
from pathlib import Path

from assay.adapters import atomic_file, trees
from assay.core import canonical
from assay.core.fusion.failure import AnalysisError, Code
from assay.core.fusion.state import Artifact, Manifest
from assay.core.ids import is_id

KEPT = 50
"""So many analyses keep their texts."""

MANIFEST = "manifest.json"
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_HINT = "Free the disk or the folder's permissions; the decision does not depend on it."


class AnalysisFolders:
    """Satisfies `analysis_ports.Analyses`, below one root, `.assay/analyses` as a rule."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def create(self, analysis_id: str, *, durable: bool) -> "LocalAnalysis":
        """A new folder. Raises AnalysisError for a name that is no analysis's id, and where the disk refuses."""
        if not is_id("ana", analysis_id):
            raise AnalysisError(Code.ARTIFACT_ERROR, f"{analysis_id!r} is not the id of an analysis.")
        try:
            atomic_file.make_folders(self._root.parent, self._root.name)
            atomic_file.keep_out_of_git(self._root.absolute())
            folder = self._root / analysis_id
            folder.mkdir(mode=_FOLDER_MODE)
            folder.chmod(_FOLDER_MODE)  # whatever the umask says
            self._prune()
        except OSError as error:
            raise AnalysisError(
                Code.ARTIFACT_ERROR,
                f"The folder of an analysis could not be made below {self._root}: {error.strerror or error}.",
                hint=_HINT,
            ) from error
        return LocalAnalysis(folder, durable=durable)

    def _prune(self) -> None:
        """Ids sort by time; what has no such name is not ours to remove."""
        ours = sorted(entry for entry in self._root.iterdir() if is_id("ana", entry.name) and not entry.is_symlink())
        for old in ours[:-KEPT]:
            trees.remove(old)


class LocalAnalysis:
    """Satisfies `analysis_ports.AnalysisFolder`."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder
        self._durable = durable

    @property
    def path(self) -> str:
        return str(self._folder)

    def write(self, name: str, text: str) -> Artifact:
        """Write one file. Raises AnalysisError for a name that leads elsewhere, and where the disk refuses."""
        if not name or name.startswith(".") or name != Path(name).name or "\\" in name:
            raise AnalysisError(Code.ARTIFACT_ERROR, f"{name!r} is not the name of an artifact.")
        data = text.encode("utf-8", "surrogatepass")
        try:
            atomic_file.replace(self._folder / name, data, durable=self._durable, mode=_FILE_MODE)
        except OSError as error:
            raise AnalysisError(
                Code.ARTIFACT_ERROR, f"{self._folder / name} could not be written: {error.strerror or error}.", hint=_HINT
            ) from error
        return Artifact(name, len(data), hashlib.sha256(data).hexdigest())

    def publish(self, manifest: Manifest) -> None:
        """Put the manifest in its place. Raises AnalysisError where the disk refuses."""
        self.write(MANIFEST, canonical.pretty(manifest.to_json()) + "\n")
