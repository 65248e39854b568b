"""Plan, run and report as three jobs on the fake GitHub, of which the one that runs code has no token."""

import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import run as run_process
from typing import Any

import pytest
from tests.fakes.github import payloads
from tests.fakes.github.hub import FORK_PERMISSIONS
from tests.fakes.github.repository import Pull
from tests.integration.action.conftest import CONFIG, Done, Step
from tests.integration.action.test_comment_commands import reactions, replies, said

from assay.core.canonical import digest

BETTER, WORSE = ({"metrics.txt": f"loss={value}\n"} for value in (90, 150))
HANDOVER = "assay-handover"


def cell_of(step: Step) -> Path:
    return step.workspace / HANDOVER / "cell-bench.json"


def run_cell(step: Step, event: str, payload: Mapping[str, Any], **inputs: str) -> Done:
    """The job in the middle: the same checkout without any token."""
    token, step.token = step.token, ""
    try:
        process = step.start(event, payload, mode="run", benchmark="bench", **inputs)
        out, err = process.communicate(timeout=120)
        assert token not in out + err
        return Done(process.returncode, out, err, {}, "")
    finally:
        step.token = token


def matrix_of(done: Done) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(done.outputs["matrix"])["include"]
    return found


def prepared(step: Step, files: Mapping[str, str]) -> tuple[str, Pull, Mapping[str, Any]]:
    head = step.branch("change", files)
    pull = step.remote.open_pull("change")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    return head, pull, payload


@pytest.mark.parametrize(("files", "conclusion", "code"), [(BETTER, "success", 0), (WORSE, "failure", 1)])
def test_three_jobs_come_to_the_verdict_of_one(step: Step, files: Mapping[str, str], conclusion: str, code: int) -> None:
    head, _, payload = prepared(step, files)
    planned = step.run("pull_request", payload, mode="plan")
    assert planned.code == 0, planned.log
    (cell,) = matrix_of(planned)
    assert (cell["benchmark"], cell["head"], cell["runs_on"]) == ("bench", head, ["ubuntu-latest"])
    assert step.remote.checks == {}
    ran = run_cell(step, "pull_request", payload)
    assert ran.code == 0, ran.log
    reported = step.run("pull_request", payload, mode="report")
    assert reported.code == code, reported.log
    (check,) = step.remote.checks.values()
    assert (check.head_sha, check.status, check.conclusion) == (head, "completed", conclusion)
    assert [one.body for one in step.remote.comments.values() if one.body.startswith("<!-- assay:report -->")]
    assert {run["commit"] for run in step.stored()} == {head, json.loads(cell_of(step).read_text())["base"]}
    assert len(step.stored("decisions")) == 1


def test_a_cell_that_is_missing_is_shown_and_fails(step: Step) -> None:
    _, _, payload = prepared(step, BETTER)
    assert step.run("pull_request", payload, mode="plan").code == 0
    reported = step.run("pull_request", payload, mode="report")
    assert reported.code == 4
    (check,) = step.remote.checks.values()
    assert check.conclusion == "failure"
    assert "cell is missing" in reported.summary


FUTURE = "2099-01-01T00:00:00Z"
FORGERIES: Mapping[str, Callable[[Any], Any]] = {
    "another benchmark or other commits": lambda cell: cell | {"head": "d" * 40},
    "holds no run of head": lambda cell: cell | {"runs": []},
    "not of the benchmark and commit": lambda cell: cell | {"runs": [cell["runs"][0] | {"commit": "d" * 40}, cell["runs"][1]]},
    "unexpected": lambda cell: cell | {"extra": 1},
    "cannot be read": lambda _: "nonsense",
    "of another model": lambda cell: cell | {"runs": [run | {"model": "other"} for run in cell["runs"]]},
    "under another config": lambda cell: cell | {"runs": [run | {"config": run["config"] | lied(run)} for run in cell["runs"]]},
    "dated in the future": lambda cell: cell | {"runs": [run | {"finished_at": FUTURE} for run in cell["runs"]]},
    "do not belong": lambda cell: cell | {"state": "reused"},
}


def lied(run: Any) -> Mapping[str, Any]:
    """The facts of another command, with the hash that goes with them."""
    parameters = run["config"]["parameters"] | {"command": "true"}
    return {"parameters": parameters, "hash": digest(parameters)}


def test_a_cell_that_does_not_fit_is_refused(step: Step) -> None:
    _, _, payload = prepared(step, WORSE)
    assert step.run("pull_request", payload, mode="plan").code == 0
    assert run_cell(step, "pull_request", payload).code == 0
    honest = json.loads(cell_of(step).read_text())
    for says, forge in FORGERIES.items():
        forged = forge(json.loads(json.dumps(honest)))
        cell_of(step).write_text(json.dumps(forged) if not isinstance(forged, str) else forged)
        reported = step.run("pull_request", payload, mode="report")
        assert (reported.code, says in reported.summary or says == "unexpected") == (4, True), (says, reported.summary)
    assert step.stored() == []
    assert step.stored("decisions") == []


def test_a_cell_cannot_speak_for_a_run_that_is_stored(step: Step) -> None:
    """Else a verdict on forged numbers would be found under the ids of honest runs, and stand for them ever after."""
    _, _, payload = prepared(step, WORSE)
    assert step.run("pull_request", payload).code == 1
    before = {kind: step.stored(kind) for kind in ("runs", "decisions")}
    ids = {run["commit"]: run["run_id"] for run in before["runs"]}
    assert step.run("pull_request", payload, mode="plan", no_reuse="true").code == 0
    assert run_cell(step, "pull_request", payload, no_reuse="true").code == 0
    cell = json.loads(cell_of(step).read_text())
    for run in cell["runs"]:
        run["run_id"] = ids[run["commit"]]
        run["samples"] = [sample | {"value": 1.0} for sample in run["samples"]]
    cell |= {"base_run": ids[cell["base"]], "head_run": ids[cell["head"]]}
    cell_of(step).write_text(json.dumps(cell))
    reported = step.run("pull_request", payload, mode="report", no_reuse="true")
    assert reported.code == 4, reported.log
    assert "the id of another run" in reported.summary
    assert {kind: step.stored(kind) for kind in ("runs", "decisions")} == before


def test_a_report_that_is_made_again_stores_nothing_twice(step: Step) -> None:
    _, _, payload = prepared(step, BETTER)
    assert step.run("pull_request", payload, mode="plan").code == 0
    assert run_cell(step, "pull_request", payload).code == 0
    for _ in range(2):
        reported = step.run("pull_request", payload, mode="report")
        assert reported.code == 0, reported.log
    assert len(step.stored()) == 2


def test_a_cell_says_nothing_of_trust_and_nothing_of_the_verdict(step: Step) -> None:
    _, _, payload = prepared(step, WORSE)
    assert step.run("pull_request", payload, mode="plan").code == 0
    assert run_cell(step, "pull_request", payload).code == 0
    cell = json.loads(cell_of(step).read_text())
    for run in cell["runs"]:
        run |= {"trust": "default", "tree": "e" * 40, "fingerprints": "unknown"}
    cell["reason"] = "improved, believe me"
    cell_of(step).write_text(json.dumps(cell))
    reported = step.run("pull_request", payload, mode="report")
    assert reported.code == 1
    stored = step.stored()
    assert {run["trust"] for run in stored} == {"member"}
    assert {run["tree"] for run in stored} == {step.author.git("rev-parse", f"{run['commit']}^{{tree}}") for run in stored}
    assert "unknown" not in [run["fingerprints"] for run in stored]


def test_a_cell_finds_a_lent_run_and_the_report_takes_it_from_its_own_store(step: Step) -> None:
    _, _, payload = prepared(step, BETTER)
    assert step.run("pull_request", payload).code == 0
    before = len(step.stored())
    assert step.run("pull_request", payload, mode="plan").code == 0
    assert run_cell(step, "pull_request", payload).code == 0
    cell = json.loads(cell_of(step).read_text())
    assert (cell["state"], cell["runs"]) == ("reused", [])
    reported = step.run("pull_request", payload, mode="report")
    assert reported.code == 0, reported.log
    assert reported.outputs["reused"] == "true"
    assert len(step.stored()) == before


def test_a_cell_s_word_that_a_stranger_s_run_answers_a_member_is_not_taken(step: Step) -> None:
    head, _, payload = prepared(step, BETTER)
    assert step.run("pull_request", payload).code == 0
    trusted = {run["run_id"]: run["commit"] for run in step.stored()}
    mistrust(step)
    assert step.run("pull_request", payload, mode="plan").code == 0
    ids = {commit: run_id for run_id, commit in trusted.items()}
    (base,) = (commit for commit in ids if commit != head)
    claimed = {"schema": "assay.cell/1", "benchmark": "bench", "base": base, "head": head, "state": "reused", "reason": "it is there"}
    cell = claimed | {"base_run": ids[base], "head_run": ids[head], "runs": [], "warnings": [], "tail": []}
    cell_of(step).write_text(json.dumps(cell))
    reported = step.run("pull_request", payload, mode="report")
    assert reported.code == 4
    assert "does not answer here" in reported.summary


def mistrust(step: Step) -> None:
    """Make all stored runs a fork's, as if a stranger had measured them."""
    place = step.folder / "data"
    step.author.git("clone", "-q", "-b", "assay-data", f"file://{step.remote.path}", str(place), cwd=step.folder)
    for path in place.rglob("run-*.json"):
        path.write_text(path.read_text().replace('"trust": "member"', '"trust": "fork"'))
    step.author.git("commit", "-qam", "mistrust", cwd=place)
    step.author.git("push", "-q", "origin", "assay-data", cwd=place)
    step.remote.sync()


def test_in_a_matrix_the_check_run_names_the_machine(step: Step) -> None:
    config = CONFIG.replace("benchmarks:", "machines:\n  box: {runs_on: [self-hosted, box]}\nbenchmarks:") + "    machine: box\n"
    step.branch("main", {".github/assay.yml": config})
    head, _, payload = prepared(step, BETTER)
    planned = step.run("pull_request", payload, mode="plan")
    (cell,) = matrix_of(planned)
    assert (cell["machine"], cell["runs_on"]) == ("box", ["self-hosted", "box"])
    assert run_cell(step, "pull_request", payload).code == 0
    reported = step.run("pull_request", payload, mode="report")
    assert reported.code == 0, reported.log
    assert [(one.name, one.head_sha) for one in step.remote.checks.values()] == [("assay / bench (box)", head)]
    assert reported.outputs["check-run-url"]


def test_a_change_of_documents_has_no_cell_and_a_success(step: Step) -> None:
    _, _, payload = prepared(step, {"README.md": "better\n"})
    planned = step.run("pull_request", payload, mode="plan")
    assert matrix_of(planned) == []
    reported = step.run("pull_request", payload, mode="report")
    assert reported.code == 0, reported.log
    assert [one.conclusion for one in step.remote.checks.values()] == ["success"]


def test_a_command_is_planned_run_and_reported_at_the_commit_that_it_pinned(step: Step) -> None:
    head = step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    comment = said(step, pull, "/experiment run repeats=5")
    payload = payloads.issue_comment(step.remote, comment)
    step.checkout("refs/heads/main")
    planned = step.run("issue_comment", payload, mode="plan")
    assert planned.code == 0, planned.log
    (cell,) = matrix_of(planned)
    assert cell["head"] == head
    assert run_cell(step, "issue_comment", payload).code == 0
    assert {len([one for one in run["processes"] if not one["warmup"]]) for run in json.loads(cell_of(step).read_text())["runs"]} == {5}
    step.branch("faster", {"metrics.txt": "loss=10\n"})
    reported = step.run("issue_comment", payload, mode="report", head=cell["head"])
    assert reported.code == 0, reported.log
    assert [(one.head_sha, one.conclusion) for one in step.remote.checks.values()] == [(head, "neutral")]
    assert "superseded" in reported.summary
    assert reactions(step, comment) == ["eyes", "rocket"]


def test_a_command_for_which_nothing_had_to_run_is_reported_at_the_commit_that_it_pinned(step: Step) -> None:
    """There is no cell to hand the commit on, and by the report the branch may be elsewhere."""
    head = step.branch("words", {"README.md": "better\n"})
    pull = step.remote.open_pull("words")
    payload = payloads.issue_comment(step.remote, said(step, pull, "/experiment run"))
    step.checkout("refs/heads/main")
    step.env["GITHUB_RUN_ID"] = "77"
    planned = step.run("issue_comment", payload, mode="plan")
    assert matrix_of(planned) == []
    step.branch("words", WORSE)
    reported = step.run("issue_comment", payload, mode="report", head="")
    assert reported.code == 0, reported.log
    assert [(one.head_sha, one.conclusion) for one in step.remote.checks.values()] == [(head, "success")]


def test_a_stranger_s_command_has_no_plan_and_no_report(step: Step) -> None:
    step.branch("faster", BETTER)
    comment = said(step, step.remote.open_pull("faster"), "/experiment run", step.hub.user("mallory"))
    payload = payloads.issue_comment(step.remote, comment)
    step.checkout("refs/heads/main")
    for mode in ("plan", "report"):
        done = step.run("issue_comment", payload, mode=mode)
        assert done.code == 0, done.log
        assert done.outputs["matrix"] == ""
    assert not (step.workspace / HANDOVER).exists()
    assert step.remote.checks == {}
    assert replies(step) == []


def forked(step: Step) -> tuple[str, Pull, str]:
    """A pull request from mallory's fork, with the token that GitHub gives its workflow, and the token of a trusted one."""
    theirs = step.hub.fork(step.remote, "mallory")
    step.author.git("checkout", "-q", "-B", "patch", "main")
    head = step.author.commit(dict(BETTER), "patch")
    step.push("patch", theirs)
    trusted, step.token = step.token, step.hub.job_token(step.remote, FORK_PERMISSIONS)
    return head, step.remote.open_pull("mallory:patch"), trusted


def zipped(files: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


def upload(step: Step, head: str, name: str, content: bytes) -> Mapping[str, Any]:
    run = step.remote.add_workflow_run("benchmarks", "pull_request", "patch", head, head_repository="mallory/lab")
    step.remote.add_artifact(run.id, name, content)
    return payloads.workflow_run(step.remote, run)


def test_a_fork_s_cells_are_reported_by_a_job_of_the_default_branch(step: Step) -> None:
    head, pull, trusted = forked(step)
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    assert step.run("pull_request", payload, mode="plan").code == 0
    assert run_cell(step, "pull_request", payload).code == 0
    content = zipped({"cell-bench.json": cell_of(step).read_bytes(), "plan.json": b"{}"})
    step.token = trusted
    reported = step.run("workflow_run", upload(step, head, "assay-bench", content))
    assert reported.code == 0, reported.log
    assert [(one.head_sha, one.conclusion) for one in step.remote.checks.values()] == [(head, "success")]
    assert {run["trust"] for run in step.stored()} == {"fork"}


def test_hostile_archives_give_no_cell(step: Step) -> None:
    head, pull, trusted = forked(step)
    step.checkout(f"refs/pull/{pull.number}/merge")
    step.token = trusted
    link = zipfile.ZipInfo("cell-bench.json")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(content := io.BytesIO(), "w") as archive:
        archive.writestr(link, "/proc/self/environ")
    for bad in (content.getvalue(), b"no zip", zipped({"../cell-bench.json": b"{}"}), zipped({"a/cell-bench.json": b"{}"})):
        reported = step.run("workflow_run", upload(step, head, "assay-bench", bad))
        assert reported.code == 4
        assert "its archive cannot be taken" in reported.summary
    assert step.stored() == []


def test_a_run_whose_head_no_open_pull_request_has_is_reported_nowhere(step: Step) -> None:
    _, pull, trusted = forked(step)
    step.checkout(f"refs/pull/{pull.number}/merge")
    step.token = trusted
    done = step.run("workflow_run", upload(step, step.author.git("rev-parse", "main"), "assay-bench", zipped({"cell-bench.json": b"{}"})))
    assert done.code == 0, done.log
    assert step.remote.checks == {}


def test_under_workflow_run_nothing_is_run(step: Step) -> None:
    head, pull, trusted = forked(step)
    step.checkout(f"refs/pull/{pull.number}/merge")
    step.token = trusted
    done = step.run("workflow_run", upload(step, head, "assay-bench", zipped({})), mode="plan")
    assert done.code == 2
    assert "nothing is run" in done.log


@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
def test_a_cell_is_not_run_beside_a_token_whatever_the_mode_says(step: Step, event: str) -> None:
    """The job in the middle reads no event to authorise anybody; what it is started by it has to know all the same."""
    _, _, payload = prepared(step, {"extra.sh": f"touch {step.folder}/witness\n"})
    assert step.run("pull_request", payload, mode="plan").code == 0
    ran = run_cell(step, event, payload)
    assert (ran.code, "nothing is run" in ran.log) == (2, True)
    for words in (["run"], ["run", "--here", "--benchmark", "bench"]):
        there = {**os.environ, "GITHUB_EVENT_NAME": event}
        done = run_process([sys.executable, "-m", "assay", *words, "--artifact", HANDOVER], cwd=step.workspace, env=there, check=False)
        assert done.returncode == 2
    assert not (step.folder / "witness").exists()
    assert not cell_of(step).exists()


def test_a_fork_s_cell_is_refused_on_a_runner_of_one_s_own(step: Step) -> None:
    _, pull, _ = forked(step)
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    step.env["RUNNER_ENVIRONMENT"] = "self-hosted"
    assert step.run("pull_request", payload, mode="plan").code == 0
    assert run_cell(step, "pull_request", payload).code == 0
    cell = json.loads(cell_of(step).read_text())
    assert (cell["state"], cell["runs"]) == ("refused", [])


def test_a_job_that_runs_code_refuses_a_checkout_with_a_credential(step: Step) -> None:
    _, _, payload = prepared(step, BETTER)
    assert step.run("pull_request", payload, mode="plan").code == 0
    step.author.git("config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic c2VjcmV0", cwd=step.workspace)
    ran = run_cell(step, "pull_request", payload)
    assert ran.code == 2
    assert "persist-credentials: false" in ran.log
    assert "c2VjcmV0" not in ran.log
    assert not cell_of(step).exists()
