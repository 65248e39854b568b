"""The queue as JSON and as text."""

from collections.abc import Iterable
from typing import Any

from assay.core.queue.measured import Attempt
from assay.core.queue.model import Job, JobKind, JobStatus, Queue
from assay.core.queue.moves import Standing
from assay.core.terminal_text import shown

_WIDTH = 160

STANDING_WORDS = {
    Standing.AT_CAPACITY: "as many jobs run as may at a time",
    Standing.WAITING: "what is left cannot begin yet, since it waits for a pilot, for a grant or for another machine",
    Standing.NO_JOBS: "no job is queued",
}
"""Why a worker left that measured nothing, and so has taken nothing."""


def job_json(job: Job) -> dict[str, Any]:
    """A job as the file has it."""
    return job.model_dump(mode="json")


def queue_json(queue: Queue, jobs: Iterable[Job]) -> dict[str, Any]:
    """The queue with these of its jobs."""
    counts = {status.value: len(queue.of(status)) for status in JobStatus}
    config = queue.config.model_dump(mode="json")
    return {"revision": queue.revision, "config": config, "counts": counts, "jobs": [job_json(one) for one in jobs]}


def queue_text(queue: Queue, jobs: Iterable[Job]) -> str:
    """A line for each job, and one about all of them."""
    rows = [job_line(one) for one in jobs]
    counts = ", ".join(f"{len(queue.of(status))} {status}" for status in JobStatus if queue.of(status)) or "nothing"
    at_a_time = queue.config.max_concurrent
    return "\n".join([*rows, f"The queue has {counts}; at most {at_a_time} run{'s' if at_a_time == 1 else ''} at a time."])


def job_line(job: Job) -> str:
    """One job in one line, safe for a terminal."""
    seed = "all seeds" if job.seed is None else f"seed {job.seed}"
    facts = [job.benchmark, *(["pilot"] if job.kind is JobKind.PILOT else []), seed, (job.commit or "HEAD")[:10]]
    facts += [f"{name}={value}" for name, value in sorted(job.parameters.items())]
    facts += [f"batch {job.batch_size}" + (f" of {job.full_batch}" if job.halved else "")] if job.batch_size else []
    facts += [f"on {job.host}"] if job.status is JobStatus.RUNNING else []
    facts += [f"retry {job.retry_count}"] if job.retry_count else []
    facts += [job.run_id] if job.run_id and job.status is JobStatus.DONE else []
    facts += [job.last_error] if job.last_error and job.status is not JobStatus.DONE else []
    return shown(f"{job.status.value:8}{job.job_id}  {', '.join(facts)}", _WIDTH)


def attempt_json(one: Attempt) -> dict[str, Any]:
    """What one attempt came to."""
    return {
        "job_id": one.job_id,
        "benchmark": one.benchmark,
        "status": one.status.value,
        "run_id": one.run_id,
        "cause": one.cause.value if one.cause else None,
        "detail": one.detail,
        "values": dict(one.values),
    }


def attempt_line(one: Attempt) -> str:
    """The same in one line."""
    numbers = ", ".join(f"{name}={value:g}" for name, value in list(one.values.items())[:4])
    said = numbers or one.detail
    again = " (again)" if one.status is JobStatus.QUEUED else ""
    return shown(f"{one.status.value:8}{one.job_id}  {one.benchmark}{again}: {said}", _WIDTH)
