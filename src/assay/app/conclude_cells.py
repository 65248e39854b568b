"""What a split check concludes from a cell: decide on the runs that it delivered, or say what is missing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.app.conclude import Bench, Concluded, age_of, decision_record, evidence_of, not_run, side_facts, with_detail
from assay.app.record import PILOT_FAILED, SETUP_FAILED
from assay.core.comparison import Comparison, Undecided
from assay.core.decide import Hold, decide
from assay.core.envelope import Run, RunStatus
from assay.core.evidence import Failure, Stage
from assay.core.judge import not_isolated
from assay.core.model import Conclusion, Outcome, Status
from assay.core.rejudge import rejudge
from assay.core.result import BenchmarkResult, ReuseVerdict
from assay.core.schedule import plan_session
from assay.errors import InfrastructureError

if TYPE_CHECKING:
    from assay.core.handover import CellFile


def turned_away(bench: Bench, reason: str) -> Concluded:
    """A cell of a split check was not allowed to run what it should have."""
    return not_run(bench, Conclusion.NEUTRAL, reason)


def undelivered(bench: Bench, error: InfrastructureError) -> Concluded:
    """A cell of a split check did not come, or not as it should have. A failure: what must pass must not be let through unmeasured."""
    result = BenchmarkResult(
        name=bench.benchmark.name,
        status=Status.FAILED,
        outcome=Outcome.PENDING,
        conclusion=Conclusion.FAILURE,
        reason=error.message,
        policy=bench.resolved.policy.mode.value,
        next_step=error.hint,
    )
    return Concluded(result, error=error)


def delivered(
    bench: Bench,
    base: Run | None,
    head: Run,
    cell: "CellFile",
    problems: Sequence[str],
    hold: Hold = Hold.NONE,
    reuse: ReuseVerdict | None = None,
) -> Concluded:
    """Decide on the runs that another job measured or reused; nothing of the cell but its runs bears on the decision."""
    failure = _failure_in(head, cell.tail)
    comparisons = () if failure else _compared(bench, base, head)
    decision = decide(evidence_of(comparisons, head, failure, hold), bench.resolved.policy)
    reason, next_step = with_detail(decision, failure)
    measured_here = cell.state == "measured"
    result = BenchmarkResult(
        name=bench.benchmark.name,
        status=(Status.FAILED if failure or not head.samples else Status.MEASURED) if measured_here else Status.REUSED,
        outcome=decision.outcome,
        conclusion=decision.conclusion,
        reason=reason,
        run_id=head.run_id,
        reuse=reuse,
        comparisons=comparisons,
        warnings=tuple(dict.fromkeys((*cell.warnings, *problems))),
        checks=head.checks.state,
        policy=bench.resolved.policy.mode.value,
        alpha=bench.alpha,
        most_units=plan_session(bench.benchmark).units if measured_here else None,
        base_run=side_facts(bench, base) if base else None,
        head_run=side_facts(bench, head),
        machine=head.machine.machine_class,
        duration_s=head.timings.total_s if measured_here else None,
        reused_age=None if measured_here else age_of(bench, head),
        output_tail=cell.tail,
        next_step=next_step,
    )
    return Concluded(result, decision, decision_record(bench, result, base.run_id if base else None, head.run_id, hold))


def _failure_in(head: Run, tail: tuple[str, ...]) -> Failure | None:
    if head.cause is None:
        return None
    beginnings = {SETUP_FAILED: Stage.SETUP, PILOT_FAILED: Stage.PILOT}
    began = next((text for text in beginnings if head.detail.startswith(text)), "")
    return Failure(beginnings.get(began, Stage.BENCHMARK), head.cause, head.detail.removeprefix(began), tail)


def _compared(bench: Bench, base: Run | None, head: Run) -> tuple[Comparison, ...]:
    if base is None:
        return ()
    comparisons = rejudge(bench.benchmark, base, head, bench.alpha, bench.better, bench.noise(base, head))
    apart = Undecided.NOT_ISOLATED.value  # a disturbed GPU degrades a run too, which the comparison has seen by itself
    degraded = (run for run in (head, base) if run.status is RunStatus.DEGRADED)
    shared = next((run for run in degraded if run.detail.startswith(apart)), None)
    return not_isolated(comparisons, shared.detail) if shared else comparisons
