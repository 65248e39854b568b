"""A class of nodes of a cluster as a place for cells: satisfies `cell_ports.Place`."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from assay.adapters import atomic_file
from assay.adapters.slurm import states
from assay.adapters.slurm.submission import Order, submit
from assay.adapters.store_files import read_file
from assay.cell_ports import CellNews, Phase
from assay.core.escape import plain
from assay.core.slurm_states import JobState, Stage
from assay.errors import InfrastructureError
from assay.ports import Unreadable

PATIENCE = 5
"""So many looks a shared folder may need until it shows what a job that has ended left there."""

LOG_LINES = 8


class SlurmPlace:
    """Its jobs are remembered in the hand-over folder, so that who comes later goes on with them.

    `command` gives the words of a cell by its benchmark; `has` says whether the file of a cell is there.
    """

    def __init__(self, title: str, order: Order, command: Callable[[str], Sequence[str]], has: Callable[[str], bool]) -> None:
        self.title = title
        self._order = order
        self._command = command
        self._has = has
        self._jobs: dict[str, str] = {}
        self._missed: dict[str, int] = {}

    def send(self, cells: tuple[str, ...]) -> None:
        known = {cell: job for cell, job in self._remembered().items() if cell in cells}
        alive = states.states(known.values())
        self._jobs = {cell: job for cell, job in known.items() if alive[job].stage in (Stage.WAITING, Stage.RUNNING)}
        fresh = {cell: self._command(cell) for cell in cells if cell not in self._jobs}
        if fresh:
            self._jobs |= submit(self._order, fresh)
        self._remember()

    def look(self) -> Mapping[str, CellNews]:
        found = states.states(self._jobs.values())
        return {cell: self._news(cell, job, found[job]) for cell, job in self._jobs.items()}

    def cancel(self) -> None:
        states.cancel(job for cell, job in self._jobs.items() if not self._has(cell))

    def _news(self, cell: str, job: str, state: JobState) -> CellNews:
        if self._has(cell):
            return CellNews(Phase.DONE, f"job {job}: measured")
        if state.stage in (Stage.WAITING, Stage.RUNNING):
            self._missed.pop(cell, None)  # it may have been lost with its node, and be queued again
            return CellNews(Phase.WAITING if state.stage is Stage.WAITING else Phase.RUNNING, f"job {job} {state.detail}")
        self._missed[cell] = self._missed.get(cell, 0) + 1
        if self._missed[cell] < PATIENCE:
            return CellNews(Phase.RUNNING, f"job {job} has ended")
        return CellNews(Phase.LOST, f"job {job} left no result: {state.detail}", self._log(job))

    def _log(self, job: str) -> tuple[str, ...]:
        """The last lines of what the job printed; a stranger's text."""
        data = read_file(self._order.folder / job, f"{job}_0_log.out")
        if isinstance(data, Unreadable):
            return ()
        return tuple(plain(line, 200) for line in data.decode(errors="replace").splitlines()[-LOG_LINES:])

    @property
    def _memory(self) -> Path:
        return self._order.folder / "jobs.json"

    def _remembered(self) -> dict[str, str]:
        data = read_file(self._order.folder, self._memory.name)
        try:
            jobs = None if isinstance(data, Unreadable) else json.loads(data)
        except (ValueError, RecursionError):
            jobs = None
        if not isinstance(jobs, dict):
            return {}
        return {str(cell): job for cell, job in jobs.items() if isinstance(job, str) and job.replace("_", "").isdigit()}

    def _remember(self) -> None:
        try:
            atomic_file.replace(self._memory, json.dumps(self._jobs, sort_keys=True).encode() + b"\n")
        except OSError as error:
            states.cancel(self._jobs.values())  # nobody would ever find them again
            raise InfrastructureError(
                f"{self._memory} cannot be written: {error.strerror}.", hint="Free the disk that it is on."
            ) from error
