"""A selftest says its numbers, how sure they are, and what to change."""

import json
from typing import Any

import pytest

from assay.core.aa_evidence import AaPair
from assay.core.selftest import FalseAlarms
from assay.core.selftest_report import Selftest, advice, as_json, as_text

COMMIT = "a" * 40


def pair(change: float, *, inside: bool = True) -> AaPair:
    return AaPair("bench", "loss", change, 0.002, 10, same_session=inside, same_box=True)


def a_selftest(**changes: Any) -> Selftest:
    fields: dict[str, Any] = {
        "name": "bench",
        "commit": COMMIT,
        "sessions": 3,
        "metric": "loss",
        "units": 10,
        "alarms": FalseAlarms(3, 0, (0.0, 0.708), 0.016, 0.01, 384),
        "smallest_visible": 0.011,
        "pairs": (pair(0.001), pair(-0.001), pair(0.004, inside=False)),
        "seconds": 130.0,
        "run_ids": ("run-1",),
    }
    return Selftest(**(fields | changes))


def test_people_read_the_rate_with_its_interval_and_what_is_seen() -> None:
    text = as_text([a_selftest()])
    assert "bench: 3 A/A sessions of 10 pairs at aaaaaaaaaa, 2 min 10 s" in text
    assert "0 of 3 sessions: a true rate of 0 % to 70.8 %, with 95 % confidence" in text
    assert "1.6 % called worse, 1 % better, of 384 namings" in text
    assert "a regression of 1.1 %, four times in five; min_effect is 1 %" in text
    assert "sessions of this code differed by 0.4 % as a rule, 0.4 % at most" in text


def test_json_has_every_number() -> None:
    document = json.loads(json.dumps(as_json(COMMIT, [a_selftest()]), allow_nan=False))
    assert (document["schema"], document["commit"]) == ("assay.selftest/1", COMMIT)
    (one,) = document["benchmarks"]
    assert one["false_alarms"] == {
        "sessions": 3,
        "observed": 0,
        "interval": [0.0, 0.708],
        "worse": 0.016,
        "better": 0.01,
        "namings": 384,
    }
    assert (one["smallest_visible"], one["min_effect"], one["alpha"]) == (0.011, 0.01, 0.05)
    assert one["within_sessions"] == [[0.001, 0.002], [-0.001, 0.002]]
    assert one["between_sessions"] == [0.004]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "It sees its `min_effect`"),
        ({"smallest_visible": 0.02}, "take about `repeats: {max: 40}`"),
        ({"smallest_visible": 0.02}, "`min_effect: 2%`"),
        ({"smallest_visible": 0.02, "seeded": True}, "take about 40 seeds"),
        ({"smallest_visible": 0.2}, "too noisy for this benchmark"),
        ({"smallest_visible": None}, "too noisy for this benchmark"),
        ({"note": "`min_effect: auto` is 1 %."}, "and `auto` with that"),
        ({"directed": False}, "Say which way the metric is better"),
        ({"alarms": FalseAlarms(3, 2, (0.1, 0.99), 0.2, 0.0, 384)}, "more frequent than alpha allows"),
        ({"pairs": (pair(0.01), pair(0.012))}, "treats the two worktrees differently"),
        ({"pairs": (pair(0.05, inside=False),)}, "across sessions 5 % has been mere noise"),
    ],
)
def test_it_says_what_to_change(changes: dict[str, Any], words: str) -> None:
    assert any(words in line for line in advice(a_selftest(**changes)))


def test_a_failure_is_all_that_is_told_of_it() -> None:
    found = a_selftest(failure="benchmark failed: it exited with 1", alarms=None, smallest_visible=None, pairs=(), sessions=0)
    assert as_text([found]) == "bench: failed\n  benchmark failed: it exited with 1"
    assert advice(found) == ()
    (one,) = json.loads(json.dumps(as_json(COMMIT, [found])))["benchmarks"]
    assert (one["false_alarms"], one["reason"]) == (None, "benchmark failed: it exited with 1")
