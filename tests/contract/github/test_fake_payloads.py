"""Payloads of events have GitHub's shape and the fake's content."""

import json

import pytest
from tests.contract.github.conftest import Lab
from tests.fakes.github import openapi, payloads

NO_REPOSITORY = "body/pull_request/head/repo: None is not of type 'object'"


def problems(name: str, payload: payloads.Payload) -> list[str]:
    """What GitHub's schema of an event has against a payload."""
    return [openapi.say(error) for error in openapi.event_validator(name).iter_errors(payload)]


@pytest.mark.parametrize("action", ["opened", "synchronize", "closed"])
def test_a_pull_request_of_the_same_repository(lab: Lab, action: str) -> None:
    if action == "closed":
        lab.repo.close_pull(lab.pull)
    found = payloads.pull_request(lab.repo, lab.pull, action, before=lab.pull.base_sha)
    assert problems(f"pull-request-{action}", found) == []
    assert (found["number"], found["action"]) == (1, action)
    pull = found["pull_request"]
    assert (pull["head"]["sha"], pull["base"]["sha"]) == (lab.pull.head_sha, lab.pull.base_sha)
    assert pull["head"]["repo"]["full_name"] == pull["base"]["repo"]["full_name"] == "ada/lab"
    assert pull["state"] == ("closed" if action == "closed" else "open")
    assert found.get("after") == (lab.pull.head_sha if action == "synchronize" else None)


def test_a_pull_request_of_a_fork(lab: Lab) -> None:
    lab.hub.fork(lab.repo, "mallory")
    pull = lab.repo.open_pull("mallory:feature/faster", author=lab.hub.user("mallory"))
    found = payloads.pull_request(lab.repo, pull)
    assert problems("pull-request-opened", found) == []
    head = found["pull_request"]["head"]["repo"]
    assert (head["full_name"], head["fork"], head["owner"]["login"]) == ("mallory/lab", True, "mallory")
    assert "ada" not in json.dumps(head)
    assert (found["sender"]["login"], found["pull_request"]["author_association"]) == ("mallory", "NONE")


def test_a_pull_request_of_a_fork_that_is_gone(lab: Lab) -> None:
    lab.hub.fork(lab.repo, "mallory")
    pull = lab.repo.open_pull("mallory:feature/faster")
    lab.repo.delete_head(pull)
    found = payloads.pull_request(lab.repo, pull, "closed")
    assert problems("pull-request-closed", found) in ([], [NO_REPOSITORY])
    assert found["pull_request"]["head"]["repo"] is None
    assert found["pull_request"]["head"]["sha"] == pull.head_sha


def test_a_push(lab: Lab) -> None:
    found = payloads.push(lab.repo, "feature/faster", lab.pull.base_sha)
    assert problems("push", found) == []
    assert (found["before"], found["after"]) == (lab.pull.base_sha, lab.pull.head_sha)
    assert [one["modified"] for one in found["commits"]] == [["bench.py"]]
    assert (found["created"], found["deleted"], found["forced"]) == (False, False, False)


def test_a_push_that_makes_or_deletes_a_branch(lab: Lab) -> None:
    made, gone = payloads.push(lab.repo, "main"), payloads.push(lab.repo, "gone", lab.pull.head_sha)
    assert problems("push", made) == problems("push", gone) == []
    assert (made["created"], made["deleted"]) == (True, False)
    assert (gone["deleted"], gone["after"], gone["head_commit"]) == (True, payloads.ZERO, None)


def test_a_push_that_goes_back(lab: Lab) -> None:
    assert payloads.push(lab.repo, "main", lab.pull.head_sha)["forced"]


def test_a_merge_group(lab: Lab) -> None:
    found = payloads.merge_group(lab.repo, lab.pull)
    assert problems("merge-group-checks-requested", found) == []
    group = found["merge_group"]
    assert lab.repo.git.refs()[group["head_ref"]] == group["head_sha"]
    assert lab.repo.git.commit(group["head_sha"]).parents == (group["base_sha"], lab.pull.head_sha)


def test_a_comment_on_a_pull_request_says_nothing_of_its_head(lab: Lab) -> None:
    comment = lab.repo.comment(1, "/experiment run", lab.hub.user("bob"))
    found = payloads.issue_comment(lab.repo, comment)
    assert problems("issue-comment-created", found) == []
    assert found["issue"]["pull_request"]["url"] == f"{lab.hub.url}/repos/ada/lab/pulls/1"
    assert (found["comment"]["user"]["login"], found["comment"]["author_association"]) == ("bob", "COLLABORATOR")
    assert lab.pull.head_sha not in json.dumps(found)


def test_a_comment_on_an_issue_is_on_no_pull_request(lab: Lab) -> None:
    comment = lab.repo.comment(lab.repo.open_issue().number, "hello", lab.repo.owner)
    found = payloads.issue_comment(lab.repo, comment)
    assert problems("issue-comment-created", found) == []
    assert "pull_request" not in found["issue"]


@pytest.mark.parametrize(("head", "pulls"), [("ada/lab", [1]), ("mallory/lab", [])])
def test_a_workflow_run_of_the_repository_and_of_a_fork(lab: Lab, head: str, pulls: list[int]) -> None:
    lab.hub.fork(lab.repo, "mallory")
    run = lab.repo.add_workflow_run("Assay", "pull_request", "feature/faster", lab.pull.head_sha, head_repository=head)
    found = payloads.workflow_run(lab.repo, run)
    assert problems("workflow-run-completed", found) == []
    assert [one["number"] for one in found["workflow_run"]["pull_requests"]] == pulls
    assert found["workflow_run"]["head_repository"]["full_name"] == head


def test_a_dispatch_by_hand(lab: Lab) -> None:
    found = payloads.workflow_dispatch(lab.repo, {"benchmark": "train"}, sender=lab.hub.user("bob"))
    assert problems("workflow-dispatch", found) == []
    assert (found["inputs"], found["ref"], found["sender"]["login"]) == ({"benchmark": "train"}, "refs/heads/main", "bob")


def test_a_schedule(lab: Lab) -> None:
    found = payloads.schedule(lab.repo, "0 * * * *")
    assert (found["schedule"], found["repository"]["full_name"]) == ("0 * * * *", "ada/lab")


def test_no_payload_leads_to_the_real_github(lab: Lab) -> None:
    comment = lab.repo.comment(1, "hello", lab.repo.owner)
    run = lab.repo.add_workflow_run("Assay", "push", "main", lab.pull.base_sha)
    every = [
        payloads.pull_request(lab.repo, lab.pull),
        payloads.push(lab.repo, "main"),
        payloads.merge_group(lab.repo, lab.pull),
        payloads.issue_comment(lab.repo, comment),
        payloads.workflow_run(lab.repo, run),
        payloads.workflow_dispatch(lab.repo, {}),
        payloads.schedule(lab.repo),
    ]
    text = json.dumps(every)
    assert not any(name in text for name in ("api.github.com", "//github.com", "Codertocat", "octo-org", "Hello-World"))
