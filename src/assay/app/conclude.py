"""From numbers to a benchmark's result: decide by policy, store the decision, and say it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.app.commits import Commits
from assay.app.measure import Measured
from assay.app.plan import Measure, Reuse, Skip
from assay.app.session import SideSession
from assay.app.stages import Refusal
from assay.core.compare import METHOD
from assay.core.comparison import Comparison
from assay.core.comparison_record import comparison_from_record, comparison_to_record
from assay.core.config import Benchmark
from assay.core.decide import ChecksState, Decision, Evidence, Hold, decide
from assay.core.envelope import Run, StoredDecision
from assay.core.evidence import Failure, Stage, process_warnings, tail_of
from assay.core.judge import MOST_UNDECLARED
from assay.core.model import NONE, Conclusion, Direction, Outcome, Role, Status
from assay.core.noise import Noise
from assay.core.numbers import count, duration
from assay.core.policy import Resolved
from assay.core.rejudge import rejudge
from assay.core.result import BenchmarkResult, ReuseVerdict, SideFacts
from assay.core.timestamp import moment, stamp
from assay.errors import AssayError, InfrastructureError
from assay.ports import Clock

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Concluded:
    """A benchmark's result, the decision behind it and its record where they are new, and the error that kept it from one.

    `base_run` and `head_run` are the envelopes that it rests on.
    """

    result: BenchmarkResult
    decision: Decision | None = None
    record: StoredDecision | None = None
    error: AssayError | None = None
    base_run: Run | None = None
    head_run: Run | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """What deciding needs to know of the benchmark and of the question.

    `noise` tells what lies between the sessions of two stored runs, by metric.
    """

    benchmark: Benchmark
    commits: Commits
    resolved: Resolved
    alpha: float
    clock: Clock
    better: Direction | None
    subject: Callable[[str], str]
    root: str
    noise: Callable[[Run, Run], Mapping[str, Noise]]

    def shown(self, text: str) -> str:
        """Text with a path below the repository as a reader of a public report may see it."""
        return text.replace(f"{self.root}/", "")


def skipped(bench: Bench, plan: Skip) -> Concluded:
    """Nothing relevant changed: a success with the reason, so that a required check never hangs."""
    return not_run(bench, Conclusion.SUCCESS, plan.reason)


def refused(bench: Bench, plan: Measure, refusal: Refusal) -> Concluded:
    """It would have to run and must not: nothing is said of the change, and what somebody can do."""
    return not_run(bench, refusal.conclusion, refusal.reason, next_step=refusal.next_step, reuse=plan.verdict)


def not_run(
    bench: Bench, conclusion: Conclusion, reason: str, next_step: str | None = None, reuse: ReuseVerdict | None = None
) -> Concluded:
    result = BenchmarkResult(
        name=bench.benchmark.name,
        status=Status.SKIPPED,
        outcome=None,
        conclusion=conclusion,
        reason=reason,
        reuse=reuse,
        policy=bench.resolved.policy.mode.value,
        next_step=next_step,
    )
    record = decision_record(bench, result, None, None, Hold.NONE)
    return Concluded(replace(result, decision_id=record.decision_id), None, record)


def out_of_time(bench: Bench, plan: Measure) -> Concluded:
    """The whole check has used its time up before this benchmark began."""
    return _undone(
        bench,
        plan,
        "nothing was measured: max_time of the check was over before it began",
        "Raise `policy.max_time`, or check fewer benchmarks.",
    )


def broken_off(bench: Bench, plan: Measure, error: InfrastructureError) -> Concluded:
    """Git, the disk or the runner failed. What had been measured is stored, and nothing is decided on it.

    A failure, not neutral: what is required to pass must not be let through because a disk was full.
    """
    undone = _undone(bench, plan, error.message, error.hint)
    return replace(undone, result=replace(undone.result, conclusion=Conclusion.FAILURE), error=error)


def _undone(bench: Bench, plan: Measure, reason: str, next_step: str) -> Concluded:
    return Concluded(
        BenchmarkResult(
            name=bench.benchmark.name,
            status=Status.FAILED,
            outcome=Outcome.PENDING,
            conclusion=Conclusion.NEUTRAL,
            reason=reason,
            run_id=plan.run_id,
            reuse=plan.verdict,
            warnings=plan.warnings,
            policy=bench.resolved.policy.mode.value,
            next_step=next_step,
        )
    )


def measured(bench: Bench, plan: Measure, done: Measured, warnings: Sequence[str], hold: Hold = Hold.NONE) -> Concluded:
    """Decide on a finished session."""
    head = done.session.head
    decision = decide(evidence_of(done.comparisons, done.head, head.failure, hold), bench.resolved.policy)
    reason, next_step = with_detail(decision, head.failure)
    said = (
        *done.session.head.worktree.notes,
        *warnings,
        *plan.warnings,
        *done.notes,
        *_failures(bench, done),
        *map(bench.shown, process_warnings((*done.session.base.records, *head.records))),
        *done.base.warnings,
        *done.head.warnings,
        *_unmeasured(done),
        *_left_out(done),
    )
    result = BenchmarkResult(
        name=bench.benchmark.name,
        status=Status.FAILED if head.failure or not done.head.samples else Status.MEASURED,
        outcome=decision.outcome,
        conclusion=decision.conclusion,
        reason=reason,
        run_id=done.head.run_id,
        reuse=plan.verdict,
        comparisons=done.comparisons,
        warnings=tuple(dict.fromkeys(said)),
        checks=done.head.checks.state,
        policy=bench.resolved.policy.mode.value,
        alpha=bench.alpha,
        most_units=done.session.plan.units,
        base_run=side_facts(bench, done.base),
        head_run=side_facts(bench, done.head),
        machine=done.head.machine.machine_class,
        duration_s=done.head.timings.total_s,
        output_tail=_tail(head),
        next_step=next_step,
    )
    record = decision_record(bench, result, done.base.run_id, done.head.run_id, hold)
    return Concluded(result, decision, record, base_run=done.base, head_run=done.head)


def age_of(bench: Bench, run: Run) -> str:
    return f"{duration(max((bench.clock.now() - moment(run.finished_at)).total_seconds(), 0.0))} old"


def reused(bench: Bench, plan: Reuse, hold: Hold = Hold.NONE) -> Concluded:
    """The stored decision where policy and hold are still those in force, else a new one on the stored samples."""
    stands = (plan.decision.policy_hash, plan.decision.method_version, plan.decision.hold) == (bench.resolved.hash, METHOD, hold)
    if stands:
        comparisons = tuple(map(comparison_from_record, plan.decision.comparisons))
    else:
        comparisons = rejudge(bench.benchmark, plan.base, plan.head, bench.alpha, bench.better, bench.noise(plan.base, plan.head))
    decision = decide(evidence_of(comparisons, plan.head, None, hold), bench.resolved.policy)
    result = BenchmarkResult(
        name=bench.benchmark.name,
        status=Status.REUSED,
        outcome=plan.decision.outcome if stands else decision.outcome,
        conclusion=plan.decision.conclusion if stands else decision.conclusion,
        reason=plan.decision.reason if stands else decision.reason,
        run_id=plan.head.run_id,
        reuse=plan.verdict,
        comparisons=comparisons,
        warnings=tuple(dict.fromkeys((*plan.warnings, *plan.decision.warnings))),
        checks=plan.head.checks.state,
        policy=bench.resolved.policy.mode.value,
        alpha=bench.alpha,
        base_run=side_facts(bench, plan.base),
        head_run=side_facts(bench, plan.head),
        machine=plan.head.machine.machine_class,
        reused_age=age_of(bench, plan.head),
        next_step=plan.decision.next_step if stands else decision.next_step,
    )
    # kept also where the decision stands: how often stored runs have answered is what `reuse.remeasure` counts
    record = decision_record(bench, result, plan.decision.base_run, plan.head.run_id, hold)
    return Concluded(result, decision, record, base_run=plan.base, head_run=plan.head)


def evidence_of(comparisons: Sequence[Comparison], head: Run, failure: Failure | None, hold: Hold) -> Evidence:
    primary = next((one for one in comparisons if one.spec.role is Role.PRIMARY), None)
    guards = tuple(one for one in comparisons if one.spec.role is Role.GUARD)
    return Evidence(primary, guards, failure.cause if failure else None, ChecksState(head.checks.state), hold)


def with_detail(decision: Decision, failure: Failure | None) -> tuple[str, str]:
    """The reason and the next step, with what exactly failed."""
    if failure is None:
        return decision.reason, decision.next_step
    if failure.stage is Stage.SETUP:
        return f"setup failed on head: {failure.detail}", "Read the end of its output, mend `setup`, and run it again."
    if failure.stage is Stage.PILOT:
        return f"the pilot failed, so no full run began: {failure.detail}", "Mend what the pilot shows; it cost a fraction of a full run."
    return f"{decision.reason}: {failure.detail}", decision.next_step


def _failures(bench: Bench, done: Measured) -> tuple[str, ...]:
    """Base's failure, which leaves head without a baseline, and where the whole output is."""
    base, head = done.session.base.failure, done.session.head.failure
    lines = []
    if base and done.session.base.absent:
        lines.append(f"The base could not be measured: {base.detail}")
    elif base:
        lines.append(f"The base {base.stage.value} failed ({base.detail}); its output is in {bench.shown(base.log_file)}")
        lines.extend(f"base: {line}" for line in base.tail[-5:])
    if head:
        lines.append(f"The whole output of the failed process is in {bench.shown(head.log_file)}")
    checks = done.session.head.checks
    if checks and not checks.clean:
        lines.append(f"The checks ended with {checks.detail or checks.cause}; their output is in {bench.shown(checks.log_file)}")
    if done.session.waited:
        lines.append(f"The last process {done.session.waited}.")
    if bench.benchmark.checks and not checks and not head and done.session.out_of_time:
        lines.append(f"{done.session.deadline_name} was over before the checks had ended.")
    return tuple(lines)


def _unmeasured(done: Measured) -> tuple[str, ...]:
    """Guards that neither side prints: nothing is known of them, and nobody may think that they held."""
    missing = [one for one in done.comparisons if one.spec.role is Role.GUARD and not one.base and not one.head]
    return tuple(f"Neither side prints the guard {one.spec.name}." for one in missing)


def _left_out(done: Measured) -> tuple[str, ...]:
    """How many metrics nobody declared, and too many were printed of to be compared."""
    printed = {metric.name for run in (done.base, done.head) for metric in run.metrics}
    left = len(printed - {one.spec.name for one in done.comparisons}) if done.comparisons else 0
    if not left:
        return ()
    said = count(left, "further metric is stored and was not compared", "further metrics are stored and were not compared")
    return (f"{said}: name those that matter under `secondary`, beyond the first {MOST_UNDECLARED} none is by itself.",)


def _tail(head: SideSession) -> tuple[str, ...]:
    if head.failure:
        return head.failure.tail
    if head.checks and not head.checks.clean:
        return tail_of(head.checks)
    return ()


def side_facts(bench: Bench, run: Run) -> SideFacts:
    counted = [one for one in run.processes if not one.warmup]
    mean = sum(one.duration_s for one in counted) / len(counted) if counted else None
    return SideFacts(run.run_id, run.commit, bench.subject(run.commit), len(counted), len(run.processes) - len(counted), mean)


def decision_record(bench: Bench, result: BenchmarkResult, base_run: str | None, head_run: str | None, hold: Hold) -> StoredDecision:
    return StoredDecision(
        schema="assay.decision/1",
        decision_id=bench.clock.new_id("dec"),
        created_at=stamp(bench.clock.now()),
        benchmark=result.name,
        base_run=base_run,
        head_run=head_run,
        base=bench.commits.base,
        head=bench.commits.head,
        machine=result.machine or NONE,
        policy_hash=bench.resolved.hash,
        method_version=METHOD,
        comparisons=tuple(map(comparison_to_record, result.comparisons)),
        outcome=result.outcome,
        conclusion=result.conclusion,
        reason=result.reason,
        next_step=result.next_step,
        warnings=result.warnings,
        checks=result.checks,
        status=result.status,
        hold=hold,
        forced_by=result.reuse.forced_by if result.reuse else None,
    )
