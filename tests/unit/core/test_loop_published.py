"""The published table: between markers, newest datum of each cell, and how far it lags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import NOW
from tests.loops import DAY, HOUR, a_row

from assay.core.loop.authority import Published, lag_of, new_document, table_block, through_of, with_table
from assay.core.loop.vocabulary import Result
from assay.core.model import Verdict

OLD, NEW = a_row(0, at=NOW - DAY, number=100.0), a_row(1, at=NOW, number=90.0, verdict=Verdict.IMPROVED, change=-0.1)
OTHER = a_row(2, at=NOW - HOUR, task="other", machine="linux-arm64-x-4c", verdict=None, unit=None)
FILE = "docs/results.md"


def test_the_table_has_the_newest_datum_of_each_benchmark_and_machine() -> None:
    text = with_table(new_document(), [OLD, NEW, OTHER])
    rows = [line for line in text.splitlines() if line.startswith(("| bench", "| other"))]
    assert [row.split(" | ")[2] for row in rows if not row.startswith("| benchmark ")] == ["90 nats", "90"]
    assert "improved (-10 %)" in text
    assert NEW.run_id in text  # type: ignore[operator]


def test_what_was_not_gathered_is_not_published() -> None:
    failed = a_row(5, at=NOW + DAY, result=Result.DEGRADED, number=1.0)
    assert with_table(new_document(), [NEW, failed]) == with_table(new_document(), [NEW])


def test_everything_outside_of_the_markers_stays_byte_for_byte() -> None:
    head, tail = "# Our results\n\nWords | of <ours>.\n", "\nMore words, `\\1` among them.\n"
    text = with_table(head + table_block(()) + tail, [OLD])
    again = with_table(text, [NEW])
    assert text.startswith(head)
    assert again.startswith(head)
    assert again.endswith(tail)
    assert again.count("<!-- assay:results") == 1


@given(st.lists(st.integers(0, 300), max_size=6))
def test_publishing_is_idempotent_and_takes_the_lag_away(hours: list[int]) -> None:
    rows = [a_row(number, at=NOW + hour * HOUR) for number, hour in enumerate(hours)]
    text = with_table(new_document(), rows)
    assert with_table(text, rows) == text
    assert lag_of(Published(FILE, new_document()), rows).newer == len(rows)
    lag = lag_of(Published(FILE, text), rows)
    assert (lag.newer, lag.problem) == (0, "")


def test_newer_rows_are_counted_and_failures_are_not() -> None:
    text = with_table(new_document(), [OLD])
    assert lag_of(Published(FILE, text), [OLD, NEW, a_row(7, at=NOW, result=Result.FAILED)]).newer == 1


def test_a_missing_document_is_said_and_has_nothing() -> None:
    lag = lag_of(Published(FILE, None), [OLD, NEW])
    assert lag.newer == 2
    assert "missing" in lag.problem
    assert "names no document" in lag_of(Published(), [OLD]).problem


@pytest.mark.parametrize("text", ["", "# Results\n", table_block(()) * 2, "<!-- assay:results through=never -->\n"])
def test_a_document_without_one_pair_of_markers_is_not_written_to(text: str) -> None:
    assert isinstance(through_of(text), str)
    with pytest.raises(ValueError, match="marker"):
        with_table(text, [NEW])
    assert "marker" in lag_of(Published(FILE, text), [NEW]).problem


def test_a_marker_that_names_no_moment_is_said_and_mended_by_publishing() -> None:
    text = "<!-- assay:results through=soon -->\n<!-- /assay:results -->"
    assert "no moment" in lag_of(Published(FILE, text), [NEW]).problem
    assert lag_of(Published(FILE, with_table(text, [NEW])), [NEW]).newer == 0


def test_names_and_units_cannot_forge_cells_or_markers() -> None:
    row = a_row(3, metric="a|b", unit="<!-- /assay:results -->", machine="x`|y")
    text = with_table(new_document(), [row])
    assert text.count("<!-- /assay:results -->") == 1
    (line,) = [line for line in text.splitlines() if line.startswith("| bench |")]
    assert line.count(" | ") == 8


def test_a_row_that_came_late_is_not_public_however_old_it_is() -> None:
    text = with_table(new_document(), [NEW])
    assert lag_of(Published(FILE, text), [NEW, OTHER]).newer == 1
    assert lag_of(Published(FILE, with_table(text, [NEW, OTHER])), [NEW, OTHER]).newer == 0


def test_a_table_of_a_moment_to_come_is_still_told_from_the_ledger() -> None:
    text = with_table(new_document(), [OLD]).replace(OLD.created_at, "2099-01-01T00:00:00.000Z")
    assert lag_of(Published(FILE, text), [OLD, NEW]).newer == 1


def test_a_document_with_the_line_ends_of_windows_keeps_them() -> None:
    text = new_document().replace("\n", "\r\n")
    again = with_table(text, [NEW])
    assert again.count("\n") == again.count("\r\n") > text.count("\r\n")
    assert with_table(again, [NEW]) == again
