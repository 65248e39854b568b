"""One taking of a job by a worker: measure it in a worktree of its own, store the run, and say to the queue what came of it."""

import math
from collections.abc import Callable, Iterable
from functools import partial

from assay.app.attempts_log import Campaign, Tried, base_of, diagnosis_of, touched_by
from assay.app.check import choose
from assay.app.commits import Commits
from assay.app.house import House
from assay.app.measure import Task, measure_alone
from assay.core.attempts.crisis import crisis_report
from assay.core.attempts.entry import AttemptResult
from assay.core.config import Benchmark, Config
from assay.core.effects import Effect, RecordRun, WriteReport
from assay.core.envelope import Run, RunStatus
from assay.core.events import BenchmarkStarted, Remark
from assay.core.model import UNKNOWN, Cause, Trust
from assay.core.queue import moves
from assay.core.queue.belonging import elsewhere
from assay.core.queue.gathering import gathered, siblings
from assay.core.queue.measured import Attempt, benchmark_of, stored_run
from assay.core.queue.model import Job, JobKind, JobStatus, Queue
from assay.core.queue.refusals import ClaimLostError, QueueError, UnknownJobError
from assay.core.salvage import LOST
from assay.core.timestamp import stamp
from assay.core.values import dataclass
from assay.errors import CancelledError, InfrastructureError, UsageError
from assay.queue_ports import Journals, QueueBook, WatchedRunner, Workplace

SHORTEST_BEAT_S = 0.2
BEATS = 6
"""So many signs of life are given in the time after which a job is stale."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What the command hands to the worker. `watched` makes a runner that gives signs of life and ends what is silent for too long.

    `house` builds the house of one job around such a runner. `here` is the machine of the config that this is, if somebody said so.
    """

    book: QueueBook
    workplace: Workplace
    config: Config
    house: House
    watched: Callable[[Callable[[], bool], float, float], WatchedRunner]
    in_house: Callable[[WatchedRunner], House]
    record: Callable[[Iterable[Effect]], tuple[str, ...]]
    journals: Journals
    here: str | None = None

    def now(self) -> str:
        return stamp(self.house.clock.now())

    @property
    def campaign(self) -> Campaign:
        """The attempts that the queue counts."""
        return Campaign(self.house.store, self.house.clock, self.config)

    def rescue(self) -> None:
        """Store what workers had measured that were killed. It is no clean evidence, for none of them has answered for it."""
        for run in self.journals.left():
            if run.processes and self.house.store.find_run(run.run_id) is None:
                status = RunStatus.PARTIAL if run.clean else run.status
                self.keep(run.model_copy(update={"fingerprints": UNKNOWN, "status": status, "detail": run.detail or LOST}))
                self.house.observer.note(Remark(f"{run.run_id} of {run.benchmark} is stored: the worker that measured it was killed."))

    def keep(self, run: Run) -> None:
        """Store a run, and forget its journal. What the store does not take stays there whole, for the next worker."""
        problems = self.record([RecordRun(run)])
        for problem in problems:
            self.house.observer.note(Remark(problem))
        if problems:
            self.journals.own.end(run)
        else:
            self.journals.own.forget([run.run_id])

    def elsewhere(self) -> frozenset[str]:
        """The benchmarks that belong on another machine. Those of them that are queued are told."""
        found = elsewhere(self.config, self.here, self.house.machine.facts)
        queued = {one.benchmark for one in self.book.read().of(JobStatus.QUEUED)}
        for name in sorted(queued & found.keys()):
            self.house.observer.note(Remark(f"Jobs of {name} are left alone: {found[name]}."))
        return frozenset(found)

    def stopped(self) -> frozenset[str]:
        """The benchmarks that a person has to let go on."""
        if self.config.attempts is None:
            return frozenset()
        return frozenset(name for name, one in self.config.benchmarks.items() if self.campaign.refusal(one))


class JobAttempt:
    """The work on one job that was taken."""

    def __init__(self, shop: Workshop, queue: Queue, job: Job, claim: str) -> None:
        self.shop = shop
        self.queue = queue
        self.job = job
        self.claim = claim
        self.run: Run | None = None

    def carry_out(self) -> Attempt:
        """Measure, store, report. Whatever ends it, the job is not left behind as running."""
        job, shop = self.job, self.shop
        shop.house.observer.note(BenchmarkStarted(job.benchmark, 1, 1))
        stale_s = self.queue.config.stale_timeout_seconds
        runner = shop.watched(self._beat, max(SHORTEST_BEAT_S, stale_s / BEATS), stale_s)
        try:
            run = self._measured(runner)
        except CancelledError:
            self._report(lambda queue: moves.release(queue, job.job_id, self.claim, "its worker was told to end"))
            raise
        except UsageError as error:
            return self._ended(Cause.NOT_STARTED, error.message, self._fail(error.message))
        except InfrastructureError as error:
            why = error.message
            self._report(lambda queue: moves.stale(queue, job.job_id, self.claim, why, shop.now()))
            raise
        return self._judged(run, silent=runner.silent)

    def _measured(self, runner: WatchedRunner) -> Run:
        shop, job = self.shop, self.job
        (configured,) = choose(shop.config, (job.benchmark,))
        commit = shop.house.repo.resolve(job.commit or "HEAD")
        measure_alone(shop.in_house(runner), self._task(configured, commit), partial(self._keep, configured))
        if self.run is None:
            raise InfrastructureError(f"Nothing was stored of the job {job.job_id}.", hint="Run the worker again.")
        return self.run

    def _task(self, configured: Benchmark, commit: str) -> Task:
        house = self.shop.house
        return Task(
            benchmark=benchmark_of(self.job, configured),
            ignore=self.shop.config.ignore,
            run_id=house.clock.new_id("run"),
            trust=Trust.MEMBER,
            commits=Commits(commit, commit, None),
            alpha=self.shop.config.policy.alpha,
            end=math.inf,
            better=None,
            reproduce=f"assay queue add --benchmark {self.job.benchmark} --baseline {commit}",
            user_tree_dirty=house.repo.is_dirty(),
            earlier=partial(house.store.recent, self.job.benchmark),
            piloted=self.job.kind is JobKind.PILOT or self.job.after is not None,
            journal=self.shop.journals.own,
        )

    def _keep(self, configured: Benchmark, run: Run) -> None:
        self.run = stored_run(run, self.job, configured, self.shop.house.variables)
        self.shop.keep(self.run)

    def _judged(self, run: Run, *, silent: bool) -> Attempt:
        job_id, claim, shop = self.job.job_id, self.claim, self.shop
        if run.status in (RunStatus.COMPLETE, RunStatus.DEGRADED) and run.samples:
            return self._ended(None, run.detail, lambda queue: moves.done(queue, job_id, claim, run.run_id, shop.now()))
        if run.cause is Cause.OUT_OF_MEMORY:
            return self._ended(run.cause, run.detail, lambda queue: moves.oom(queue, job_id, claim, shop.now(), run.run_id, run.detail))
        if silent:
            why = f"nothing was printed for {self.queue.config.stale_timeout_seconds:g} s"
            return self._ended(Cause.TIMEOUT, why, lambda queue: moves.stale(queue, job_id, claim, why, shop.now()))
        said = run.detail or "it printed no metric"
        return self._ended(run.cause, said, self._fail(said))

    def _fail(self, said: str) -> Callable[[Queue], Queue]:
        run_id = self.run.run_id if self.run else None
        return lambda queue: moves.fail(queue, self.job.job_id, self.claim, said, self.shop.now(), run_id)

    def _ended(self, cause: Cause | None, detail: str, move: Callable[[Queue], Queue]) -> Attempt:
        queue = self._report(move)
        job = (queue.job(self.job.job_id) if queue else None) or self.job.model_copy(update={"status": JobStatus.QUEUED})
        if queue is not None and job.status is JobStatus.DONE:
            self._gather(queue)
        if self.run is not None and not job.open and job.kind is JobKind.RUN:
            self._count(self.run, cause)
        values = {one.metric: one.value for one in self.run.samples} if self.run and cause is None else {}
        run_id = self.run.run_id if self.run else None
        return Attempt(job.job_id, job.benchmark, job.status, run_id, cause, detail, values)

    def _count(self, run: Run, cause: Cause | None) -> None:
        """One attempt for a commit, whatever the number of its seeds, where the config counts attempts; told where it was the last."""
        shop, campaign, limits = self.shop, self.shop.campaign, self.shop.config.attempts
        if limits is None or campaign.tried_at(run.benchmark, run.commit):
            return
        house = shop.house
        touched = touched_by(limits, house.repo, base_of(house.repo, run.commit), run.commit)
        result = AttemptResult.NO_PROGRESS if cause is None else AttemptResult.FAILED
        tried = Tried(run.benchmark, house.repo.subject(run.commit), result, diagnosis_of(cause), "", touched, run.commit, run.run_id)
        campaign.log(tried, self.job.by or "queue")
        found = campaign.standing(shop.config.benchmarks[run.benchmark])
        if found.stopped:
            report = crisis_report(run.benchmark, campaign.subject, found)
            for problem in shop.record([WriteReport(f"stopped-{run.benchmark}.md", report)]):
                house.observer.note(Remark(problem))
            house.observer.note(Remark(f"{run.benchmark} has stopped: {found.stopped}. See `assay attempts status`."))

    def _gather(self, queue: Queue) -> None:
        """Where this was the last seed of its config, store the run of all seeds as well: that one answers for the benchmark."""
        house, configured = self.shop.house, self.shop.config.benchmarks[self.job.benchmark]
        found = [house.store.find_run(one.run_id or "") for one in siblings(queue, self.job, configured)]
        parts = [one for one in found if isinstance(one, Run)]
        if not parts or len(parts) < len(found):
            return
        names = house.clock.new_id("run"), house.clock.new_id("ses")
        if whole := gathered(parts, self.job, configured, *names, house.variables):
            for problem in self.shop.record([RecordRun(whole)]):
                house.observer.note(Remark(problem))

    def _report(self, move: Callable[[Queue], Queue]) -> Queue | None:
        """Say it to the queue; None where the job is no longer ours. What was measured is stored whatever the queue says."""
        try:
            return self.shop.book.change(move)
        except (ClaimLostError, UnknownJobError) as error:
            self.shop.house.observer.note(Remark(f"{error.message} Its run is stored, and the job is left to whoever has it."))
            return None

    def _beat(self) -> bool:
        """A sign of life; false where the job was taken from us, and its process is to end. A store that cannot be reached ends nothing."""
        try:
            self.shop.book.change(lambda queue: moves.progress(queue, self.job.job_id, self.claim, None, self.shop.now()))
        except (ClaimLostError, UnknownJobError):
            return False
        except (QueueError, InfrastructureError) as error:
            self.shop.house.observer.note(Remark(error.message))
        return True
