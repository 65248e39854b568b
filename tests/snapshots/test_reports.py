"""Reports as people see them, reviewed by eye. ASSAY_UPDATE_SNAPSHOTS=1 writes them anew."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.build import BASE, HEAD, benchmark, check, comparison, guard, reused, secondary
from tests.templates import templates

from assay.core.comparison import Undecided
from assay.core.fusion.answer import write_answer
from assay.core.fusion.digest import Subject, digest_of
from assay.core.fusion.narrative import OFFLINE, Narrative, deterministic, dissent_of, footer
from assay.core.fusion.usage import Usage
from assay.core.model import Conclusion, Outcome, Rung, Status, Verdict
from assay.core.render import render
from assay.core.result import BenchmarkResult, CheckResult, LineageKey, ReuseReason, ReuseVerdict, SideFacts

HERE = Path(__file__).parent
BETTER = comparison("val_loss: 120 121 119 120 | 90 91 89 90", unit="nats")
FILES = {"report": ".assay/report/comment.md", "result": ".assay/report/result.json"}
FIRST_TIME = ReuseVerdict(False, LineageKey(HEAD, "linux", "tiny", "fp32"), reasons=(ReuseReason(Rung.EVIDENCE, "no earlier run"),))


def improved() -> CheckResult:
    comparisons = (BETTER, guard("latency_ms: 100 101 | 100 100"), secondary("tok_s: 510 512 | 540 538", "higher"))
    reason = "val_loss improved by at least 1 %, and no guard regressed."
    judged = tuple(
        replace(one, alpha=0.004, p_adjusted=0.0051, raw_interval=one.interval and (one.interval[0] + 0.002, one.interval[1] - 0.002))
        for one in comparisons
    )
    return check(benchmark(*judged, reuse=FIRST_TIME, checks="passed", reason=reason, alpha=0.05, most_units=10), files=FILES)


def regressed() -> CheckResult:
    return check(
        benchmark(
            comparison("val_loss: 100 | 150"), reason="val_loss regressed beyond 1 %.", next_step="Look for the cause in the change."
        ),
        files=FILES,
    )


def guard_regressed() -> CheckResult:
    slow = guard("latency_ms: 100 100 | 140 140", reason="The interval lies beyond the limit of 5 %.")
    return check(
        benchmark(BETTER, slow, reason="The guard latency_ms regressed beyond its limit.", next_step="Look for the cause in the change.")
    )


def undecided() -> CheckResult:
    noisy = comparison(
        "val_loss: 100 90 110 | 101 93 111",
        verdict=Verdict.UNDECIDED,
        undecided=Undecided.SAMPLES,
        interval=(-0.08, 0.03),
        harm_excluded=0.03,
        more_pairs=6,
        reason="Regressions above 3 % are excluded; about 6 more pairs would settle 1 %.",
    )
    return check(
        benchmark(
            noisy,
            reason="The samples do not settle whether val_loss changed by 1 %.",
            next_step="Raise `repeats.max` by about 6 more pairs.",
        )
    )


def checks_failed() -> CheckResult:
    one = benchmark(
        BETTER,
        outcome=Outcome.CHECKS_FAILED,
        conclusion=Conclusion.FAILURE,
        checks="failed",
        next_step="Make the checks pass; until they do, the numbers do not count.",
        reason="The checks `pytest -q tests/smoke` ended with exit code 1.",
        output_tail=("1 failed, 3 passed",),
    )
    return check(one)


def errored() -> BenchmarkResult:
    return benchmark(
        status=Status.FAILED,
        outcome=Outcome.ERRORED,
        conclusion=Conclusion.FAILURE,
        reason="Head printed no METRIC line.",
        next_step="Print the line METRIC val_loss=<number> at the end of the benchmark.",
        output_tail=("epoch 1 of 2", "epoch 2 of 2", "loss: 0.31", "```", "done"),
        checks="not run",
    )


def skipped() -> CheckResult:
    reason = "Nothing that this benchmark watches has changed: docs/guide.md is ignored."
    return check(benchmark(status=Status.SKIPPED, outcome=None, reason=reason, run_id=None))


def hostile() -> CheckResult:
    links = "[x](https://evil.example) ![i](//e.x/a.png)"
    bad = f"<!-- assay:report --></details>|`@octocat` fixes #1 {links} \x1b[31m\u202e\r\n# h **b** &#64;me ::error::"
    named = replace(BETTER, spec=replace(BETTER.spec, name=bad, unit=bad))
    other = secondary("x: 1 | 2")
    side = SideFacts("run-1", BASE, bad, 5, 1, 0.2)
    one = benchmark(
        named,
        replace(other, spec=replace(other.spec, name=bad)),
        name=bad,
        reason=bad,
        warnings=(bad,),
        machine=bad,
        base_run=side,
        head_run=side,
        output_tail=(bad, "``````"),
        next_step=bad,
    )
    return check(one, remarks=(bad,), reproduce=f"assay check --run '{bad}'")


def analysed() -> CheckResult:
    """The report of the offline analysts, with one of them doubting."""
    near = guard("latency_ms: 100 101 100 | 104 104 105", verdict=Verdict.UNCHANGED)
    one = benchmark(BETTER, near, reason="val_loss improved by at least 1 %.", next_step="Nothing to do.")
    digest = digest_of(Subject(one, BASE, HEAD))
    answers = {slot: write_answer(analyst(digest)) for slot, analyst in enumerate(OFFLINE.values(), 1)}
    routes = {slot: f"offline:{lens}" for slot, lens in enumerate(OFFLINE, 1)}
    narrative = Narrative(
        analysis_id="ana-01JD0000000000000000000001",
        report=deterministic(digest),
        dissent=dissent_of(routes, answers, digest),
        footer=footer(3, 3, (), Usage()),
    )
    return check(replace(one, analysis=narrative))


SCENES: dict[str, Callable[[], CheckResult]] = {
    "improved": improved,
    "regressed": regressed,
    "guard_regressed": guard_regressed,
    "undecided": undecided,
    "checks_failed": checks_failed,
    "errored": lambda: check(errored()),
    "reused": lambda: check(reused(BETTER, reason="val_loss improved by at least 1 %.")),
    "skipped": skipped,
    "several": lambda: check(
        benchmark(BETTER, name="train"),
        reused(comparison("p99: 5 | 5.01", unit="ms"), name="serve"),
        replace(errored(), name="eval"),
        remarks=("The work tree has changes that are not committed; they were not measured.",),
    ),
    "hostile": hostile,
    "analysed": analysed,
}


def page(scene: CheckResult) -> str:
    """Everything that is shown of a check, one after the other."""
    reports = render(scene, templates())
    parts = [f"COMMENT\n\n{reports.comment}", f"TERMINAL\n\n{reports.terminal}"]
    checks = reports.check["checks"]
    assert isinstance(checks, list)
    for run in checks:
        output = run["output"]
        parts.append(f"CHECK RUN {run['name']}: {run['conclusion']}\n\ntitle: {output['title']}\n\n{output['summary']}\n{output['text']}")
    return f"\n{'=' * 80}\n".join(parts)


@pytest.mark.parametrize("name", SCENES)
def test_a_report_looks_as_it_was_reviewed(name: str) -> None:
    written, kept = page(SCENES[name]()), HERE / f"{name}.md"
    if os.environ.get("ASSAY_UPDATE_SNAPSHOTS"):
        kept.write_text(written, encoding="utf-8")
    assert written == kept.read_text(encoding="utf-8")


def test_every_snapshot_belongs_to_a_scene() -> None:
    assert {path.stem for path in HERE.glob("*.md")} == set(SCENES)
