"""The folder by which the thirds of a split check hand over: a plan, the runs lent to the cells, and a file of each cell.

Whoever else may write there is a stranger: plain files alone are read, of bounded size, and each is judged before it is used.
"""

from collections.abc import Mapping
from pathlib import Path

from assay.adapters import atomic_file
from assay.adapters.sample_journal import SampleJournalFolder
from assay.adapters.store_files import read_file
from assay.core.handover import PLAN_FILE, CellFile, PlanFile, cell_file, parsed, sorted_out
from assay.core.record import Envelope
from assay.errors import InfrastructureError, UsageError
from assay.ports import Unreadable


class HandoverFolder:
    """One such folder. What it lends lies in `lent`, laid out as a store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def path(self) -> Path:
        return self._folder

    @property
    def journal(self) -> SampleJournalFolder:
        """Where cells note what they measure."""
        return SampleJournalFolder(self._folder / "measured")

    @property
    def lent(self) -> Path:
        return self._folder / "store"

    def put_plan(self, plan: PlanFile) -> Path:
        """Write the plan. Raises InfrastructureError where the disk refuses."""
        return self._put(PLAN_FILE, plan)

    def put_cell(self, cell: CellFile, name: str = "") -> Path:
        """Write a cell, under its benchmark's or another name. Raises InfrastructureError where the disk refuses."""
        return self._put(cell_file(name or cell.benchmark), cell)

    def has_cell(self, benchmark: str) -> bool:
        """Whether a cell has left its file, readable or not. One that was cut short may leave another."""
        if not (self._folder / cell_file(benchmark)).is_file():
            return False
        found = self.cells((benchmark,))[0].get(benchmark)
        return found is None or not found.cut_short

    def drop_cell(self, benchmark: str) -> None:
        """Forget what a cell left, for it is to be measured again."""
        (self._folder / cell_file(benchmark)).unlink(missing_ok=True)

    def keep_config(self, data: bytes) -> Path:
        """A copy of the config for cells that begin later, whatever has become of the file by then. Raises InfrastructureError."""
        return self._write("config.yml", data)

    def plan(self) -> PlanFile:
        """The plan. Raises UsageError where there is none that can be read."""
        data = read_file(self._folder, PLAN_FILE)
        found = data.reason if isinstance(data, Unreadable) else parsed(PlanFile, data)
        if isinstance(found, str):
            hint = "Download the artifact of the job that planned into that folder, or name another one with `artifact`."
            raise UsageError(f"The plan {self._folder / PLAN_FILE} cannot be used: {found}.", hint=hint)
        return found

    def cells(self, benchmarks: tuple[str, ...]) -> tuple[Mapping[str, CellFile], Mapping[str, str]]:
        """The cells of these benchmarks that are there, and why others that are there cannot be used. A missing one is in neither."""
        files: dict[str, bytes | str] = {}
        for name in benchmarks:
            if (self._folder / cell_file(name)).is_symlink() or (self._folder / cell_file(name)).exists():
                data = read_file(self._folder, cell_file(name))
                files[name] = data.reason if isinstance(data, Unreadable) else data
        return sorted_out(files)

    def _put(self, name: str, envelope: Envelope) -> Path:
        return self._write(name, envelope.to_json().encode() + b"\n")

    def _write(self, name: str, data: bytes) -> Path:
        path = self._folder / name
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            atomic_file.replace(path, data)
        except OSError as error:
            what = f"{path} cannot be written: {error.strerror or error}."
            raise InfrastructureError(what, hint="Free the disk, or name another folder with `artifact`.") from error
        return path
