"""Stores what cells had measured that never handed over: a job that was killed, cancelled or lost with its node."""

from collections.abc import Callable, Iterable, Iterator

from assay.app.commits import Commits
from assay.app.split_plan import Asked
from assay.app.split_report import Delivery
from assay.core.effects import Effect, RecordRun
from assay.core.envelope import Run, RunStatus
from assay.core.escape import plain
from assay.core.salvage import LOST
from assay.ports import Store


def rescue(
    found: Iterable[Run],
    delivery: Delivery,
    asked: Asked,
    commits: Commits,
    store: Store,
    record: Callable[[Iterable[Effect]], tuple[str, ...]],
) -> tuple[str, ...]:
    """Store the runs of these commits that no cell holds. What to tell of it.

    They are believed their numbers, as a cell is; but none is clean evidence, since no cell has answered for it.
    """
    told = []
    for run in _fitting(found, delivery, asked, commits):
        if run.processes and store.find_run(run.run_id) is None:
            problems = record([RecordRun(_unclaimed(run, asked))])
            name, count = plain(run.benchmark, 60), sum(not one.warmup for one in run.processes)
            told.append(f"{run.run_id} of {name}, {run.status}, with {count} processes, is stored: the job that measured it ended early.")
            told += problems
    return tuple(told)


def _unclaimed(run: Run, asked: Asked) -> Run:
    status = RunStatus.PARTIAL if run.clean else run.status
    return run.model_copy(update={"trust": asked.trust, "fingerprints": "unknown", "status": status, "detail": run.detail or LOST})


def _fitting(found: Iterable[Run], delivery: Delivery, asked: Asked, commits: Commits) -> Iterator[Run]:
    delivered = {run.run_id for cell in delivery.cells.values() for run in cell.runs}
    for run in found:
        if run.run_id not in delivered and run.benchmark in asked.config.benchmarks and run.commit in (commits.base, commits.head):
            yield run
