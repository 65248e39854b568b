"""A folder in which cells note what they measure: a frame for each run, and a line for each of its processes.

The benchmark may write there too, so what is read back is judged like a cell: plain files, bounded, valid, and believed its numbers.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from assay.adapters import atomic_file
from assay.adapters.store_files import read_file, read_lines
from assay.core.envelope import Run
from assay.core.handover import parsed
from assay.core.salvage import Noted, noted_line, salvaged
from assay.errors import InfrastructureError
from assay.ports import Unreadable

MOST = 1000
"""So many runs are read back; a plan has not as many cells."""

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class SampleJournalFolder:
    """Satisfies `cell_ports.SampleJournal`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, run: Run) -> None:
        self._frame(run)

    def add(self, noted: Noted) -> None:
        line = noted.model_dump_json().encode() + b"\n"
        path = self._lines_of(noted.run_id)
        try:
            handle = os.open(path, _FLAGS, 0o644)
            try:
                os.write(handle, line)
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise _refused(path, error) from error

    def end(self, run: Run) -> None:
        self._frame(run)
        with suppress(OSError):  # lines that stay say no more than the envelope
            self._lines_of(run.run_id).unlink(missing_ok=True)

    def forget(self, run_ids: Iterable[str]) -> None:
        """These runs have become part of others, which hold all that was noted of them."""
        for run_id in run_ids:
            for name in (f"{run_id}.json", f"{run_id}.jsonl"):
                (self._folder / name).unlink(missing_ok=True)

    def runs(self) -> Iterator[Run]:
        """All runs that can be read back, those under way as partial ones."""
        names = sorted(path.name for path in self._folder.glob("run-*.json"))[:MOST] if self._folder.is_dir() else []
        for name in names:
            data = read_file(self._folder, name)
            frame = None if isinstance(data, Unreadable) else parsed(Run, data)
            if isinstance(frame, Run) and name == f"{frame.run_id}.json":
                whole = parsed(Run, salvaged(frame, self._noted(frame.run_id)).to_json().encode())
                yield whole if isinstance(whole, Run) else frame

    def _noted(self, run_id: str) -> Iterator[Noted]:
        if not self._lines_of(run_id).exists():
            return
        for _, line in read_lines(self._folder, f"{run_id}.jsonl"):
            noted = None if isinstance(line, Unreadable) else noted_line(line)
            if noted is None:
                return
            yield noted

    def _frame(self, run: Run) -> None:
        path = self._folder / f"{run.run_id}.json"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            atomic_file.replace(path, run.to_json().encode() + b"\n")
        except OSError as error:
            raise _refused(path, error) from error

    def _lines_of(self, run_id: str) -> Path:
        return self._folder / f"{run_id}.jsonl"


def _refused(path: Path, error: OSError) -> InfrastructureError:
    return InfrastructureError(f"{path} cannot be written: {error.strerror or error}.", hint="Free the disk that it is on.")
