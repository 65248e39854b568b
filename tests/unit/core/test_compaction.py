"""Packing a month: every readable run is kept exactly once, everything else stays where it is."""

import json
from datetime import UTC, datetime, timedelta, timezone
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers, randoms, sets
from tests.fakes.runs import a_decision, a_run

from assay.core.canonical import compact
from assay.core.compaction import LeftAlone, Month, closed_months, pack
from assay.core.envelope import Run

NAME = "2025-03"
RUNS = [a_run(number, age=timedelta(minutes=number), values=(0.1 * number, 1e-300, 1e300, 3.0)) for number in range(12)]
LINES = [compact(json.loads(run.to_json())).encode() + b"\n" for run in RUNS]


def month(singles: list[Run], packed: bytes | None = None, **more: bytes) -> Month:
    return Month(NAME, packed, {run.path: f"{run.to_json()}\n".encode() for run in singles} | more)


def runs_in(content: bytes | None) -> list[Run]:
    return [Run.from_json(line.decode()) for line in (content or b"").splitlines()]


@settings(deadline=None, max_examples=40)
@given(singles=sets(integers(0, 11)), packed=sets(integers(0, 11)), chance=randoms())
def test_the_union_is_packed_sorted_and_packing_again_changes_nothing(singles: set[int], packed: set[int], chance: Random) -> None:
    shuffled = chance.sample(sorted(packed), len(packed))
    before = b"".join(LINES[number] for number in shuffled) or None
    result = pack(month([RUNS[number] for number in singles], before))
    assert set(result.absorbed) == {RUNS[number].path for number in singles}
    assert result.left == ()
    assert (result.content is None) is (not singles)
    if result.content is not None:
        found = runs_in(result.content)
        assert {run.run_id for run in found} == {RUNS[number].run_id for number in singles | packed}
        assert [run.run_id for run in found] == sorted(run.run_id for run in found)
        assert all(run in RUNS for run in found)
        assert pack(month([], result.content)).content is None
        assert pack(month([RUNS[number] for number in singles], result.content)).content == result.content


@pytest.mark.parametrize(
    "bad",
    [b"", b"{", b"\xff", b"[]", RUNS[1].to_json().encode()[:-9], a_decision().to_json().encode(), RUNS[2].to_json().encode()],
)
def test_a_file_that_is_not_its_run_is_left_with_its_reason(bad: bytes) -> None:
    result = pack(Month(NAME, None, {RUNS[0].path: RUNS[0].to_json().encode(), RUNS[1].path: bad}))
    assert result.absorbed == (RUNS[0].path,)
    ((path, reason),) = ((one.path, one.reason) for one in result.left)
    assert path == RUNS[1].path
    assert reason


@pytest.mark.parametrize(
    "packed",
    [b"", b"\n", LINES[0] + b"{}\n", LINES[0][:-1], LINES[0][:-9], LINES[0] + LINES[0], LINES[0] + b"\xff\n", b"x"],
)
def test_a_packed_month_with_anything_doubtful_is_left_alone_with_its_singles(packed: bytes) -> None:
    result = pack(month([RUNS[1]], packed))
    assert (result.content, result.absorbed) == (None, ())
    assert result.left[0].path == "runs/2025-03.jsonl"


def test_a_run_of_another_month_in_a_packed_file_makes_it_doubtful() -> None:
    stray = compact(json.loads(a_run(1, age=timedelta(days=90)).to_json())).encode() + b"\n"
    assert pack(month([RUNS[1]], stray)).content is None


def test_blank_lines_are_no_damage() -> None:
    result = pack(month([RUNS[1]], LINES[0] + b"\n" + LINES[2]))
    assert len(runs_in(result.content)) == 3


def test_another_run_under_a_packed_id_is_left() -> None:
    twin = a_run(0, age=timedelta(0), detail="different")
    result = pack(month([twin, RUNS[3]], LINES[0]))
    assert result.absorbed == (RUNS[3].path,)
    assert result.left == (LeftAlone(twin.path, "the packed month has another run of this id"),)
    assert RUNS[0] in runs_in(result.content)


def test_what_could_not_be_opened_is_carried_along() -> None:
    lost = LeftAlone("runs/2025/03/x.json", "a symbolic link")
    assert pack(Month(NAME, None, {}, (lost,))).left == (lost,)
    assert pack(Month(NAME, None, month([RUNS[0]]).singles, (LeftAlone("runs/2025-03.jsonl", "too large"),))).content is None


def test_a_month_is_filled_to_the_limit_and_the_rest_stays() -> None:
    limit = len(LINES[3]) + len(LINES[2]) + 5
    result = pack(month(RUNS[:4]), limit=limit)
    assert len(result.absorbed) == 2
    assert {one.reason for one in result.left} == {"the packed month is full"}
    assert len(result.content or b"") <= limit


def test_only_months_that_are_over_in_utc_are_closed() -> None:
    paths = [RUNS[0].path, a_run(1, age=timedelta(days=40)).path, "runs/2025-02.jsonl", "decisions/2024/01/x.json", "runs/notes"]
    assert closed_months(paths, datetime(2025, 3, 31, 23, 59, tzinfo=UTC)) == ("2025-01",)
    assert closed_months(paths, datetime(2025, 4, 1, tzinfo=UTC)) == ("2025-01", "2025-03")
    east = timezone(timedelta(hours=9))
    assert closed_months(paths, datetime(2025, 4, 1, 3, tzinfo=east)) == ("2025-01",)
