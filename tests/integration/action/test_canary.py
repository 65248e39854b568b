"""A token in every place where a job keeps one, and a benchmark that looks into all of them as another account."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.canaries import CANARY, VARIABLES, look, plant_at_home
from tests.fakes.github.hub import Hub
from tests.integration.action.conftest import PROJECT, Done, Step
from tests.repositories import Sandbox


@pytest.fixture
def open_step(hub: Hub) -> Iterator[Step]:
    """A job in a folder that every account can enter, as a runner's is; with a canary wherever a token may lie."""
    folder = Path(tempfile.mkdtemp(prefix="assay-canary-", dir="/var/tmp"))
    folder.chmod(0o755)
    for name in ("home", "tmp", "temp"):
        (folder / name).mkdir()
    (folder / "tmp").chmod(0o1777)
    author = Sandbox(folder / "author")
    author.commit(PROJECT, "first")
    remote = hub.create_repository("ada/lab", author.root)
    token = hub.job_token(remote, {"contents": "write", "pull-requests": "write", "checks": "write"})
    step = Step(hub, folder, author, remote, token, {name: f"{CANARY}-{name}" for name in VARIABLES})
    step.env |= {"PATH": "/usr/local/bin:/usr/bin:/bin", "RUNNER_TEMP": str(folder / "temp")}
    yield step
    shutil.rmtree(folder)


def plant(step: Step) -> None:
    """What earlier steps leave on a disk, as they leave it."""
    plant_at_home(step.folder / "home")
    included = step.folder / "temp" / "git-credentials-0b5f.config"
    step.author.git("config", "--file", str(included), "http.https://github.com/.extraheader", f"AUTHORIZATION: basic {CANARY}")
    step.author.git("config", "http.https://github.com/.extraheader", f"AUTHORIZATION: basic {CANARY}", cwd=step.workspace)
    step.author.git("config", f"includeIf.gitdir:{step.workspace.resolve()}/.git.path", str(included), cwd=step.workspace)


def looked(step: Step) -> Done:
    step.branch("look", {"extra.sh": look(step.folder, step.workspace, step.token), "metrics.txt": "loss=90\n"})
    pull = step.remote.open_pull("look")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    plant(step)
    return step.run("pull_request", payload)


def test_a_canary_in_every_place_is_found_in_none_of_them(open_step: Step) -> None:
    done = looked(open_step)
    assert done.code == 0, done.log
    (head,) = [run for run in open_step.stored() if run["base"]]
    leaks = {one["value"] for one in head["samples"] if one["metric"] == "leaks"}
    assert {one["value"] for one in head["samples"] if one["metric"] == "control"} == {2.0}  # the search does find what is there
    as_another = head["isolation"]["account"].startswith("uid ")
    assert as_another == (os.geteuid() == 0), done.log
    if as_another:  # of one and the same account nothing on earth keeps the disk
        assert leaks == {0.0}


def test_no_file_no_log_no_comment_and_no_record_holds_a_canary(open_step: Step) -> None:
    done = looked(open_step)
    step = open_step
    texts = [done.log, done.summary, *done.outputs.values()]
    texts += [comment.body for comment in step.remote.comments.values()]
    texts += [f"{check.title}{check.summary}{check.text}" for check in step.remote.checks.values()]
    texts += [str(logged.body) for logged in step.hub.log]
    texts += [str(run) for kind in ("runs", "decisions") for run in step.stored(kind)]
    texts += [path.read_text(errors="replace") for path in (step.workspace / ".assay").rglob("*") if path.is_file()]
    texts += [path.read_text(errors="replace") for path in (step.workspace / ".git" / "assay").rglob("*") if path.is_file()]
    assert not [text[:200] for text in texts if CANARY in text or step.token in text]


def test_the_job_that_measures_for_another_hands_over_no_canary(open_step: Step) -> None:
    step = open_step
    step.branch("look", {"extra.sh": look(step.folder, step.workspace, step.token), "metrics.txt": "loss=90\n"})
    pull = step.remote.open_pull("look")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    assert step.run("pull_request", payload, mode="plan").code == 0
    token, step.token = step.token, f"{CANARY}-given-by-mistake"
    process = step.start("pull_request", payload, mode="run", benchmark="bench")
    out, err = process.communicate(timeout=120)
    step.token = token
    assert process.returncode == 0, err
    cell = (step.workspace / "assay-handover" / "cell-bench.json").read_text()
    assert '"state": "measured"' in cell
    texts = [out, err, *(path.read_text(errors="replace") for path in (step.workspace / "assay-handover").rglob("*") if path.is_file())]
    texts += [path.read_text(errors="replace") for path in (step.workspace / ".assay").rglob("*") if path.is_file()]
    assert not [text[:200] for text in texts if CANARY in text or token in text]
    if os.geteuid() == 0:
        values = {one["value"] for run in json.loads(cell)["runs"] for one in run["samples"] if one["metric"] == "leaks"}
        assert values == {0.0}
