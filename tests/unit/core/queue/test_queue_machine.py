"""The queue held against a model, with workers that die, report late and repeat themselves."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.queues import a_job, a_queue, at

from assay.core.queue import moves
from assay.core.queue.model import Job, JobStatus
from assay.core.queue.moves import Process, Standing
from assay.core.queue.refusals import ClaimLostError, JobNotRunningError
from assay.core.queue.text import queue_of, text_of

STALE_S = 100.0


class QueueMachine(RuleBasedStateMachine):
    """`workers` are the claims that somebody believes to hold, by job; `ended` counts how each job has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = a_queue(max_concurrent=2, max_stale_retries=2, stale_timeout_seconds=STALE_S)
        self.now = 0.0
        self.made = 0
        self.workers: dict[str, str] = {}
        self.dead: set[int] = set()
        self.ended: Counter[str] = Counter()

    @rule(count=st.integers(1, 3), batch=st.sampled_from([None, 1, 8, 128]), priority=st.integers(-1, 1))
    def add(self, count: int, batch: int | None, priority: int) -> None:
        jobs = [a_job(f"job-{self.made + one}", batch_size=batch, priority=priority) for one in range(count)]
        self.made += count
        self.queue = moves.add(self.queue, jobs)

    @rule(seconds=st.sampled_from([1.0, 30.0, STALE_S]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(twice=st.booleans())
    def take(self, twice: bool) -> None:
        self.made += 1
        claim, pid = f"clm-{self.made}", self.made
        before = {one.job_id for one in self.queue.of(JobStatus.FAILED)}
        for _ in range(1 + twice):
            self.queue = moves.take(self.queue, claim, Process("here", pid, "s"), at(self.now), lambda job: job.pid in self.dead)
        self.ended.update({one.job_id for one in self.queue.of(JobStatus.FAILED)} - before)
        standing, job = moves.standing(self.queue, claim), self.queue.claimed(claim)
        assert (standing is Standing.TAKEN) == (job is not None)
        if job is not None:
            self.workers[claim] = job.job_id
            queued = self.queue.of(JobStatus.QUEUED)
            assert all(one.priority <= job.priority for one in queued)
        elif standing is Standing.NO_JOBS:
            assert not self.queue.of(JobStatus.QUEUED)

    @precondition(lambda self: self.workers)
    @rule(data=st.data(), how=st.sampled_from(["done", "fail", "oom", "progress", "stale", "release", "die"]), twice=st.booleans())
    def report(self, data: st.DataObject, how: str, twice: bool) -> None:
        claim = data.draw(st.sampled_from(sorted(self.workers)))
        job = self.queue.job(self.workers[claim])
        assert job is not None
        held = job.claim == claim and job.status is JobStatus.RUNNING
        if how == "die":
            self.dead.add(job.pid or 0)
            del self.workers[claim]
            return
        try:
            for _ in range(1 + (twice and how != "progress")):
                self._move(how, job.job_id, claim)
        except (ClaimLostError, JobNotRunningError):
            assert not held
            return
        after = self.queue.job(job.job_id)
        assert after is not None
        if how != "progress":
            del self.workers[claim]
        if held and not after.open:
            self.ended[job.job_id] += 1
        if held and how == "oom" and after.open:
            assert (after.batch_size or 0) < (job.batch_size or 0)

    def _move(self, how: str, job_id: str, claim: str) -> None:
        now = at(self.now)
        self.queue = {
            "done": lambda: moves.done(self.queue, job_id, claim, None, now),
            "fail": lambda: moves.fail(self.queue, job_id, claim, "crashed", now),
            "oom": lambda: moves.oom(self.queue, job_id, claim, now),
            "progress": lambda: moves.progress(self.queue, job_id, claim, None, now),
            "stale": lambda: moves.stale(self.queue, job_id, claim, "silent", now),
            "release": lambda: moves.release(self.queue, job_id, claim, "told to end"),
        }[how]()

    @invariant()
    def no_more_run_than_may(self) -> None:
        assert len(self.queue.of(JobStatus.RUNNING)) <= self.queue.config.max_concurrent

    @invariant()
    def no_job_is_lost_or_doubled(self) -> None:
        names = [one.job_id for one in self.queue.jobs]
        assert len(names) == len(set(names))
        assert all(count == 1 for count in self.ended.values())
        assert self.ended.keys() == {one.job_id for one in self.queue.jobs if not one.open}

    @invariant()
    def limits_hold(self) -> None:
        for job in self.queue.jobs:
            assert job.stale_count <= self.queue.config.max_stale_retries + 1
            assert job.oom_count <= self.queue.oom_retries(job) + 1
            assert self._adds_up(job)

    def _adds_up(self, job: Job) -> bool:
        ended_by_count = job.status is JobStatus.FAILED
        return 0 <= job.oom_count + job.stale_count - job.retry_count <= ended_by_count

    @invariant()
    def it_can_be_written_and_read(self) -> None:
        assert queue_of(text_of(self.queue), "queue.json") == self.queue


TestQueueMachine = QueueMachine.TestCase
TestQueueMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
