"""What a run may be logged as, and when a session takes no more."""

import pytest
from tests.experiments import SHA, Story

from assay.core.experiment import SessionStatus
from assay.core.experiment_errors import (
    AlreadyLoggedError,
    MaxIterationsError,
    OutcomeRefusedError,
    SessionNotActiveError,
    UnknownRunError,
)


@pytest.mark.parametrize("outcome", ["discard", "checks_failed"])
def test_what_is_restored_needs_a_baseline(outcome: str) -> None:
    story = Story.begin()
    run = story.run()
    with pytest.raises(OutcomeRefusedError, match="baseline"):
        story.log(run, outcome, None)
    story.log(run, outcome, SHA)


def test_an_errored_run_needs_no_baseline() -> None:
    story = Story.begin()
    story.log(story.run("", exit_code=1), "errored", None)
    assert story.state.trials[0].settled


@pytest.mark.parametrize(
    ("printed", "exit_code", "reason"),
    [
        ("METRIC other=1\n", 0, "loss"),
        ("METRIC loss=1\n", 3, "exit status 3"),
        (None, 0, "host was killed"),
    ],
)
def test_a_keep_needs_the_metric_and_a_clean_end(printed: str | None, exit_code: int, reason: str) -> None:
    story = Story.begin()
    run = story.run(printed, exit_code=exit_code)
    before = story.journal
    with pytest.raises(OutcomeRefusedError, match=reason):
        story.log(run, "keep")
    assert story.journal == before


@pytest.mark.parametrize(("checks", "kept"), [(None, False), (1, False), (0, True)])
def test_a_keep_needs_checks_that_have_really_passed_where_there_are_checks(checks: int | None, kept: bool) -> None:
    story = Story.begin(checks="pytest -q")
    run = story.run(checks=checks)
    if kept:
        story.log(run, "keep")
    else:
        with pytest.raises(OutcomeRefusedError, match="checks"):
            story.log(run, "keep")


def test_a_run_of_an_earlier_segment_cannot_be_kept_any_more() -> None:
    story = Story.begin()
    run = story.run()
    story.segment(metric="speed")
    with pytest.raises(OutcomeRefusedError, match="segment 1"):
        story.log(run, "keep")


def test_a_run_has_one_outcome() -> None:
    story = Story.begin()
    run = story.tried(1, "keep")
    with pytest.raises(AlreadyLoggedError, match="keep"):
        story.log(run, "discard")


def test_a_pending_run_may_get_its_outcome_later() -> None:
    story = Story.begin()
    run = story.tried(1, "pending")
    story.log(run, "keep")
    assert [one.run for one in story.state.kept] == [run]


def test_runs_without_an_outcome_count_towards_the_limit() -> None:
    story = Story.begin(max_iterations=2)
    story.run(None)
    story.run()
    with pytest.raises(MaxIterationsError, match="2"):
        story.run()


def test_the_limit_is_that_of_the_segment() -> None:
    story = Story.begin(max_iterations=1)
    story.run()
    story.segment(max_iterations=1)
    story.run()
    with pytest.raises(MaxIterationsError):
        story.run()


@pytest.mark.parametrize("status", [one for one in SessionStatus if one is not SessionStatus.ACTIVE])
def test_only_an_active_session_runs_logs_and_begins_segments(status: SessionStatus) -> None:
    story = Story.begin()
    run = story.run()
    story.journal = story.journal.with_status(status, "2025-03-01T13:00:00.000Z")
    for act in (story.run, story.segment, lambda: story.log(run, "keep")):
        with pytest.raises(SessionNotActiveError, match="not active"):
            act()


def test_an_unknown_run_is_named() -> None:
    with pytest.raises(UnknownRunError, match="run-nobody"):
        Story.begin().log("run-nobody", "keep")
