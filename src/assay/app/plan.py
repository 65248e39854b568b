"""Whether a benchmark must run at all: skip, reuse or measure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from assay.app.commits import Commits
from assay.app.house import House
from assay.app.reuse import Content, Lineage
from assay.core.comparison import Undecided
from assay.core.config import Benchmark, Config
from assay.core.envelope import REMEASURE, Run, StoredDecision
from assay.core.lineage import ReuseQuestion, config_facts, lineage_key, needed_samples
from assay.core.model import Role, Rung, Trust
from assay.core.result import ReuseReason, ReuseVerdict
from assay.core.schedule import plan_session
from assay.core.values import dataclass
from assay.core.window import Classifier, relevant
from assay.errors import UsageError

ANSWERS = 4
"""So many runs that hold are looked at for a base beside them, and for a decision by the policy in force."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing that bears on the benchmark has changed."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reuse:
    """Stored runs of both sides, and what was decided on them: of one session, unless a stored base stood for a fresh one."""

    verdict: ReuseVerdict
    base: Run
    head: Run
    decision: StoredDecision
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """Head must run; the verdict says why no stored run would do. `run_id` is what head's run will be called."""

    verdict: ReuseVerdict
    run_id: str
    warnings: tuple[str, ...] = ()


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
    """Skip where only ignored paths differ, reuse where runs of both sides hold, else measure."""
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
    changes = house.repo.changes(commits.base, commits.head)
    if relevant(changes, Classifier.of(question.config, question.benchmark).through(house.repo.links(commits.head))):
        return None
    if not changes:
        return "Base and head hold the same files, so there is nothing to compare."
    return f"Nothing relevant changed: the {len(changes)} changed path{'s are' if len(changes) > 1 else ' is'} ignored by this benchmark."


def _stored_or_measured(house: House, question: Question) -> Reuse | Measure:
    lineage = lineage_of(house, question)
    answers = tuple(islice(lineage.answers(), ANSWERS))
    pairs = [pair for run, verdict in answers for pair in _judged_pairs(lineage, question.commits.base, run, verdict)]
    for pair in sorted(pairs, key=lambda one: one.decision.policy_hash != question.policy_hash):
        if not more_allowed(question.benchmark, pair.decision):
            return _reused_or_remeasured(house, question, replace(pair, warnings=_lost(lineage)))
    refused = _without_base(answers[0][1], question, pairs) if answers else lineage.refusal()
    return Measure(refused, house.clock.new_id("run"), _lost(lineage))


def _lost(lineage: Lineage) -> tuple[str, ...]:
    """What of the store could not be read, as warnings."""
    return tuple(f"Stored evidence cannot be read and counts as none: {path}: {why}" for path, why in tuple(lineage.lost.items())[:5])


def _without_base(verdict: ReuseVerdict, question: Question, pairs: Sequence[Reuse]) -> ReuseVerdict:
    """Head's own run holds, and yet there is nothing to conclude from it."""
    why = "undecided with less than the config now allows" if pairs else f"no clean run of the base {question.commits.base[:12]} beside it"
    detail = ReuseReason(Rung.EVIDENCE, f"{verdict.run_id}: {why}")
    return replace(verdict, reuse=False, run_id=None, path=None, commit=None, via=None, reasons=(detail,))


def _judged_pairs(lineage: Lineage, base: str, head: Run, verdict: ReuseVerdict) -> Iterator[Reuse]:
    """The clean runs of this base that were measured beside that head, with what was decided on the two, newest first.

    Numbers of two sessions differ by more than the code, so a head without a base of its own session is no comparison.
    """
    for decision in lineage.store.decisions(head.run_id):
        run = lineage.store.find_run(decision.base_run) if decision.base_run else None
        if isinstance(run, Run) and run.clean and lineage.content.is_the_same(run, base):
            yield Reuse(verdict, run, head, decision)


def _reused_or_remeasured(house: House, question: Question, pair: Reuse) -> Reuse | Measure:
    """Every so many reusable runs one is measured all the same. Skips do not count, for they say nothing of the numbers."""
    every = question.config.reuse.remeasure
    before = house.store.answered(question.benchmark.name, pair.head.machine.machine_class) if every else 0
    if not every or (before + 1) % every:
        return pair
    verdict = pair.verdict
    due = ReuseReason(
        Rung.FORCED, f"{verdict.run_id} would do, but one in {every} reusable runs is measured all the same (reuse.remeasure)"
    )
    again = replace(verdict, reuse=False, run_id=None, path=None, commit=None, via=None, forced_by=REMEASURE, reasons=(due,))
    return Measure(again, house.clock.new_id("run"), pair.warnings)


def more_allowed(benchmark: Benchmark, decision: StoredDecision) -> bool:
    """Whether the stored answer lacks precision, and the config would now allow more samples or the time had run out."""
    primary = next((one for one in decision.comparisons if one.role is Role.PRIMARY), None)
    if primary is None or primary.undecided is None:
        return False
    fewer = len(primary.head) < plan_session(benchmark).units
    return primary.undecided is Undecided.TIME or (primary.undecided is Undecided.SAMPLES and fewer)


def lineage_of(house: House, question: Question) -> Lineage:
    """The prior runs of the benchmark, ready to be asked. Raises UsageError for an input that does not exist."""
    content = Content(house.repo, Classifier.of(question.config, question.benchmark))
    return Lineage(content, house.store, _reuse_question(house, question))


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
    config = config_facts(benchmark, house.variables)
    return ReuseQuestion(
        benchmark=benchmark.name,
        key=lineage_key(benchmark, question.commits.head, house.machine.facts().machine_class),
        config_hash=config.hash,
        parameters=config.parameters,
        environment=house.machine.environment(),
        needed=needed_samples(benchmark, benchmark.metric.name if benchmark.metric else ""),
        now=house.clock.now(),
        max_age_s=question.config.reuse.max_age,
        trust=question.trust,
        inputs=inputs,
        forced_by=question.forced_by,
    )
