"""The worker of the queue: take a job, measure it in a worktree of its own, say what came of it, and so on until nothing is left."""

import math
from collections.abc import Callable

from assay.app.queue_attempt import BEATS, JobAttempt, Workshop
from assay.core.queue import moves
from assay.core.queue.measured import Attempt
from assay.core.queue.model import CLAIM_PREFIX, Job, JobStatus, Queue
from assay.core.queue.moves import Process, Standing
from assay.core.values import dataclass
from assay.queue_ports import QueueBook, Workplace

LONGEST_PAUSE_S = 10.0


@dataclass(frozen=True, slots=True)
class Patience:
    """When a worker leaves: after so many jobs, and what it waits for.

    With `stay` also for jobs to come, with `wait` only for those that cannot begin yet.
    """

    jobs: float = math.inf
    wait: bool = True
    stay: bool = False


@dataclass(frozen=True, slots=True)
class Worked:
    """What a worker has done. `due` says whether there was anything to do."""

    attempts: tuple[Attempt, ...]
    last: Standing
    due: bool

    @property
    def owed(self) -> bool:
        """Whether something is left of what was due; what another worker has brought to its end is not."""
        return self.due and self.last is not Standing.NO_JOBS


def work(shop: Workshop, patience: Patience) -> Worked:
    """Work until nothing is left, or as `patience` has it. Raises BadQueueError, InfrastructureError, CancelledError."""
    attempts: list[Attempt] = []
    due = False
    others = shop.elsewhere()
    while True:
        shop.rescue()
        claim = shop.house.clock.new_id(CLAIM_PREFIX)
        held = others | shop.stopped()
        queue = take(shop.book, shop.workplace, claim, shop.workplace.process(), shop.now(), lambda job: job.benchmark in held)  # noqa: B023
        standing = moves.standing(queue, claim)
        due = due or standing is not Standing.NO_JOBS
        job = queue.claimed(claim)
        if job is not None and standing is Standing.TAKEN:
            attempts.append(JobAttempt(shop, queue, job, claim).carry_out())
            if len(attempts) >= patience.jobs:
                return Worked(tuple(attempts), standing, due)
        elif patience.stay or (patience.wait and standing is not Standing.NO_JOBS and queue.of(JobStatus.RUNNING)):
            shop.workplace.pause(min(LONGEST_PAUSE_S, queue.config.stale_timeout_seconds / BEATS))
        else:
            return Worked(tuple(attempts), standing, due)


def take(
    book: QueueBook, workplace: Workplace, claim: str, process: Process, now: str, held: Callable[[Job], bool] = lambda _: False
) -> Queue:
    """The queue after a process has asked for a job.

    A process of this box that shows no progress any more is ended before its job is given away.
    """
    before = book.read()
    for job in before.of(JobStatus.RUNNING):
        if moves.overdue(before, job, now):
            workplace.end(job)
    return book.change(lambda queue: moves.take(queue, claim, process, now, workplace.gone, held))
