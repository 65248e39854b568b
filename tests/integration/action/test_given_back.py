"""Root in a container, in the checkout of a runner's account: whatever a job makes there, the next one can remove."""

from pathlib import Path

import pytest
from tests.fakes.github import payloads
from tests.harness.ownership import give, owners
from tests.integration.action.conftest import Step
from tests.integration.action.test_comment_commands import BETTER, said

OWNER = 1001


@pytest.fixture
def theirs(step: Step) -> Step:
    """A step in a checkout of the runner's account, which has kept a credential in its config."""
    step.checkout("refs/heads/main")
    step.author.git("config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic eA==", cwd=step.workspace)
    give(step.workspace, OWNER)
    return step


def test_what_a_plan_hands_over_is_theirs(theirs: Step) -> None:
    theirs.branch("faster", BETTER)
    pull = theirs.remote.open_pull("faster")
    give(theirs.workspace, 0)
    theirs.author.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*", cwd=theirs.workspace)
    give(theirs.workspace, OWNER)
    done = theirs.run("pull_request", theirs.pull_request(pull), mode="plan", artifact="out/handover")
    assert done.code == 0, done.log
    assert (theirs.workspace / "out" / "handover" / "plan.json").exists()
    assert owners(theirs.workspace, other_than=OWNER) == {}


def test_what_was_fetched_for_a_command_is_theirs(theirs: Step) -> None:
    head = theirs.branch("faster", BETTER)
    pull = theirs.remote.open_pull("faster")
    assert head not in names(theirs.workspace)
    payload = payloads.issue_comment(theirs.remote, said(theirs, pull, "/experiment run bench"), "created")
    done = theirs.run("issue_comment", payload)
    assert done.code == 0, done.log
    assert head in names(theirs.workspace)
    assert owners(theirs.workspace, other_than=OWNER) == {}


def names(workspace: Path) -> str:
    """What the clone's own refs of pull requests name, as far as there are any."""
    found = [path for path in (workspace / ".git" / "refs" / "assay").rglob("*") if path.is_file()]
    return "".join(path.read_text(encoding="utf-8") for path in found)
