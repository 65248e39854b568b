"""The workflow of an analysis: its order, its accounting, and what is left of it however it ends."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.build import BASE, HEAD, benchmark, comparison
from tests.fakes.analysts import Answering, FakeAnalyses, FakeFolder, FakePanel, fails, hangs, says
from tests.fakes.clock import FakeClock

from assay.app.analyse import fuse
from assay.app.panel import Desk, Fused, Order, Panel
from assay.core.fusion.budget import ANSWER_BYTES, Limits
from assay.core.fusion.digest import Subject, digest_of
from assay.core.fusion.evaluation import SCHEMA
from assay.core.fusion.events import (
    AnalysisCancelled,
    AnalysisCompleted,
    AnalysisEvent,
    AnalysisFailed,
    CandidateEnded,
    CandidateStarted,
    EvaluationRetry,
    EvaluationStarted,
    StateReached,
)
from assay.core.fusion.exchange import INSTRUCTIONS, Ask, Reply
from assay.core.fusion.failure import AnalysisError, Code, Stage
from assay.core.fusion.routes import Means, Route
from assay.core.fusion.state import AttemptStatus, Manifest, State
from assay.core.fusion.usage import Usage

RESULT = benchmark(comparison("val_loss: 120 121 119 122 | 90 91 89 92"), next_step="Nothing to do.")
DIGEST = digest_of(Subject(RESULT, BASE, HEAD))
GOOD = "## Verdict\n\n`val_loss` improved by 25 %.\n"


def evaluation(*letters: str, **extra: object) -> str:
    assessments = [
        {"candidate_id": one, "summary": "sound", "strengths": [], "limitations": [], "useful_contributions": [], "risks": []}
        for one in letters
    ]
    plan: dict[str, object] = {"must_include": [], "must_resolve": [], "must_avoid": []}
    whole = {"schema_version": SCHEMA, "candidate_assessments": assessments, "agreements": [], "conflicts": [], "synthesis_plan": plan}
    return json.dumps({**whole, **extra})


VALID = evaluation("A", "B", "C")
ROUTES = ("one", "two", "three", "judge", "scribe")


def route(name: str) -> Route:
    return Route(Means.COMMAND, (name,), name)


@dataclass
class Lab:
    """An analysis by five fakes. Whoever is not named answers well at once, for 2 tokens."""

    answers: dict[str, tuple[Answering, ...]] = field(default_factory=dict)
    quorum: int = 3
    limits: Limits = field(default_factory=Limits)
    analyses: FakeAnalyses = field(default_factory=FakeAnalyses)
    events: list[AnalysisEvent] = field(default_factory=list)
    chance: Any = bytes

    def __post_init__(self) -> None:
        good = {**{name: (says(GOOD),) for name in ROUTES}, "judge": (says(VALID),)}
        self.panel = FakePanel({**good, **self.answers})

    @property
    def desk(self) -> Desk:
        texts = {name: f"the {name} instructions" for name in INSTRUCTIONS}
        return Desk(self.panel, self.analyses, FakeClock(), self.chance, self.events.append, texts)

    @property
    def order(self) -> Order:
        panel = Panel(tuple(map(route, ROUTES[:3])), route("judge"), route("scribe"), self.quorum, self.limits)
        return Order(DIGEST, "bench", "run-1", panel)

    def run(self, stop: asyncio.Event | None = None) -> Fused:
        return asyncio.run(fuse(self.order, self.desk, stop))

    def failure(self) -> AnalysisError:
        with pytest.raises(AnalysisError) as caught:
            self.run()
        return caught.value

    @property
    def folder(self) -> FakeFolder:
        return self.analyses.folders[-1]

    @property
    def manifest(self) -> Manifest:
        return self.folder.manifests[-1]

    @property
    def stages(self) -> list[Stage]:
        return [ask.stage for ask in self.panel.asked]

    def heard(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def test_a_whole_run_asks_three_candidates_one_evaluator_and_one_merger() -> None:
    lab = Lab()
    fused = lab.run()
    assert lab.stages == [Stage.CANDIDATE] * 3 + [Stage.EVALUATION, Stage.MERGE]
    assert lab.manifest.state is State.COMPLETED
    assert lab.manifest.usage.total == 10
    assert "val_loss" in lab.folder.texts["merged.md"]
    assert fused.narrative.report.verdict == ("`val_loss` improved by 25 %.",)


def test_every_candidate_is_asked_the_same() -> None:
    lab = Lab()
    lab.run()
    assert len({ask.prompt for ask in lab.panel.asked[:3]}) == 1
    assert lab.panel.asked[0].document == lab.folder.texts["canonical-input.json"]


def test_blind_and_merge_prompts_say_nothing_of_who_answered() -> None:
    lab = Lab()
    lab.run()
    for ask in lab.panel.asked[3:]:
        assert not any(word in ask.prompt for word in (*ROUTES, "some-model", "slot", "route"))


def test_the_letters_are_dealt_by_chance_and_kept_in_the_manifest_alone() -> None:
    lab = Lab()
    lab.run()
    assert lab.manifest.anonymous_map == {"A": 2, "B": 3, "C": 1}
    assert not any("anonymous_map" in text for text in lab.folder.texts.values())


def test_a_repair_is_the_sixth_child_and_twelve_tokens() -> None:
    lab = Lab({"judge": (says(f"```json\n{VALID}\n```"), says(VALID))})
    lab.run()
    assert lab.manifest.usage.total == 12
    assert [(one.stage, one.number) for one in lab.manifest.attempts[3:]] == [
        (Stage.EVALUATION, 1),
        (Stage.EVALUATION, 2),
        (Stage.MERGE, 1),
    ]
    assert [event.repair for event in lab.heard(EvaluationStarted)] == [False, True]
    (retry,) = lab.heard(EvaluationRetry)
    assert "JSON only" in retry.errors[0]
    document = json.loads(lab.panel.asked[4].document)
    assert document["validation_errors"] == list(retry.errors)
    assert document["original_blind_input"]["candidates"][0]["candidate_id"] == "A"


def test_a_failed_candidate_costs_twenty_three_and_nobody_is_asked_after_it() -> None:
    begun = asyncio.Event()

    async def after_the_others(ask: Ask) -> Reply:
        await begun.wait()
        return await fails(tokens=5)(ask)

    lab = Lab({"one": (after_the_others,), "two": (hangs(7),), "three": (hangs(11, begun),)})
    assert lab.failure().code is Code.CHILD_EXIT_FAILED
    assert lab.manifest.usage.total == 23
    assert [one.status for one in lab.manifest.attempts].count(AttemptStatus.CANCELLED) == 2
    assert len(lab.manifest.attempts) == 3
    assert lab.stages == [Stage.CANDIDATE] * 3
    assert lab.manifest.state is State.FAILED


def test_a_failed_evaluator_costs_nineteen() -> None:
    lab = Lab({"judge": (fails(tokens=13),)})
    lab.failure()
    assert lab.manifest.usage.total == 19


def test_a_failed_repair_costs_twenty_five() -> None:
    lab = Lab({"judge": (says("no JSON"), fails(tokens=17))})
    lab.failure()
    assert lab.manifest.usage.total == 25


def test_a_failed_merger_costs_twenty_seven() -> None:
    lab = Lab({"scribe": (fails(tokens=19),)})
    lab.failure()
    assert lab.manifest.usage.total == 27
    assert "merged.md" not in lab.folder.texts


def test_two_invalid_evaluations_cost_ten_and_end_it() -> None:
    lab = Lab({"judge": (says("no JSON"),)})
    error = lab.failure()
    assert (error.code, error.where) == (Code.EVALUATION_INVALID, "evaluation, attempt 2")
    assert lab.manifest.usage.total == 10
    assert len(lab.manifest.attempts) == 5
    assert lab.manifest.state is State.FAILED


def test_all_candidates_are_under_way_before_one_has_answered() -> None:
    async def run() -> Fused:
        barrier = asyncio.Barrier(3)

        async def together(_: Ask) -> Reply:
            await barrier.wait()
            return Reply(GOOD)

        lab = Lab(dict.fromkeys(ROUTES[:3], (together,)))
        return await fuse(lab.order, lab.desk)

    assert asyncio.run(run()).manifest.state is State.COMPLETED


def test_with_a_quorum_of_two_a_failed_candidate_is_a_limitation() -> None:
    lab = Lab({"two": (fails(tokens=5),), "judge": (says(evaluation("A", "B")),)}, quorum=2)
    fused = lab.run()
    assert lab.manifest.state is State.COMPLETED
    assert sorted(lab.manifest.anonymous_map.values()) == [1, 3]
    assert lab.manifest.usage.total == 13
    assert fused.narrative.limitations == ("Analyst 2 failed: The child failed.",)
    assert "2 of 3 analysts" in fused.narrative.footer


def test_with_a_quorum_of_two_an_evaluation_of_three_is_invalid() -> None:
    lab = Lab({"two": (fails(),)}, quorum=2)
    assert lab.failure().code is Code.EVALUATION_INVALID


def test_with_a_quorum_of_two_the_second_failure_ends_the_third() -> None:
    lab = Lab({"one": (fails(tokens=5),), "two": (fails(tokens=7),), "three": (hangs(11),)}, quorum=2)
    lab.failure()
    assert lab.manifest.usage.total == 23
    assert lab.manifest.attempts[-1].status is AttemptStatus.CANCELLED


def test_the_first_failure_is_the_one_that_is_told() -> None:
    lab = Lab({"three": (fails(Code.CHILD_OUTPUT_CAP),), "one": (hangs(),), "two": (hangs(),)})
    error = lab.failure()
    assert (error.code, error.slot) == (Code.CHILD_OUTPUT_CAP, 3)


def test_a_launch_that_failed_for_a_passing_reason_is_tried_once_more_and_leaves_no_attempt() -> None:
    lab = Lab({"one": (fails(Code.CHILD_SPAWN_FAILED, transient=True, created=False), says(GOOD))})
    lab.run()
    assert [one.number for one in lab.manifest.attempts if one.slot == 1] == [1]
    assert [event.slot for event in lab.heard(CandidateStarted)].count(1) == 2


@pytest.mark.parametrize(("transient", "created", "asked"), [(True, False, 2), (True, True, 1), (False, False, 1)])
def test_a_launch_is_tried_at_most_twice_and_only_if_nothing_was_begun(transient: bool, created: bool, asked: int) -> None:
    lab = Lab({"one": (fails(Code.CHILD_SPAWN_FAILED, transient=transient, created=created),)})
    assert lab.failure().code is Code.CHILD_SPAWN_FAILED
    assert [event.slot for event in lab.heard(CandidateStarted)].count(1) == asked
    assert [one.slot for one in lab.manifest.attempts].count(1) == 1


def test_who_does_not_answer_in_time_is_ended_and_counted() -> None:
    lab = Lab({"one": (hangs(9),), "judge": (says(evaluation("A", "B")),)}, quorum=2, limits=Limits(seconds=0.01))
    lab.run()
    (late,) = [one for one in lab.manifest.attempts if one.slot == 1]
    assert late.error
    assert (late.error.code, late.usage.total) == (Code.CHILD_TIMEOUT, 9)


@pytest.mark.parametrize("name", ROUTES)
def test_a_cancellation_reaches_whoever_is_asked(name: str) -> None:
    async def run(lab: Lab, begun: asyncio.Event) -> None:
        stop = asyncio.Event()
        work = asyncio.create_task(fuse(lab.order, lab.desk, stop))
        await begun.wait()
        stop.set()
        with pytest.raises(AnalysisError) as caught:
            await work
        assert caught.value.code is Code.CHILD_CANCELLED

    begun = asyncio.Event()
    lab = Lab({name: (hangs(5, begun),)})
    asyncio.run(run(lab, begun))
    assert lab.manifest.state is State.CANCELLED
    assert lab.manifest.attempts[-1].status is AttemptStatus.CANCELLED
    assert lab.manifest.usage.total % 2 == 1, "what the cancelled one had spent is counted"
    assert lab.heard(AnalysisCancelled)
    assert not lab.heard(AnalysisFailed)


def test_what_was_answered_at_the_moment_of_the_cancellation_is_counted_too() -> None:
    async def run(lab: Lab) -> None:
        stop = asyncio.Event()

        async def answers_and_stops(_: Ask) -> Reply:
            stop.set()
            return Reply(GOOD, Usage(output=3))

        lab.panel.answers = {**lab.panel.answers, **dict.fromkeys(ROUTES[:3], (answers_and_stops,))}
        with pytest.raises(AnalysisError):
            await fuse(lab.order, lab.desk, stop)

    lab = Lab()
    asyncio.run(run(lab))
    assert lab.manifest.state is State.CANCELLED
    assert lab.manifest.usage.total == 3 * len([one for one in lab.manifest.attempts if one.usage.total])
    assert lab.manifest.usage.total == 9


def test_cancelled_twice_nothing_that_was_spent_is_lost() -> None:
    async def run(lab: Lab, begun: asyncio.Event) -> None:
        work = asyncio.create_task(fuse(lab.order, lab.desk))
        await begun.wait()
        for _ in range(4):
            work.cancel()
            await asyncio.sleep(0)
        with pytest.raises((asyncio.CancelledError, AnalysisError)):
            await work

    begun = asyncio.Event()
    lab = Lab({"one": (hangs(5),), "two": (hangs(7),), "three": (hangs(11, begun),)})
    asyncio.run(run(lab, begun))
    assert lab.manifest.state is State.CANCELLED
    assert lab.manifest.usage.total == 23


def test_cancelling_the_task_itself_leaves_a_cancelled_manifest_too() -> None:
    async def run(lab: Lab, begun: asyncio.Event) -> None:
        work = asyncio.create_task(fuse(lab.order, lab.desk))
        await begun.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    begun = asyncio.Event()
    lab = Lab({"two": (hangs(5, begun),)})
    asyncio.run(run(lab, begun))
    assert lab.manifest.state is State.CANCELLED


def test_what_was_cancelled_beforehand_asks_nobody_and_says_so() -> None:
    async def run(lab: Lab) -> None:
        stop = asyncio.Event()
        stop.set()
        with pytest.raises(AnalysisError, match="before anybody was asked"):
            await fuse(lab.order, lab.desk, stop)

    lab = Lab()
    asyncio.run(run(lab))
    assert lab.panel.asked == []
    assert lab.manifest.state is State.CANCELLED


def test_a_failure_whose_end_cannot_be_written_names_both_and_is_not_told_as_an_end() -> None:
    lab = Lab({"judge": (fails(),)}, analyses=FakeAnalyses({"failed"}))
    error = lab.failure()
    assert error.code is Code.CHILD_EXIT_FAILED
    assert "The child failed." in error.message
    assert "the disk is full" in error.message
    assert not lab.heard(AnalysisFailed)
    assert lab.manifest.state is State.EVALUATING


@pytest.mark.parametrize(
    "name", ["canonical-input.json", "blind-candidates.json", "evaluation.json", "merged.md", "candidate-2.attempt-1.response.md"]
)
def test_a_file_that_cannot_be_written_fails_the_analysis(name: str) -> None:
    lab = Lab(analyses=FakeAnalyses({name}))
    assert lab.failure().code is Code.ARTIFACT_ERROR
    assert lab.manifest.state is State.FAILED


def test_a_folder_that_cannot_be_made_is_an_artifact_error() -> None:
    assert Lab(analyses=FakeAnalyses({"create"})).failure().code is Code.ARTIFACT_ERROR


def test_a_state_is_told_once_it_is_on_disk() -> None:
    lab = Lab()
    lab.run()
    told = [event.state for event in lab.heard(StateReached)]
    assert told == [state.value for state in State if not state.terminal]
    assert [event.folder for event in lab.heard(AnalysisCompleted)] == [lab.folder.path]
    assert [(event.done, event.of) for event in lab.heard(CandidateEnded)] == [(1, 3), (2, 3), (3, 3)]


def test_an_answer_beyond_its_cap_is_kept_as_evidence_and_fails() -> None:
    lab = Lab({"one": (says("a" * (ANSWER_BYTES[Stage.CANDIDATE] + 1), tokens=5),)})
    assert lab.failure().code is Code.CHILD_OUTPUT_CAP
    (attempt,) = [one for one in lab.manifest.attempts if one.slot == 1]
    assert attempt.usage.total == 5
    assert attempt.response is None
    assert attempt.partial
    assert len(lab.folder.texts[attempt.partial]) > ANSWER_BYTES[Stage.CANDIDATE]


def test_an_empty_answer_is_none() -> None:
    assert Lab({"one": (says("  \n"),)}).failure().code is Code.CHILD_EVENT_INVALID


def test_a_prompt_beyond_the_budget_is_not_sent() -> None:
    lab = Lab(limits=Limits(input_tokens=100))
    assert lab.failure().code is Code.PROMPT_BUDGET_EXCEEDED
    assert lab.panel.asked == []
    assert json.loads(lab.folder.texts["budget.json"])["input_tokens_allowed"] == 100


def test_a_bug_of_an_analyst_has_a_code_and_cannot_get_out() -> None:
    async def broken(_: Ask) -> Reply:
        raise ZeroDivisionError

    lab = Lab({"one": (broken,)})
    assert lab.failure().code is Code.ORCHESTRATION_FAILED
    assert lab.manifest.state is State.FAILED


def test_too_little_chance_fails() -> None:
    assert Lab(chance=lambda _: b"").failure().code is Code.ORCHESTRATION_FAILED


def test_two_analyses_at_once_do_not_touch_each_other() -> None:
    async def both(one: Lab, other: Lab) -> tuple[Fused | BaseException, Fused | BaseException]:
        return await asyncio.gather(fuse(one.order, one.desk), fuse(other.order, other.desk), return_exceptions=True)

    one, other = Lab(), Lab({"scribe": (fails(),)})
    first, second = asyncio.run(both(one, other))
    assert isinstance(first, Fused)
    assert isinstance(second, AnalysisError)
    assert (one.manifest.usage.total, other.manifest.usage.total) == (10, 8)


def test_a_merged_text_that_contradicts_the_decision_gives_way_to_the_deterministic_one() -> None:
    lab = Lab({"scribe": (says("## Verdict\n\n`val_loss` regressed by 25 %.\n"),)})
    fused = lab.run()
    assert "regressed" not in lab.folder.texts["merged.md"]
    assert "improved" in " ".join(fused.narrative.report.verdict)
    assert any("contradicted" in one for one in fused.narrative.limitations)
    assert lab.manifest.grounding == {"removed": 0, "rejected": True}


def test_a_number_that_the_data_do_not_have_takes_its_sentence_along() -> None:
    lab = Lab({"scribe": (says("## Verdict\n\n`val_loss` improved by 25 %. It saves 7000 dollars a year.\n"),)})
    fused = lab.run()
    assert fused.narrative.report.verdict == ("`val_loss` improved by 25 %.",)
    assert "1 sentence removed" in fused.narrative.footer
    assert lab.manifest.grounding == {"removed": 1, "rejected": False}


def test_who_dissents_is_named_with_the_verdict() -> None:
    doubt = (
        "Position: doubts\n\n## Verdict\n\nThe four base values may be too few.\n\n## What is uncertain\n\n- Every session is different.\n"
    )
    lab = Lab({"two": (says(doubt),)})
    ((who, what),) = lab.run().narrative.dissent
    assert who == "two"
    assert what == "Every session is different."


def test_costs_are_added_where_they_are_known() -> None:
    async def dear(_: Ask) -> Reply:
        return Reply(GOOD, Usage(input=10, output=5, cost=0.25))

    lab = Lab({"one": (dear,), "two": (dear,)})
    fused = lab.run()
    assert lab.manifest.usage.cost == 0.5
    assert "0.5000 US dollars" in fused.narrative.footer


def test_a_manifest_is_json_and_names_each_file_by_its_hash() -> None:
    lab = Lab()
    lab.run()
    document: Mapping[str, Any] = json.loads(json.dumps(lab.manifest.to_json()))
    assert document["state"] == "completed"
    assert set(document["artifacts"]) == set(lab.folder.texts)
    assert document["usage"]["total"] == sum(one["usage"]["total"] for one in document["attempts"])
