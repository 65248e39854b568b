"""A stored decision brought back to what a report is made of, so that it can be explained long after its check."""

from assay.core.comparison_record import comparison_from_record
from assay.core.envelope import Run, StoredDecision
from assay.core.prior import search_of_commit
from assay.core.result import BenchmarkResult, SideFacts
from assay.errors import UsageError
from assay.ports import Store, Unreadable

FAR_BACK = 60
"""So many of the newest stored runs are looked through for those that a head may be held against, or that were reused for it."""


def decided(run_id: str, store: Store) -> tuple[StoredDecision, Run]:
    """The newest decision on a head run, and the run. Raises UsageError where there is none."""
    run = store.find_run(run_id)
    if isinstance(run, Unreadable):
        raise UsageError(f"The run {run_id} cannot be read: {run.reason}.", hint=f"Look at {run.path} in the store.")
    if run is None:
        raise UsageError(f"The store has no run {run_id}.", hint="result.json and the report name the runs of a check; or give --store.")
    decisions = store.decisions(run_id)
    if not decisions:
        raise UsageError(
            f"No decision was made on the run {run_id}.", hint="Name the run of a head: a base is only what others are judged against."
        )
    return decisions[0], run


def decided_at(benchmark: str, commit: str, store: Store) -> tuple[StoredDecision, Run] | None:
    """The newest decision on a commit, and the head run it was made on: one of the very commit, else one that was reused for it."""
    found = store.search(search_of_commit(benchmark, commit))
    own = (header.run_id for header in (found.freshest, found.other) if header and header.commit == commit)
    reused = (run.run_id for run in store.recent(benchmark, FAR_BACK))
    for runs in (own, reused):
        pairs = [(one, run_id) for run_id in runs for one in store.decisions(run_id) if one.head == commit]
        newest = max(pairs, key=lambda pair: pair[0].decision_id, default=None)
        run = store.find_run(newest[1]) if newest else None
        if newest and isinstance(run, Run):
            return newest[0], run
    return None


def stored_result(decision: StoredDecision, base: Run | None, head: Run) -> BenchmarkResult:
    """What the report of that decision was made from, as far as the store knows it."""
    return BenchmarkResult(
        name=decision.benchmark,
        status=decision.status,
        outcome=decision.outcome,
        conclusion=decision.conclusion,
        reason=decision.reason,
        run_id=head.run_id,
        comparisons=tuple(map(comparison_from_record, decision.comparisons)),
        warnings=decision.warnings,
        checks=decision.checks,
        policy="as stored",
        base_run=_facts(base) if base else None,
        head_run=_facts(head),
        machine=head.machine.machine_class,
        next_step=decision.next_step,
        decision_id=decision.decision_id,
    )


def _facts(run: Run) -> SideFacts:
    counted = [one for one in run.processes if not one.warmup]
    mean = sum(one.duration_s for one in counted) / len(counted) if counted else None
    return SideFacts(run.run_id, run.commit, "", len(counted), len(run.processes) - len(counted), mean)
