"""The decision table: comparisons, guards, checks and policy to an outcome and a conclusion, before any narrative.

Precedence: errored > checks failed > primary or guard regressed > superseded, needs review > undecided > the rest.
Each stage either decides or hands on to the next; the order of `_STAGES` is the precedence.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum

from assay.core import canonical
from assay.core.comparison import Comparison, Undecided
from assay.core.decide_words import ERRORS, NEXT, how_to_settle
from assay.core.model import Cause, Conclusion, Outcome, Role, Verdict
from assay.core.values import dataclass


class Mode(StrEnum):
    """The resolved policy: `auto` is one of these."""

    GATE = "gate"
    RATCHET = "ratchet"


class FailOn(StrEnum):
    """What a user may want a command to fail on; also what a decision says has happened."""

    REGRESSED = "regressed"
    CHECKS_FAILED = "checks_failed"
    ERRORED = "errored"
    UNDECIDED = "undecided"
    NEEDS_REVIEW = "needs_review"


class ChecksState(StrEnum):
    """What became of the correctness checks."""

    NOT_CONFIGURED = "not configured"
    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


class Hold(StrEnum):
    """What keeps a decision open whatever the numbers say."""

    NONE = "none"
    SUPERSEDED = "superseded"
    NEEDS_REVIEW = "needs review"


@dataclass(frozen=True, slots=True)
class Policy:
    """The resolved policy of a benchmark. `harness_change` is the conclusion while a change to the harness awaits review."""

    mode: Mode = Mode.GATE
    fail_on: frozenset[FailOn] = frozenset({FailOn.REGRESSED, FailOn.CHECKS_FAILED, FailOn.ERRORED})
    harness_change: Conclusion = Conclusion.NEUTRAL


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a decision rests on. `run_cause` is why head gave no measurement; base's failure is an undecided primary."""

    primary: Comparison | None
    guards: tuple[Comparison, ...] = ()
    run_cause: Cause | None = None
    checks: ChecksState = ChecksState.NOT_CONFIGURED
    hold: Hold = Hold.NONE

    @property
    def judged(self) -> tuple[Comparison, ...]:
        return self.guards if self.primary is None else (self.primary, *self.guards)


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of head, and why.

    `triggers` are all the things that have happened of those one can fail on; `undecided` is one where it leaves a decision
    pending, not where the numbers passed or were discarded all the same.
    """

    outcome: Outcome
    conclusion: Conclusion
    reason: str
    next_step: str
    triggers: frozenset[FailOn] = frozenset()


@dataclass(frozen=True, slots=True)
class _End:
    """A row of the table before its triggers are known."""

    outcome: Outcome
    conclusion: Conclusion
    reason: str
    next_step: str


def decide(evidence: Evidence, policy: Policy) -> Decision:
    """The one decision on this evidence under this policy."""
    end = next(end for end in (stage(evidence, policy) for stage in _STAGES) if end)
    return Decision(end.outcome, end.conclusion, end.reason, end.next_step, _triggers(evidence, end))


def harm_excluded(comparison: Comparison) -> bool:
    """Whether the harm that counts is ruled out: `max_regression` of a guard, `min_effect` of any other metric."""
    spec = comparison.spec
    limit = spec.max_regression if spec.role is Role.GUARD and spec.max_regression is not None else spec.min_effect
    return comparison.harm_excluded is not None and comparison.harm_excluded <= limit


def lost(comparison: Comparison) -> bool:
    """Whether the base printed this metric and head did not."""
    return comparison.undecided is Undecided.NOT_MEASURED and bool(comparison.base) and not comparison.head


def without_baseline(comparison: Comparison) -> bool:
    """Whether head has numbers that nothing can be held against: the base failed, lacks the benchmark or prints no such metric."""
    new = comparison.undecided is Undecided.NOT_MEASURED and bool(comparison.head) and not comparison.base
    return new or comparison.undecided is Undecided.NO_BASELINE


def policy_hash(policy: Policy, settings: Mapping[str, object]) -> str:
    """The SHA-256 of the resolved policy. `settings` are the numbers that judge: alpha, min_effect, the guards' limits.

    Raises TypeError or ValueError for a setting that JSON does not have.
    """
    resolved = {"mode": policy.mode, "fail_on": sorted(policy.fail_on), "harness_change": policy.harness_change}
    return canonical.digest({"policy": resolved, "settings": dict(settings)})


def exit_code(decisions: Iterable[Decision], policy: Policy) -> int:
    """0 done, 1 something that the policy fails on, 3 undecided where it asks to fail on that; 1 wins over 3."""
    codes = {_exit_code(decision, policy) for decision in decisions}
    return next((code for code in (1, 3) if code in codes), 0)


def _exit_code(decision: Decision, policy: Policy) -> int:
    named = decision.triggers & policy.fail_on
    failures = {FailOn.CHECKS_FAILED, FailOn.ERRORED}
    if policy.mode is Mode.GATE:
        failures |= {FailOn.REGRESSED, FailOn.NEEDS_REVIEW}
    if named & failures:
        return 1
    return 3 if FailOn.UNDECIDED in named else 0


def _errored(evidence: Evidence, _policy: Policy) -> _End | None:
    cause = _failure(evidence)
    if cause is None:
        return None
    conclusion = {Cause.TIMEOUT: Conclusion.TIMED_OUT, Cause.CANCELLED: Conclusion.CANCELLED}.get(cause, Conclusion.FAILURE)
    return _End(Outcome.ERRORED, conclusion, *ERRORS[cause])


def _checks_failed(evidence: Evidence, _policy: Policy) -> _End | None:
    if evidence.checks is not ChecksState.FAILED:
        return None
    return _End(Outcome.CHECKS_FAILED, Conclusion.FAILURE, "the correctness checks failed on head", NEXT["checks failed"])


def _regressed(evidence: Evidence, policy: Policy) -> _End | None:
    worse = _worse(evidence)
    if not worse:
        return None
    conclusion, step = (Conclusion.FAILURE, "regressed") if policy.mode is Mode.GATE else (Conclusion.NEUTRAL, "not better")
    first = worse[0]
    if lost(first):
        return _End(Outcome.DISCARD, conclusion, "head no longer prints a guard that the base prints", NEXT["guard lost"])
    return _End(Outcome.DISCARD, conclusion, f"{_role(first)} regressed: {first.reason}", NEXT[step])


def _held(evidence: Evidence, policy: Policy) -> _End | None:
    match evidence.hold:
        case Hold.SUPERSEDED:
            return _End(Outcome.PENDING, Conclusion.NEUTRAL, "superseded: head moved while it was measured", NEXT["superseded"])
        case Hold.NEEDS_REVIEW:
            reason = "needs review: the change itself touches the harness, the checks or the config"
            return _End(Outcome.PENDING, policy.harness_change, reason, NEXT["needs review"])
        case Hold.NONE:
            return None


def _undecided(evidence: Evidence, policy: Policy) -> _End | None:
    if evidence.primary is None:
        return _End(Outcome.PENDING, Conclusion.NEUTRAL, "undecided: nothing was compared", NEXT["not compared"])
    open_ones = _open(evidence, policy)
    if not open_ones:
        return None
    first = next((comparison for comparison in open_ones if without_baseline(comparison)), open_ones[0])
    reason = f"{_role(first)} is undecided: {first.reason}"
    step = NEXT["no baseline"] if without_baseline(first) else how_to_settle(first)
    if policy.mode is Mode.RATCHET and not without_baseline(first):
        return _End(Outcome.DISCARD, Conclusion.NEUTRAL, reason, step)
    return _End(Outcome.PENDING, Conclusion.NEUTRAL, reason, step)


def _the_rest(evidence: Evidence, policy: Policy) -> _End:
    primary = evidence.primary
    if primary is None:
        raise ValueError("without a primary comparison nothing is left to decide")
    reason = primary.reason if primary.verdict is Verdict.UNDECIDED else f"{primary.verdict.value}: {primary.reason}"
    if policy.mode is Mode.RATCHET and primary.verdict is not Verdict.IMPROVED:
        return _End(Outcome.DISCARD, Conclusion.NEUTRAL, reason, NEXT["not better"])
    if evidence.checks is ChecksState.NOT_RUN:
        return _End(Outcome.PENDING, Conclusion.NEUTRAL, f"the correctness checks did not run; {reason}", NEXT["checks not run"])
    if primary.verdict is Verdict.UNDECIDED:
        return _End(Outcome.KEEP, Conclusion.SUCCESS, f"no harm that counts: {reason}", NEXT["harm excluded"])
    return _End(Outcome.KEEP, Conclusion.SUCCESS, reason, NEXT["kept"])


_STAGES: tuple[Callable[[Evidence, Policy], _End | None], ...] = (
    _errored,
    _checks_failed,
    _regressed,
    _held,
    _undecided,
    _the_rest,
)


def _failure(evidence: Evidence) -> Cause | None:
    """Head's failure; a primary that the base printed and head did not is one too."""
    if evidence.run_cause is None and evidence.primary is not None and lost(evidence.primary):
        return Cause.NO_METRIC
    return evidence.run_cause


def _worse(evidence: Evidence) -> list[Comparison]:
    """What stands against head, the primary first: a regression is no less one because a guard is missing too."""
    regressed = [comparison for comparison in evidence.judged if comparison.verdict is Verdict.REGRESSED]
    return regressed + [guard for guard in evidence.guards if lost(guard)]


def _open(evidence: Evidence, policy: Policy) -> list[Comparison]:
    """What is undecided, save for what `gate` lets pass: a mere lack of precision with the harm that counts excluded."""
    undecided = [comparison for comparison in evidence.judged if comparison.verdict is Verdict.UNDECIDED]
    if policy.mode is Mode.RATCHET:
        return undecided
    return [comparison for comparison in undecided if not _passes(comparison)]


def _passes(comparison: Comparison) -> bool:
    return comparison.undecided is not None and comparison.undecided.lacks_precision and harm_excluded(comparison)


def _triggers(evidence: Evidence, end: _End) -> frozenset[FailOn]:
    happened = {
        FailOn.ERRORED: _failure(evidence) is not None,
        FailOn.CHECKS_FAILED: evidence.checks is ChecksState.FAILED,
        FailOn.REGRESSED: bool(_worse(evidence)),
        FailOn.NEEDS_REVIEW: evidence.hold is Hold.NEEDS_REVIEW,
        FailOn.UNDECIDED: end.outcome is Outcome.PENDING and evidence.hold is Hold.NONE,
    }
    return frozenset(word for word, so in happened.items() if so)


def _role(comparison: Comparison) -> str:
    return "a guard" if comparison.spec.role is Role.GUARD else "the primary metric"
