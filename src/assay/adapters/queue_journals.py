"""What workers of the queue note while they measure: a folder for each process, which the next worker reads once that is gone."""

from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

from assay.adapters.sample_journal import SampleJournalFolder
from assay.adapters.workplace import LocalWorkplace
from assay.core.envelope import Run
from assay.core.queue.moves import Process

_BETWEEN = "+"


class WorkerJournals:
    """Satisfies `queue_ports.Journals`. Of workers on other boxes that share the folder nothing is read."""

    def __init__(self, folder: Path, workplace: LocalWorkplace) -> None:
        self._folder = folder
        self._workplace = workplace
        self.own = SampleJournalFolder(folder / _name(workplace.process()))

    def left(self) -> Iterator[Run]:
        for path in sorted(self._folder.iterdir()) if self._folder.is_dir() else ():
            if not path.is_symlink() and self._is_over(path.name):
                yield from SampleJournalFolder(path).runs()
                rmtree(path, ignore_errors=True)

    def _is_over(self, name: str) -> bool:
        """Whether it is the folder of a process of this box that is no more."""
        host, _, rest = name.partition(_BETWEEN)
        pid, _, start = rest.partition(_BETWEEN)
        known = host == self._workplace.host and pid.isascii() and pid.isdigit() and len(pid) < 12
        return known and bool(start) and self._workplace.start_of(int(pid)) != start


def _name(process: Process) -> str:
    return _BETWEEN.join((process.host, str(process.pid), str(process.pid_start)))
