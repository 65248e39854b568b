"""The view chooses the words: verdict first, the reader's next step, nothing that is not so."""

from typing import Any

import pytest
from tests.build import benchmark, check, comparison, guard, reused, secondary

from assay.core import wording
from assay.core.comparison import Undecided
from assay.core.model import Conclusion, Outcome, Rung, Status, Verdict
from assay.core.result import BenchmarkResult, ReuseReason, ReuseVerdict
from assay.core.view import view

BETTER = comparison("val_loss: 120 | 90")
WORSE = comparison("val_loss: 100 | 150")
EQUAL = comparison("val_loss: 100 | 100.1")
NOISY = comparison("val_loss: 100 | 101", verdict=Verdict.UNDECIDED, undecided=Undecided.SAMPLES, harm_excluded=0.018, more_pairs=6)
SLOW = guard("latency_ms: 100 | 140")


def failed(**facts: Any) -> BenchmarkResult:
    usual = {
        "status": Status.FAILED,
        "outcome": Outcome.ERRORED,
        "conclusion": Conclusion.FAILURE,
        "reason": "The command ended with exit code 3.",
    }
    return benchmark(**{**usual, **facts})


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (benchmark(BETTER), "Improved: val_loss 120 → 90 (-25 %)"),
        (benchmark(WORSE), "Regressed: val_loss 100 → 150 (+50 %)"),
        (benchmark(EQUAL), "Unchanged: val_loss 100 → 100.1 (+0.1 %)"),
        (benchmark(NOISY), "Undecided: val_loss 100 → 101 (+1 %)"),
        (benchmark(BETTER, SLOW), "Regressed: guard latency_ms 100 → 140 (+40 %)"),
        (benchmark(BETTER, outcome=Outcome.CHECKS_FAILED, conclusion=Conclusion.FAILURE), "Checks failed: val_loss 120 → 90 (-25 %)"),
        (benchmark(BETTER, outcome=Outcome.PENDING, conclusion=Conclusion.NEUTRAL), "Pending: val_loss 120 → 90 (-25 %)"),
        (reused(BETTER), "Improved (reused): val_loss 120 → 90 (-25 %)"),
        (failed(), "Errored: The command ended with exit code 3."),
        (failed(conclusion=Conclusion.TIMED_OUT), "Timed out: The command ended with exit code 3."),
        (failed(conclusion=Conclusion.CANCELLED, reason="Interrupted."), "Cancelled: Interrupted."),
        (benchmark(status=Status.SKIPPED, outcome=None, reason="Only docs changed."), "Skipped: Only docs changed."),
        (benchmark(comparison("x: | 90", unit="ms", undecided=Undecided.NO_BASELINE)), "Undecided: x 90 ms, without a baseline"),
        (benchmark(guard("y: 5 |", undecided=Undecided.NOT_MEASURED)), "Undecided: guard y 5 → not printed"),
    ],
)
def test_a_headline_gives_the_verdict_first(one: BenchmarkResult, words: str) -> None:
    assert wording.headline(one, wording.PLAIN) == words


@pytest.mark.parametrize(
    ("one", "title"),
    [
        (benchmark(BETTER), "val_loss improved by 25 % (measured)"),
        (benchmark(EQUAL), "val_loss unchanged (measured)"),
        (benchmark(NOISY), "val_loss undecided, regressions above 1.8 % excluded (measured)"),
        (benchmark(BETTER, SLOW), "guard latency_ms regressed by 40 %; val_loss improved by 25 % (measured)"),
        (benchmark(BETTER, outcome=Outcome.CHECKS_FAILED), "checks failed; val_loss improved by 25 % (measured)"),
        (benchmark(BETTER, outcome=Outcome.PENDING), "pending; val_loss improved by 25 % (measured)"),
        (reused(BETTER), "reused: val_loss improved by 25 % (commit a1b2c3d)"),
        (failed(), "errored: The command ended with exit code 3."),
        (benchmark(status=Status.SKIPPED, outcome=None, reason="Only docs changed."), "skipped: Only docs changed."),
    ],
)
def test_a_title_says_what_was_found_and_how(one: BenchmarkResult, title: str) -> None:
    assert wording.title(one) == title


@pytest.mark.parametrize(
    "one",
    [
        reused(BETTER),
        reused(WORSE),
        reused(NOISY),
        reused(BETTER, reused_age="measured 2 h ago"),
        reused(guard("y: 5 |", undecided=Undecided.NOT_MEASURED)),
        reused(BETTER, outcome=Outcome.CHECKS_FAILED),
    ],
)
def test_a_reused_title_says_reused_and_never_measured(one: BenchmarkResult) -> None:
    title = wording.title(one)
    assert title.startswith("reused: ")
    assert "measured" not in title


def test_a_title_never_exceeds_what_a_check_run_takes() -> None:
    assert len(wording.title(failed(reason="x" * 1000))) <= 255
    assert len(wording.title(benchmark(comparison(f"{'m' * 900}: 1 | 2"), guard(f"{'g' * 900}: 1 | 2")))) <= 255


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (benchmark(BETTER), "Nothing to do."),
        (benchmark(WORSE), "Read the reason, then run it again."),
        (benchmark(status=Status.SKIPPED, outcome=None), "Nothing to do."),
        (failed(next_step="Print the line METRIC x=1."), "Print the line METRIC x=1."),
    ],
)
def test_the_reader_is_told_what_to_do(one: BenchmarkResult, words: str) -> None:
    assert wording.next_step(one, wording.PLAIN) == words


def test_the_worst_benchmark_comes_first_and_the_headline_counts() -> None:
    report = view(check(benchmark(BETTER, name="fine"), benchmark(WORSE, name="bad"), benchmark(NOISY, name="noisy")))
    assert [one.name for one in report.benchmarks] == ["`bad`", "`noisy`", "`fine`"]
    assert report.headline == "1 regressed, 1 undecided, 1 improved of 3 benchmarks"


def test_secondary_metrics_stand_apart_from_what_decides() -> None:
    one = view(check(benchmark(BETTER, SLOW, secondary("tok_s: 5 | 6", None, undecided=Undecided.NO_DIRECTION)))).benchmarks[0]
    assert [row.metric for row in one.main.rows] == ["`val_loss`", "`latency_ms`"]
    assert [row.verdict for row in one.secondary.rows] == ["undecided (no direction declared)"]


def test_a_row_has_base_head_change_with_interval_and_n() -> None:
    row = view(check(benchmark(comparison("loss: 119 121 120 | 90 90", unit="nats", interval=(-0.26, -0.24))))).benchmarks[0].main.rows[0]
    assert (row.metric, row.base, row.head, row.n) == ("`loss` (nats)", "120", "90", "3 / 2")
    assert row.change == "-25 % (-26 % to -24 %)"


def test_a_reused_benchmark_names_run_commit_and_age() -> None:
    said = view(check(reused(BETTER))).benchmarks[0].reuse
    assert all(part in said for part in ("`run-01jd", "a1b2c3d", "measured 2 days ago", "Nothing ran"))


def test_a_measured_benchmark_says_what_stopped_reuse() -> None:
    verdict = reused(BETTER).reuse
    assert verdict is not None
    refused = ReuseVerdict(False, verdict.key, considered=1, reasons=(ReuseReason(Rung.CODE, "src/a.py"),))
    facts = view(check(benchmark(BETTER, reuse=refused))).benchmarks[0].facts
    assert "Not reused: code (src/a.py)" in facts


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("the guard is worse", "The guard is worse."),
        ("val_loss is better.", "val_loss is better."),
        ("PyPy crashed", "PyPy crashed."),
        ("superseded", "superseded."),
        ("", ""),
    ],
)
def test_a_reason_is_written_as_a_sentence_and_names_keep_their_case(reason: str, said: str) -> None:
    assert wording.sentence(reason) == said
