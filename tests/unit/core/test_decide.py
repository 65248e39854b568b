"""The decision table, cell by cell under both policies, and its precedence."""

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.comparison import Comparison, Undecided
from assay.core.decide import ChecksState, Decision, Evidence, FailOn, Hold, Mode, Policy, decide, exit_code, policy_hash
from assay.core.model import Cause, Conclusion, Direction, MetricSpec, Outcome, Role, Verdict

GATE, RATCHET = Policy(Mode.GATE), Policy(Mode.RATCHET)
PRIMARY = MetricSpec("m", Role.PRIMARY, Direction.LOWER, min_effect=0.01)
GUARD = MetricSpec("g", Role.GUARD, Direction.LOWER, max_regression=0.05)
BOTH = ((1.0, 2.0), (1.0, 2.0))


def said(
    spec: MetricSpec,
    verdict: Verdict,
    undecided: Undecided | None = None,
    harm: float | None = None,
    sides: tuple[tuple[float, ...], ...] = BOTH,
) -> Comparison:
    return Comparison(spec, verdict, sides[0], sides[1], f"because {verdict}", undecided=undecided, harm_excluded=harm)


def unsure(spec: MetricSpec, cause: Undecided, harm: float | None = None, sides: tuple[tuple[float, ...], ...] = BOTH) -> Comparison:
    return said(spec, Verdict.UNDECIDED, cause, harm, sides)


IMPROVED, UNCHANGED, REGRESSED = (said(PRIMARY, verdict) for verdict in (Verdict.IMPROVED, Verdict.UNCHANGED, Verdict.REGRESSED))
PRECISE = unsure(PRIMARY, Undecided.SAMPLES, 0.009)
OUT_OF_TIME = unsure(PRIMARY, Undecided.TIME, 0.01)
VAGUE = unsure(PRIMARY, Undecided.SAMPLES, 0.02)
BLIND = unsure(PRIMARY, Undecided.SAMPLES)
MIXED = unsure(PRIMARY, Undecided.NOT_ISOLATED, 0.0)
NO_BASELINE = unsure(PRIMARY, Undecided.NO_BASELINE, sides=((), (1.0,)))

PASSED, GUARD_UP, GUARD_DOWN = said(GUARD, Verdict.UNCHANGED), said(GUARD, Verdict.IMPROVED), said(GUARD, Verdict.REGRESSED)
GUARD_VAGUE = unsure(GUARD, Undecided.SAMPLES, 0.06)
GUARD_TIMED = unsure(GUARD, Undecided.TIME, 0.03)
GUARD_LOST = unsure(GUARD, Undecided.NOT_MEASURED, sides=((1.0,), ()))
GUARD_NEVER = unsure(GUARD, Undecided.NOT_MEASURED, sides=((), ()))
GUARD_NEW = unsure(GUARD, Undecided.NOT_MEASURED, sides=((), (1.0,)))

KEEP = (Outcome.KEEP, Conclusion.SUCCESS)
PENDING = (Outcome.PENDING, Conclusion.NEUTRAL)
DROP = (Outcome.DISCARD, Conclusion.NEUTRAL)
FAIL = (Outcome.DISCARD, Conclusion.FAILURE)
ERRORED = (Outcome.ERRORED, Conclusion.FAILURE)
CHECKS_FAILED = (Outcome.CHECKS_FAILED, Conclusion.FAILURE)


def ends(decision: Decision) -> tuple[Outcome, Conclusion]:
    return decision.outcome, decision.conclusion


TABLE = [
    # evidence                                      gate     ratchet
    (Evidence(IMPROVED), KEEP, KEEP),
    (Evidence(UNCHANGED), KEEP, DROP),
    (Evidence(REGRESSED), FAIL, DROP),
    (Evidence(PRECISE), KEEP, DROP),
    (Evidence(OUT_OF_TIME), KEEP, DROP),
    (Evidence(VAGUE), PENDING, DROP),
    (Evidence(BLIND), PENDING, DROP),
    (Evidence(MIXED), PENDING, DROP),
    (Evidence(unsure(PRIMARY, Undecided.NO_DIRECTION)), PENDING, DROP),
    (Evidence(unsure(PRIMARY, Undecided.NOT_COMPARABLE)), PENDING, DROP),
    (Evidence(unsure(PRIMARY, Undecided.NOT_MEASURED, sides=((), ()))), PENDING, DROP),
    (Evidence(unsure(PRIMARY, Undecided.NOT_MEASURED, sides=((1.0,), ()))), ERRORED, ERRORED),
    (Evidence(NO_BASELINE), PENDING, PENDING),
    (Evidence(None), PENDING, PENDING),
    # guards
    (Evidence(IMPROVED, (PASSED, GUARD_UP)), KEEP, KEEP),
    (Evidence(UNCHANGED, (PASSED,)), KEEP, DROP),
    (Evidence(IMPROVED, (PASSED, GUARD_DOWN)), FAIL, DROP),
    (Evidence(VAGUE, (GUARD_DOWN,)), FAIL, DROP),
    (Evidence(IMPROVED, (GUARD_LOST,)), FAIL, DROP),
    (Evidence(IMPROVED, (GUARD_NEVER,)), PENDING, DROP),
    (Evidence(IMPROVED, (GUARD_NEW,)), PENDING, PENDING),
    (Evidence(IMPROVED, (GUARD_VAGUE,)), PENDING, DROP),
    (Evidence(IMPROVED, (GUARD_TIMED,)), KEEP, DROP),
    (Evidence(NO_BASELINE, (GUARD_VAGUE,)), PENDING, PENDING),
    # checks
    (Evidence(IMPROVED, checks=ChecksState.PASSED), KEEP, KEEP),
    (Evidence(IMPROVED, checks=ChecksState.FAILED), CHECKS_FAILED, CHECKS_FAILED),
    (Evidence(REGRESSED, checks=ChecksState.FAILED), CHECKS_FAILED, CHECKS_FAILED),
    (Evidence(NO_BASELINE, checks=ChecksState.FAILED), CHECKS_FAILED, CHECKS_FAILED),
    (Evidence(IMPROVED, checks=ChecksState.NOT_RUN), PENDING, PENDING),
    (Evidence(UNCHANGED, checks=ChecksState.NOT_RUN), PENDING, DROP),
    (Evidence(PRECISE, checks=ChecksState.NOT_RUN), PENDING, DROP),
    (Evidence(REGRESSED, checks=ChecksState.NOT_RUN), FAIL, DROP),
    # held open
    (Evidence(IMPROVED, hold=Hold.SUPERSEDED), PENDING, PENDING),
    (Evidence(IMPROVED, hold=Hold.NEEDS_REVIEW), PENDING, PENDING),
    (Evidence(VAGUE, hold=Hold.NEEDS_REVIEW), PENDING, PENDING),
    (Evidence(REGRESSED, hold=Hold.NEEDS_REVIEW), FAIL, DROP),
    (Evidence(IMPROVED, (GUARD_DOWN,), hold=Hold.SUPERSEDED), FAIL, DROP),
    (Evidence(IMPROVED, checks=ChecksState.FAILED, hold=Hold.NEEDS_REVIEW), CHECKS_FAILED, CHECKS_FAILED),
    # head gave no measurement
    (Evidence(None, run_cause=Cause.EXIT), ERRORED, ERRORED),
    (Evidence(None, run_cause=Cause.SIGNAL), ERRORED, ERRORED),
    (Evidence(None, run_cause=Cause.OUT_OF_MEMORY), ERRORED, ERRORED),
    (Evidence(None, run_cause=Cause.OUTPUT_LIMIT), ERRORED, ERRORED),
    (Evidence(None, run_cause=Cause.NO_METRIC), ERRORED, ERRORED),
    (Evidence(None, run_cause=Cause.NOT_STARTED), ERRORED, ERRORED),
    (Evidence(None, run_cause=Cause.TIMEOUT), (Outcome.ERRORED, Conclusion.TIMED_OUT), (Outcome.ERRORED, Conclusion.TIMED_OUT)),
    (Evidence(None, run_cause=Cause.CANCELLED), (Outcome.ERRORED, Conclusion.CANCELLED), (Outcome.ERRORED, Conclusion.CANCELLED)),
    (Evidence(IMPROVED, run_cause=Cause.EXIT), ERRORED, ERRORED),
    (Evidence(NO_BASELINE, run_cause=Cause.EXIT, checks=ChecksState.FAILED, hold=Hold.SUPERSEDED), ERRORED, ERRORED),
]


@pytest.mark.parametrize(("evidence", "gate", "ratchet"), TABLE)
def test_every_cell_of_the_table(evidence: Evidence, gate: tuple[Outcome, Conclusion], ratchet: tuple[Outcome, Conclusion]) -> None:
    assert ends(decide(evidence, GATE)) == gate
    assert ends(decide(evidence, RATCHET)) == ratchet


PRIMARIES = [None, IMPROVED, UNCHANGED, REGRESSED, PRECISE, VAGUE, MIXED, NO_BASELINE]
GUARDS = [(), (PASSED,), (GUARD_UP, PASSED), (GUARD_DOWN,), (PASSED, GUARD_VAGUE), (GUARD_LOST,), (GUARD_NEVER,), (GUARD_TIMED,)]
evidences = st.builds(
    Evidence,
    st.sampled_from(PRIMARIES),
    st.sampled_from(GUARDS),
    st.sampled_from([None, *Cause]),
    st.sampled_from(ChecksState),
    st.sampled_from(Hold),
)
policies = st.builds(
    Policy,
    st.sampled_from(Mode),
    st.frozensets(st.sampled_from(FailOn)),
    st.sampled_from([Conclusion.NEUTRAL, Conclusion.SUCCESS, Conclusion.FAILURE, Conclusion.ACTION_REQUIRED]),
)
thorough = settings(deadline=None, max_examples=300)


def expected_outcome(evidence: Evidence, mode: Mode) -> Outcome:
    """The precedence of the design, written down a second time."""
    all_of_it = [one for one in (evidence.primary, *evidence.guards) if one]
    if evidence.run_cause:
        return Outcome.ERRORED
    if evidence.checks is ChecksState.FAILED:
        return Outcome.CHECKS_FAILED
    if GUARD_LOST in all_of_it or any(one.verdict is Verdict.REGRESSED for one in all_of_it):
        return Outcome.DISCARD
    if evidence.hold is not Hold.NONE or evidence.primary in (None, NO_BASELINE):
        return Outcome.PENDING
    if mode is Mode.RATCHET:
        if any(one.verdict is Verdict.UNDECIDED for one in all_of_it) or evidence.primary is not IMPROVED:
            return Outcome.DISCARD
    elif any(one in all_of_it for one in (VAGUE, MIXED, GUARD_VAGUE, GUARD_NEVER)):
        return Outcome.PENDING
    return Outcome.PENDING if evidence.checks is ChecksState.NOT_RUN else Outcome.KEEP


@thorough
@given(evidences, policies)
def test_precedence_holds_for_every_combination(evidence: Evidence, policy: Policy) -> None:
    assert decide(evidence, policy).outcome is expected_outcome(evidence, policy.mode)


@thorough
@given(evidences, policies)
def test_a_decision_is_always_complete_and_consistent(evidence: Evidence, policy: Policy) -> None:
    decision = decide(evidence, policy)
    assert decision.reason
    assert decision.next_step.endswith((".", "…`."))
    assert (decision.outcome is Outcome.KEEP) <= (decision.conclusion is Conclusion.SUCCESS)
    if decision.outcome is Outcome.DISCARD:
        assert decision.conclusion in ({Conclusion.NEUTRAL} if policy.mode is Mode.RATCHET else {Conclusion.FAILURE})


@thorough
@given(evidences, policies)
def test_a_keep_is_never_given_without_checks_or_against_a_guard(evidence: Evidence, policy: Policy) -> None:
    if decide(evidence, policy).outcome is Outcome.KEEP:
        assert evidence.checks in (ChecksState.NOT_CONFIGURED, ChecksState.PASSED)
        assert evidence.hold is Hold.NONE
        assert evidence.run_cause is None
        assert not any(guard.verdict is Verdict.REGRESSED or not guard.head for guard in evidence.guards)


@thorough
@given(evidences, policies)
def test_the_words_to_fail_on_never_change_a_decision(evidence: Evidence, policy: Policy) -> None:
    assert decide(evidence, policy) == decide(evidence, Policy(policy.mode, frozenset(), policy.harness_change))


@pytest.mark.parametrize("conclusion", [Conclusion.NEUTRAL, Conclusion.FAILURE, Conclusion.ACTION_REQUIRED])
def test_a_harness_change_concludes_as_the_policy_says(conclusion: Conclusion) -> None:
    decision = decide(Evidence(IMPROVED, hold=Hold.NEEDS_REVIEW), Policy(harness_change=conclusion))
    assert ends(decision) == (Outcome.PENDING, conclusion)
    assert decision.reason.startswith("needs review")


def test_a_superseded_head_is_neutral_whatever_the_harness_policy() -> None:
    decision = decide(Evidence(IMPROVED, hold=Hold.SUPERSEDED), Policy(harness_change=Conclusion.FAILURE))
    assert ends(decision) == PENDING
    assert decision.reason.startswith("superseded")


@pytest.mark.parametrize(
    ("evidence", "triggers"),
    [
        (Evidence(IMPROVED), set()),
        (Evidence(PRECISE), set()),
        (Evidence(VAGUE), {FailOn.UNDECIDED}),
        (Evidence(NO_BASELINE), {FailOn.UNDECIDED}),
        (Evidence(IMPROVED, checks=ChecksState.NOT_RUN), {FailOn.UNDECIDED}),
        (Evidence(IMPROVED, (GUARD_LOST,)), {FailOn.REGRESSED}),
        (Evidence(REGRESSED, checks=ChecksState.FAILED), {FailOn.REGRESSED, FailOn.CHECKS_FAILED}),
        (Evidence(VAGUE, (GUARD_DOWN,)), {FailOn.REGRESSED}),
        (Evidence(None, run_cause=Cause.TIMEOUT), {FailOn.ERRORED}),
        (Evidence(VAGUE, hold=Hold.NEEDS_REVIEW), {FailOn.NEEDS_REVIEW}),
        (Evidence(VAGUE, hold=Hold.SUPERSEDED), set()),
    ],
)
def test_triggers_are_all_that_has_happened(evidence: Evidence, triggers: set[FailOn]) -> None:
    assert decide(evidence, GATE).triggers == triggers


def code(evidence: Evidence, mode: Mode = Mode.GATE, fail_on: set[FailOn] | None = None) -> int:
    policy = Policy(mode) if fail_on is None else Policy(mode, frozenset(fail_on))
    return exit_code([decide(evidence, policy)], policy)


@pytest.mark.parametrize(
    ("evidence", "gate", "ratchet"),
    [
        (Evidence(IMPROVED), 0, 0),
        (Evidence(UNCHANGED), 0, 0),
        (Evidence(PRECISE), 0, 0),
        (Evidence(VAGUE), 0, 0),
        (Evidence(NO_BASELINE), 0, 0),
        (Evidence(IMPROVED, hold=Hold.NEEDS_REVIEW), 0, 0),
        (Evidence(REGRESSED), 1, 0),
        (Evidence(IMPROVED, (GUARD_LOST,)), 1, 0),
        (Evidence(IMPROVED, checks=ChecksState.FAILED), 1, 1),
        (Evidence(None, run_cause=Cause.NO_METRIC), 1, 1),
        (Evidence(None, run_cause=Cause.TIMEOUT), 1, 1),
    ],
)
def test_exit_codes_by_default(evidence: Evidence, gate: int, ratchet: int) -> None:
    assert (code(evidence, Mode.GATE), code(evidence, Mode.RATCHET)) == (gate, ratchet)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("evidence", [evidence for evidence, _, _ in TABLE])
def test_who_asks_to_fail_on_nothing_never_fails(evidence: Evidence, mode: Mode) -> None:
    assert code(evidence, mode, set()) == 0


def test_undecided_is_three_and_review_is_one_where_they_are_asked_for() -> None:
    assert code(Evidence(VAGUE), fail_on={FailOn.UNDECIDED}) == 3
    assert code(Evidence(NO_BASELINE), Mode.RATCHET, {FailOn.UNDECIDED}) == 3
    assert code(Evidence(IMPROVED, checks=ChecksState.NOT_RUN), fail_on={FailOn.UNDECIDED}) == 3
    assert code(Evidence(IMPROVED, hold=Hold.NEEDS_REVIEW), fail_on={FailOn.NEEDS_REVIEW}) == 1
    assert code(Evidence(PRECISE), fail_on={FailOn.UNDECIDED}) == 0
    assert code(Evidence(VAGUE), Mode.RATCHET, {FailOn.UNDECIDED}) == 0
    assert code(Evidence(VAGUE), fail_on={FailOn.REGRESSED}) == 0


def test_one_wins_over_three_and_three_over_nothing() -> None:
    policy = Policy(fail_on=frozenset(FailOn))
    kept, vague, worse = (decide(Evidence(primary), policy) for primary in (IMPROVED, VAGUE, REGRESSED))
    for order in product((kept, vague, worse), repeat=3):
        assert exit_code(order, policy) == (1 if worse in order else 3 if vague in order else 0)
    assert exit_code([], policy) == 0


def test_the_hash_of_a_policy_is_that_of_what_it_says() -> None:
    settings_ = {"alpha": 0.05, "min_effect": 0.01, "guards": {"a": 0.05, "b": 0.1}}
    again = {"guards": {"b": 0.1, "a": 0.05}, "min_effect": 0.01, "alpha": 0.05}
    first = policy_hash(GATE, settings_)
    assert len(first) == 64
    assert first == policy_hash(Policy(Mode.GATE), again)
    others = {
        policy_hash(RATCHET, settings_),
        policy_hash(Policy(fail_on=frozenset()), settings_),
        policy_hash(Policy(harness_change=Conclusion.FAILURE), settings_),
        policy_hash(GATE, {**settings_, "alpha": 0.01}),
        policy_hash(GATE, {**settings_, "guards": {"a": 0.05}}),
    }
    assert len(others | {first}) == 6


def test_the_hash_does_not_change_between_versions() -> None:
    assert policy_hash(GATE, {"alpha": 0.05}) == "de519d3a55eb70bc237bbfcfa14f3aab8833be8a6c118c5b85ccd2b41c66b927"


def test_a_setting_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"JSON|float"):
        policy_hash(GATE, {"alpha": math.nan})


@pytest.mark.parametrize(
    ("evidence", "policy", "reason", "step"),
    [
        (Evidence(REGRESSED), GATE, "the primary metric regressed: because regressed", "accept the loss on purpose"),
        (Evidence(IMPROVED, (GUARD_DOWN,)), GATE, "a guard regressed: because regressed", "Look for the cause"),
        (Evidence(IMPROVED, (GUARD_LOST,)), GATE, "head no longer prints a guard", "print the guard again"),
        (Evidence(IMPROVED, (GUARD_NEVER,)), GATE, "a guard is undecided", "print the metric"),
        (Evidence(IMPROVED, (GUARD_NEW,)), GATE, "a guard is undecided", "next baseline"),
        (Evidence(VAGUE), GATE, "the primary metric is undecided: because undecided", "quieter"),
        (Evidence(NO_BASELINE), RATCHET, "the primary metric is undecided", "next baseline"),
        (Evidence(OUT_OF_TIME), RATCHET, "the primary metric is undecided", "max_time"),
        (Evidence(UNCHANGED), RATCHET, "unchanged: because unchanged", "only improvements"),
        (Evidence(IMPROVED), GATE, "improved: because improved", "Nothing to do"),
        (Evidence(PRECISE), GATE, "no harm that counts", "repeats.max"),
        (Evidence(None, run_cause=Cause.NO_METRIC), GATE, "did not print the primary metric", "METRIC name=value"),
        (Evidence(IMPROVED, checks=ChecksState.NOT_RUN), GATE, "the correctness checks did not run", "`checks`"),
    ],
)
def test_what_the_reader_is_told(evidence: Evidence, policy: Policy, reason: str, step: str) -> None:
    decision = decide(evidence, policy)
    assert reason in decision.reason
    assert step in decision.next_step


def test_the_pairs_that_would_settle_it_are_in_the_next_step() -> None:
    vague = Comparison(PRIMARY, Verdict.UNDECIDED, *BOTH, "noise", undecided=Undecided.SAMPLES, harm_excluded=0.02, more_pairs=6)
    assert "about 6 more pairs" in decide(Evidence(vague), GATE).next_step
