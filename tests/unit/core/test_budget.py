"""Limits on what commands spend: what counts towards which, and that what is unknown is not free."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.core.budget import Spend, Spent, Wish, shortfall
from assay.core.config_sections import Budget
from assay.core.ids import new_id
from assay.core.timestamp import stamp

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LIMITS = Budget(per_pr_runs=5, per_person_day_runs=4, per_day_gpu_minutes=60)


def spend(
    kind: str = "runs", runs: int = 1, minutes: float = 0.0, pull: int = 7, by: str = "ada", ago: float = 1.0, number: int = 0
) -> Spend:
    at = NOW - timedelta(hours=ago)
    facts: dict[str, Any] = {"schema": "assay.spend/1", "spend_id": new_id("spd", at, number.to_bytes(10)), "created_at": stamp(at)}
    return Spend.model_validate({**facts, "kind": kind, "pull": pull, "by": by, "runs": runs, "gpu_minutes": minutes})


def short(*records: Spend, unreadable: int = 0, runs: int = 1, gpu: bool = False) -> str:
    found = shortfall(LIMITS, Spent(records, unreadable), Wish(7, "ada", runs, gpu), NOW)
    return found[0] if found else ""


def test_a_limit_is_what_may_be_used_and_no_more() -> None:
    assert short(runs=4) == ""
    assert "0 of 4 runs within a day" in short(runs=5)
    assert short(spend(by="bob", runs=4)) == ""
    assert "5 of its 5 runs" in short(spend(by="bob", runs=5))
    assert short(spend(by="bob", runs=5), spend("grant", runs=1, by="root")) == ""


def test_a_day_and_a_pull_request_end() -> None:
    assert short(spend(runs=4, ago=25, pull=8)) == ""
    assert short(spend(runs=4, ago=23, pull=8)) != ""
    assert short(spend(by="bob", runs=9, pull=8)) == ""
    assert "5 of its 5 runs" in short(spend(by="bob", runs=5, ago=1000))


def test_gpu_minutes_count_for_those_alone_who_want_a_gpu() -> None:
    used = spend("gpu", runs=0, minutes=60.0, by="bob", pull=8)
    assert short(used) == ""
    assert "60 of 60 GPU minutes" in short(used, gpu=True)
    assert short(spend("gpu", runs=0, minutes=59.9, by="bob", pull=8), gpu=True) == ""


def test_what_cannot_be_read_is_not_free() -> None:
    assert short(unreadable=3) == ""
    assert short(unreadable=4) != ""


@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from([7, 8]), st.sampled_from(["ada", "bob"]), st.integers(0, 48))), st.integers(1, 6)
)
def test_more_spent_never_lets_more_happen(spends: list[tuple[int, int, str, int]], runs: int) -> None:
    records = [spend(runs=one[0], pull=one[1], by=one[2], ago=one[3], number=number) for number, one in enumerate(spends)]
    if short(*records, runs=runs) == "":
        assert all(short(*records[:end], runs=runs) == "" for end in range(len(records)))


def test_a_record_is_read_back_as_it_was_written() -> None:
    one = spend("grant", runs=3)
    assert Spend.from_json(one.to_json()) == one
    assert one.path == f"spend/2026/05/{one.spend_id}.json"
