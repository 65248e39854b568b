"""Loose ends as records: where they stand, what they hold, and when a job has surely ended."""

from datetime import timedelta

import pytest
from tests.fakes.runs import an_id

from assay.core.check_run import CheckRun
from assay.core.forge_facts import RunState
from assay.core.loose_ends import (
    OPENED_SCHEMA,
    OWED_SCHEMA,
    SETTLED_SCHEMA,
    JobMark,
    Opened,
    Owed,
    OwedCheck,
    OwedComment,
    Settled,
    is_left_behind,
    lost,
    settled,
)
from assay.core.model import Conclusion

HEAD = "a" * 40
AT = "2026-12-01T10:00:00.000Z"
MARKER = "<!-- assay:report -->"
CHECK = CheckRun("assay / bench", HEAD, "run-1", Conclusion.FAILURE, "loss regressed", "A summary", "A text", details_url="https://job")
SHORT, LONG = timedelta(hours=1), timedelta(days=7)


def opened(run: int = 1, attempt: int = 1, *, hosted: bool = True) -> Opened:
    job = JobMark(run=run, attempt=attempt, hosted=hosted)
    return Opened(schema=OPENED_SCHEMA, run_id=an_id("run"), created_at=AT, check="assay / bench", commit=HEAD, job=job)


def owed(body: str = f"{MARKER}\nWorse.", pull: int = 7) -> Owed:
    comment = OwedComment(pull=pull, marker=MARKER, body=body, always=True)
    return Owed(schema=OWED_SCHEMA, created_at=AT, check=None, comment=comment)


def owed_check() -> Owed:
    return Owed(schema=OWED_SCHEMA, created_at=AT, check=OwedCheck.of(CHECK), comment=None)


@pytest.mark.parametrize("end", [opened(), owed(), owed_check()], ids=["opened", "comment", "check"])
def test_what_was_written_is_read_back(end: Opened | Owed) -> None:
    assert type(end).from_json(end.to_json()) == end
    assert Settled.from_json(settled(end).to_json()).of == end.path


def test_a_check_run_comes_back_as_it_was() -> None:
    check = owed_check().check
    assert check is not None
    assert check.payload == CHECK


def test_each_has_a_place_of_its_own() -> None:
    assert opened().path == f"open/{an_id('run')}.json"
    assert owed().path == "owed/comment-7.json"
    assert owed_check().path.startswith("owed/check-")
    assert settled(owed()).path == "settled/comment-7.json"


def test_another_report_for_the_same_place_is_another_loose_end() -> None:
    assert owed().path == owed(f"{MARKER}\nBetter.").path
    assert settled(owed()) != settled(owed(f"{MARKER}\nBetter."))


@pytest.mark.parametrize("body", ["Worse.", f" {MARKER}", "<!-- assay -->"])
def test_a_body_that_is_no_report_is_no_record(body: str) -> None:
    text = owed().to_json().replace(f"{MARKER}\\nWorse.", body)
    with pytest.raises(ValueError, match="not a report of ours"):
        Owed.from_json(text)


@pytest.mark.parametrize("place", ["runs/2026/12/x.json", "open/../runs/x.json", "open/run-1.json", "owed/comment-0.json", "README.md"])
def test_nothing_but_a_loose_end_can_be_settled(place: str) -> None:
    with pytest.raises(ValueError, match="not the place of a loose end"):
        Settled(schema=SETTLED_SCHEMA, of=place, content="x")


MINE = JobMark(run=1, attempt=2, hosted=True)


@pytest.mark.parametrize(
    ("theirs", "state", "age", "over"),
    [
        (opened(2), RunState.OVER, SHORT, True),
        (opened(2), RunState.ON, LONG, False),
        (opened(2), RunState.UNKNOWN, SHORT, False),
        (opened(2), RunState.UNKNOWN, timedelta(hours=8), True),
        (opened(2, hosted=False), RunState.UNKNOWN, timedelta(days=5), False),
        (opened(2, hosted=False), RunState.UNKNOWN, LONG, True),
        (opened(1, 1), RunState.UNKNOWN, SHORT, True),
        (opened(1, 2), RunState.UNKNOWN, LONG, False),
        (opened(1, 3), RunState.UNKNOWN, SHORT, False),
        (opened(0, 0), RunState.UNKNOWN, SHORT, False),
        (opened(0, 0), RunState.UNKNOWN, LONG, True),
    ],
)
def test_when_a_job_has_surely_ended(theirs: Opened, state: RunState, age: timedelta, over: bool) -> None:
    assert is_left_behind(theirs, MINE, state, age) is over


def test_the_check_run_of_a_lost_job_ends_as_cancelled_under_its_own_id() -> None:
    last = lost(opened())
    assert (last.name, last.head_sha, last.external_id, last.conclusion) == ("assay / bench", HEAD, an_id("run"), Conclusion.CANCELLED)
