"""A/A runs of the user's own benchmark: the same commit on both sides, through the session of a check, to its very end."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from assay.app.calibrate import calibrated
from assay.app.check import choose
from assay.app.commits import Commits
from assay.app.house import House
from assay.app.measure import Measured, Task, measure
from assay.core import numbers
from assay.core.aa_evidence import aa_pairs
from assay.core.config import Benchmark, Config
from assay.core.effects import Effect, RecordRun
from assay.core.envelope import Run
from assay.core.events import BenchmarkStarted, Remark
from assay.core.evidence import WALL_TIME, unit_values
from assay.core.model import Direction, Side, Trust
from assay.core.schedule import plan_session
from assay.core.selftest import AaSession, Gate, false_alarms, smallest_visible
from assay.core.selftest_report import Selftest
from assay.core.values import dataclass

LEAST_UNITS = 2


@dataclass(frozen=True, slots=True)
class SelftestRequest:
    """How many sessions of which benchmarks; `better` is the direction of a bare command's metric."""

    config: Config
    sessions: int
    benchmarks: tuple[str, ...] = ()
    better: Direction | None = None


def selftest(
    request: SelftestRequest, house: House, record: Callable[[Iterable[Effect]], tuple[str, ...]]
) -> tuple[str, tuple[Selftest, ...]]:
    """Test the benchmarks at HEAD; the commit, and what was found of each. What was measured is stored, as of a check."""
    chosen = choose(request.config, request.benchmarks)
    commit = house.repo.resolve("HEAD")
    if house.repo.is_dirty():
        house.observer.note(Remark("The working tree has uncommitted changes, which are not measured: HEAD is."))
    return commit, tuple(_Bench(request, house, record, commit, benchmark).tested() for benchmark in chosen)


@dataclass(frozen=True, slots=True)
class _Bench:
    request: SelftestRequest
    house: House
    record: Callable[[Iterable[Effect]], tuple[str, ...]]
    commit: str
    benchmark: Benchmark

    def tested(self) -> Selftest:
        """All sessions of one benchmark, up to the first that fails or is out of time before it has two units."""
        began = self.house.clock.monotonic()
        self._foretell()
        done: list[Measured] = []
        blank = Selftest(self.benchmark.name, self.commit, 0)
        for number in range(self.request.sessions):
            self.house.observer.note(BenchmarkStarted(self.benchmark.name, number + 1, self.request.sessions))
            found = self._session()
            if problem := _failure(found) or _shortage(found):
                seconds = self.house.clock.monotonic() - began
                return replace(blank, sessions=len(done), failure=problem, starved=not _failure(found), seconds=seconds)
            done.append(found)
        return replace(self._judged(blank, done), seconds=self.house.clock.monotonic() - began)

    def _foretell(self) -> None:
        """How long it will take, as far as earlier runs tell."""
        plan = plan_session(self.benchmark)
        processes = self.request.sessions * plan.at_most
        lengths = [one.duration_s for run in self.house.store.recent(self.benchmark.name, 1) for one in run.processes]
        each = f", about {numbers.duration(processes * sum(lengths) / len(lengths))}" if lengths else ""
        sessions = numbers.count(self.request.sessions, "session")
        self.house.observer.note(Remark(f"{self.benchmark.name}: {sessions} of up to {plan.at_most} processes each{each}."))

    def _session(self) -> Measured:
        clock, commits = self.house.clock, Commits(self.commit, self.commit, None)
        task = Task(
            benchmark=self.benchmark,
            ignore=self.request.config.ignore,
            run_id=clock.new_id("run"),
            trust=Trust.MEMBER,
            commits=commits,
            alpha=self.request.config.policy.alpha,
            end=clock.monotonic() + self.request.config.policy.max_time,
            better=self.request.better,
            reproduce=f"assay selftest --benchmark {self.benchmark.name}" if self.benchmark.metric else "assay selftest",
            user_tree_dirty=self.house.repo.is_dirty(),
            earlier=partial(self.house.store.recent, self.benchmark.name),
            to_the_end=True,
        )
        return measure(self.house, task, self._store)

    def _store(self, run: Run) -> None:
        for problem in self.record([RecordRun(run)]):
            self.house.observer.note(Remark(problem))

    def _judged(self, blank: Selftest, done: list[Measured]) -> Selftest:
        alpha, plan = self.request.config.policy.alpha, plan_session(self.benchmark)
        machine = done[0].head.machine.machine_class
        benchmark, note = calibrated(self.house.store, self.benchmark, alpha, lambda: machine)
        gate = Gate(benchmark, done[0].session.primary or WALL_TIME, self.request.better, plan.looks, alpha)
        sessions = [_sides(one, [spec.name for spec in gate.specs]) for one in done]
        first = gate.specs[0]
        runs = [run for one in done for run in (one.base, one.head)]
        pairs = aa_pairs(runs, machine)
        return replace(
            blank,
            sessions=len(done),
            metric=first.name,
            directed=first.better is not None,
            units=plan.units,
            seeded=bool(plan.seeds),
            alpha=alpha,
            min_effect=first.min_effect,
            note=note,
            alarms=false_alarms(gate, sessions),
            smallest_visible=smallest_visible(gate, sessions),
            pairs=tuple(pair for pair in pairs if pair.metric == first.name),
            run_ids=tuple(run.run_id for run in runs),
        )


def _sides(done: Measured, metrics: list[str]) -> AaSession:
    """The values of a session by unit, of those units that both sides have."""
    sides = [{name: unit_values(done.session.sides[side].records, name) for name in metrics} for side in (Side.BASE, Side.HEAD)]
    both = {name: sorted(sides[0][name].keys() & sides[1][name].keys()) for name in metrics}
    return AaSession(
        tuple((tuple(sides[0][name][unit] for unit in both[name]), tuple(sides[1][name][unit] for unit in both[name])) for name in metrics)
    )


def _failure(done: Measured) -> str:
    """Why the benchmark cannot be measured at all; empty where it can."""
    failures = ((side, done.session.sides[side].failure) for side in (Side.HEAD, Side.BASE))
    return next((f"{one.stage.value} failed: {one.detail}; its output is in {one.log_file}" for _, one in failures if one), "")


def _shortage(done: Measured) -> str:
    """Why a session has too little to be judged; empty where it has enough."""
    if len(unit_values(done.session.head.records, done.session.primary or WALL_TIME)) >= LEAST_UNITS:
        return ""
    return f"{done.session.deadline_name or 'its plan'} left it too few samples to judge"
