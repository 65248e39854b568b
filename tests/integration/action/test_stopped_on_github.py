"""Attempts on a pull request: counted once a commit, stopped by strikes, told to people, and let go on by an admin alone."""

import json

from tests.integration.action.conftest import CONFIG, Step
from tests.integration.action.test_comment_commands import obey, said

COUNTED = CONFIG + "attempts: {invariants: {paths: [extra.sh]}, strikes: 1}\n"


def test_strikes_stop_the_checks_of_a_pull_request_until_an_admin_grants_more(step: Step) -> None:
    step.branch("main", {".github/assay.yml": COUNTED})
    step.branch("broken", {"extra.sh": "exit 3\n"})
    pull = step.remote.open_pull("broken")
    done = step.on_pull(pull)
    assert done.code == 1, done.log
    assert step.remote.labels == {pull.number: ["assay: stopped"]}
    reports = [one.body for one in step.remote.comments.values() if one.body.startswith("<!-- assay:stopped key=bench -->")]
    assert len(reports) == 1
    assert "Three ways are left" in reports[0]
    head = step.branch("broken", {"extra.sh": ":\n", "metrics.txt": "loss=90\n"}, start="broken")
    stopped = step.on_pull(pull)
    assert stopped.code == 3, stopped.log
    (check,) = [one for one in step.remote.checks.values() if one.head_sha == head]
    assert (check.conclusion, stopped.outputs["conclusion"]) == ("action_required", "action_required")
    step.remote.collaborators["bob"] = "admin"
    granted = obey(step, said(step, pull, "/experiment grant 3"))
    assert granted.code == 0, granted.log
    again = step.on_pull(pull)
    assert again.code == 0, again.log
    assert again.outputs["outcome"] == "keep"


def test_what_has_stopped_has_no_cell_in_a_plan_and_its_report_asks_for_a_person(step: Step) -> None:
    step.branch("main", {".github/assay.yml": COUNTED})
    step.branch("broken", {"extra.sh": "exit 3\n"})
    pull = step.remote.open_pull("broken")
    assert step.on_pull(pull).code == 1
    step.branch("broken", {"extra.sh": ":\n", "metrics.txt": "loss=90\n"}, start="broken")
    planned = step.on_pull(pull, mode="plan")
    assert (planned.code, json.loads(planned.outputs["matrix"])) == (0, {"include": []}), planned.log
    assert "bench has stopped" in planned.out
    reported = step.on_pull(pull, mode="report")
    assert (reported.code, reported.outputs["conclusion"]) == (3, "action_required"), reported.log
