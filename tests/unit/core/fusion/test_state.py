"""The state machine: legal steps alone, no way back from an end, and no end without the merged text."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from assay.core.fusion.failure import AnalysisError, Code, Stage
from assay.core.fusion.state import MERGED, Artifact, Attempt, AttemptStatus, Manifest, State, may_follow
from assay.core.fusion.usage import Usage, said, total

ORDER = [
    State.INITIALIZING,
    State.CANDIDATES_RUNNING,
    State.CANDIDATES_COMPLETE,
    State.EVALUATING,
    State.EVALUATION_COMPLETE,
    State.MERGING,
    State.COMPLETED,
]
EARLY_ENDS = {State.FAILED, State.CANCELLED}


def manifest(state: State = State.INITIALIZING) -> Manifest:
    return Manifest("ana-1", None, "bench", "2025-03-01T12:00:00Z", "2025-03-01T12:00:00Z", {}, 2, state)


def with_merged(one: Manifest) -> Manifest:
    return replace(one, artifacts={MERGED: Artifact(MERGED, 1, "0")})


@pytest.mark.parametrize("state", list(State))
def test_what_may_follow_is_the_next_stage_or_an_early_end(state: State) -> None:
    following = {one for one in State if may_follow(state, one)}
    if state.terminal:
        assert following == set()
    else:
        assert following == {ORDER[ORDER.index(state) + 1], *EARLY_ENDS}


class Analysis(RuleBasedStateMachine):
    """Any order of wishes: only a legal step changes anything."""

    def __init__(self) -> None:
        super().__init__()
        self.manifest = manifest()
        self.been = [State.INITIALIZING]

    @rule(successor=st.sampled_from(State))
    def wish(self, successor: State) -> None:
        before = self.manifest
        legal = may_follow(before.state, successor) and (successor is not State.COMPLETED or MERGED in before.artifacts)
        if legal:
            self.manifest = before.advanced(successor, "later")
            self.been.append(successor)
            return
        with pytest.raises(AnalysisError) as caught:
            before.advanced(successor, "later")
        assert caught.value.code is Code.STATE_TRANSITION_INVALID

    @rule()
    def merge(self) -> None:
        self.manifest = with_merged(self.manifest)

    @invariant()
    def has_skipped_nothing(self) -> None:
        regular = [state for state in self.been if state not in EARLY_ENDS]
        assert regular == ORDER[: len(regular)]
        assert not any(state.terminal for state in self.been[:-1])


TestAnalysis = Analysis.TestCase


def test_an_analysis_is_not_completed_without_its_merged_text() -> None:
    with pytest.raises(AnalysisError, match=r"merged\.md"):
        manifest(State.MERGING).advanced(State.COMPLETED, "later")


def test_a_candidate_has_a_slot_and_nobody_else_has() -> None:
    for stage, slot in ((Stage.CANDIDATE, None), (Stage.MERGE, 1)):
        with pytest.raises(ValueError, match="slot"):
            Attempt(stage, slot, 1, "offline", AttemptStatus.COMPLETED)


usages = st.builds(
    Usage, st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9), st.none() | st.integers(0, 99)
)


@given(st.lists(usages))
def test_the_whole_is_the_sum_of_its_attempts(every: list[Usage]) -> None:
    assert total(every).total == sum(one.total for one in every)
    known = [one.cost for one in every if one.cost is not None]
    assert total(every).cost == (sum(known) if known else None)


def test_what_no_model_was_asked_for_costs_nothing() -> None:
    assert said(Usage()) == "no model was asked"
    assert said(Usage(), models=True) == "what it cost is not known"
    assert said(Usage(output=1)) == "1 token"
