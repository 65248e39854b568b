"""What may become of a job, one move at a time."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.queues import a_job, a_queue, at

from assay.core.queue import moves
from assay.core.queue.model import Job, JobKind, JobStatus, Queue
from assay.core.queue.moves import Process, Standing
from assay.core.queue.refusals import ClaimLostError, DuplicateJobError, JobNotRunningError, JobRunningError, UnknownJobError

HERE = Process("here", 100, "start-100")


def taken(queue: Queue, claim: str = "c1", seconds: float = 0) -> Queue:
    return moves.take(queue, claim, HERE, at(seconds))


def running(**facts: Any) -> Queue:
    """A queue whose one job was taken at noon with the claim `c1`."""
    return taken(a_queue(a_job(**facts)))


def the(queue: Queue, name: str = "job-a") -> Job:
    job = queue.job(name)
    assert job is not None
    return job


def order(queue: Queue) -> list[str]:
    return [one.job_id for one in queue.of(JobStatus.QUEUED)]


def test_the_first_job_is_taken_and_bears_who_has_it() -> None:
    queue = taken(a_queue(a_job("one"), a_job("two")), seconds=5)
    job = the(queue, "one")
    assert (job.status, job.claim, job.host, job.pid, job.pid_start, job.started_at) == ("running", "c1", "here", 100, "start-100", at(5))
    assert (moves.standing(queue, "c1"), order(queue)) == (Standing.TAKEN, ["two"])


def test_priority_goes_before_the_order_and_the_order_decides_within_it() -> None:
    queue = a_queue(a_job("a"), a_job("b", priority=1), a_job("c", priority=1), max_concurrent=9)
    found = []
    for turn in range(3):
        queue = taken(queue, f"c{turn}")
        claimed = queue.claimed(f"c{turn}")
        assert claimed is not None
        found.append(claimed.job_id)
    assert found == ["b", "c", "a"]


def test_at_capacity_and_no_jobs_are_told_apart() -> None:
    full = taken(running(), "c2")
    assert moves.standing(full, "c2") is Standing.AT_CAPACITY
    empty = a_queue()
    assert moves.standing(taken(empty), "c1") is Standing.NO_JOBS
    wide = taken(a_queue(a_job("a"), max_concurrent=2))
    assert moves.standing(taken(wide, "c2"), "c2") is Standing.NO_JOBS


def test_a_job_waits_for_its_pilot_and_goes_down_with_it() -> None:
    both = a_queue(a_job("pilot", kind=JobKind.PILOT), a_job("full", after="pilot"), a_job("other"), max_concurrent=3)
    queue = taken(both)
    assert the(queue, "pilot").status is JobStatus.RUNNING
    queue = taken(queue, "c2")
    assert (the(queue, "other").status, the(queue, "full").status) == ("running", "queued")
    assert moves.standing(taken(queue, "c3"), "c3") is Standing.WAITING
    passed = taken(moves.done(queue, "pilot", "c1", None, at(9)), "c3")
    assert the(passed, "full").status is JobStatus.RUNNING
    failed = the(moves.fail(queue, "pilot", "c1", "no metric", at(9)), "full")
    assert (failed.status, failed.last_error) == ("failed", "its pilot pilot failed: no metric")


def test_memory_halves_the_batch_and_sends_the_job_to_the_end() -> None:
    queue = taken(a_queue(a_job(batch_size=128), a_job("next")))
    queue = moves.oom(queue, "job-a", "c1", at(3))
    job = the(queue)
    assert (job.status, job.batch_size, job.full_batch, job.retry_count, job.oom_count) == ("queued", 64, 128, 1, 1)
    assert (job.pid, job.started_at, job.enqueued_at, job.halved) == (None, None, at(0), True)
    assert order(queue) == ["next", "job-a"]


def test_the_fourth_time_out_of_memory_fails_the_job() -> None:
    queue, sizes = a_queue(a_job(batch_size=128)), []
    for turn in range(4):
        queue = moves.oom(taken(queue, f"c{turn}"), "job-a", f"c{turn}", at(turn))
        sizes.append(the(queue).batch_size)
    job = the(queue)
    assert sizes == [64, 32, 16, 16]
    assert (job.status, job.oom_count, job.last_error) == ("failed", 4, "ran out of memory for the fourth time")


@pytest.mark.parametrize(
    ("facts", "config", "said"),
    [
        ({"batch_size": 8, "min_batch": 8}, {}, "its batch of 8 cannot be halved, for the least is 8"),
        ({"batch_size": 1}, {}, "its batch of 1 cannot be halved, for the least is 1"),
        ({}, {}, "has no batch to halve"),
        ({"batch_size": 64}, {"min_batch_size": 64}, "its batch of 64 cannot be halved, for the least is 64"),
        ({"batch_size": 64, "oom_retries": 0}, {}, "ran out of memory for the first time"),
    ],
)
def test_a_job_that_cannot_shrink_fails_at_once(facts: dict[str, Any], config: dict[str, Any], said: str) -> None:
    queue = taken(a_queue(a_job(**facts), **config))
    job = the(moves.oom(queue, "job-a", "c1", at(1)))
    assert job.status is JobStatus.FAILED
    assert said in (job.last_error or "")


def test_the_queues_own_config_wins_over_the_benchmarks() -> None:
    job = a_job(batch_size=64, min_batch=8, oom_retries=0)
    queue = moves.oom(taken(a_queue(job, max_oom_retries=1, min_batch_size=40)), "job-a", "c1", at(1))
    assert (the(queue).status, the(queue).batch_size) == ("queued", 40)


def test_a_stale_job_is_put_back_so_often_and_no_more() -> None:
    queue = a_queue(a_job(), max_stale_retries=2, stale_timeout_seconds=10)
    counts = []
    for turn in range(4):
        queue = taken(queue, f"c{turn}", 20 * turn)
        counts.append((the(queue).status.value, the(queue).stale_count))
    assert counts == [("running", 0), ("running", 1), ("running", 2), ("failed", 3)]
    assert "for the third time" in (the(queue).last_error or "")


def test_progress_keeps_a_job_from_being_stale() -> None:
    queue = moves.progress(running(), "job-a", "c1", None, at(1799))
    assert not moves.overdue(queue, the(queue), at(1799 + 1799))
    assert moves.overdue(queue, the(queue), at(1799 + 1800))
    assert moves.overdue(running(), the(running()), at(1800))


def test_a_job_whose_process_is_gone_is_stale_at_once() -> None:
    queue = moves.take(running(), "c2", HERE, at(1), lambda job: job.pid == 100)
    assert (the(queue).claim, the(queue).stale_count, the(queue).status) == ("c2", 1, "running")


def test_whoever_lost_its_claim_can_say_no_more() -> None:
    queue = moves.take(running(), "c2", HERE, at(1), lambda _: True)
    late: tuple[Callable[[], Queue], ...] = (
        lambda: moves.done(queue, "job-a", "c1", None, at(2)),
        lambda: moves.fail(queue, "job-a", "c1", "no", at(2)),
        lambda: moves.oom(queue, "job-a", "c1", at(2)),
        lambda: moves.progress(queue, "job-a", "c1", None, at(2)),
        lambda: moves.stale(queue, "job-a", "c1", "silent", at(2)),
    )
    for move in late:
        with pytest.raises(ClaimLostError):
            move()


def test_the_same_move_again_changes_nothing() -> None:
    queue = taken(a_queue(a_job(batch_size=4), a_job("b"), max_concurrent=2))
    assert taken(queue) == queue
    each: tuple[Callable[[Queue], Queue], ...] = (
        lambda found: moves.oom(found, "job-a", "c1", at(1)),
        lambda found: moves.done(found, "job-a", "c1", None, at(1)),
        lambda found: moves.fail(found, "job-a", "c1", "no", at(1)),
        lambda found: moves.stale(found, "job-a", "c1", "silent", at(1)),
        lambda found: moves.release(found, "job-a", "c1", "told to end"),
        lambda found: moves.add(found, [a_job("new")]),
    )
    for moved in each:
        assert moved(moved(queue)) == moved(queue) != queue


def test_without_a_claim_only_a_running_job_can_be_reported_on() -> None:
    assert the(moves.done(running(), "job-a", None, None, at(1))).status is JobStatus.DONE
    with pytest.raises(JobNotRunningError):
        moves.done(a_queue(a_job()), "job-a", None, None, at(1))
    with pytest.raises(UnknownJobError):
        moves.oom(a_queue(), "job-a", None, at(1))


def test_a_job_that_was_let_go_is_the_next_and_nothing_is_counted() -> None:
    queue = moves.release(taken(a_queue(a_job(), a_job("b"))), "job-a", "c1", "told to end")
    assert order(queue) == ["job-a", "b"]
    assert (the(queue).retry_count, the(queue).stale_count, the(queue).started_at) == (0, 0, None)


def test_a_running_job_is_not_dropped_and_what_waits_for_a_dropped_pilot_no_longer_waits() -> None:
    queue = a_queue(a_job("pilot"), a_job("full", after="pilot"))
    dropped = moves.drop(queue, ["pilot"])
    assert [(one.job_id, one.after) for one in dropped.jobs] == [("full", None)]
    with pytest.raises(JobRunningError):
        moves.drop(running(), ["job-a"])


def test_an_id_that_another_job_has_is_refused() -> None:
    with pytest.raises(DuplicateJobError):
        moves.add(a_queue(a_job()), [a_job(enqueued_at=at(9))])


def ids(queue: Queue) -> list[str]:
    return [one.job_id for one in queue.jobs]


@pytest.mark.parametrize("status", [JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.FAILED])
def test_a_benchmark_that_has_a_job_at_a_commit_gets_no_second_unless_that_is_done(status: JobStatus) -> None:
    new = a_job("job-new", commit="a" * 40)
    there = a_job("job-old", commit="a" * 40, status=status, started_at=at(0))
    assert ids(moves.add_missing(a_queue(there), [new])) == ["job-old"]
    done = a_job("job-old", commit="a" * 40, status=JobStatus.DONE)
    assert ids(moves.add_missing(a_queue(done), [new])) == ["job-old", "job-new"]
    other = there.model_copy(update={"commit": "b" * 40})
    assert ids(moves.add_missing(a_queue(other), [new])) == ["job-old", "job-new"]
    special = there.model_copy(update={"command": "true"})
    assert ids(moves.add_missing(a_queue(special), [new])) == ["job-old", "job-new"]


def test_jobs_that_are_missing_are_added_whole_and_once() -> None:
    pilot, run = a_job("job-a", kind=JobKind.PILOT), a_job("job-b", after="job-a")
    queue = moves.add_missing(a_queue(), [pilot, run])
    assert ids(queue) == ["job-a", "job-b"]
    assert moves.add_missing(queue, [pilot, run]) == queue
