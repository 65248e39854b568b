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
from assay.app.reuse import Content
from assay.app.split_plan import Asked, idle
from assay.app.stages import Stages
from assay.app.stored_base import noise_of_reused
from assay.core.config import Benchmark
from assay.core.decide import Policy
from assay.core.effects import Effect, RecordDecision, RecordRun
from assay.core.envelope import Run
from assay.core.handover import CellFile, misfit
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

    def merge(self, asked: Asked, commits: Commits, delivery: Delivery) -> Checked:
        """Merge the cells into one result. A cell that is missing or does not fit is shown as such, and is a failure."""
        policy = resolve_policy(asked.config, commits.branch, self.fail_on)
        merger = _Merger(asked, commits, delivery, self.house, self.record, self.stages, policy)
        done = []
        for benchmark in choose(asked.config, asked.benchmarks):
            one = merger.merged(benchmark)
            done.append(replace(one, result=replace(one.result, place=benchmark.machine or "")))
            self.stages.concluded(_result(commits, done[-1:], self.remarks))
        errors = tuple(one.error for one in done if one.error)
        decisions = tuple(one.decision for one in done if one.decision)
        return Checked(_result(commits, done, self.remarks), decisions, policy, errors)


def _result(commits: Commits, done: list[Concluded], remarks: tuple[str, ...]) -> CheckResult:
    return CheckResult(
        base=commits.base,
        head=commits.head,
        conclusion=worst(tuple(one.result.conclusion for one in done)),
        benchmarks=tuple(one.result for one in done),
        remarks=(*remarks, *commits.remarks),
        reproduce=f"assay check --base {commits.base} --head {commits.head} --no-reuse",
        tool_version=__version__,
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
        problem = self._problem(benchmark, cell)
        if cell is None or problem:
            return conclude_cells.undelivered(bench, InfrastructureError(problem, hint="Look into the log of its job, and run that again."))
        if cell.state == "refused":
            return self._recorded(conclude_cells.turned_away(bench, cell.reason))
        content = Content(self.house.repo, Classifier.of(self.asked.config, benchmark))
        base, head = self._runs(cell, content)
        if head is None:
            what = cell.reason if cell.state == "failed" else f"the stored run {cell.head_run}, which it names, is not in the store"
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
        found = misfit(cell, benchmark.name, self.commits.base, self.commits.head)
        return f"its cell does not fit: {found}" if found else ""

    def _runs(self, cell: CellFile, content: Content) -> tuple[Run | None, Run | None]:
        """The two runs that count: a measured cell's own, at the trust of the question; a reused one's as this job's own store has them."""
        if cell.state == "measured":
            base, head = (cell.run(one) for one in (cell.base_run, cell.head_run))
            return _trusted(base, self.asked), _trusted(head, self.asked)
        known = [self.house.store.find_run(one) if one else None for one in (cell.base_run, cell.head_run)]
        stored = [run for run in known if isinstance(run, Run) and run.clean]
        if len(stored) < 2 or not all(map(content.is_the_same, stored, (self.commits.base, self.commits.head))):
            return None, None
        return stored[0], stored[1]

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


def _trusted(run: Run | None, asked: Asked) -> Run | None:
    """Trust is set by whoever reports, never by the run."""
    return None if run is None else run.model_copy(update={"trust": asked.trust})
