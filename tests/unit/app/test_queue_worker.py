"""The worker of the queue over fakes: what becomes of a job for each way its run can go."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from tests.fakes.journal import FakeJournals
from tests.fakes.queue import FakeQueue, FakeWorkplace
from tests.fakes.runner import FakeHandle, completed
from tests.houses import HEAD, Lab, Script, config
from tests.queues import a_job, a_queue

from assay.app.queue_attempt import Workshop
from assay.app.queue_work import Patience, Worked, work
from assay.core.config import Config
from assay.core.envelope import RunStatus
from assay.core.model import Cause, Completed, Side
from assay.core.process import Heartbeat, ProcessRequest
from assay.core.queue import moves
from assay.core.queue.measured import exit_code
from assay.core.queue.model import Job, JobKind, JobStatus
from assay.core.queue.moves import Process, Standing
from assay.errors import CancelledError, InfrastructureError
from assay.ports import Runner

ONCE = Patience(wait=False)
LOSS = Script({}, {"loss": [90]})


@dataclass
class FakeWatched:
    """Satisfies `queue_ports.WatchedRunner`; gives one sign of life before each process."""

    runner: Runner
    beat: Callable[[], bool]
    silent: bool = False

    def submit(
        self,
        request: ProcessRequest,
        on_progress: Callable[[Heartbeat], None] | None = None,
        before_start: Callable[[], None] | None = None,
    ) -> FakeHandle:
        handle = self.runner.submit(request, on_progress, before_start)
        assert isinstance(handle, FakeHandle)
        if not self.beat():
            handle.cancel()
        return handle


@dataclass
class Shop:
    """A workshop of fakes."""

    book: FakeQueue
    config: Config = field(default_factory=config)
    lab: Lab = field(default_factory=Lab)
    place: FakeWorkplace = field(default_factory=FakeWorkplace)
    silent: bool = False
    journals: FakeJournals = field(default_factory=FakeJournals)

    def work(self, script: Script = LOSS, patience: Patience = ONCE) -> Worked:
        house = self.lab.house(script)
        shop = Workshop(
            book=self.book,
            workplace=self.place,
            config=self.config,
            house=house,
            watched=lambda beat, *_: FakeWatched(house.runner, beat, self.silent),
            in_house=lambda runner: replace(house, runner=runner),
            record=self.lab.record,
            journals=self.journals,
        )
        return work(shop, patience)

    def job(self, name: str = "job-a") -> Job:
        found = self.book.queue.job(name)
        assert found is not None
        return found


def shop(*jobs: Job, given: Config | None = None, **of_queue: float) -> Shop:
    return Shop(FakeQueue(a_queue(*jobs, **of_queue)), given or config())


def crash(**facts: object) -> Callable[[int], Completed]:
    return lambda _: completed(exit_code=1, **facts)  # type: ignore[arg-type]


def ending(end: Callable[[int], Completed | None]) -> Script:
    return Script({}, {"loss": [90]}, ends={("./bench", Side.HEAD): end})


def test_jobs_are_measured_one_after_the_other_and_their_runs_stored() -> None:
    one = shop(a_job("a"), a_job("b"))
    worked = one.work()
    assert [(attempt.job_id, attempt.status, dict(attempt.values)) for attempt in worked.attempts] == [
        ("a", JobStatus.DONE, {"loss": 90}),
        ("b", JobStatus.DONE, {"loss": 90}),
    ]
    assert (worked.last, worked.due, exit_code(worked.attempts, due=worked.due)) == (Standing.NO_JOBS, True, 0)
    stored = {run.run_id: run for run in one.lab.store.stored.values()}
    assert {one.job(name).run_id for name in "ab"} == set(stored)
    for run in stored.values():
        assert (run.commit, run.base, run.status, len(run.samples)) == (HEAD, None, RunStatus.COMPLETE, 4)


def test_nothing_to_do_is_no_failure_and_a_full_queue_is_no_measurement() -> None:
    idle = shop().work()
    assert (idle.due, exit_code(idle.attempts, due=idle.due)) == (False, 0)
    busy = shop(a_job("a"), a_job("b"))
    busy.book.change(lambda queue: moves.take(queue, "other", Process("elsewhere", 1, "s"), "2025-03-01T12:00:00.000Z"))
    worked = busy.work()
    assert (worked.last, exit_code(worked.attempts, due=worked.due)) == (Standing.AT_CAPACITY, 3)


def test_a_run_of_one_seed_is_that_of_the_job() -> None:
    given = config("run: ./bench {seed} {batch} {lr}", "seeds: [1, 2]", "batch: {size: 8}", "warmup: 0")
    one = shop(a_job(seed=2, batch_size=4, parameters={"lr": "0.1"}), given=given)
    one.work()
    assert one.lab.commands == [("head", "./bench 2 4 0.1")]
    (run,) = one.lab.store.stored.values()
    assert (run.seeds, run.batch, run.command, [sample.seed for sample in run.samples]) == ((2,), 4, "./bench {seed} {batch} 0.1", [2])


def test_the_last_seed_brings_the_run_of_all_seeds() -> None:
    given = config("run: ./bench {seed}", "seeds: [1, 2]", "warmup: 0")
    one = shop(a_job("a", seed=2), a_job("b", seed=1), given=given)
    one.work()
    runs = list(one.lab.store.stored.values())
    (whole,) = [run for run in runs if run.seeds == (1, 2)]
    assert len(runs) == 3
    assert [(sample.seed, sample.order) for sample in whole.samples] == [(1, 0), (2, 1)]
    fresh = Lab()
    fresh.bench(Script({"loss": [90]}, {"loss": [90]}), given)
    measured = next(run for run in fresh.store.stored.values() if run.commit == HEAD)
    assert (whole.config.hash, whole.status) == (measured.config.hash, RunStatus.COMPLETE)


def test_out_of_memory_halves_the_batch_and_what_comes_of_it_is_degraded() -> None:
    given = config("run: ./bench {batch}", "batch: {size: 8}", "warmup: 0")
    one = shop(a_job(batch_size=8), given=given)
    script = Script({}, {"loss": [90]}, ends={("./bench 8", Side.HEAD): crash(cause=Cause.OUT_OF_MEMORY)})
    worked = one.work(script)
    assert [attempt.status for attempt in worked.attempts] == ["queued", "done"]
    assert exit_code(worked.attempts, due=True) == 0
    runs = {run.batch: run for run in one.lab.store.stored.values()}
    assert (runs[8].status, runs[8].cause) == (RunStatus.ERRORED, Cause.OUT_OF_MEMORY)
    assert (runs[4].status, runs[4].detail) == (RunStatus.DEGRADED, "memory ran out, so the batch was 4 instead of 8")


def test_a_metric_that_does_not_depend_on_the_batch_is_as_good_with_half() -> None:
    given = config("run: ./bench {batch}", "batch: {size: 8, invariant: true}", "warmup: 0")
    full = shop(a_job(batch_size=8), given=given)
    full.work()
    halved = shop(a_job(batch_size=4, full_batch=8), given=given)
    halved.work()
    (whole,), (half,) = full.lab.store.stored.values(), halved.lab.store.stored.values()
    assert (half.status, half.batch, half.config.hash) == (RunStatus.COMPLETE, 4, whole.config.hash)


def test_a_crash_fails_the_job_and_its_run_is_stored() -> None:
    one = shop(a_job("a"), a_job("b"))
    worked = one.work(ending(lambda turn: completed(exit_code=3) if turn == 0 else None))
    assert [attempt.status for attempt in worked.attempts] == ["failed", "done"]
    assert exit_code(worked.attempts, due=True) == 1
    assert (one.job("a").last_error, one.job("a").run_id) != (None, None)
    assert sorted(run.status for run in one.lab.store.stored.values()) == [RunStatus.COMPLETE, RunStatus.ERRORED]


def test_a_run_without_its_metric_is_a_failure() -> None:
    one = shop(a_job())
    one.work(ending(lambda _: completed("done\n")))
    assert one.job().status is JobStatus.FAILED
    assert "printed no metric loss" in (one.job().last_error or "")


def test_a_silent_process_is_stale_and_tried_again_so_often() -> None:
    one = shop(a_job(), max_stale_retries=1)
    one.silent = True
    worked = one.work(ending(crash(cause=Cause.CANCELLED)))
    assert [attempt.status for attempt in worked.attempts] == ["queued", "failed"]
    assert one.job().stale_count == 2


@pytest.mark.parametrize(
    ("facts", "said"),
    [({"benchmark": "nobody"}, 'no benchmark "nobody"'), ({"commit": "c" * 40}, "c" * 40)],
)
def test_a_job_that_cannot_be_run_here_fails_and_the_next_is_taken(facts: dict[str, str], said: str) -> None:
    one = shop(a_job("a", **facts), a_job("b"))
    worked = one.work()
    assert [attempt.status for attempt in worked.attempts] == ["failed", "done"]
    assert said in (one.job("a").last_error or "")


def test_a_pilot_runs_once_and_smaller_and_the_full_runs_after_it() -> None:
    given = config("pilot: {run: ./pilot}", "warmup: 0")
    one = shop(a_job("p", kind=JobKind.PILOT), a_job("a", after="p"), a_job("b", after="p"), given=given)
    one.work()
    commands = [command for _, command in one.lab.commands]
    assert (commands[0], commands.count("./pilot")) == ("./pilot", 1)
    statuses = {run.run_id: run.status for run in one.lab.store.stored.values()}
    assert [statuses[one.job(name).run_id or ""] for name in "pab"] == [RunStatus.DEGRADED, RunStatus.COMPLETE, RunStatus.COMPLETE]


def test_full_runs_fall_with_their_pilot_and_never_start() -> None:
    given = config("pilot: {run: ./pilot}")
    one = shop(a_job("p", kind=JobKind.PILOT), a_job("a", after="p"), given=given)
    worked = one.work(Script({}, {"loss": [90]}, ends={("./pilot", Side.HEAD): lambda _: completed("nothing\n")}))
    assert [command for _, command in one.lab.commands] == ["./pilot"]
    assert (one.job("a").status, len(worked.attempts)) == (JobStatus.FAILED, 1)


def test_a_job_without_a_pilot_before_it_runs_the_pilot_by_itself() -> None:
    one = shop(a_job(), given=config("pilot: {run: ./pilot}"))
    one.work()
    assert one.lab.commands[0] == ("head", "./pilot")


def test_who_is_told_to_end_puts_the_job_back_and_stores_what_there_is() -> None:
    one = shop(a_job("a"), a_job("b"))

    def interrupted(turn: int) -> Completed | None:
        if turn == 2:
            raise CancelledError("Cancelled by SIGTERM.")
        return None

    with pytest.raises(CancelledError):
        one.work(ending(interrupted))
    assert (one.job("a").status, one.job("a").retry_count) == (JobStatus.QUEUED, 0)
    assert [job.job_id for job in one.book.queue.jobs] == ["a", "b"]
    (run,) = one.lab.store.stored.values()
    assert (run.status, len(run.samples)) == (RunStatus.CANCELLED, 1)


def test_a_disk_that_refuses_ends_the_worker_and_the_job_goes_back_so_often() -> None:
    one = shop(a_job(), max_stale_retries=0)
    with pytest.raises(InfrastructureError):
        one.work(ending(lambda _: (_ for _ in ()).throw(InfrastructureError("the disk is full"))))
    assert one.job().status is JobStatus.FAILED


def test_a_job_that_was_taken_away_is_left_alone_and_its_run_is_stored() -> None:
    one = shop(a_job())

    def taken_away(_: int) -> None:
        one.book.queue = moves.take(one.book.queue, "other", Process("there", 1, "s"), "2025-03-01T12:00:00.000Z", lambda _: True)

    one.work(ending(taken_away), Patience(jobs=1))
    assert (one.job().claim, one.job().status) == ("other", JobStatus.RUNNING)
    assert len(one.lab.store.stored) == 1
    assert any("taken from you" in str(event) for event in one.lab.observer.events)


def test_a_worker_that_stays_waits_for_jobs_to_come() -> None:
    one = shop()
    pauses: list[float] = []

    def paused(seconds: float) -> None:
        pauses.append(seconds)
        one.book.change(lambda queue: moves.add(queue, [a_job()]))

    one.place.paused = paused
    worked = one.work(patience=Patience(jobs=1, stay=True))
    assert (len(worked.attempts), len(pauses)) == (1, 1)
    assert 0 < pauses[0] < math.inf


def test_a_silent_process_of_this_box_is_ended_before_its_job_is_given_away() -> None:
    one = shop(a_job(), stale_timeout_seconds=10)
    one.book.queue = moves.take(one.book.queue, "old", Process("here", 7, "s"), "2025-03-01T11:00:00.000Z")
    one.work()
    assert one.place.ended == ["job-a"]
    assert (one.job().status, one.job().stale_count) == (JobStatus.DONE, 1)


def test_what_the_store_does_not_take_stays_in_the_journal_and_is_stored_by_a_later_worker() -> None:
    one = shop(a_job())
    one.lab.store.refuses = "the disk is full"
    one.work()
    (kept,) = one.journals.own.ended.values()
    assert one.lab.store.stored == {}
    one.lab.store.refuses = ""
    one.journals.orphans.append(kept)
    one.work()
    (stored,) = one.lab.store.stored.values()
    assert (stored.run_id, stored.status, stored.samples) == (kept.run_id, RunStatus.PARTIAL, kept.samples)


def test_a_job_that_belongs_on_another_machine_is_left_alone() -> None:
    one = shop(a_job(benchmark="bench"), given=config("machine: lab", top=["machines: {lab: {runner: slurm}}"]))
    worked = one.work()
    assert (worked.attempts, worked.last, exit_code((), due=worked.due)) == ((), Standing.WAITING, 3)
    assert any("belongs on lab" in text for text in one.lab.observer.remarks)


def test_a_worker_that_came_too_late_for_any_job_has_nothing_to_answer_for() -> None:
    one = shop(a_job("a"))
    one.book.change(lambda queue: moves.take(queue, "other", Process("elsewhere", 1, "s"), "2025-03-01T12:00:00.000Z"))

    def ended(_: float) -> None:
        one.book.change(lambda queue: moves.done(queue, "a", "other", None, "2025-03-01T12:00:01.000Z"))

    one.place.paused = ended
    worked = one.work(patience=Patience())
    assert (worked.attempts, worked.due, exit_code(worked.attempts, due=worked.owed)) == ((), True, 0)
