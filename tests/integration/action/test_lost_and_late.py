"""Jobs that end before their time, and those after them: no check run stays open, no record is lost, nothing is left running."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.github import faults
from tests.harness.ownership import give, owners
from tests.harness.waiting import until
from tests.integration.action.conftest import Step

BETTER = {"metrics.txt": "loss=90\n"}
MARKER = "<!-- assay:report -->"
OWNER = 1001


def marks(step: Step) -> Path:
    """A folder that any account's benchmark can write to."""
    folder = step.folder / "marks"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o1777)
    return folder


def started(step: Step, extra: str, name: str = "faster") -> subprocess.Popen[str]:
    """A job on a pull request of its own, whose benchmark first runs that shell."""
    step.branch(name, {**BETTER, "extra.sh": extra})
    pull = step.remote.open_pull(name)
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    return step.start("pull_request", payload)


def kill(process: subprocess.Popen[str]) -> None:
    """As a runner is lost: no handler runs, and nobody is told."""
    process.kill()
    process.communicate(timeout=60)


def left(step: Step, folder: str = "open") -> list[str]:
    """The files below a folder of the data branch."""
    where = f"--git-dir={step.remote.path}"
    if not step.author.git(where, "for-each-ref", "refs/heads/assay-data"):
        return []
    return step.author.git(where, "ls-tree", "-r", "--name-only", "assay-data", f"{folder}/").splitlines()


def states(step: Step) -> list[tuple[str, str | None]]:
    return [(one.status, one.conclusion) for one in step.remote.checks.values()]


def another(step: Step, name: str = "other", **env: str) -> None:
    """A job on another pull request, which is well."""
    step.env.update(env)
    step.branch(name, {"metrics.txt": "loss=80\n"})
    done = step.on_pull(step.remote.open_pull(name))
    assert done.code == 0, done.log


@pytest.mark.parametrize("told", ["by another attempt", "by the state of its run", "by nothing"])
def test_the_job_after_a_killed_runner_closes_its_check_run(step: Step, told: str) -> None:
    step.env |= {"GITHUB_RUN_ATTEMPT": "1"}
    lost = step.remote.add_workflow_run("Benchmarks", "pull_request", "faster", "a" * 40)
    lost.status, lost.conclusion = ("completed", "failure") if told == "by the state of its run" else ("in_progress", None)
    step.env["GITHUB_RUN_ID"] = str(lost.id)
    mark = marks(step) / "measuring"
    process = started(step, f"touch {mark}; sleep 1000\n")
    until(mark.exists)
    kill(process)
    assert states(step) == [("in_progress", None)]
    assert len(left(step)) == 1
    if told == "by the state of its run":
        step.token = step.hub.job_token(step.remote, {"contents": "write", "pull-requests": "write", "checks": "write", "actions": "read"})
    run, attempt = (str(lost.id), "2") if told == "by another attempt" else ("4712", "1")
    another(step, GITHUB_RUN_ID=run, GITHUB_RUN_ATTEMPT=attempt)
    if told == "by nothing":  # it may go on
        assert states(step)[0] == ("in_progress", None)
        assert len(left(step)) == 1
    else:
        assert states(step) == [("completed", "cancelled"), ("completed", "success")]
        assert left(step) == []


def test_what_github_did_not_take_is_posted_by_the_next_job_and_changes_no_verdict(step: Step) -> None:
    refusal = faults.secondary_limit(4000)
    step.hub.faults.add("PATCH", "*/check-runs/*", refusal)
    step.hub.faults.add("POST", "*/comments", refusal)
    head = step.branch("faster", BETTER)
    done = step.on_pull(step.remote.open_pull("faster"))
    assert done.code == 0, done.log
    assert done.outputs["conclusion"] == "success"
    assert "the next job posts it" in done.summary
    assert (states(step), len(step.remote.comments)) == ([("in_progress", None)], 0)
    assert len(left(step, "owed")) == 2
    assert left(step) == []
    another(step)
    assert states(step) == [("completed", "success"), ("completed", "success")]
    assert [one.conclusion for one in step.remote.checks.values() if one.head_sha == head] == ["success"]
    assert sorted(one.number for one in step.remote.comments.values()) == [1, 2]
    assert all(one.body.startswith(MARKER) and "Improved" in one.body for one in step.remote.comments.values())
    assert left(step, "owed") == []


def test_two_jobs_at_once_on_one_pull_request_both_land(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    payload = step.pull_request(pull)
    twin = Step(step.hub, step.folder / "twin", step.author, step.remote, step.token, {"GITHUB_RUN_ID": "4712"})
    for name in ("", "home", "tmp"):
        (twin.folder / name).mkdir(exist_ok=True)
    for one in (step, twin):
        one.checkout(f"refs/pull/{pull.number}/merge")
    # neither sees the other's comment when it looks whether there is one
    step.hub.faults.add("GET", "*/issues/1/comments", faults.slow(3), faults.slow(3))
    processes = [one.start("pull_request", payload, no_reuse="true") for one in (step, twin)]
    for one, process in zip((step, twin), processes, strict=True):
        done = one.finish(process)
        assert done.code == 0, done.log
    assert {run["status"] for run in step.stored()} == {"complete"}
    assert len(step.stored()) == 4
    assert len(step.stored("decisions")) == 2
    assert states(step) == [("completed", "success")] * 2
    assert len([one for one in step.remote.comments.values() if one.body.startswith(MARKER)]) == 1
    assert left(step) == []


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def in_outbox(step: Step, folder: str) -> list[str]:
    found = (step.workspace / ".git" / "assay" / "outbox" / folder).rglob("*.json")
    return [path.stem for path in found]


def moments(step: Step, seen: Path) -> dict[str, Callable[[], object]]:
    """What can be waited for in the course of a job."""
    return {
        "written ahead": lambda: left(step),
        "opened": lambda: step.hub.requests("POST", "*/check-runs"),
        "measuring": seen.exists,
        "half through": lambda: seen.exists() and len(seen.read_text().split()) >= 4,
        "closing": lambda: step.hub.requests("PATCH", "*/check-runs/*"),
        "commenting": lambda: step.hub.requests("GET", "*/comments"),
    }


def cancelled_as_by_a_runner(process: subprocess.Popen[str], first: signal.Signals) -> None:
    """The first signal, TERM after 7.5 s, and an end that nobody survives after 2.5 s more."""
    for number, seconds in ((first, 7.5), (signal.SIGTERM, 2.5)):
        process.send_signal(number)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
        return
    process.kill()
    pytest.fail(f"the job outlived {first.name}, TERM and the patience of the runner")


@pytest.mark.parametrize("seed", range(6))
def test_whenever_a_job_is_cancelled_it_leaves_everything_in_order(step: Step, seed: int) -> None:
    chance = random.Random(seed)
    seen = marks(step) / "pids"
    step.branch("faster", {**BETTER, "extra.sh": f"echo $$ >> {seen}; sleep 0.2\n"})
    pull = step.remote.open_pull("faster")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    give(step.workspace, OWNER)
    process = step.start("pull_request", payload)
    name, holds = list(moments(step, seen).items())[seed]
    until(holds, lambda: f"at {name}")
    moment = time.monotonic() + chance.random() * 0.4
    until(lambda: time.monotonic() > moment or process.poll() is not None)
    cancelled_as_by_a_runner(process, chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
    done = step.finish(process)
    assert done.code in (130, 0), done.log
    assert [pid for pid in seen.read_text().split() if alive(int(pid))] == [] if seen.exists() else True
    assert [one.status for one in step.remote.checks.values() if one.status != "completed"] == [], done.log
    records = {run["run_id"]: run["status"] for run in step.stored()}
    of_runs = [one for one in step.remote.checks.values() if one.name != "assay: analysis"]  # which has no run of its own
    for check in of_runs:
        assert check.external_id in {*records, *in_outbox(step, "runs")}, done.log
        assert check.conclusion == "success" or done.code == 130
    assert {Path(path).stem for path in left(step)} <= set(in_outbox(step, "settled"))
    assert owners(step.workspace / ".assay", other_than=OWNER) == {}
    assert owners(step.workspace / ".git" / "assay", other_than=OWNER) == {}
