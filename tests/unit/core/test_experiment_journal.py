"""A session's file: one header, contiguous records, read whole or not at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments import Story

from assay.core.experiment import Journal, RunRecord, SessionStatus


def whole() -> Story:
    story = Story.begin(max_iterations=3, tags=("gpu",))
    story.tried(3.5, "keep", description="tile", asi={"group": "a"}, commit="c" * 40)
    story.run(None)
    return story


def test_a_session_reads_back_as_it_was_written() -> None:
    journal = whole().journal
    assert Journal.from_text(journal.to_text()) == journal


def test_a_record_has_the_fields_that_programs_read() -> None:
    rows = [json.loads(line) for line in whole().journal.to_text().splitlines()]
    assert [row.keys() for row in rows[1:]] == [{"id", "seq", "segment", "type", "payload", "created_at"}] * 4
    assert [row["seq"] for row in rows[1:]] == [1, 2, 3, 4]
    assert rows[2]["payload"]["primary_metric"] == {"name": "loss", "value": 3.5, "unit": None}


def test_a_run_has_one_row_that_is_pending_and_one_that_is_final() -> None:
    story = Story.begin()
    run = story.tried(1, "keep")
    rows = [one.payload for one in story.journal.records if isinstance(one, RunRecord)]
    assert [(one.run, one.status.value) for one in rows] == [(run, "pending"), (run, "keep")]


def test_a_row_is_written_before_the_process_and_completed_after_it() -> None:
    story = Story.begin()
    story.run(None)
    (killed,) = story.state.trials
    assert (killed.stored.ended, killed.stored.primary_metric) == (False, None)


def test_a_record_that_is_there_already_is_not_added_again() -> None:
    from assay.core.experiment_edits import Logged, log_run
    from assay.core.model import Outcome

    story = Story.begin()
    run, mark = story.run(), story.mark()
    once = log_run(story.journal, Logged(run, Outcome.KEEP), None, mark)
    assert log_run(once, Logged(run, Outcome.KEEP), None, mark) == once


def test_half_characters_do_not_keep_a_session_from_being_written() -> None:
    story = Story.begin()
    story.tried(1, "keep", description="caf\udce9", asi={"a": "\ud800"})
    assert Journal.from_text(story.journal.to_text()).header == story.journal.header


def test_finalized_at_is_the_moment_of_that_status() -> None:
    journal = Story.begin().journal
    assert journal.header.finalized_at is None
    assert journal.with_status(SessionStatus.FINALIZED, "2025-03-01T13:00:00.000Z").header.finalized_at == "2025-03-01T13:00:00.000Z"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text[:-1], "line 5 has no end"),
        (lambda text: text.replace('"seq":2', '"seq":7'), "line 3: its seq is 7, not 2"),
        (lambda text: text.replace('"value":3.5', '"value":NaN'), "line 3: NaN"),
        (lambda text: text.replace('"type":"config"', '"type":"note"'), "line 2"),
        (lambda text: text.replace('"status":"keep"', '"status":"kept"'), "line 4"),
        (lambda text: text.replace("assay.session/1", "assay.session/2"), "line 1"),
        (lambda _: "", "line 1"),
    ],
)
def test_damage_is_an_error_that_names_the_line(damage: "object", reason: str) -> None:
    assert callable(damage)
    with pytest.raises(ValueError, match=reason):
        Journal.from_text(damage(whole().journal.to_text()))


@given(st.integers(0, 10_000), st.binary(min_size=1, max_size=3))
def test_a_file_with_other_bytes_in_it_is_read_as_it_is_or_refused(place: int, piece: bytes) -> None:
    data = whole().journal.to_text().encode()
    at = place % len(data)
    try:
        text = (data[:at] + piece + data[at + len(piece) :]).decode()
    except UnicodeDecodeError:
        return
    try:
        journal = Journal.from_text(text)
    except ValueError as error:
        reason = str(error)
    else:
        reason = "line" if Journal.from_text(journal.to_text()) == journal else "another session"
    assert "line" in reason
