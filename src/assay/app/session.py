"""One session: base and head of one benchmark, measured in interleaved fresh processes on one machine."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from assay.core.config import Benchmark
from assay.core.envelope import Run
from assay.core.events import ProcessEnded, ProcessStarted, StageStarted
from assay.core.evidence import Failure, ProcessRecord, Stage, bare_primary, equal_within_units, failure_of, value_of
from assay.core.model import Completed, Direction, Side
from assay.core.process import ProcessRequest, Shell
from assay.core.schedule import SessionPlan, full_command, pair_order, pilot_command, pilot_timeout
from assay.ports import Clock, Observer, Runner
from assay.worktree_ports import Worktree, Worktrees

SETUP_TIMEOUT_S = 3600.0


@dataclass(slots=True)
class SideSession:
    """What has been seen of one side so far. A `stored` run stands for a side of which nothing is run."""

    worktree: Worktree
    run_id: str
    started_at: str
    setup_s: float | None = None
    records: list[ProcessRecord] = field(default_factory=list)
    failure: Failure | None = None
    checks: Completed | None = None
    stored: Run | None = None

    @property
    def absent(self) -> bool:
        """Whether its commit could not be laid out for this benchmark; then its worktree is one in name only."""
        return self.failure is not None and self.failure.stage is Stage.CHECKOUT


@dataclass(slots=True)
class Session:
    """Runs the processes of one benchmark. `metrics` names what the equality of repeats is judged by.

    `trespasses` are files of one side that changed while a process of the other ran, before or while it was measured.
    `noted` is told of each process that has ended, before the next one starts.
    """

    id: str
    benchmark: Benchmark
    plan: SessionPlan
    sides: dict[Side, SideSession]
    worktrees: Worktrees
    runner: Runner
    clock: Clock
    observer: Observer
    logs: str
    end: float
    deadline: float = math.inf
    deadline_name: str = ""
    primary: str | None = None
    better: Direction | None = None
    metrics: tuple[str, ...] = ()
    order: int = 0
    pairs: int = 0
    out_of_time: bool = False
    waited: str = ""
    deterministic: bool = False
    spent: list[float] = field(default_factory=list)
    trespasses: set[str] = field(default_factory=set)
    noted: Callable[[ProcessRecord], None] = field(default=lambda _: None)

    @property
    def head(self) -> SideSession:
        return self.sides[Side.HEAD]

    @property
    def base(self) -> SideSession:
        return self.sides[Side.BASE]

    @property
    def laid_out(self) -> tuple[Side, ...]:
        """The sides that have a worktree: both, unless the base could not take this benchmark or a stored run stands for it."""
        return tuple(side for side in Side if not self.sides[side].absent and self.sides[side].stored is None)

    @property
    def at_most(self) -> int:
        """Processes of this session, if every look is reached."""
        return self.plan.at_most // 2 * len([side for side in Side if self.sides[side].stored is None])

    @property
    def needs_gpu(self) -> bool:
        return self.benchmark.gpus > 0 or "cuda" in self.benchmark.needs

    def set_up(self) -> None:
        """Run `setup` once in each worktree. A side whose setup fails has no measurement. From here on the time counts."""
        self._set_deadline()
        for side in self.laid_out if self.benchmark.setup else ():
            if self._too_late():
                return
            self.observer.note(StageStarted(self.benchmark.name, "setup", side))
            done = self._run(side, self.benchmark.setup or "", f"setup-{side}", SETUP_TIMEOUT_S, Stage.SETUP)
            self.sides[side].setup_s = done.duration_s
            if not self._cut_short(done, SETUP_TIMEOUT_S):
                self.sides[side].failure = failure_of(done, Stage.SETUP)

    def pilot(self) -> None:
        """Run the pilot in head's worktree. Where it does not print the metric, the full runs do not begin."""
        if self.benchmark.pilot is None or self.head.failure is not None or self._too_late():
            return
        self.observer.note(StageStarted(self.benchmark.name, "pilot", Side.HEAD))
        timeout_s = pilot_timeout(self.benchmark)
        done = self._run(Side.HEAD, pilot_command(self.benchmark, self.plan.seed(0)), "pilot", timeout_s, Stage.PILOT)
        if not self._cut_short(done, timeout_s):
            self.head.failure = failure_of(done, Stage.PILOT, self.primary)

    def check(self) -> None:
        """Run the correctness checks in head's worktree. Those that the end of the time cuts short have not run."""
        if not self.benchmark.checks or self.head.failure is not None or self._too_late():
            return
        self.observer.note(StageStarted(self.benchmark.name, "checks", Side.HEAD))
        done = self._run(Side.HEAD, self.benchmark.checks, "checks", self.benchmark.timeout, Stage.CHECKS)
        if not self._cut_short(done, self.benchmark.timeout):
            self.head.checks = done.lightened()

    def sample(self, settled: Callable[[int], bool]) -> None:
        """Warm up, then measure pair after pair; `settled(look)` is asked at each planned look whether that is enough.

        Head's failure ends it at once, and so does the end of the time; base's failure leaves head to be measured alone, up
        to the first look.
        """
        for _ in range(self.plan.warmups):
            self._pair(None)
        done = 0
        for look, target in enumerate(self.plan.looks):
            for unit in range(done, target):
                if not (self.head.failure or self.out_of_time):
                    self._unit(unit)
            done = target
            if self.head.failure or self.out_of_time or self.base.failure or settled(look):
                return

    def _set_deadline(self) -> None:
        """`max_time` of the benchmark is for all that runs for it, that of the check for all benchmarks."""
        own = math.inf if self.benchmark.max_time is None else self.clock.monotonic() + self.benchmark.max_time
        self.deadline = min(own, self.end)
        self.deadline_name = "max_time of the benchmark" if own < self.end else "max_time of the check"

    def _unit(self, unit: int) -> None:
        """All repeats of one unit: one pair, or the repeats of one seed until they are seen to be equal."""
        for repeat in range(self.plan.repeats):
            if self.deterministic and repeat:
                break
            self._pair(unit)
            if repeat == 1 and unit == 0:
                self.deterministic = equal_within_units([*self.base.records, *self.head.records], self.metrics)

    def _pair(self, unit: int | None) -> None:
        order = pair_order(self.pairs)
        self.pairs += unit is not None  # warm-ups all begin with base
        for side in order:
            if self.sides[side].stored is None and self.sides[side].failure is None and self.head.failure is None and not self._too_late():
                self._process(side, unit)

    def _too_late(self) -> bool:
        self.out_of_time = self.out_of_time or self.clock.monotonic() >= self.deadline
        return self.out_of_time

    def _cut_short(self, done: Completed, timeout_s: float) -> bool:
        """Whether a process, or its waiting for a GPU, ended with the time of the benchmark. That says nothing about the process."""
        if not (done.timed_out and done.duration_s < timeout_s and self._too_late()):
            return False
        self.waited = done.detail if done.exit_code is None and not done.duration_s else self.waited
        return True

    def _process(self, side: Side, unit: int | None) -> None:
        order, self.order = self.order, self.order + 1
        self.observer.note(ProcessStarted(self.benchmark.name, side, order + 1, self.at_most, unit is None))
        seed = self.plan.seed(unit or 0)
        done = self._run(side, full_command(self.benchmark, seed), f"{order:03d}-{side}", self.benchmark.timeout)
        if self._cut_short(done, self.benchmark.timeout):
            return
        record = ProcessRecord(side, order, unit, seed, done.lightened())
        self.sides[side].records.append(record)
        self.sides[side].failure = failure_of(done, Stage.BENCHMARK, self.primary)
        if self.primary is None and side is Side.HEAD and done.clean:
            self._take_primary(bare_primary(done, self.base.records, self.better))
        self.noted(record)
        self.spent.append(done.duration_s)
        value = value_of(record, self.primary) if self.primary else None
        self.observer.note(ProcessEnded(self.benchmark.name, side, order + 1, self.at_most, done.duration_s, value, self._remaining(unit)))

    def _take_primary(self, found: str | Failure) -> None:
        """A bare command has shown what it is judged by, or that it is not to be judged."""
        if isinstance(found, Failure):
            self.head.failure = found
            return
        self.primary = found
        self.head.failure = failure_of(self.head.records[-1].completed, Stage.BENCHMARK, found)

    def _run(self, side: Side, command: str, name: str, timeout_s: float, stage: Stage = Stage.BENCHMARK) -> Completed:
        tree = self.sides[side].worktree
        request = ProcessRequest(
            command=Shell(command),
            cwd=tree.cwd,
            env=tree.env,
            log_file=str(PurePosixPath(self.logs, f"{name}.log")),
            timeout_s=timeout_s,
            within_s=max(self.deadline - self.clock.monotonic(), 0.0),
            max_output=self.benchmark.max_output,
            claims=(tree.root,),
            gpus=self.benchmark.gpus or int(self.needs_gpu),
            gpu_clock=self.benchmark.gpu_clock if stage is Stage.BENCHMARK else None,
            account=tree.account,
            read_only=tree.read_only_in_setup if stage is Stage.SETUP else tree.read_only,
            writable=tree.writable,
            dialect=self.benchmark.dialect,
            metrics=tuple(name for name in (self.primary, *self.benchmark.guards, *self.benchmark.secondary) if name),
        )
        self.worktrees.enter(tree)
        handle = self.runner.submit(request)
        try:
            done = handle.wait()
        except BaseException:
            handle.cancel()
            handle.wait()
            raise
        found = self.worktrees.leave(tree)
        if stage is not Stage.CHECKS:  # by then everything has been measured
            self.trespasses.update(found)
        return done

    def _remaining(self, unit: int | None) -> tuple[float, float]:
        """Seconds up to the next look and up to the last, were every process as long as those so far."""
        each = sum(self.spent) / len(self.spent)
        share = self.at_most / self.plan.at_most
        repeats = 1 if self.deterministic else self.plan.repeats
        done = -1 if unit is None else unit
        following = next((look for look in self.plan.looks if look > done), self.plan.units)
        warmups = max(0, 2 * self.plan.warmups - self.order) if unit is None else 0
        left = [2 * repeats * (look - max(done, 0) - (unit is not None)) + warmups for look in (following, self.plan.units)]
        return share * each * left[0], share * each * left[1]
