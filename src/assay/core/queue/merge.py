"""An edit by hand that began from an older state of the queue, put on top of what has happened since."""

from collections.abc import Iterable
from typing import Any

from assay.core.queue.model import Job, Queue, QueueConfig

_MOVES = frozenset(
    {
        *("status", "claim", "pid", "pid_start", "host", "started_at", "last_progress_at", "finished_at", "last_error", "run_id"),
        *("retry_count", "oom_count", "stale_count", "full_batch"),
    }
)
"""What workers write: where both sides have changed one of these, what a worker has seen counts."""


def merged(base: Queue, edited: Queue, ours: Queue) -> Queue:
    """The queue `ours` with what differs between `base` and `edited`.

    Neither side's jobs are lost: what one has added stays, and what a person has removed goes unless a worker has taken it
    meanwhile. The order is that of the edit, then what is new in ours.
    """
    before, now = _by_id(base.jobs), _by_id(ours.jobs)
    wanted = _by_id(edited.jobs)
    jobs: list[Job] = []
    for job_id, job in wanted.items():
        if job_id in now:
            jobs.append(_job(before.get(job_id, job), job, now[job_id]))
        elif job_id not in before:
            jobs.append(job)
    jobs += (job for job_id, job in now.items() if job_id not in wanted and (job_id not in before or job != before[job_id]))
    kept = {one.job_id for one in jobs}
    jobs += (pilot for pilot in now.values() if pilot.job_id not in kept and any(one.after == pilot.job_id for one in jobs))
    there = {one.job_id for one in jobs}
    jobs = [one if one.after in there else one.model_copy(update={"after": None}) for one in jobs]
    config = QueueConfig(**_fields(base.config, edited.config, ours.config))
    return ours.model_copy(update={"config": config, "jobs": tuple(jobs)})


def _job(base: Job, edited: Job, ours: Job) -> Job:
    return ours.model_copy(update=_fields(base, edited, ours))


def _fields(base: Any, edited: Any, ours: Any) -> dict[str, Any]:
    return {name: _field(name, *(getattr(one, name) for one in (base, edited, ours))) for name in type(ours).model_fields}


def _field(name: str, base: Any, edited: Any, ours: Any) -> Any:
    if edited == base or (name in _MOVES and ours != base):
        return ours
    if ours != base and all(isinstance(one, dict) for one in (base, edited, ours)):
        return _members(base, edited, ours)
    return edited


def _members(base: dict[str, Any], edited: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Two changes of one object, key by key, so that two notes of one moment both stay."""
    absent = object()
    wanted = {name: _field("", *(one.get(name, absent) for one in (base, edited, ours))) for name in {**ours, **edited}}
    return {name: value for name, value in wanted.items() if value is not absent}


def _by_id(jobs: Iterable[Job]) -> dict[str, Job]:
    return {one.job_id: one for one in jobs}
