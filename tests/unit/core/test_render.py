"""A report is whole or says where the whole one is, fits its place, and keeps strangers' text tame."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError
from tests.build import HEAD, benchmark, check, comparison, guard, reused, secondary
from tests.hostile import hostile, tokens
from tests.templates import templates

from assay.core import fit
from assay.core.model import Conclusion, Outcome, Status
from assay.core.render import COMMENT, Rendered, render
from assay.core.result import BenchmarkResult, CheckResult, SideFacts
from assay.core.view import MARKER
from assay.errors import AssayError

BETTER = comparison("val_loss: 120 | 90")
POINTER = "The full report is in the file `summary.md`."


def rendered(*benchmarks: BenchmarkResult, **facts: Any) -> Rendered:
    return render(check(*benchmarks, **facts), templates())


def outputs(reports: Rendered) -> list[dict[str, Any]]:
    """The `output` of every check run, by way of JSON as it goes out."""
    return [one["output"] for one in json.loads(json.dumps(reports.check))["checks"]]


def crowded(metrics: int, *, name: str = "bench", tail: int = 20) -> BenchmarkResult:
    """A benchmark with so many guards, secondaries, warnings and output that hardly anything holds it."""
    guards = [guard(f"guard_{number}: 100 | 140", reason="It is worse. " * 20) for number in range(metrics)]
    others = [secondary(f"other_{number}: 100 | 140") for number in range(metrics)]
    warnings = tuple(f"line {number}: <not a number> @{number}" for number in range(metrics))
    return benchmark(BETTER, *guards, *others, name=name, warnings=warnings, output_tail=("x" * 500,) * tail)


def whole(page: str) -> bool:
    """Whether everything that was opened was closed: details outside of fences, fences before the last line."""
    found = tokens(page)
    raw = [token.content for token in found if token.type in {"html_block", "html_inline"}]
    opened, closed = (sum(text.count(tag) for text in raw) for tag in ("<details>", "</details>"))
    return opened == closed and found[-1].type == "paragraph_close" and "<sub>Assay" in page.splitlines()[-1]


def test_the_comment_begins_with_the_marker_and_shows_the_numbers() -> None:
    comment = rendered(benchmark(BETTER)).comment
    assert comment.startswith(f"{MARKER}\n### Improved: `val_loss` 120 → 90 (-25 %)\n")
    assert HEAD[:7] in comment


def test_a_keyed_marker_is_used_as_it_is_given() -> None:
    keyed = "<!-- assay:report key=nightly -->"
    assert render(check(benchmark(BETTER)), templates(), marker=keyed).comment.startswith(f"{keyed}\n")


def test_a_template_without_the_marker_is_refused() -> None:
    with pytest.raises(AssayError, match="does not begin with"):
        render(check(benchmark(BETTER)), {**templates(), COMMENT: "### {{ view.headline }}\n"})


def test_a_template_that_asks_for_an_unknown_word_is_refused() -> None:
    with pytest.raises(UndefinedError):
        render(check(benchmark(BETTER)), {**templates(), COMMENT: "{{ view.marker }}\n{{ view.nonsense }}\n"})


def test_what_matters_most_stands_first() -> None:
    one = benchmark(BETTER, guard("lat: 100 | 140"), secondary("mem: 5 | 6"), warnings=("a warning",), next_step="Fix the latency.")
    comment = rendered(one).comment
    order = [
        comment.index(part)
        for part in ("### Regressed", "Fix the latency", "| `val_loss` |", "a warning", "`mem`", "How it was measured", "Reproduce")
    ]
    assert order == sorted(order)


def test_the_check_run_has_what_the_api_takes() -> None:
    one = benchmark(BETTER, name="train")
    (run,) = json.loads(json.dumps(rendered(one).check))["checks"]
    assert (run["name"], run["head_sha"], run["external_id"]) == ("assay / train", HEAD, one.run_id)
    assert (run["status"], run["conclusion"]) == ("completed", "success")
    assert set(run["output"]) == {"title", "summary", "text", "annotations"}


@pytest.mark.parametrize("conclusion", list(Conclusion))
def test_every_conclusion_can_be_reported(conclusion: Conclusion) -> None:
    reports = rendered(benchmark(BETTER, conclusion=conclusion))
    assert json.loads(json.dumps(reports.check))["checks"][0]["conclusion"] == conclusion.value


def test_a_check_without_benchmarks_still_has_a_report() -> None:
    reports = rendered()
    assert reports.comment.startswith(MARKER)
    assert outputs(reports) == []
    assert "Nothing to check" in reports.terminal


def test_a_report_that_fits_is_whole_and_has_no_pointer() -> None:
    comment = rendered(crowded(3)).comment
    assert "guard_2" in comment
    assert "other_2" in comment
    assert "xxx" in comment
    assert POINTER not in comment


def test_the_output_goes_first_then_how_it_was_measured_then_secondary_metrics() -> None:
    lost = []
    for metrics in range(20, 400, 40):
        comment = rendered(crowded(metrics)).comment
        lost.append([part not in comment for part in ("The last 20 lines", "How it was measured", "secondary metrics</summary>")])
    assert lost == sorted(lost)
    assert [False, False, False] in lost
    assert [True, True, True] in lost


@pytest.mark.parametrize("metrics", [30, 80, 150, 400, 1200])
def test_a_crowded_benchmark_fits_everywhere_and_points_to_the_whole(metrics: int) -> None:
    reports = rendered(crowded(metrics))
    assert fit.characters(reports.comment) <= 65_536
    assert reports.comment.startswith(f"{MARKER}\n")
    assert whole(reports.comment)
    if metrics > 100:
        assert POINTER in reports.comment
    for output in outputs(reports):
        assert len(output["title"]) <= 255
        assert all(len(output[part].encode()) <= 65_535 and whole(output[part]) for part in ("summary", "text"))
        assert len(output["annotations"]) <= 50


def test_many_benchmarks_are_cut_from_the_harmless_end() -> None:
    many = [benchmark(BETTER, name=f"fine{number}") for number in range(600)]
    reports = rendered(*many, benchmark(comparison("val_loss: 100 | 150"), name="broken"))
    assert fit.characters(reports.comment) <= 65_536
    assert "broken" in reports.comment
    assert "more benchmarks" in reports.comment
    assert whole(reports.comment)
    assert len(reports.summary.encode()) <= 1024 * 1024
    assert "fine599" in reports.summary


def test_a_summary_over_its_megabyte_is_cut_and_points_to_the_result() -> None:
    reports = rendered(*(crowded(40, name=f"b{number}", tail=60) for number in range(30)))
    assert len(reports.summary.encode()) <= 1024 * 1024
    assert "`result.json`" in reports.summary
    assert whole(reports.summary)


def test_wide_characters_count_by_their_bytes() -> None:
    reports = rendered(benchmark(BETTER, warnings=("𝕏" * 290,) * 200))
    assert all(len(output["text"].encode()) <= 65_535 for output in outputs(reports))


def test_checks_that_failed_are_named() -> None:
    one = benchmark(
        BETTER, outcome=Outcome.CHECKS_FAILED, conclusion=Conclusion.FAILURE, checks="failed", reason="The checks ended with exit code 1."
    )
    reports = rendered(one)
    for text in (reports.comment, reports.summary, reports.terminal):
        assert "Checks failed" in text
        assert "The checks ended with exit code 1." in text


def test_a_failed_benchmark_shows_its_last_lines_everywhere() -> None:
    one = benchmark(
        status=Status.FAILED,
        outcome=Outcome.ERRORED,
        conclusion=Conclusion.FAILURE,
        reason="No METRIC line.",
        output_tail=("epoch 1", "epoch 2"),
    )
    reports = rendered(one)
    for text in (reports.comment, reports.summary, outputs(reports)[0]["text"], reports.terminal):
        assert "epoch 1" in text
        assert "epoch 2" in text


def test_a_reused_result_says_so_in_title_comment_and_terminal() -> None:
    reports = rendered(reused(BETTER))
    assert "reused" in outputs(reports)[0]["title"]
    assert "reused" in reports.comment.lower()
    assert "nothing ran" in reports.terminal


def test_the_terminal_text_is_short_aligned_and_names_the_files() -> None:
    text = rendered(benchmark(BETTER, guard("lat: 100 | 101")), files={"comment.md": ".assay/report/comment.md"}).terminal
    assert text.startswith("bench: ")
    assert "comment.md: .assay/report/comment.md" in text
    table = [line for line in text.splitlines() if line.startswith(("  metric", "  val_loss", "  lat"))]
    assert len({line.index(word) for line, word in zip(table, ("role", "primary", "guard"), strict=True)}) == 1


def hostile_check(text: str) -> CheckResult:
    """Everything that a stranger can write says the same hostile thing."""
    noisy = replace(BETTER, spec=replace(BETTER.spec, name=text, unit=text))
    other = secondary("x: 1 | 2")
    facts = SideFacts(text, text, text, 5, 1, 0.1)
    one = benchmark(
        noisy,
        replace(other, spec=replace(other.spec, name=text, unit=text)),
        name=text or "bench",
        reason=text,
        warnings=(text,),
        checks=text,
        machine=text,
        base_run=facts,
        head_run=facts,
        output_tail=(text, text),
        next_step=text,
        reused_age=text,
        run_id=text,
    )
    failed = replace(one, status=Status.FAILED, outcome=Outcome.ERRORED, conclusion=Conclusion.FAILURE)
    return check(
        one, failed, replace(one, status=Status.REUSED), remarks=(text,), reproduce=text, tool_version=text, files={"comment.md": text}
    )


def raw_html(page: str) -> str:
    """What is left of the page's live HTML without the tags that are ours."""
    text = "".join(token.content for token in tokens(page) if token.type in {"html_block", "html_inline"})
    for tag in (f"{MARKER}\n", "<details><summary>", "</summary>", "</details>", "<sub>", "</sub>"):
        text = text.replace(tag, "")
    return text


@settings(max_examples=40, deadline=None)
@given(hostile)
def test_a_hostile_result_renders_tame_pages(text: str) -> None:
    reports = render(hostile_check(text), templates())
    pages = [reports.comment, reports.summary, *(output[part] for output in outputs(reports) for part in ("summary", "text"))]
    for page in pages:
        assert whole(page)
        assert "<" not in raw_html(page)
        assert not {"link_open", "image", "s_open", "em_open"} & {token.type for token in tokens(page)}
        assert page.count("<!--") == (page is reports.comment)
    assert all(sign >= " " or sign == "\n" for sign in reports.terminal)
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in reports.terminal.splitlines())


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), hostile), max_size=6))
def test_any_mixture_of_benchmarks_fits(shapes: list[tuple[int, str]]) -> None:
    ones = [replace(crowded(metrics, name=text or "b"), warnings=(text,) * metrics) for metrics, text in shapes]
    reports = rendered(*ones)
    assert fit.characters(reports.comment) <= 65_536
    assert whole(reports.comment)
    assert all(len(output[part].encode()) <= 65_535 for output in outputs(reports) for part in ("summary", "text"))
