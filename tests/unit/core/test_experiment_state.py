"""What a session has come to: best, baseline, segment, confidence."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments import Story

from assay.core.experiment_confidence import confidence, confidence_words


@pytest.mark.parametrize(("better", "best"), [("lower", 30), ("higher", 50)])
def test_the_best_run_is_the_one_with_the_best_value_not_the_last_one(better: str, best: int) -> None:
    story = Story.begin(better=better)
    runs = {value: story.tried(value, "keep") for value in (50, 30, 40)}
    assert story.state.best is not None
    assert story.state.best.run == runs[best]


def test_of_equal_runs_the_first_is_best() -> None:
    story = Story.begin()
    first = story.tried(30, "keep")
    story.tried(30, "keep")
    assert story.state.best is not None
    assert story.state.best.run == first


def test_a_discarded_run_is_never_best() -> None:
    story = Story.begin()
    kept = story.tried(30, "keep")
    story.tried(10, "discard")
    assert story.state.best is not None
    assert story.state.best.run == kept


def test_a_new_segment_begins_with_nothing_and_keeps_what_was_kept() -> None:
    story = Story.begin(max_iterations=1)
    kept = story.tried(30, "keep")
    story.segment(metric="speed", better="higher", max_iterations=2)
    state = story.state
    assert (state.segment, state.best, state.baseline, state.here, state.config.max_iterations) == (2, None, None, (), 2)
    assert [one.run for one in state.kept] == [kept]


def test_the_baseline_is_the_first_run_whose_number_counts() -> None:
    story = Story.begin()
    story.log(story.run("METRIC loss=0\n", exit_code=1), "errored")
    story.log(story.run("METRIC loss=0.5\n"), "checks_failed")
    first = story.tried(100, "discard")
    assert story.state.baseline is not None
    assert story.state.baseline.run == first


def test_a_run_without_an_outcome_can_be_the_baseline_and_one_whose_checks_failed_cannot() -> None:
    story = Story.begin(checks="./check")
    story.run(checks=1)
    first = story.run(checks=0)
    assert story.state.baseline is not None
    assert story.state.baseline.run == first


@pytest.mark.parametrize(
    ("values", "best", "expected"),
    [
        ((100, 90, 95), 90, 2.0),
        ((100, 80, 120), 80, 1.0),
        ((100, 99, 101, 60), 60, 40.0),
        ((100, 100.1, 99.9, 99.5), 99.5, 5.0),
        ((100, 100, 100), 100, None),
        ((100, 90), 90, None),
        ((100, 90, 95), 100, None),
        ((100, 90, 95), None, None),
        ((-100, -110, -105), -110, 2.0),
        ((0, 10, 5), 0, None),
    ],
)
def test_confidence_counts_deviations_between_the_first_and_the_best(
    values: tuple[float, ...], best: float | None, expected: float | None
) -> None:
    found = confidence(values, best)
    assert found == expected or (found is not None and expected is not None and math.isclose(found, expected, rel_tol=1e-9))


def test_a_crash_is_neither_baseline_nor_sample_of_the_confidence() -> None:
    story = Story.begin()
    story.log(story.run("METRIC loss=0\n", exit_code=1), "errored")
    for value, outcome in ((100, "keep"), (90, "keep"), (95, "discard")):
        story.tried(value, outcome)
    assert story.state.confidence == 2.0


def test_the_words_of_a_confidence_follow_its_bands() -> None:
    said = [confidence_words(value).rpartition(", ")[2] for value in (None, 0.99, 1.0, 1.99, 2.0)]
    assert said == ["not enough runs to tell", "within the noise", "marginal", "marginal", "likely real"]


@given(st.lists(st.integers(-1000, 1000), min_size=3, max_size=30), st.sampled_from([0.25, 2.0, 8.0]), st.integers(-1000, 1000))
def test_confidence_does_not_depend_on_the_unit(values: list[int], scale: float, shift: int) -> None:
    moved = [value * scale + shift for value in values]
    assert confidence(values, min(values)) == confidence(moved, min(moved))
