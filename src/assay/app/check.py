"""The whole way of `assay check`: plan, measure, decide and report each benchmark, one after the other."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from difflib import get_close_matches
from functools import partial
from typing import assert_never

from assay import __version__
from assay.app import conclude
from assay.app.calibrate import calibrated
from assay.app.commits import Commits, resolve
from assay.app.conclude import Bench, Concluded
from assay.app.house import House
from assay.app.measure import Task, measure
from assay.app.plan import Measure, Plan, Question, Reuse, Skip, plan
from assay.app.stages import Refusal, Silent, Stages
from assay.app.stored_base import StoredBase, noise_of_reused, stored_base
from assay.cell_ports import SampleJournal
from assay.core.comparison import Comparison
from assay.core.config import Benchmark, Config
from assay.core.confirm import confirmed, regressions, sentence
from assay.core.decide import Decision, Policy
from assay.core.effects import Effect, RecordDecision, RecordRun
from assay.core.envelope import Run
from assay.core.events import BenchmarkStarted, Remark
from assay.core.model import Conclusion, Direction, Outcome, Rung, Status, Trust
from assay.core.policy import resolve_policy, resolved_for
from assay.core.result import CheckResult, worst
from assay.core.schedule import plan_session
from assay.core.tree import Change
from assay.core.values import dataclass
from assay.core.window import Classifier, relevant
from assay.errors import AssayError, InfrastructureError, UsageError


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What is asked: which commits, which benchmarks, under which config.

    `forced_by` names what asked for a fresh run; `better` is the direction of a bare command's metric; `reproduce` are the
    words that, after those that name both commits, ask the same again. `trust` is that of the evidence; with a `refusal`
    nothing is run, nor of the `stopped`, and with `idle`, which says why, nothing has to. Without `stored_base` the base is always
    measured beside the head, whatever `reuse.base` says. Each process is noted in the `journal` as soon as it has ended. A benchmark
    of a machine that is reached by Slurm or ssh is measured only where it has `arrived` there. `machine_judged` says that this
    machine was held against what the config expects of it; `seeds_elsewhere` that other seeds are measured by others meanwhile.
    """

    config: Config
    base: str | None
    head: str
    benchmarks: tuple[str, ...] = ()
    fail_on: tuple[str, ...] | None = None
    forced_by: str | None = None
    better: Direction | None = None
    reproduce: str = ""
    remarks: tuple[str, ...] = ()
    trust: Trust = Trust.MEMBER
    refusal: Refusal | None = None
    idle: str = ""
    stored_at: str = ""
    stored_base: bool = True
    stopped: Mapping[str, Refusal] = field(default_factory=dict)
    journal: SampleJournal | None = None
    arrived: bool = False
    machine_judged: bool = False
    seeds_elsewhere: bool = False

    @property
    def elsewhere(self) -> bool:
        """Whether the machine of one of the benchmarks has to be reached first. One that the config does not have is no case of it."""
        chosen = (one for name, one in self.config.benchmarks.items() if not self.benchmarks or name in self.benchmarks)
        return any(self.config.runner_of(one) != "local" for one in chosen)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the result of a benchmark rests on: the envelopes of both sides, and a way to the newest stored runs, so many of them."""

    base_run: Run | None = None
    head_run: Run | None = None
    stored: Callable[[int], tuple[Run, ...]] = field(default=lambda _: (), compare=False)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result, and the decisions, the policy and the errors outside the benchmarks from which the exit code follows.

    `grounds` are those of each benchmark, by name.
    """

    result: CheckResult
    decisions: tuple[Decision, ...]
    policy: Policy
    errors: tuple[AssayError, ...] = ()
    grounds: Mapping[str, Grounds] = field(default_factory=dict)

    @property
    def nothing_measured(self) -> bool:
        """Whether something had to run and no number came of it, for lack of time or because a person has to let it go on."""
        starved = any(one.status is Status.FAILED and one.outcome is Outcome.PENDING for one in self.result.benchmarks)
        return starved or any(
            one.conclusion is Conclusion.ACTION_REQUIRED and one.status is Status.SKIPPED for one in self.result.benchmarks
        )


def check(request: CheckRequest, house: House, record: Callable[[Iterable[Effect]], tuple[str, ...]]) -> Checked:
    """Check the benchmarks in the order of the config. `record` applies effects at once and answers with what went wrong."""
    choose(request.config, request.benchmarks)
    return check_commits(request, resolve(house.repo, request.base, request.head), house, record, Silent())


def check_commits(
    request: CheckRequest, commits: Commits, house: House, record: Callable[[Iterable[Effect]], tuple[str, ...]], stages: Stages
) -> Checked:
    """The same of two commits that are known already, whatever `base` and `head` of the request say."""
    chosen = choose(request.config, request.benchmarks)
    if not request.arrived:
        refuse_elsewhere(request.config, chosen)
    for remark in (*request.remarks, *commits.remarks):
        house.observer.note(Remark(remark))
    policy = resolve_policy(request.config, commits.branch, request.fail_on)
    end = house.clock.monotonic() + request.config.policy.max_time
    ways = [_Way(request, house, record, commits, policy, end, *_calibrated(request, house, one), stages) for one in chosen]
    plans = [way.plan() for way in ways]  # all of them first: what is wrong with the last must not cost the first its GPU hour
    done = []
    for position, (way, planned) in enumerate(zip(ways, plans, strict=True)):
        house.observer.note(BenchmarkStarted(way.benchmark.name, position + 1, len(chosen)))
        done.append(way.walk(planned))
        stages.concluded(_result(request, commits, done[-1:]))
    errors = tuple(one.error for one in done if one.error)
    decisions = tuple(one.decision for one in done if one.decision)
    grounds = {one.result.name: Grounds(one.base_run, one.head_run, partial(house.store.recent, one.result.name)) for one in done}
    return Checked(_result(request, commits, done), decisions, policy, errors, grounds)


def _result(request: CheckRequest, commits: Commits, done: list[Concluded]) -> CheckResult:
    return CheckResult(
        base=commits.base,
        head=commits.head,
        conclusion=worst(tuple(one.result.conclusion for one in done)),
        benchmarks=tuple(one.result for one in done),
        remarks=(*request.remarks, *commits.remarks),
        reproduce=_again(request, commits),
        tool_version=__version__,
        stored_at=request.stored_at,
    )


def _again(request: CheckRequest, commits: Commits, only: Benchmark | None = None) -> str:
    """The command line that measures these very commits again, wherever HEAD is by then; `only` one benchmark of the config."""
    named = f"--benchmark {only.name} " if only and only.metric else ""
    return f"assay check --base {commits.base} --head {commits.head} {named}{request.reproduce}".rstrip()


def choose(config: Config, names: tuple[str, ...]) -> tuple[Benchmark, ...]:
    """The named benchmarks, or all. Raises UsageError for a name that the config does not have."""
    for name in names:
        if name not in config.benchmarks:
            near = get_close_matches(name, config.benchmarks, n=1)
            guess = f'Did you mean "{near[0]}"? ' if near else ""
            raise UsageError(
                f'There is no benchmark "{name}" in the config.', hint=f"{guess}It has: {', '.join(sorted(config.benchmarks))}."
            )
    return tuple(benchmark for name, benchmark in config.benchmarks.items() if not names or name in names)


def refuse_elsewhere(config: Config, chosen: Iterable[Benchmark]) -> None:
    """Raises UsageError for a benchmark whose machine has to be reached first: its numbers of this machine would be another's."""
    for one in chosen:
        runner = config.runner_of(one)
        if runner != "local":
            what = f"The benchmark {one.name} belongs on {one.machine}, which is reached by {runner}, and this is not it."
            raise UsageError(what, hint="Run `assay check`, or `assay plan`, `run` and `report`, on a machine that reaches it.")


def _calibrated(request: CheckRequest, house: House, benchmark: Benchmark) -> tuple[Benchmark, str]:
    return calibrated(house.store, benchmark, request.config.policy.alpha, lambda: house.machine.facts().machine_class)


@dataclass(frozen=True, slots=True)
class _Way:
    """One benchmark's way through the house."""

    request: CheckRequest
    house: House
    record: Callable[[Iterable[Effect]], tuple[str, ...]]
    commits: Commits
    policy: Policy
    end: float
    benchmark: Benchmark
    calibration: str
    stages: Stages

    @property
    def bench(self) -> Bench:
        return Bench(
            self.benchmark,
            self.commits,
            resolved_for(self.policy, self.request.config, self.benchmark, self.request.better),
            self.request.config.policy.alpha,
            self.house.clock,
            self.request.better,
            self.house.repo.subject,
            self.house.repo.root,
            partial(noise_of_reused, self.house.store, self.request.config, self.benchmark),
        )

    def plan(self) -> Plan:
        if self.request.idle and not self.request.forced_by:
            return Skip(self.request.idle)
        return plan(self.house, self._question)

    @property
    def _question(self) -> Question:
        request = self.request
        return Question(request.config, self.benchmark, self.commits, self.bench.resolved.hash, request.forced_by, request.trust)

    def walk(self, planned: Plan) -> Concluded:
        """Do what was planned. An error outside the benchmark becomes part of its result, so that the others are reported."""
        match planned:
            case Skip():
                return self._recorded(conclude.skipped(self.bench, planned))
            case Reuse():
                return self._recorded(conclude.reused(self.bench, planned, self.stages.hold(self.benchmark, self.commits)))
            case Measure() if refusal := self.request.refusal or self.request.stopped.get(self.benchmark.name):
                return self._recorded(conclude.refused(self.bench, planned, refusal))
            case Measure():
                if self.house.clock.monotonic() >= self.end:
                    return conclude.out_of_time(self.bench, planned)
                try:
                    return self._recorded(self._measured(self.bench, planned))
                except InfrastructureError as error:
                    return conclude.broken_off(self.bench, planned, error)
            case _:
                assert_never(planned)

    def _measured(self, bench: Bench, planned: Measure) -> Concluded:
        problems: list[str] = []
        warnings = self._warnings()
        self.stages.opened(self.benchmark, self.commits, planned.run_id)
        base = stored_base(self.house, self._question) if self.request.stored_base else StoredBase()
        warnings = (*warnings, base.note) if base.note else warnings
        task = replace(self._task(planned), base_run=base.run, noise=base.noise)
        done = measure(self.house, task, lambda run: problems.extend(self.record([RecordRun(run)])))
        if self.request.config.policy.confirm and regressions(done.comparisons):
            again = self._once_more(planned, problems)
            warnings = (*warnings, sentence(done.comparisons, again))
            done = replace(done, comparisons=confirmed(done.comparisons, again))
        return conclude.measured(bench, planned, done, (*warnings, *problems), self.stages.hold(self.benchmark, self.commits))

    def _once_more(self, planned: Measure, problems: list[str]) -> tuple[Comparison, ...]:
        """A fresh session of the same commits; its runs are stored as well. Nothing where no time is left for it."""
        if self.house.clock.monotonic() >= self.end:
            return ()
        task = self._task(replace(planned, run_id=self.house.clock.new_id("run")))
        return measure(self.house, task, lambda run: problems.extend(self.record([RecordRun(run)]))).comparisons

    def _task(self, planned: Measure) -> Task:
        return Task(
            benchmark=self.benchmark,
            ignore=self.request.config.ignore,
            run_id=planned.run_id,
            trust=self.request.trust,
            commits=self.commits,
            alpha=self.request.config.policy.alpha,
            end=self.end,
            better=self.request.better,
            reproduce=_again(self.request, self.commits, self.benchmark),
            user_tree_dirty=self.house.repo.is_dirty(),
            earlier=partial(self.house.store.recent, self.benchmark.name),
            journal=self.request.journal,
        )

    def _warnings(self) -> tuple[str, ...]:
        """What of the commits themselves may make a run other than its author expects."""
        repo, head, found = self.house.repo, self.commits.head, [self.calibration] if self.calibration else []
        if repo.submodules(head):
            found.append("The head has submodules, which are left empty; let `setup` fetch what the benchmark needs.")
        if repo.lfs_pointers(head):
            found.append("The head has Git LFS files, of which the worktrees hold only the pointers; let `setup` fetch them.")
        differing = [change.path for change, rung in self._relevant() if rung is Rung.HARNESS]
        if differing:
            found.append(f"The harness differs between base and head ({', '.join(differing[:5])}): each side was measured with its own.")
        if (self.benchmark.machine and not self.request.machine_judged) or self.benchmark.needs:
            found.append("It was measured on this machine, whatever it is: only `assay plan` and `run` go by `machine`, none by `needs`.")
        if plan_session(self.benchmark).units < 2 and not self.request.seeds_elsewhere:
            found.append("One seed is one unit of evidence, which can never decide; give at least three.")
        if self.benchmark.seeds and "{seed}" not in self.benchmark.run:
            found.append("The config gives seeds, but the command has no {seed}, so every seed runs the same.")
        return tuple(found)

    def _relevant(self) -> tuple[tuple[Change, Rung], ...]:
        changes = self.house.repo.changes(self.commits.base, self.commits.head)
        links = self.house.repo.links(self.commits.head)
        return relevant(changes, Classifier.of(self.request.config, self.benchmark).through(links))

    def _recorded(self, concluded: Concluded) -> Concluded:
        if concluded.record is None:
            return concluded
        problems = self.record([RecordDecision(concluded.record)])
        return replace(concluded, result=replace(concluded.result, warnings=(*concluded.result.warnings, *problems)))
