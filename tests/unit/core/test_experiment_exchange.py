"""Ledgers of other loops become sessions and come out again; what is not understood is named."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments import Story

from assay.core.experiment import HookRecord, Journal
from assay.core.experiment_errors import ImportRefusedError
from assay.core.experiment_export import export_lines
from assay.core.experiment_import import Minting, import_session
from assay.core.experiment_state import SessionState

CONFIG = {"type": "config", "name": "faster", "metricName": "total_µs", "metricUnit": "µs", "bestDirection": "lower"}
HOOK = {"type": "hook", "stage": "before", "exit_code": 0, "duration_ms": 12, "stdout_bytes": 3, "timed_out": False}


def a_run(number: int, status: str = "keep", metric: float | None = 10, **more: Any) -> dict[str, Any]:
    line = {
        "run": number,
        "commit": "abc1234",
        "metric": metric,
        "metrics": {"compile_µs": 4},
        "status": status,
        "description": f"try {number}",
    }
    return {**line, "timestamp": 1740830400000 + number, "segment": 0, "confidence": None, **more}


def taken(*lines: dict[str, Any] | str, name: str | None = None) -> Journal:
    text = "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines) + "\n"
    story = Story.begin()
    return import_session(text, name, None, Minting(story.an_id, "2025-03-01T12:00:00.000Z", "log.jsonl"))


def told(journal: Journal) -> list[tuple[Any, ...]]:
    """What matters of each run."""
    return [
        (one.segment, one.newest.status.value, one.value, (one.newest.commit or "")[:7], one.newest.description, one.newest.asi)
        for one in SessionState(journal).trials
    ]


def test_segments_hooks_crashes_and_asi_arrive() -> None:
    other = {**CONFIG, "metricName": "speed", "bestDirection": "higher"}
    journal = taken(CONFIG, HOOK, a_run(1), a_run(2, "crash", 0, asi={"hypothesis": "x"}), other, a_run(3, "discard", 7))
    assert journal.header.name == "faster"
    assert told(journal) == [
        (1, "keep", 10.0, "abc1234", "try 1", {}),
        (1, "errored", None, "", "try 2", {"hypothesis": "x"}),
        (2, "discard", 7.0, "", "try 3", {}),
    ]
    assert sum(isinstance(one, HookRecord) for one in journal.records) == 1
    assert SessionState(journal).config.metric == "speed"
    assert Journal.from_text(journal.to_text()) == journal


def test_two_configs_in_a_row_share_a_segment() -> None:
    journal = taken(CONFIG, {**CONFIG, "metricName": "speed"}, a_run(1))
    assert (journal.segment, SessionState(journal).config.metric) == (1, "speed")


def test_a_crash_is_neither_baseline_nor_sample() -> None:
    journal = taken(CONFIG, a_run(1, "crash", 0), a_run(2, "keep", 100_000), a_run(3, "keep", 90_000), a_run(4, "discard", 95_000))
    assert SessionState(journal).confidence == 2.0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (a_run(1, "kept"), "status is 'kept'"),
        (a_run(1, "keep", None), "needs a number"),
        ({**a_run(1), "metric": "fast"}, "no number"),
        ('{"run": 1, "metric": NaN, "status": "keep"}', "no JSON"),
        ('{"run": 1', "no JSON"),
        ("[1]", "no JSON object"),
        ({"type": "note"}, "neither a config, a run nor a hook"),
        ({"type": "hook", "stage": "during"}, "stage"),
        ({**CONFIG, "bestDirection": "sideways"}, "direction"),
        ({"type": "config", "name": "x"}, "metricName"),
    ],
)
def test_a_line_that_is_not_understood_is_named(line: dict[str, Any] | str, reason: str) -> None:
    with pytest.raises(ImportRefusedError, match=f"log.jsonl:3: .*{reason}"):
        taken(CONFIG, a_run(1), line)


def test_a_run_before_any_config_is_refused() -> None:
    with pytest.raises(ImportRefusedError, match=r"log\.jsonl:1: a config"):
        taken(a_run(1))


@pytest.mark.parametrize("text", ["", "\n", "nothing of the kind"])
def test_what_is_no_ledger_is_refused(text: str) -> None:
    with pytest.raises(ImportRefusedError, match="neither"):
        taken(text)


TABLE = "commit\tval_bpb\tmemory_gb\tstatus\tdescription"


def test_a_table_of_results_arrives() -> None:
    journal = taken(
        TABLE, "a1b2c3d\t0.997900\t44.0\tkeep\tbaseline, as it is", "b2c3d4e\t0.000000\t0.0\tcrash\ttwice the depth", "", name="night"
    )
    assert journal.header.name == "night"
    assert told(journal) == [(1, "keep", 0.9979, "a1b2c3d", "baseline, as it is", {}), (1, "errored", None, "", "twice the depth", {})]
    assert SessionState(journal).trials[0].newest.secondary_metrics[0].name == "memory_gb"


@pytest.mark.parametrize(
    ("row", "reason"), [("a\t1\t2\tkeep", "4 cells"), ("a\tx\t2\tkeep\td", "no number"), ("a\t1\t2\tok\td", "status is 'ok'")]
)
def test_a_row_that_is_not_understood_is_named(row: str, reason: str) -> None:
    with pytest.raises(ImportRefusedError, match=f"log.jsonl:2: .*{reason}"):
        taken(TABLE, row)


def test_a_session_comes_out_as_it_would_go_in() -> None:
    story = Story.begin(metric="ms", unit="ms")
    story.tried(10, "keep", commit="c" * 40, description="tile", asi={"group": "a"})
    story.log(story.run("METRIC ms=1\n", exit_code=1), "errored")
    story.tried(12, "discard")
    story.tried(11, "checks_failed")
    story.run()
    story.segment(metric="speed", better="higher")
    story.tried(3, "keep")
    lines = list(export_lines(story.journal))
    assert [json.loads(line).get("run") for line in lines] == [None, 1, 2, 3, 4, None, 5]
    assert json.loads(lines[1])["commit"] == "c" * 7
    again = taken(*lines)
    settled = [row for row in told(story.journal) if row[1] != "pending"]
    assert [(row[0], row[1], row[2], row[4], row[5]) for row in told(again)] == [
        (row[0], row[1], None if row[1] == "errored" else row[2], row[4], row[5]) for row in settled
    ]
    assert next(export_lines(again)) == lines[0]


@given(
    st.lists(
        st.tuples(st.sampled_from(["keep", "discard", "crash", "checks_failed"]), st.floats(allow_nan=False, allow_infinity=False)),
        max_size=8,
    )
)
def test_what_was_imported_goes_out_and_in_again_unchanged(runs: list[tuple[str, float]]) -> None:
    journal = taken(CONFIG, *(a_run(number, status, value) for number, (status, value) in enumerate(runs, 1)))
    assert told(taken(*export_lines(journal))) == told(journal)


@given(st.text())
def test_any_text_is_imported_or_refused(text: str) -> None:
    try:
        journal = taken(text)
    except ImportRefusedError as error:
        assert error.hint  # noqa: PT017 - both ends are fine, and nothing else is
    else:
        assert Journal.from_text(journal.to_text()) == journal
