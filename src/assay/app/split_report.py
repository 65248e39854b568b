"""The last third of a split check: what the cells left, judged anew by what this job knows itself, stored and published.

It never runs anything of head's. A cell is believed its numbers alone: commits, trust, config and policy are this job's own, so
that a cell can do no more than a benchmark that prints what it likes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from assay import __version__
from assay.app import conclude, conclude_cells
from assay.app.calibrate import calibrated
from assay.app.check import Checked, choose
from assay.app.commits import Commits
from assay.app.conclude import Bench, Concluded
from assay.app.house import House
from assay.app.plan import Skip
from assay.app.reuse import Content, unearned
from assay.app.split_plan import Asked, idle
from assay.app.stages import Stages
from assay.app.stored_base import noise_of_reused
from assay.core.cell_fit import Wanted, misfit, unfit_to_stand
from assay.core.config import Benchmark
from assay.core.decide import Policy
from assay.core.effects import Effect, RecordDecision, RecordRun
from assay.core.envelope import Run
from assay.core.handover import CellFile
from assay.core.policy import resolve_policy, resolved_for
from assay.core.result import CheckResult, worst
from assay.core.values import dataclass
from assay.core.window import Classifier
from assay.errors import InfrastructureError

MISSING = "its cell is missing: the job that was to measure it was cancelled, lost, or left no file"


@dataclass(frozen=True, slots=True)
class Delivery:
    """The cells that came in, by benchmark, and what was wrong with those that could not be read."""

    cells: Mapping[str, CellFile]
    unreadable: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Report:
    """Where a report works: `record` applies effects at once, `stages` are told of each benchmark."""

    house: House
    record: Callable[[Iterable[Effect]], tuple[str, ...]]
    stages: Stages
    fail_on: tuple[str, ...] | None = None
    remarks: tuple[str, ...] = ()
    stored_at: str = ""

    def merge(self, asked: Asked, commits: Commits, delivery: Delivery) -> Checked:
        """Merge the cells into one result. A cell that is missing or does not fit is shown as such, and is a failure."""
        policy = resolve_policy(asked.config, commits.branch, self.fail_on)
        merger = _Merger(asked, commits, delivery, self.house, self.record, self.stages, policy)
        done = []
        for benchmark in choose(asked.config, asked.benchmarks):
            one = merger.merged(benchmark)
            done.append(replace(one, result=replace(one.result, place=benchmark.machine or "")))
            self.stages.concluded(self._result(commits, done[-1:]))
        errors = tuple(one.error for one in done if one.error)
        decisions = tuple(one.decision for one in done if one.decision)
        return Checked(self._result(commits, done), decisions, policy, errors)

    def _result(self, commits: Commits, done: list[Concluded]) -> CheckResult:
        return CheckResult(
            base=commits.base,
            head=commits.head,
            conclusion=worst(tuple(one.result.conclusion for one in done)),
            benchmarks=tuple(one.result for one in done),
            remarks=(*self.remarks, *commits.remarks),
            reproduce=f"assay check --base {commits.base} --head {commits.head} --no-reuse",
            tool_version=__version__,
            stored_at=self.stored_at,
        )


@dataclass(frozen=True, slots=True)
class _Merger:
    asked: Asked
    commits: Commits
    delivery: Delivery
    house: House
    record: Callable[[Iterable[Effect]], tuple[str, ...]]
    stages: Stages
    policy: Policy

    def merged(self, benchmark: Benchmark) -> Concluded:
        bench = self._bench(benchmark)
        reason = None if self.asked.forced_by else idle(self.asked, self.commits, self.house, benchmark)
        if reason:
            return self._recorded(conclude.skipped(bench, Skip(reason)))
        cell = self.delivery.cells.get(benchmark.name)
        if cell is None and (refusal := self.asked.stopped.get(benchmark.name)):
            return self._recorded(conclude.not_run(bench, refusal.conclusion, refusal.reason, next_step=refusal.next_step))
        problem = self._problem(benchmark, cell)
        if cell is None or problem:
            return conclude_cells.undelivered(bench, InfrastructureError(problem, hint="Look into the log of its job, and run that again."))
        if cell.state == "refused":
            return self._recorded(conclude_cells.turned_away(bench, cell.reason))
        content = Content(self.house.repo, Classifier.of(self.asked.config, benchmark))
        base, head = self._runs(cell, content, self._wanted(benchmark))
        if head is None:
            self._keep_unfinished(cell, content)
            what = cell.reason if cell.state == "failed" else f"the stored run {cell.head_run}, which it names, does not answer here"
            return conclude_cells.undelivered(bench, InfrastructureError(what, hint="Run its job again."))
        taken = next((run.run_id for run in (base, head) if run and self._is_another(run)), None)
        if taken:
            what = f"its cell does not fit: {taken} is the id of another run, which is stored"
            return conclude_cells.undelivered(bench, InfrastructureError(what, hint="Run its job again."))
        settled, note = calibrated(self.house.store, benchmark, self.asked.config.policy.alpha, lambda: head.machine.machine_class)
        stored = self.record(RecordRun(run) for run in (base, head) if run) if cell.state == "measured" else ()
        hold = self.stages.hold(benchmark, self.commits)
        said = (note, *stored) if note else stored
        reuse = content.verdict(head, self.commits.head) if cell.state == "reused" else None
        return self._recorded(conclude_cells.delivered(self._bench(settled), base, head, cell, said, hold, reuse))

    def _problem(self, benchmark: Benchmark, cell: CellFile | None) -> str:
        if cell is None:
            found = self.delivery.unreadable.get(benchmark.name)
            return f"its cell cannot be read: {found}" if found else MISSING
        found = misfit(cell, self._wanted(benchmark))
        return f"its cell does not fit: {found}" if found else ""

    def _wanted(self, benchmark: Benchmark) -> Wanted:
        machine = self.asked.config.machines.get(benchmark.machine) if benchmark.machine else None
        expect = machine.expect if machine else None
        return Wanted(benchmark, self.commits.base, self.commits.head, self.asked.trust, self.house.clock.now(), expect)

    def _runs(self, cell: CellFile, content: Content, wanted: Wanted) -> tuple[Run | None, Run | None]:
        """The two runs that count: a measured cell's own, as this job knows them; a reused one's as this job's own store has them."""
        if cell.state == "measured":
            base, head = (self._known(cell.run(one), content) for one in (cell.base_run, cell.head_run))
            return base, head
        known = [self.house.store.find_run(one) if one else None for one in (cell.base_run, cell.head_run)]
        stored = [run for run in known if isinstance(run, Run) and not unfit_to_stand(run, wanted)]
        if len(stored) < 2 or not all(map(content.is_the_same, stored, (self.commits.base, self.commits.head))):
            return None, None
        if any(True for run in stored for _ in unearned(content, run, self.asked.trust)):
            return None, None
        return (stored[0], stored[1]) if stored[0].machine.machine_class == stored[1].machine.machine_class else (None, None)

    def _known(self, run: Run | None, content: Content) -> Run | None:
        """A cell's run with what it cannot say of itself: its trust, and what its commit holds."""
        if run is None:
            return None
        tree = self.house.repo.tree(run.commit)
        return run.model_copy(update={"trust": self.asked.trust, "fingerprints": content.prints(run.commit), "tree": tree})

    def _keep_unfinished(self, cell: CellFile, content: Content) -> None:
        """What a cancelled cell had measured is no evidence, and is on record all the same."""
        known = [run for one in cell.runs if not one.clean and (run := self._known(one, content)) is not None]
        self.record(RecordRun(run) for run in known if not self._is_another(run))

    def _is_another(self, run: Run) -> bool:
        """Whether the id is that of a stored run with another content: what is known of that one must not be said of this one."""
        return self.house.store.find_run(run.run_id) not in (None, run)

    def _bench(self, benchmark: Benchmark) -> Bench:
        config, repo = self.asked.config, self.house.repo
        resolved = resolved_for(self.policy, config, benchmark, None)
        noise = partial(noise_of_reused, self.house.store, config, benchmark)
        return Bench(benchmark, self.commits, resolved, config.policy.alpha, self.house.clock, None, repo.subject, repo.root, noise)

    def _recorded(self, concluded: Concluded) -> Concluded:
        if concluded.record is None:
            return concluded
        problems = self.record([RecordDecision(concluded.record)])
        return replace(concluded, result=replace(concluded.result, warnings=(*concluded.result.warnings, *problems)))
