"""The second third of a split check: one cell measured, on a machine without any token. Nothing is posted and nothing sent from here."""

import math
from collections.abc import Iterable
from dataclasses import field, replace
from typing import Literal

from assay.app.check import CheckRequest, check_commits
from assay.app.commits import Commits
from assay.app.house import House
from assay.app.stages import Refusal, Silent
from assay.cell_ports import SampleJournal
from assay.core.command_config import with_command
from assay.core.config import Config
from assay.core.effects import Effect, RecordRun
from assay.core.envelope import Run
from assay.core.escape import plain
from assay.core.expectation import mismatch
from assay.core.handover import CUT_SHORT, CellFile, PlanFile
from assay.core.model import Status
from assay.core.result import BenchmarkResult
from assay.core.values import dataclass
from assay.errors import AssayError, CancelledError, InfrastructureError, UsageError

MAX_LINES = 40
MAX_WARNINGS = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """What a cell has to keep to: why nothing may run, how many seconds are left to it, and where it notes what it measures.

    `arrived` says that this is where the cell was sent; `note` goes with its runs. With a `seed` that one alone is measured, unless a
    stored run answers for all of them.
    """

    refusal: Refusal | None = None
    within_s: float = math.inf
    journal: SampleJournal | None = None
    arrived: bool = False
    note: str = ""
    seed: int | None = None


@dataclass(slots=True)
class _Basket:
    """Takes the runs out of what a check records; a decision made here would be nobody's."""

    limits: Limits
    runs: list[Run] = field(default_factory=list)

    def record(self, effects: Iterable[Effect]) -> tuple[str, ...]:
        note = (self.limits.note,) if self.limits.note else ()
        found = (effect.run for effect in effects if isinstance(effect, RecordRun))
        runs = [run.model_copy(update={"notes": (*run.notes, *note)}) for run in found]
        self.runs += runs
        return tuple(problem for run in runs if (problem := self._noted(run)))

    def _noted(self, run: Run) -> str:
        """A cell that is cancelled hands over nothing but its journal. What kept a run from it, empty where nothing did."""
        if self.limits.journal is None:
            return ""
        try:
            self.limits.journal.end(run)
        except InfrastructureError as error:
            return error.message
        return ""


@dataclass(frozen=True, slots=True)
class Ran:
    """The file that a cell hands over, and the error outside the benchmark that kept it from more."""

    cell: CellFile
    error: AssayError | None = None


def run_cell(plan: PlanFile, benchmark: str, config: Config, house: House, limits: Limits = Limits()) -> Ran:  # noqa: B008 - frozen
    """Measure the cell of a benchmark, or find among the lent runs what answers it on this very machine.

    Raises UsageError for a benchmark that the plan has no cell for, or whose machine is somewhere else.
    """
    cell = next((one for one in plan.cells if one.benchmark == benchmark), None)
    if cell is None:
        raise UsageError(f"The plan has no cell for {plain(benchmark, 60)}.", hint="Take the benchmarks from the plan's own matrix.")
    machine = config.machines.get(cell.machine) if cell.machine else None
    problem = mismatch(machine.expect, house.machine.facts()) if machine else ""
    if problem:
        return Ran(failed_cell(plan, benchmark, f"this is not the machine {plain(cell.machine or '', 60)}: {problem}"))
    basket = _Basket(limits)
    commits = Commits(plan.base, plan.head, plan.branch)
    if limits.seed is not None:
        asked = _request(plan, benchmark, config, replace(limits, seed=None, refusal=Refusal("", "")))
        answered = check_commits(asked, commits, house, _Basket(limits).record, Silent()).result.benchmarks[0]
        if answered.status is Status.REUSED:
            return Ran(_cell(plan, answered, ()))
    try:
        checked = check_commits(_request(plan, benchmark, config, limits), commits, house, basket.record, Silent())
    except CancelledError as error:
        return Ran(_cut_short(plan, benchmark, basket.runs), error)
    (result,) = checked.result.benchmarks
    return Ran(_cell(plan, result, tuple(basket.runs)), checked.errors[0] if checked.errors else None)


def _request(plan: PlanFile, benchmark: str, config: Config, limits: Limits) -> CheckRequest:
    command = replace(plan.command, benchmarks=(benchmark,))
    changed = with_command(config, command if limits.seed is None else replace(command, seeds=(limits.seed,)))
    # a cell holds one session, by which the report judges
    changes = {"confirm": False, "max_time": min(limits.within_s, changed.policy.max_time)}
    changed = changed.model_copy(update={"policy": changed.policy.model_copy(update=changes)})
    return CheckRequest(
        config=changed,
        base=plan.base,
        head=plan.head,
        benchmarks=(benchmark,),
        forced_by=plan.forced_by if limits.seed is None else f"seed {limits.seed} alone",
        trust=plan.trust,
        reproduce="--no-reuse",
        refusal=limits.refusal,
        stored_base=False,  # the report judges by the runs of the cell alone
        journal=limits.journal,
        arrived=limits.arrived,
        machine_judged=True,
        seeds_elsewhere=limits.seed is not None,
    )


def _cell(plan: PlanFile, result: BenchmarkResult, runs: tuple[Run, ...]) -> CellFile:
    head = next((run for run in runs if run.run_id == result.run_id), None)
    base = next((run for run in runs if run is not head), None)
    reused = result.status is Status.REUSED
    return CellFile(
        schema="assay.cell/1",
        benchmark=result.name,
        base=plan.base,
        head=plan.head,
        state=_state(result, head),
        reason=_line(result.reason),
        base_run=result.base_run.run_id if reused and result.base_run else base.run_id if base else None,
        head_run=result.run_id if reused or head else None,
        runs=runs,
        warnings=tuple(map(_line, result.warnings[:MAX_WARNINGS])),
        tail=tuple(map(_line, result.output_tail[-MAX_LINES:])),
    )


def _state(result: BenchmarkResult, head: Run | None) -> Literal["measured", "reused", "failed", "refused"]:
    if result.status is Status.REUSED:
        return "reused"
    if result.status is Status.SKIPPED:
        return "refused"
    return "measured" if head else "failed"


def _cut_short(plan: PlanFile, benchmark: str, runs: list[Run]) -> CellFile:
    """The cell of a job that was cancelled, with what it had measured until then: nothing measured is ever lost."""
    head = next((run for run in runs if run.base is not None), None)
    base = next((run for run in runs if run.base is None), None)
    failed = failed_cell(plan, benchmark, CUT_SHORT)
    ids = {"base_run": base.run_id if base else None, "head_run": head.run_id if head else None}
    return failed.model_copy(update={**ids, "runs": tuple(run for run in (base, head) if run)})


def failed_cell(plan: PlanFile, benchmark: str, reason: str) -> CellFile:
    """The cell of a benchmark that was not measured, and why."""
    return CellFile(
        schema="assay.cell/1",
        benchmark=benchmark,
        base=plan.base,
        head=plan.head,
        state="failed",
        reason=_line(reason),
        base_run=None,
        head_run=None,
        runs=(),
        warnings=(),
        tail=(),
    )


def _line(text: str) -> str:
    return plain(text, 2000)
