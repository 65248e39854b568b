"""The changes of the queue as functions from its newest state to the next one.

A store may ask them again, for another tip or because it cannot tell whether it was understood. So whoever takes a job leaves
a claim on it, and a move whose claim shows that it was made already changes nothing.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from assay.core.queue.model import Job, JobStatus, Queue
from assay.core.queue.refusals import ClaimLostError, DuplicateJobError, JobNotRunningError, JobRunningError, UnknownJobError
from assay.core.timestamp import moment
from assay.core.values import dataclass


class Standing(StrEnum):
    """What a request for a job comes to."""

    TAKEN = "taken"
    AT_CAPACITY = "at_capacity"
    WAITING = "waiting"
    NO_JOBS = "no_jobs"


@dataclass(frozen=True, slots=True)
class Process:
    """Who works on a job: a process, with the time of its start as its system tells it, since numbers are used again."""

    host: str
    pid: int | None = None
    pid_start: str | None = None


Gone = Callable[[Job], bool]
"""A question about a job, such as whether its process is known to have ended."""


def add(queue: Queue, jobs: Iterable[Job]) -> Queue:
    """With more jobs at the end. Those that are there already stay as they are. Raises DuplicateJobError for another of that id."""
    fresh = []
    for job in jobs:
        known = queue.job(job.job_id)
        if known is None:
            fresh.append(job)
        elif known.enqueued_at != job.enqueued_at:
            raise DuplicateJobError(f"There is a job {job.job_id} already.", hint="Leave the id out; each job gets one of its own.")
    return _with(queue, (*queue.jobs, *fresh))


def add_missing(queue: Queue, jobs: Iterable[Job]) -> Queue:
    """With those jobs whose benchmark has none at that commit which waits, runs or has failed. A failed one is a person's to put back."""
    standing = {
        (one.benchmark, one.commit) for one in queue.jobs if one.status is not JobStatus.DONE and not (one.command or one.parameters)
    }
    ours = tuple(jobs)
    known = {one.job_id for one in queue.jobs}
    return add(queue, (one for one in ours if one.job_id in known or (one.benchmark, one.commit) not in standing))


def take(queue: Queue, claim: str, process: Process, now: str, gone: Gone = lambda _: False, held: Gone = lambda _: False) -> Queue:
    """Give the next job to a process, after what is stale was swept; and what is `held` was passed over. `standing` says the rest."""
    if queue.claimed(claim):
        return queue
    queue = sweep(queue, now, gone)
    job = _next(queue, held)
    if job is None or len(queue.of(JobStatus.RUNNING)) >= queue.config.max_concurrent:
        return queue
    taken: dict[str, Any] = {
        "status": JobStatus.RUNNING,
        "claim": claim,
        "host": process.host,
        "pid": process.pid,
        "pid_start": process.pid_start,
        "started_at": now,
        "last_progress_at": None,
        "finished_at": None,
    }
    return _replaced(queue, job, taken)


def standing(queue: Queue, claim: str) -> Standing:
    """What a `take` with that claim has come to."""
    job = queue.claimed(claim)
    if job is not None and job.status is JobStatus.RUNNING:
        return Standing.TAKEN
    if len(queue.of(JobStatus.RUNNING)) >= queue.config.max_concurrent:
        return Standing.AT_CAPACITY
    return Standing.WAITING if queue.of(JobStatus.QUEUED) else Standing.NO_JOBS


def progress(queue: Queue, job_id: str, claim: str | None, process: Process | None, now: str) -> Queue:
    """A sign of life. With a process, that one is the job's from now on."""
    job = _running(queue, job_id, claim)
    seen = {"host": process.host, "pid": process.pid, "pid_start": process.pid_start} if process else {}
    return _replaced(queue, job, {"last_progress_at": now, **seen})


def done(queue: Queue, job_id: str, claim: str | None, run_id: str | None, now: str) -> Queue:
    """A job that was measured."""
    if _settled(queue, job_id, claim):
        return queue
    job = _running(queue, job_id, claim)
    return _replaced(queue, job, {**_ENDED, "status": JobStatus.DONE, "finished_at": now, "run_id": run_id, "last_error": None})


def fail(queue: Queue, job_id: str, claim: str | None, error: str, now: str, run_id: str | None = None) -> Queue:
    """A job of which nothing will come, and with a pilot all that wait for it."""
    if _settled(queue, job_id, claim):
        return queue
    job = _running(queue, job_id, claim)
    return _failed(queue, job, error, now, run_id)


def oom(queue: Queue, job_id: str, claim: str | None, now: str, run_id: str | None = None, said: str = "ran out of memory") -> Queue:
    """A job for which memory ran out: back to the end of the queue with half the batch, or failed where that cannot be."""
    if _settled(queue, job_id, claim):
        return queue
    job = _running(queue, job_id, claim)
    count, least, size = job.oom_count + 1, queue.min_batch(job), job.batch_size
    job = job.model_copy(update={"oom_count": count})
    if count > queue.oom_retries(job):
        return _failed(queue, job, f"{said} for the {_ordinal(count)} time", now, run_id)
    if size is None or size <= least:
        why = "has no batch to halve" if size is None else f"its batch of {size} cannot be halved, for the least is {least}"
        return _failed(queue, job, f"{said}, and {why}", now, run_id)
    halved = {"batch_size": max(least, size // 2), "full_batch": job.full_batch or size}
    return _requeued(queue, job, {**halved, "last_error": said[:500], "run_id": run_id})


def release(queue: Queue, job_id: str, claim: str, why: str) -> Queue:
    """A job whose worker was told to end: back to the head of the queue, and nothing is counted against it."""
    job = queue.claimed(claim)
    if job is None or job.job_id != job_id or job.status is not JobStatus.RUNNING:
        return queue
    back = job.model_copy(update={**_ENDED, "status": JobStatus.QUEUED, "started_at": None, "last_error": why[:500]})
    return _with(queue, (back, *(one for one in queue.jobs if one is not job)))


def sweep(queue: Queue, now: str, gone: Gone) -> Queue:
    """Put back what is stale: what showed no progress for too long, and whose process is gone."""
    for job in queue.of(JobStatus.RUNNING):
        if (over := overdue(queue, job, now)) or gone(job):
            queue = _stale(queue, job, "no progress for too long" if over else "its process is gone", now)
    return queue


def stale(queue: Queue, job_id: str, claim: str | None, why: str, now: str) -> Queue:
    """A job of which its own worker says that nothing moves any more."""
    if _settled(queue, job_id, claim):
        return queue
    return _stale(queue, _running(queue, job_id, claim), why, now)


def drop(queue: Queue, job_ids: Iterable[str]) -> Queue:
    """Without these jobs. Raises JobRunningError for one at work, UnknownJobError."""
    gone = set()
    for job_id in job_ids:
        job = require(queue, job_id)
        if job.status is JobStatus.RUNNING:
            raise JobRunningError(
                f"{job_id} is running on {job.host}.", hint=f"End it first, or: assay queue fail {job_id} --error dropped"
            )
        gone.add(job_id)
    orphans = (one.model_copy(update={"after": None}) if one.after in gone else one for one in queue.jobs)
    return _with(queue, tuple(one for one in orphans if one.job_id not in gone))


def overdue(queue: Queue, job: Job, now: str) -> bool:
    """Whether a running job has shown no progress for too long; before the first progress the time counts from its start."""
    since = job.last_progress_at or job.started_at
    return since is not None and (moment(now) - moment(since)).total_seconds() >= queue.config.stale_timeout_seconds


def require(queue: Queue, job_id: str) -> Job:
    """The job of that id. Raises UnknownJobError."""
    job = queue.job(job_id)
    if job is None:
        raise UnknownJobError(f"The queue has no job {job_id[:80]!r}.", hint="See `assay queue list`.")
    return job


_ENDED: dict[str, Any] = {"pid": None, "pid_start": None}


def _next(queue: Queue, held: Gone) -> Job | None:
    """The first of the highest priority among those that wait for nothing."""
    ready = {one.job_id for one in queue.of(JobStatus.DONE)}
    waiting = [one for one in queue.of(JobStatus.QUEUED) if (one.after is None or one.after in ready) and not held(one)]
    return max(waiting, key=lambda one: one.priority, default=None)


def _running(queue: Queue, job_id: str, claim: str | None) -> Job:
    job = require(queue, job_id)
    if claim is not None and job.claim != claim:
        hint = "What was measured is in the store all the same."
        raise ClaimLostError(f"{job_id} was taken from you: it is {job.status} now.", hint=hint)
    if job.status is not JobStatus.RUNNING:
        raise JobNotRunningError(f"{job_id} is {job.status}, not running.", hint="Take it first: assay queue take")
    return job


def _settled(queue: Queue, job_id: str, claim: str | None) -> bool:
    """Whether the move that a claim makes last was made already."""
    job = require(queue, job_id)
    return claim is not None and job.claim == claim and job.status is not JobStatus.RUNNING


def _stale(queue: Queue, job: Job, why: str, now: str) -> Queue:
    job = job.model_copy(update={"stale_count": job.stale_count + 1})
    if job.stale_count > queue.config.max_stale_retries:
        return _failed(queue, job, f"{why}, for the {_ordinal(job.stale_count)} time", now, None)
    return _requeued(queue, job, {"last_error": why[:500]})


def _requeued(queue: Queue, job: Job, update: dict[str, Any]) -> Queue:
    back = job.model_copy(update={**_ENDED, **update, "status": JobStatus.QUEUED, "retry_count": job.retry_count + 1, "started_at": None})
    return _with(queue, (*(one for one in queue.jobs if one.job_id != job.job_id), back))


def _failed(queue: Queue, job: Job, error: str, now: str, run_id: str | None) -> Queue:
    counts = {"oom_count": job.oom_count, "stale_count": job.stale_count, "last_error": error[:500], "run_id": run_id}
    queue = _replaced(queue, job, {**_ENDED, **counts, "status": JobStatus.FAILED, "finished_at": now})
    for one in queue.jobs:
        if one.after == job.job_id and one.status is JobStatus.QUEUED:
            queue = _failed(queue, one, f"its pilot {job.job_id} failed: {error}", now, None)
    return queue


def _replaced(queue: Queue, job: Job, update: dict[str, Any]) -> Queue:
    return _with(queue, tuple(one.model_copy(update=update) if one.job_id == job.job_id else one for one in queue.jobs))


def _with(queue: Queue, jobs: tuple[Job, ...]) -> Queue:
    return queue if jobs == queue.jobs else queue.model_copy(update={"jobs": jobs})


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third", 4: "fourth"}.get(number, f"{number}th")
