"""Whether a benchmark must run at all: skip, reuse or measure."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from assay.app.commits import Commits
from assay.app.house import House
from assay.core.comparison import Undecided
from assay.core.config import Benchmark, Config
from assay.core.envelope import Run, StoredDecision
from assay.core.lineage import ReuseQuestion, config_facts, exact_reuse, fitting_runs, lineage_key, needed_samples
from assay.core.model import Role, Rung, Trust
from assay.core.result import ReuseReason, ReuseVerdict
from assay.core.schedule import plan_session
from assay.core.window import relevant_paths
from assay.errors import UsageError
from assay.ports import Catalog


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing that bears on the benchmark has changed."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reuse:
    """Stored runs of both sides from one session, and what was decided on them. `stored` are all runs of the benchmark, newest first."""

    verdict: ReuseVerdict
    base: Run
    head: Run
    decision: StoredDecision
    warnings: tuple[str, ...] = ()
    stored: tuple[Run, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Measure:
    """Head must run; the verdict says why no stored run would do. `run_id` is what head's run will be called.

    `stored` are all runs of the benchmark so far, newest first.
    """

    verdict: ReuseVerdict
    run_id: str
    warnings: tuple[str, ...] = ()
    stored: tuple[Run, ...] = field(default=(), repr=False)


Plan = Skip | Reuse | Measure


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of one benchmark: of which commits, under which config and policy, and whether it must be a fresh run.

    `trust` is that of the question: evidence of less does not answer it.
    """

    config: Config
    benchmark: Benchmark
    commits: Commits
    policy_hash: str
    forced_by: str | None
    trust: Trust


def plan(house: House, question: Question) -> Plan:
    """Skip where only ignored paths differ, reuse where the exact rule finds runs of both sides, else measure."""
    if not question.forced_by:
        reason = nothing_relevant(house, question)
        if reason:
            return Skip(reason)
    return _stored_or_measured(house, question)


def nothing_relevant(house: House, question: Question) -> str | None:
    """Why the benchmark has nothing to show, or None where something relevant changed."""
    commits = question.commits
    if commits.base == commits.head:
        return "Base and head are the same commit, so there is nothing to compare."
    paths = house.repo.changed_paths(commits.base, commits.head)
    if relevant_paths(paths, question.config, question.benchmark):
        return None
    if not paths:
        return "Base and head hold the same files, so there is nothing to compare."
    return f"Nothing relevant changed: the {len(paths)} changed path{'s are' if len(paths) > 1 else ' is'} ignored by this benchmark."


def _stored_or_measured(house: House, question: Question) -> Reuse | Measure:
    catalog = house.store.runs(question.benchmark.name)
    unreadable = [(one.path, one.reason) for one in catalog.unreadable]
    warnings = tuple(f"Stored evidence cannot be read and counts as none: {path}: {reason}" for path, reason in unreadable[:5])
    asked = _reuse_question(house, question)
    verdict = exact_reuse(asked, catalog.runs, unreadable)
    if not verdict.reuse or verdict.run_id is None:
        return Measure(verdict, house.clock.new_id("run"), warnings, catalog.runs)
    pairs = [pair for run in fitting_runs(asked, catalog.runs) for pair in _judged_pairs(house, question, run, catalog)]
    for head, base, decision in sorted(pairs, key=lambda pair: pair[2].policy_hash != question.policy_hash):
        if not more_allowed(question.benchmark, decision):
            return Reuse(replace(verdict, run_id=head.run_id, path=head.path), base, head, decision, warnings, catalog.runs)
    why = "undecided with less than the config now allows" if pairs else f"no clean run of the base {question.commits.base[:12]} beside it"
    detail = ReuseReason(Rung.EVIDENCE, f"{verdict.run_id}: {why}")
    refused = ReuseVerdict(reuse=False, key=verdict.key, considered=verdict.considered, reasons=(detail,))
    return Measure(refused, house.clock.new_id("run"), warnings, catalog.runs)


def _judged_pairs(house: House, question: Question, head: Run, catalog: Catalog) -> Iterator[tuple[Run, Run, StoredDecision]]:
    """The clean runs of this base that were measured beside that head, with what was decided on the two, newest first.

    Numbers of two sessions differ by more than the code, so a head without a base of its own session is no comparison.
    """
    runs = {run.run_id: run for run in catalog.runs if run.clean}
    for decision in house.store.decisions(head.run_id):
        if decision.base == question.commits.base and decision.base_run in runs:
            yield head, runs[decision.base_run], decision


def more_allowed(benchmark: Benchmark, decision: StoredDecision) -> bool:
    """Whether the stored answer lacks precision, and the config would now allow more samples or the time had run out."""
    primary = next((one for one in decision.comparisons if one.role is Role.PRIMARY), None)
    if primary is None or primary.undecided is None:
        return False
    fewer = len(primary.head) < plan_session(benchmark).units
    return primary.undecided is Undecided.TIME or (primary.undecided is Undecided.SAMPLES and fewer)


def _reuse_question(house: House, question: Question) -> ReuseQuestion:
    benchmark = question.benchmark
    with house.worktrees() as worktrees:
        inputs = worktrees.input_identities(benchmark)
    missing = [path for path, identity in inputs.items() if identity == "missing"]
    if missing:  # said now, not when the benchmarks before it have been measured
        raise UsageError(
            f"The input {missing[0]} of the benchmark {benchmark.name} does not exist.",
            hint="Make or fetch it, or take it out of `inputs`.",
        )
    return ReuseQuestion(
        benchmark=benchmark.name,
        key=lineage_key(benchmark, question.commits.head, house.machine.facts().machine_class),
        config_hash=config_facts(benchmark, house.variables).hash,
        environment=house.machine.environment(),
        needed=needed_samples(benchmark, benchmark.metric.name if benchmark.metric else ""),
        now=house.clock.now(),
        max_age_s=question.config.reuse.max_age,
        trust=question.trust,
        inputs=inputs,
        forced_by=question.forced_by,
    )
