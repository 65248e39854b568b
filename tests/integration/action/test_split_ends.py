"""Cells that end otherwise than a report would like: cancelled half through, or with a regression that one job would confirm."""

import json
import signal

from tests.harness.waiting import until
from tests.integration.action.conftest import CONFIG, Step
from tests.integration.action.test_split import BETTER, WORSE, cell_of, prepared, run_cell


def test_a_cancelled_cell_hands_over_what_it_had_and_the_report_keeps_it(step: Step) -> None:
    marks = step.folder / "marks"
    marks.mkdir()
    marks.chmod(0o1777)
    mark = marks / "measuring"
    head, _, payload = prepared(step, {**BETTER, "extra.sh": f"touch {mark}; sleep 1000\n"})
    assert step.run("pull_request", payload, mode="plan").code == 0
    process = step.start("pull_request", payload, mode="run", benchmark="bench", github_token="")
    until(mark.exists)
    process.send_signal(signal.SIGTERM)
    assert step.finish(process).code == 130
    reported = step.run("pull_request", payload, mode="report")
    assert reported.code == 4, reported.log
    assert "its job was cancelled" in reported.summary
    assert {run["status"] for run in step.stored()} == {"cancelled"}
    assert head in {run["commit"] for run in step.stored()}
    assert [one.conclusion for one in step.remote.checks.values()] == ["failure"]


def test_a_cell_holds_one_session_also_where_a_regression_is_to_be_confirmed(step: Step) -> None:
    step.author.git("checkout", "-q", "main")
    step.author.commit({".github/assay.yml": f"{CONFIG}policy: {{confirm: true}}\n"}, "confirm")
    step.push("main")
    _, _, payload = prepared(step, WORSE)
    assert step.run("pull_request", payload, mode="plan").code == 0
    ran = run_cell(step, "pull_request", payload)
    assert ran.code == 0, ran.log
    assert len(json.loads(cell_of(step).read_text())["runs"]) == 2
    assert step.run("pull_request", payload, mode="report").code == 1
