"""Attempts at benchmarks: how they stand in a store, and what one more adds."""

from collections.abc import Callable, Iterable
from functools import partial

from assay.app.stages import Refusal
from assay.core.advice import complexity, estimate
from assay.core.attempts.entry import LOCAL, AttemptEntry, AttemptResult, AttemptStage, Diagnosis
from assay.core.attempts.standing import Standing, allowance, standing, touched_of
from assay.core.config import Benchmark, Config
from assay.core.config_sections import AttemptsConfig
from assay.core.model import Cause, Conclusion, Outcome, Status, Verdict
from assay.core.result import BenchmarkResult
from assay.core.store_layout import ATTEMPT_PREFIX
from assay.core.timestamp import stamp
from assay.core.values import dataclass
from assay.errors import InfrastructureError, UsageError
from assay.ports import Clock, Repo, Store

PAST_RUNS = 20


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt, before it is numbered. `touched` are invariants."""

    benchmark: str
    change: str
    result: AttemptResult
    diagnosis: Diagnosis
    next_action: str = ""
    touched: tuple[str, ...] = ()
    commit: str | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Campaign:
    """The attempts of one subject: a pull request, or what is done at a terminal and in the queue."""

    store: Store
    clock: Clock
    config: Config
    subject: str = LOCAL

    @property
    def limits(self) -> AttemptsConfig | None:
        """None where the config has no `attempts`, and nothing is counted."""
        return self.config.attempts

    def standing(self, benchmark: Benchmark) -> Standing:
        """Where a benchmark stands. Without limits in the config those of the tables are told, and stop nothing."""
        limits = self.limits or AttemptsConfig()
        rank, why = complexity(benchmark, estimate(benchmark, self.store.recent(benchmark.name, PAST_RUNS)))
        return standing(self.entries(benchmark.name), allowance(limits, rank, why), limits.strikes)

    def entries(self, benchmark: str) -> tuple[AttemptEntry, ...]:
        """The records of a benchmark, and those that are for all."""
        return tuple(one for one in self.store.attempts() if one.subject == self.subject and one.benchmark in (None, benchmark))

    def refusal(self, benchmark: Benchmark) -> Refusal | None:
        """Why it may not be measured without a person, None where it may."""
        why = self.standing(benchmark).stopped if self.limits else ""
        if not why:
            return None
        how = "A maintainer lets it go on with the command `grant N`, or with `assay attempts grant N` at a terminal."
        return Refusal(f"{benchmark.name} has stopped: {why}.", how, Conclusion.ACTION_REQUIRED)

    def log(self, tried: Tried, by: str, stage: AttemptStage | None = None) -> AttemptEntry:
        """Write down one attempt. Raises InfrastructureError where it cannot be written."""
        stage = stage or AttemptStage((self.limits or AttemptsConfig()).stage)
        return self._add(
            by,
            kind="attempt",
            benchmark=tried.benchmark,
            stage=stage,
            change=tried.change[:500],
            result=tried.result,
            diagnosis=tried.diagnosis,
            next_action=tried.next_action[:500],
            touched=tried.touched,
            commit=tried.commit,
            run_id=tried.run_id,
        )

    def grant(self, attempts: int, by: str, benchmark: str | None = None) -> AttemptEntry:
        """Give more attempts, and close the breaker. Raises InfrastructureError where it cannot be written."""
        return self._add(by, kind="grant", benchmark=benchmark, granted=attempts)

    def tried_at(self, benchmark: str, commit: str) -> bool:
        """Whether an attempt at that commit is on record: its seeds and its repeats are one attempt."""
        return any(one.kind == "attempt" and one.commit == commit for one in self.entries(benchmark))

    def _add(self, by: str, **facts: object) -> AttemptEntry:
        blank: dict[str, object] = {"stage": None, "change": "", "result": None, "diagnosis": None, "next_action": "", "touched": ()}
        entry = AttemptEntry.model_validate(
            {
                **blank,
                "schema": "assay.attempt/1",
                "attempt_id": self.clock.new_id(ATTEMPT_PREFIX),
                "created_at": stamp(self.clock.now()),
                "subject": self.subject,
                "commit": None,
                "run_id": None,
                "granted": 0,
                "by": by,
                **facts,
            }
        )
        self.store.add_attempt(entry)
        return entry


def touched_by(limits: AttemptsConfig, repo: Repo, base: str, head: str) -> tuple[str, ...]:
    """The invariants that head touches against base. What git cannot tell touches none, and is no strike."""
    try:
        paths = [one.path for one in repo.changes(base, head)]
    except (InfrastructureError, UsageError):
        paths = []
    return touched_of(limits, paths, repo.subject(head))


def base_of(repo: Repo, commit: str) -> str:
    """What the change of a commit is counted from: where it left the default branch, else the commit before it, else itself."""
    default = repo.default_branch()
    try:
        base = repo.merge_base(default, commit) if default else commit
        return base if base != commit else repo.first_parent(commit) or commit
    except InfrastructureError:
        return commit


def tried_in(result: BenchmarkResult, change: str, commit: str, touched: Callable[[], tuple[str, ...]]) -> Tried | None:
    """What a benchmark of a check says of an attempt; None where nothing was measured for it."""
    if result.status is Status.SKIPPED or result.outcome in (None, Outcome.PENDING):
        return None
    make = partial(Tried, result.name, change, touched=touched(), commit=commit, run_id=result.run_id)
    if result.outcome is Outcome.KEEP:
        better = any(one.verdict is Verdict.IMPROVED for one in result.comparisons[:1])
        return make(AttemptResult.PROGRESS if better else AttemptResult.NO_PROGRESS, Diagnosis.UNCLEAR)
    diagnosis = Diagnosis.DIRECTION if result.outcome is Outcome.DISCARD else Diagnosis.BUG
    return make(AttemptResult.FAILED, diagnosis, next_action=result.next_step or "")


def diagnosis_of(cause: Cause | None) -> Diagnosis:
    """What the end of a process says by itself."""
    return {Cause.OUT_OF_MEMORY: Diagnosis.ENVIRONMENT, Cause.NOT_STARTED: Diagnosis.ENVIRONMENT, None: Diagnosis.UNCLEAR}.get(
        cause, Diagnosis.BUG
    )


def newly_broken(before: Iterable[Standing], after: Iterable[Standing]) -> bool:
    """Whether a breaker has opened in between."""
    return any(one.broken for one in after) and not any(one.broken for one in before)
