"""A queue without a disk, and a box without processes."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.core.queue.model import SCHEMA, Job, Queue
from assay.core.queue.moves import Process


@dataclass
class FakeQueue:
    """Satisfies `queue_ports.QueueBook`. Each change is asked for twice, as a store does that cannot tell whether it was understood."""

    queue: Queue = field(default_factory=lambda: Queue(schema=SCHEMA))

    def read(self) -> Queue:
        return self.queue

    def change(self, edit: Callable[[Queue], Queue]) -> Queue:
        self.queue = edit(edit(self.queue))
        return self.queue


@dataclass
class FakeWorkplace:
    """Satisfies `queue_ports.Workplace`: a box on which the processes of `dead` have ended. `paused` is called for each pause."""

    host: str = "here"
    pid: int = 100
    dead: set[int] = field(default_factory=set)
    ended: list[str] = field(default_factory=list)
    paused: Callable[[float], None] = lambda _: None

    def process(self, pid: int | None = None) -> Process:
        return Process(self.host, pid or self.pid, f"start-{pid or self.pid}")

    def gone(self, job: Job) -> bool:
        return job.host == self.host and job.pid in self.dead

    def end(self, job: Job) -> bool:
        if job.host != self.host or job.pid in self.dead:
            return False
        self.ended.append(job.job_id)
        return True

    def pause(self, seconds: float) -> None:
        self.paused(seconds)
