"""The offline analysts: whatever the numbers, they say what the digest bears out, and nothing against the decision."""

from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.build import BASE, HEAD, benchmark, comparison, guard, secondary
from tests.fakes.runs import a_run

from assay.core.compare import compare
from assay.core.comparison import Comparison, Undecided
from assay.core.decide import ChecksState, Evidence, Mode, Policy, decide
from assay.core.fusion.answer import Answer, Position, read_answer, write_answer
from assay.core.fusion.claims import contradictions
from assay.core.fusion.digest import Subject, digest_of
from assay.core.fusion.evaluation import Evaluation, read_evaluation
from assay.core.fusion.grounding import Grounds
from assay.core.fusion.history import Past, past_of
from assay.core.fusion.narrative import OFFLINE, deterministic, sound_report
from assay.core.fusion.offline_evaluate import evaluate
from assay.core.fusion.offline_merge import merge
from assay.core.model import Conclusion, Direction, MetricSpec, Outcome, Role, Status, Verdict
from assay.core.result import BenchmarkResult

values = st.lists(st.floats(0.5, 2.0), min_size=0, max_size=12)
scales = st.sampled_from([1e-6, 1e-3, 1.0, 120.0, 1e6])
directions = st.sampled_from([Direction.LOWER, Direction.HIGHER])


@st.composite
def comparisons(draw: st.DrawFn, role: Role = Role.PRIMARY, name: str = "val_loss") -> Comparison:
    """A real comparison of any numbers, large effects and none among them."""
    scale, shift = draw(scales), draw(st.sampled_from([0.5, 0.97, 1.0, 1.0, 1.02, 3.0]))
    narrow = draw(st.sampled_from([0.0, 0.01, 1.0]))
    base = [scale * (1.0 + narrow * (value - 1.0)) for value in draw(values)]
    head = [scale * shift * (1.0 + narrow * (value - 1.0)) for value in draw(values)]
    limit = 0.05 if role is Role.GUARD else None
    spec = MetricSpec(name, role, draw(directions), draw(st.sampled_from([None, "s", "nats", "tok/s"])), 0.01, limit)
    if not base or not head:
        return Comparison(spec, Verdict.UNDECIDED, tuple(base), tuple(head), "a side has no values", undecided=Undecided.NOT_MEASURED)
    return compare(spec, base, head)


@st.composite
def results(draw: st.DrawFn) -> BenchmarkResult:
    """What a real decision makes of them."""
    primary = draw(comparisons())
    guards = tuple(draw(st.lists(comparisons(Role.GUARD, "mem_kb"), max_size=1)))
    others = tuple(draw(st.lists(comparisons(Role.SECONDARY, "other.metric"), max_size=1)))
    policy = Policy(draw(st.sampled_from(Mode)), frozenset())
    decision = decide(Evidence(primary, guards, None, ChecksState.NOT_CONFIGURED), policy)
    return benchmark(
        *(primary, *guards, *others),
        outcome=decision.outcome,
        conclusion=decision.conclusion,
        reason=decision.reason,
        next_step=decision.next_step,
    )


@st.composite
def pasts(draw: st.DrawFn) -> Past:
    """Earlier runs of the same benchmark, some of them of the base's own commit."""
    runs = tuple(
        a_run(
            number,
            values=tuple(draw(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=4))),
            age=timedelta(days=number + 1),
            commit=draw(st.sampled_from([BASE, "d" * 40, "e" * 40])),
            base=draw(st.sampled_from([None, BASE])),
        )
        for number in range(draw(st.integers(0, 8)))
    )
    return Past(runs, len(runs))


@settings(max_examples=150, deadline=None)
@given(results(), pasts())
def test_every_offline_sentence_can_be_derived_and_none_contradicts(result: BenchmarkResult, past: Past) -> None:
    digest = digest_of(Subject(result, BASE, HEAD, past=past, changed=(("src/x.py", "code"),)))
    grounds = Grounds.of(digest)
    answers = [analyst(digest) for analyst in OFFLINE.values()]
    for answer in (*answers, deterministic(digest)):
        assert read_answer(write_answer(answer)) == answer
        for item in answer.items:
            assert grounds.check(item).removed == (), item
            assert contradictions(item, digest) == (), item
        assert answer.verdict


@settings(max_examples=40, deadline=None)
@given(results(), pasts())
def test_the_merged_report_survives_the_check_that_models_are_put_to(result: BenchmarkResult, past: Past) -> None:
    digest = digest_of(Subject(result, BASE, HEAD, past=past))
    report = deterministic(digest)
    sound = sound_report(write_answer(report), digest)
    assert (sound.report, sound.removed, sound.rejected) == (report, (), "")


@settings(max_examples=40, deadline=None)
@given(results())
def test_the_letters_change_nothing_in_the_report(result: BenchmarkResult) -> None:
    digest = digest_of(Subject(result, BASE, HEAD))
    texts = [write_answer(analyst(digest)) for analyst in OFFLINE.values()]
    reports = set()
    for dealt in permutations(texts):
        answers = dict(zip("ABC", dealt, strict=True))
        reports.add(write_answer(merge(digest, answers, evaluate(digest, answers))))
    assert len(reports) == 1


@settings(max_examples=40, deadline=None)
@given(results())
def test_the_offline_evaluation_is_a_valid_one(result: BenchmarkResult) -> None:
    digest = digest_of(Subject(result, BASE, HEAD))
    answers = {letter: write_answer(analyst(digest)) for letter, analyst in zip("ABC", OFFLINE.values(), strict=True)}
    evaluation = evaluate(digest, answers)
    import json

    assert read_evaluation(json.dumps(evaluation.to_json()), "ABC") == evaluation


@settings(max_examples=40, deadline=None)
@given(results(), pasts())
def test_equal_facts_have_equal_digests(result: BenchmarkResult, past: Past) -> None:
    assert digest_of(Subject(result, BASE, HEAD, past=past)) == digest_of(Subject(replace(result), BASE, HEAD, past=replace(past)))


def said_by(lens: str, result: BenchmarkResult, **around: object) -> Answer:
    return OFFLINE[lens](digest_of(Subject(result, BASE, HEAD, **around)))  # type: ignore[arg-type]


def measured(base: list[float], head: list[float], better: Direction = Direction.LOWER) -> BenchmarkResult:
    return benchmark(compare(MetricSpec("val_loss", Role.PRIMARY, better), base, head), next_step="Nothing to do.")


STILL = [100.0, 100.4, 99.8, 100.1, 99.9, 100.2]
FASTER = [90.0, 90.2, 89.9, 90.1, 90.3, 89.8]


def test_a_clear_effect_is_told_with_its_practical_meaning() -> None:
    answer = said_by("effect", measured(STILL, FASTER))
    assert "even the weaker end of the interval is beyond the 1 % that count" in answer.verdict[0]
    assert "Every single head value is better than every base value." in answer.why
    assert answer.position is Position.SUPPORTS


def test_a_guard_that_has_nearly_used_its_limit_up_is_a_doubt() -> None:
    near = guard("mem: 100 100 100 | 104 104 104", verdict=Verdict.UNCHANGED)
    answer = said_by("effect", benchmark(comparison("val_loss: 100 100 100 | 90 90 90"), near))
    assert answer.position is Position.DOUBTS
    assert any("uses up a part of the 5 % that its limit allows" in item for item in answer.why)


def test_the_other_metric_that_moved_most_is_named() -> None:
    moved = (secondary("a: 10 10 10 | 11 11 11"), secondary("b: 10 10 10 | 15 15 15"))
    answer = said_by("effect", benchmark(comparison("val_loss: 100 100 100 | 90 90 90"), *moved))
    assert any("`b` moved most: it rose by 50 %" in item for item in answer.why)


def test_drift_within_a_side_is_a_doubt() -> None:
    climbing = [100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0]
    answer = said_by("noise", measured(climbing, [value * 0.8 for value in climbing]))
    assert answer.position is Position.DOUBTS
    assert any("The values of base drift in the order of measuring: +6.76 %" in item for item in answer.uncertain)


def test_an_outlier_is_named_with_its_side() -> None:
    answer = said_by("noise", measured([*STILL, 180.0], [*FASTER, 90.1]))
    assert any("On base there is a value far from the others: 180." in item for item in answer.uncertain)


def test_calm_numbers_are_said_to_be_sound() -> None:
    answer = said_by("noise", measured(STILL, FASTER))
    assert answer.position is Position.SUPPORTS
    assert "Neither side drifts with time, and no value stands apart from the others." in answer.why


def test_few_values_are_a_doubt() -> None:
    assert any("so few values" in item for item in said_by("noise", measured([100.0, 100.1, 99.9], [90.0, 90.1, 89.9])).uncertain)


def test_an_undecided_answer_says_what_would_settle_it() -> None:
    open_ = comparison("val_loss: 100 90 110 | 101 93 111", verdict=Verdict.UNDECIDED, undecided=Undecided.SAMPLES, more_pairs=6)
    answer = said_by("noise", benchmark(open_))
    assert answer.position is Position.CANNOT_TELL
    assert "About 6 more pairs would settle it" in answer.to_do[0]


def test_surroundings_that_differ_are_a_doubt() -> None:
    one, other = a_run(1), a_run(2, python=a_run().python.model_copy(update={"dependencies": {"numpy": "2.1.0"}}))
    answer = said_by("noise", measured(STILL, FASTER), base_run=one, head_run=other)
    assert any("package numpy" in item for item in answer.uncertain)


def earlier(*centres: float, commit: str = BASE) -> Past:
    runs = tuple(a_run(n, values=(value, value), age=timedelta(days=n), commit=commit, base=None) for n, value in enumerate(centres, 1))
    return Past(runs, len(runs))


def test_without_history_nothing_is_made_of_it() -> None:
    answer = said_by("history", measured(STILL, FASTER))
    assert answer.position is Position.CANNOT_TELL
    assert "no earlier run" in answer.verdict[0]


def test_a_session_in_which_the_same_commit_measures_otherwise_is_not_typical() -> None:
    answer = said_by("history", measured(STILL, FASTER), past=earlier(80.0, 80.1, 79.9, 80.05))
    assert answer.position is Position.DOUBTS
    assert "+25 % against their median of 80.025" in answer.uncertain[0]


def test_a_session_like_the_others_fits() -> None:
    answer = said_by("history", measured(STILL, FASTER), past=earlier(100.0, 100.2, 99.9, 100.1))
    assert answer.position is Position.SUPPORTS
    assert "Head has the best `val_loss` of all stored runs; the best before was 99.9." in answer.why


def test_a_trend_of_the_base_is_told() -> None:
    falling = earlier(*(100.0 + step for step in range(8)), commit="d" * 40)
    answer = said_by("history", measured(STILL, FASTER), past=falling)
    assert any("Over 8 earlier base runs the base itself has moved by -6.76 % in all" in item for item in answer.why)


def test_a_step_of_the_base_is_told_with_its_levels() -> None:
    levels = (90.1, 89.9, 90.0, 90.2, 89.8, 100.1, 99.9, 100.0, 100.2, 99.8, 100.1)  # newest first
    answer = said_by("history", measured(STILL, FASTER), past=earlier(*levels, commit="d" * 40))
    assert any("The base made a step of -10" in item and "5 base runs ago, from 100.05 to 90." in item for item in answer.why), answer.why


def test_values_around_two_levels_are_a_doubt() -> None:
    split = [100.0, 110.1, 100.2, 109.9, 100.1, 110.0, 99.9, 110.2, 100.0, 110.1, 99.8, 110.0]
    answer = said_by("noise", measured(split, [value * 0.5 for value in split]))
    assert any("gather around two levels" in item for item in answer.uncertain)


def test_only_runs_under_the_same_conditions_are_history() -> None:
    head = a_run(9, session_id="exp-9", age=timedelta(0))
    other_machine = a_run(1, session_id="exp-1", machine=head.machine.model_copy(update={"machine_class": "other"}))
    same_session = a_run(2, session_id="exp-9")
    fitting = a_run(3, session_id="exp-3")
    assert past_of((fitting, same_session, other_machine), head).runs == (fitting,)


def test_an_errored_benchmark_has_no_effect_and_no_invention() -> None:
    result = benchmark(
        status=Status.FAILED, outcome=Outcome.ERRORED, conclusion=Conclusion.FAILURE, reason="the benchmark timed out on head"
    )
    report = deterministic(digest_of(Subject(result, BASE, HEAD)))
    assert "could not be measured" in report.verdict[0]


@pytest.mark.parametrize("lens", list(OFFLINE))
def test_reused_numbers_are_never_called_measured_now(lens: str) -> None:
    answer = said_by(
        lens, replace(measured(STILL, FASTER), status=Status.REUSED, reused_age="2 days old"), past=earlier(100.0, 100.2, 99.9)
    )
    assert not any("were measured now" in item for item in answer.items)


def test_an_evaluator_meets_foreign_answers_with_the_data() -> None:
    digest = digest_of(Subject(measured(STILL, FASTER), BASE, HEAD))
    liar = "Position: doubts\n\n## Verdict\n\n`val_loss` regressed.\n\n## Why\n\n- It used 512 GB of memory.\n"
    honest = "Position: supports\n\n## Verdict\n\n`val_loss` fell by 10 %.\n\n## Why\n\n- Each side has 6 values.\n"
    found: Evaluation = evaluate(digest, {"A": liar, "B": honest})
    assert found.must_include == (("B", "Each side has 6 values."),)
    assert "It contradicts the decision." in found.assessments[0].risks
    assert {one.topic for one in found.conflicts} == {"Whether the evidence carries the decision", "What was found"}
    report = merge(digest, {"A": liar, "B": honest}, found)
    assert not any("regressed" in item or "512" in item for item in report.items)
