"""Whether a benchmark must run at all: skip, reuse or measure."""

from dataclasses import dataclass

from assay.app.commits import Commits
from assay.app.house import House
from assay.core.comparison import Undecided
from assay.core.config import Benchmark, Config
from assay.core.envelope import Run, StoredDecision
from assay.core.lineage import ReuseQuestion, config_hash, exact_reuse, lineage_key, needed_samples
from assay.core.model import Role, Rung, Trust
from assay.core.result import ReuseReason, ReuseVerdict
from assay.core.schedule import plan_session
from assay.core.window import relevant_paths


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing that bears on the benchmark has changed."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reuse:
    """Stored runs of both sides from one session, and what was decided on them."""

    verdict: ReuseVerdict
    base: Run | None
    head: Run
    decision: StoredDecision
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """Head must run; the verdict says why no stored run would do."""

    verdict: ReuseVerdict
    warnings: tuple[str, ...] = ()


Plan = Skip | Reuse | Measure


def plan(house: House, config: Config, benchmark: Benchmark, commits: Commits, forced_by: str | None) -> Plan:
    """Skip where only ignored paths differ, reuse where the exact rule finds a run, else measure."""
    if not forced_by:
        reason = nothing_relevant(house, config, benchmark, commits)
        if reason:
            return Skip(reason)
    return _stored_or_measured(house, config, benchmark, commits, forced_by)


def nothing_relevant(house: House, config: Config, benchmark: Benchmark, commits: Commits) -> str | None:
    """Why the benchmark has nothing to show, or None where something relevant changed."""
    if commits.base == commits.head:
        return "Base and head are the same commit, so there is nothing to compare."
    paths = house.repo.changed_paths(commits.base, commits.head)
    if relevant_paths(paths, config, benchmark):
        return None
    if not paths:
        return "Base and head hold the same files, so there is nothing to compare."
    return f"Nothing relevant changed: the {len(paths)} changed path{'s are' if len(paths) > 1 else ' is'} ignored by this benchmark."


def _stored_or_measured(house: House, config: Config, benchmark: Benchmark, commits: Commits, forced_by: str | None) -> Reuse | Measure:
    catalog = house.store.runs(benchmark.name)
    verdict = exact_reuse(
        _question(house, config, benchmark, commits, forced_by), catalog.runs, [(one.path, one.reason) for one in catalog.unreadable]
    )
    warnings = tuple(f"Stored evidence cannot be read and counts as none: {one.path}: {one.reason}" for one in catalog.unreadable[:5])
    if not verdict.reuse or verdict.run_id is None:
        return Measure(verdict, warnings)
    runs = {run.run_id: run for run in catalog.runs}
    for decision in house.store.decisions(verdict.run_id):
        if decision.base == commits.base and (decision.base_run is None or decision.base_run in runs):
            base = runs[decision.base_run] if decision.base_run else None
            if more_allowed(benchmark, decision):
                return Measure(
                    _refused(verdict, f"{verdict.run_id}: undecided with fewer samples than `repeats` or `seeds` now allow"), warnings
                )
            return Reuse(verdict, base, runs[verdict.run_id], decision, warnings)
    return Measure(_refused(verdict, f"{verdict.run_id}: no run of the base {commits.base[:12]} was measured beside it"), warnings)


def more_allowed(benchmark: Benchmark, decision: StoredDecision) -> bool:
    """Whether the stored answer lacks samples that the config would now allow."""
    primary = next((one for one in decision.comparisons if one.role is Role.PRIMARY), None)
    return primary is not None and primary.undecided is Undecided.SAMPLES and len(primary.head) < plan_session(benchmark).units


def _question(house: House, config: Config, benchmark: Benchmark, commits: Commits, forced_by: str | None) -> ReuseQuestion:
    with house.worktrees() as worktrees:
        inputs = worktrees.input_identities(benchmark)
    return ReuseQuestion(
        benchmark=benchmark.name,
        key=lineage_key(benchmark, commits.head, house.machine.facts().machine_class),
        config_hash=config_hash(benchmark),
        environment=house.machine.environment(),
        needed=needed_samples(benchmark, benchmark.metric.name if benchmark.metric else ""),
        now=house.clock.now(),
        max_age_s=config.reuse.max_age,
        trust=Trust.MEMBER,
        inputs=inputs,
        forced_by=forced_by,
    )


def _refused(verdict: ReuseVerdict, detail: str) -> ReuseVerdict:
    """The run itself would do, but not what belongs to it."""
    return ReuseVerdict(reuse=False, key=verdict.key, considered=verdict.considered, reasons=(ReuseReason(Rung.EVIDENCE, detail),))
