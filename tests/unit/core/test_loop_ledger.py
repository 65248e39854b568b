"""Rows of the ledger and claims as text: closed sets on the way in and out, nothing lost when files are joined."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.fakes.runs import NOW, an_id
from tests.loops import DAY, HOUR, a_row

from assay.core.loop.claims import LEASE, Claims, claim
from assay.core.loop.ledger import AHEAD, Ledger, LedgerRow, ledger_of, months_of, read_month, with_rows
from assay.core.loop.vocabulary import Result

ROW = a_row()
CELL = ("bench", "machine")


def test_a_row_reads_back_as_it_was_written() -> None:
    assert LedgerRow.from_line(ROW.to_line()) == ROW


def test_the_results_are_a_closed_set_of_seven() -> None:
    assert [one.value for one in Result] == ["collected", "passed", "degraded", "failed", "timeout", "skipped", "dry-run"]
    assert [one for one in Result if one.gathered] == [Result.COLLECTED, Result.PASSED]


@pytest.mark.parametrize(
    ("key", "value"), [("result", "PASS"), ("value", "great"), ("source", "web"), ("verdict", "better"), ("better", "up")]
)
def test_a_word_outside_its_set_is_refused_when_it_is_read(key: str, value: str) -> None:
    facts = json.loads(ROW.to_line()) | {key: value}
    with pytest.raises(ValueError, match=key):
        LedgerRow.from_line(json.dumps(facts))


def test_a_word_outside_its_set_is_refused_when_it_is_written() -> None:
    with pytest.raises(ValidationError):
        a_row(value="frontier")
    with pytest.raises(ValidationError):
        a_row(note=None)


@pytest.mark.parametrize("key", ["task", "created_at", "id", "note", "schema"])
def test_no_key_may_be_left_out(key: str) -> None:
    facts = json.loads(ROW.to_line())
    del facts[key]
    with pytest.raises(ValueError, match=r".+"):
        LedgerRow.from_line(json.dumps(facts))


@pytest.mark.parametrize("line", ["", "{}", "[]", "nonsense", '{"schema": "assay.ledger/2"}', ROW.to_line()[:-1], ROW.to_line() + "x"])
def test_what_is_no_row_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        LedgerRow.from_line(line)


rows = st.lists(st.builds(lambda n, h: a_row(n, at=NOW + h * HOUR), st.integers(0, 50), st.integers(0, 3000)), max_size=8)


@given(rows, rows)
def test_joining_loses_nothing_and_adds_nothing_twice(there: list[LedgerRow], new: list[LedgerRow]) -> None:
    for path in months_of((*there, *new)):
        before = with_rows(path, b"", there)
        after = with_rows(path, before, new)
        assert after.startswith(before)
        assert with_rows(path, after, new) == after
        ids = {one.id for one in (*there, *new) if one.path == path}
        assert {one.id for one in read_month(path, after).rows} == ids
        assert read_month(path, after).lost == ()


def test_a_line_that_cannot_be_read_is_told_with_its_place_and_stays() -> None:
    data = b'{"schema": "assay.ledger/9"}\n' + ROW.to_line().encode()
    after = with_rows(ROW.path, data, [a_row(1)])
    read = read_month(ROW.path, after)
    assert after.startswith(data + b"\n")
    assert len(read.rows) == 2
    assert [one.path for one in read.lost] == [f"{ROW.path}:1"]
    assert "assay.ledger/9" in read.lost[0].reason


def test_a_row_in_the_file_of_another_month_is_not_believed() -> None:
    (lost,) = read_month("ledger/2024-01.jsonl", ROW.to_line().encode()).lost
    assert ROW.path in lost.reason


def test_rows_stand_in_the_order_of_time_whatever_the_order_of_files() -> None:
    early, late = a_row(9, at=NOW), a_row(1, at=NOW + DAY)
    assert ledger_of([late, early, late]).rows == (early, late)


def test_an_id_that_could_leave_the_folder_is_none() -> None:
    with pytest.raises(ValidationError):
        a_row(id="../../x")
    assert a_row(id=an_id("led", 3)).path == "ledger/2025-03.jsonl"


def test_a_claim_of_somebody_else_is_in_the_way_until_it_has_run_out() -> None:
    held = Claims().having(claim(CELL, "box-a", "lease-a", NOW), NOW)
    mine = claim(CELL, "box-b", "lease-b", NOW + LEASE)
    assert held.in_the_way(mine, NOW + LEASE - timedelta(seconds=1)) == held.claims[0]
    assert held.in_the_way(mine, NOW + LEASE) is None
    assert held.in_the_way(claim(("other", "machine"), "box-b", "lease-b", NOW), NOW) is None
    assert held.having(mine, NOW + LEASE).claims == (mine,)


def test_a_claim_can_be_renewed_and_given_back_by_its_holder_alone() -> None:
    first = claim(CELL, "box-a", "lease-a", NOW)
    held = Claims().having(first, NOW)
    again = claim(CELL, "box-a", "lease-a", NOW + HOUR / 3)
    assert held.in_the_way(again, NOW + HOUR / 3) is None
    assert held.having(again, NOW + HOUR / 3).claims == (again,)
    assert held.without(claim(CELL, "box-b", "lease-b", NOW)).claims == (first,)
    assert held.without(again).claims == ()


def test_claims_read_back_and_anything_else_is_an_error() -> None:
    held = Claims().having(claim(CELL, "box-a", "lease-a", NOW), NOW)
    assert Claims.from_text(held.to_text()) == held
    for text in ("", "[]", '{"schema": "assay.claims/2", "claims": []}', '{"claims": [{"task": "x"}]}'):
        with pytest.raises(ValueError, match=r".+"):
            Claims.from_text(text)


def test_a_lease_is_longer_than_one_process_may_take() -> None:
    from assay.core.timestamp import moment

    assert moment(claim(CELL, "b", "l", NOW, 3600).until) > NOW + HOUR
    assert moment(claim(CELL, "b", "l", NOW, 60).until) == NOW + LEASE


def test_rows_of_over_a_day_ahead_are_left_out_and_counted() -> None:
    near, far = a_row(0, at=NOW + AHEAD), a_row(1, at=NOW + AHEAD + timedelta(seconds=1))
    last = a_row(2, at=datetime(9999, 12, 31, tzinfo=UTC))
    believed = ledger_of([near, far, last]).believed(NOW)
    assert (believed.rows, believed.ahead) == ((near,), 2)
    assert believed.joined(Ledger((a_row(3),))).ahead == 2


def test_a_claim_that_begins_over_a_lease_from_now_holds_nobody_up() -> None:
    soon, later = (claim(("bench", "m"), "box", "a", NOW + ahead) for ahead in (LEASE, LEASE + timedelta(seconds=1)))
    assert (soon.lasts(NOW), later.lasts(NOW)) == (True, False)
