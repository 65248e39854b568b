"""The outputs of a step, and the notes on the page of its job."""

import pytest
from tests.build import benchmark, check, comparison, reused

from assay.core.job_notes import MAX_NOTES, notes
from assay.core.job_outputs import NAMES, outputs, speaker
from assay.core.model import Conclusion, Outcome, Status
from assay.core.result import BenchmarkResult, CheckResult

BETTER, WORSE = comparison("loss: 120 120 | 90 90"), comparison("loss: 90 90 | 120 120")
SKIPPED = benchmark(name="words", status=Status.SKIPPED, outcome=None, conclusion=Conclusion.SUCCESS, run_id=None)


def said(*benchmarks: BenchmarkResult, comment: str = "", urls: dict[str, str] | None = None) -> dict[str, str]:
    return dict(outputs(check(*benchmarks), result_file="r.json", comment_url=comment, check_urls=urls or {}))


def test_every_output_is_set_and_what_does_not_exist_is_empty() -> None:
    assert said(SKIPPED) == {**dict.fromkeys(NAMES, ""), "conclusion": "success", "reused": "false", "result": "r.json"}


def test_one_benchmark_speaks_for_itself() -> None:
    one = benchmark(BETTER, name="bench")
    found = said(one, comment="https://c", urls={"bench": "https://k"})
    assert (found["outcome"], found["run-id"], found["comment-url"], found["check-run-url"]) == (
        "keep",
        one.run_id,
        "https://c",
        "https://k",
    )


def test_of_several_the_worst_conclusion_speaks_then_the_worst_outcome_then_the_first() -> None:
    kept, pending = benchmark(BETTER, name="kept"), benchmark(BETTER, name="open", outcome=Outcome.PENDING, conclusion=Conclusion.NEUTRAL)
    errored = benchmark(name="errored", outcome=Outcome.ERRORED, conclusion=Conclusion.FAILURE)
    worse, worse_too = benchmark(WORSE, name="worse"), benchmark(WORSE, name="worse too")
    assert speaker(check(kept, pending, SKIPPED)) == pending
    assert speaker(check(kept, worse, pending, worse_too)) == worse
    assert speaker(check(worse, errored)) == errored
    assert speaker(check()) is None


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (check(reused(BETTER)), "true"),
        (check(reused(BETTER), SKIPPED), "true"),
        (check(reused(BETTER), benchmark(BETTER)), "false"),
        (check(SKIPPED), "false"),
    ],
)
def test_reused_says_that_stored_runs_gave_every_answer(result: CheckResult, expected: str) -> None:
    assert outputs(result, result_file="", comment_url="", check_urls={})["reused"] == expected


def test_only_what_needs_a_look_gets_a_note_the_worst_first() -> None:
    pending = benchmark(BETTER, name="open", outcome=Outcome.PENDING, conclusion=Conclusion.NEUTRAL)
    lines = list(notes(check(benchmark(BETTER), SKIPPED, pending, benchmark(WORSE, name="worse"))))
    assert [line.partition("::The")[0] for line in lines] == ["::error title=assay / worse", "::notice title=assay / open"]


def test_a_note_is_one_line_whatever_its_reason_holds() -> None:
    hostile = benchmark(WORSE, reason="50% worse\n::add-mask::x\r##[error]y", name="worse")
    (line,) = notes(check(hostile))
    assert line.count("\n") == 1
    assert line.endswith("\n")
    assert "##[" not in line
    assert "50%25" in line


def test_no_more_notes_than_the_page_shows() -> None:
    many = [benchmark(WORSE, name=f"b{number}") for number in range(MAX_NOTES + 5)]
    assert len(list(notes(check(*many)))) == MAX_NOTES
