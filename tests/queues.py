"""Jobs and queues that tests begin with."""

from datetime import UTC, datetime, timedelta
from typing import Any

from assay.core.queue.model import SCHEMA, Job, Queue, QueueConfig
from assay.core.timestamp import stamp

_BEGIN = datetime(2025, 3, 1, 12, tzinfo=UTC)


def at(seconds: float) -> str:
    """A time, so many seconds after noon."""
    return stamp(_BEGIN + timedelta(seconds=seconds))


def a_job(name: str = "job-a", **facts: Any) -> Job:
    """A queued job of the benchmark `bench`."""
    return Job(**{"job_id": name, "benchmark": "bench", "enqueued_at": at(0), **facts})


def a_queue(*jobs: Job, **config: Any) -> Queue:
    """A queue of these jobs, with this of its config."""
    return Queue(schema=SCHEMA, config=QueueConfig(**config), jobs=jobs)
