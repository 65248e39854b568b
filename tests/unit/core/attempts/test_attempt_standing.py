"""How attempts add up: the budget of a stage, the checkpoint of every fifth, and the strikes."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.advice import Complexity
from assay.core.attempts.crisis import crisis_report
from assay.core.attempts.entry import AttemptEntry, AttemptStage
from assay.core.attempts.standing import ALLOWED, Action, Allowance, Standing, allowance, standing, strikes_of, touched_of
from assay.core.config_sections import AttemptsConfig, Invariants
from assay.core.ids import new_id
from assay.core.timestamp import stamp

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def entry(number: int, result: str | None = "no_progress", diagnosis: str | None = "unclear", *touched: str, **facts: Any) -> AttemptEntry:
    at = NOON + timedelta(minutes=number)
    blank = {"subject": "local", "benchmark": "bench", "change": "x", "next_action": "", "commit": None, "run_id": None, "by": "ada"}
    own = {"attempt_id": new_id("att", at, number.to_bytes(10)), "created_at": stamp(at), "kind": "attempt", "granted": 0}
    said = {"stage": AttemptStage.TUNING, "result": result, "diagnosis": diagnosis, "touched": touched}
    return AttemptEntry.from_json(json.dumps({"schema": "assay.attempt/1", **blank, **own, **said, **facts}))


def a_grant(number: int, granted: int = 2) -> AttemptEntry:
    return entry(number, kind="grant", granted=granted, stage=None, result=None, diagnosis=None)


def stand(*entries: AttemptEntry, attempts: int = 8, strikes: int = 3) -> Standing:
    return standing(entries, Allowance(AttemptStage.TUNING, Complexity.LIGHT, attempts, "why"), strikes)


@pytest.mark.parametrize(
    ("rank", "numbers"),
    [("light", [10, 8, 8, 10]), ("medium", [20, 12, 12, 15]), ("heavy", [30, 20, 20, 20])],
)
def test_each_stage_has_its_number(rank: str, numbers: list[int]) -> None:
    assert [ALLOWED[Complexity(rank)][stage] for stage in AttemptStage] == numbers


def test_the_config_goes_before_what_is_inferred() -> None:
    inferred = allowance(AttemptsConfig(), Complexity.MEDIUM, "it needs a GPU")
    named = allowance(AttemptsConfig(complexity="heavy"), Complexity.LIGHT, "it needs no GPU")
    given_number = allowance(AttemptsConfig(limit=3), Complexity.LIGHT, "it needs no GPU")
    assert (inferred.attempts, inferred.reason) == (12, "it needs a GPU")
    assert (named.attempts, named.complexity) == (20, Complexity.HEAVY)
    assert given_number.attempts == 3


def test_attempts_are_used_up_and_a_grant_gives_more() -> None:
    used = [entry(number) for number in range(8)]
    assert (stand(*used).left, stand(*used).next_action) == (0, Action.STOP)
    assert "all 8 attempts of the stage tuning are used up" in stand(*used).stopped
    granted = stand(*used, a_grant(9))
    assert (granted.left, granted.stopped) == (2, "")


def test_attempts_of_another_stage_use_up_nothing() -> None:
    assert stand(entry(1, stage=AttemptStage.ABLATION)).used == 0


@pytest.mark.parametrize(
    ("results", "action"),
    [
        ([("failed", "bug")] * 4 + [("progress", "unclear")], Action.CONTINUE),
        ([("failed", "bug")] * 3 + [("no_progress", "direction")] * 2, Action.LOCATE),
        ([("no_progress", "direction")] * 4 + [("failed", "bug")], Action.REVERT),
        ([("failed", "environment")] * 5, Action.ENVIRONMENT),
        ([("no_progress", "unclear")] * 5, Action.DIAGNOSE),
        ([("no_progress", "unclear")] * 4 + [("failed", "bug")], Action.LOCATE),
    ],
)
def test_every_fifth_attempt_asks_what_comes_next(results: list[tuple[str, str]], action: Action) -> None:
    entries = [entry(number, *one) for number, one in enumerate(results)]
    assert stand(*entries[:4]).checkpoint is None
    assert (stand(*entries).checkpoint, stand(*entries).next_action) == (action, action)
    assert stand(*entries, entry(9)).next_action is Action.CONTINUE


def test_three_failures_in_a_row_at_an_invariant_stop_everything() -> None:
    strikes = [entry(number, "failed", "bug", "src/loss.py") for number in range(3)]
    assert [stand(*strikes[:count]).next_action for count in (1, 2, 3)] == [Action.RECHECK, Action.RELAX, Action.STOP]
    assert (stand(*strikes).broken, stand(*strikes[:2]).broken) == (True, False)
    assert stand(*strikes, a_grant(5)).strikes == 0


def test_a_failure_elsewhere_is_no_strike_and_a_success_ends_the_row() -> None:
    row = [entry(0, "failed", "bug", "i"), entry(1, "failed", "bug"), entry(2, "failed", "bug", "i")]
    assert stand(*row).strikes == 2
    assert stand(*row, entry(3, "no_progress", "unclear", "i")).strikes == 0


@given(st.lists(st.tuples(st.sampled_from(["failed", "progress"]), st.booleans(), st.booleans()), max_size=12))
def test_strikes_are_the_failures_at_the_end_of_the_row(row: list[tuple[str, bool, bool]]) -> None:
    entries = [a_grant(n) if grant else entry(n, result, "bug", *["i"][: int(touches)]) for n, (result, touches, grant) in enumerate(row)]
    counting = [one for one in entries if one.kind == "grant" or one.touched]
    expected = 0
    while expected < len(counting) and counting[-1 - expected].kind == "attempt" and counting[-1 - expected].result == "failed":
        expected += 1
    assert strikes_of(entries) == expected


def test_what_a_change_touches_is_told_by_paths_and_by_tags() -> None:
    limits = AttemptsConfig(invariants=Invariants(paths=("src/loss.py", "core/**"), tags=("physics",)))
    assert touched_of(limits, ["README.md", "core/a/b.py"], "try [physics] again") == ("core/**", "physics")
    assert touched_of(limits, ["src/other.py"], "physics") == ()


def test_the_crisis_report_has_three_ways_out_and_no_word_of_a_stranger_acts_in_it() -> None:
    found = stand(*(entry(n, "failed", "bug", "src/loss.py", change="| @all <!-- x --> `a`") for n in range(3)))
    text = crisis_report("bench", "pull 7", found)
    assert [line[0] for line in text.splitlines() if line[:2] in ("1.", "2.", "3.")] == ["1", "2", "3"]
    assert "@all" not in text
    assert "<!--" not in text
    assert "grant N" in text
