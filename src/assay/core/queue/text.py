"""`queue.json` as text: read strictly, with the line of what is wrong, and written in one form."""

import json
from collections import Counter

from pydantic import ValidationError

from assay.core.canonical import loads, pretty
from assay.core.queue.model import Job, Queue
from assay.core.queue.places import line_of, repeated_key
from assay.core.queue.refusals import BadQueueError

MAX_JOBS = 10_000
_HINT = "Mend that line, or take the file away to begin with an empty queue. Nothing was written."


def queue_of(text: str, name: str) -> Queue:
    """The queue that a file holds. Raises BadQueueError, which names the file and the line, for anything else."""
    try:
        members = json.loads(text)
    except json.JSONDecodeError as error:
        raise _bad(name, error.lineno, f"no JSON: {error.msg}") from error
    except RecursionError as error:
        raise _bad(name, 1, "nested too deeply") from error
    except ValueError as error:
        raise _bad(name, 1, "a number of more digits than can be read") from error
    if repeated := repeated_key(text):
        raise _bad(name, repeated[1], f"the key {repeated[0][:60]!r} stands twice")
    if not isinstance(members, dict):
        raise _bad(name, 1, "a queue is an object with `schema`, `config` and `jobs`")
    try:
        loads(text)  # NaN is no number
        queue = Queue.model_validate_json(text)
    except ValidationError as error:
        raise _invalid(name, text, error) from error
    except ValueError as error:
        raise _bad(name, 1, str(error)) from error
    _check_jobs(queue, name, text)
    return queue


def text_of(queue: Queue) -> str:
    """The content of the file. Half characters, which a JSON escape can hold, become question marks."""
    text = f"{pretty(queue.model_dump(mode='json', by_alias=True))}\n"
    return text.encode("utf-8", "replace").decode()


def _check_jobs(queue: Queue, name: str, text: str) -> None:
    if len(queue.jobs) > MAX_JOBS:
        raise _bad(name, line_of(text, ("jobs", MAX_JOBS)), f"more than {MAX_JOBS} jobs")
    counts = Counter(one.job_id for one in queue.jobs)
    last: dict[str, int] = {one.job_id: index for index, one in enumerate(queue.jobs)}
    for index, job in enumerate(queue.jobs):
        if counts[job.job_id] > 1:
            where = line_of(text, ("jobs", last[job.job_id], "job_id"))
            raise _bad(name, where, f"the id {job.job_id!r} belongs to another job already")
        if job.after is not None and job.after not in counts:
            raise _bad(name, line_of(text, ("jobs", index, "after")), f"there is no job {job.after!r} to wait for")
        if _waits_for_itself(job, queue):
            raise _bad(name, line_of(text, ("jobs", index, "after")), f"{job.job_id!r} would wait for itself")


def _waits_for_itself(job: Job, queue: Queue) -> bool:
    """Whether what it waits for, and what that waits for, leads back to it."""
    waits = {one.job_id: one.after for one in queue.jobs if one.after is not None}
    at, steps = waits.get(job.job_id), 0
    while at is not None and at != job.job_id and steps < len(waits):
        at, steps = waits.get(at), steps + 1
    return at == job.job_id


def _invalid(name: str, text: str, error: ValidationError) -> BadQueueError:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return _bad(name, line_of(text, first["loc"]), f"{place[:120]}: {said}" if place else said)


def _bad(name: str, line: int, problem: str) -> BadQueueError:
    return BadQueueError(f"{name}:{line}: {problem}.", hint=_HINT)
