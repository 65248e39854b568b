"""Who may do what: each kind of token against each kind of work, and how a refusal is worded."""

import secrets
from collections.abc import Callable

import pytest
from tests.contract.github.conftest import Lab

Tokens = dict[str, str | None]
ALL = {"contents": "write", "pull-requests": "write", "checks": "write", "issues": "write", "statuses": "write", "actions": "read"}


@pytest.fixture
def tokens(lab: Lab) -> Tokens:
    hub, repo = lab.hub, lab.repo
    other = hub.create_repository("eve/other")
    return {
        "job": hub.job_token(repo, ALL),
        "reader": hub.fork_token(repo),
        "app": hub.installation_token("lab-bot", repo, permissions=ALL),
        "elsewhere": hub.job_token(other, ALL),
        "owner": hub.personal_token("ada"),
        "writer": hub.personal_token("bob"),
        "stranger": hub.personal_token("mallory"),
        "unknown": "ghs_nobody",
        "none": None,
    }


def comment(lab: Lab, token: str | None) -> int:
    return lab.ask("POST", "issues/1/comments", token, {"body": "hello"}).status


def edit_of_others(lab: Lab, token: str | None) -> int:
    made = lab.repo.comment(1, "mine", lab.hub.user("tim"))
    return lab.ask("PATCH", f"issues/comments/{made.id}", token, {"body": "yours"}).status


def check_run(lab: Lab, token: str | None) -> int:
    return lab.ask("POST", "check-runs", token, {"name": "b", "head_sha": lab.pull.head_sha}).status


def commit_status(lab: Lab, token: str | None) -> int:
    return lab.ask("POST", f"statuses/{lab.pull.head_sha}", token, {"state": "success"}).status


def new_ref(lab: Lab, token: str | None) -> int:
    return lab.ask("POST", "git/refs", token, {"ref": f"refs/heads/{secrets.token_hex(4)}", "sha": lab.pull.head_sha}).status


def read_pull(lab: Lab, token: str | None) -> int:
    return lab.ask("GET", "pulls/1", token).status


def ask_permission(lab: Lab, token: str | None) -> int:
    return lab.ask("GET", "collaborators/bob/permission", token).status


def ask_myself(lab: Lab, token: str | None) -> int:
    return lab.ask("GET", "/user", token).status


MATRIX: list[tuple[Callable[[Lab, str | None], int], dict[str, int]]] = [
    (
        comment,
        {
            "job": 201,
            "reader": 403,
            "app": 201,
            "elsewhere": 403,
            "owner": 201,
            "writer": 201,
            "stranger": 201,
            "unknown": 401,
            "none": 401,
        },
    ),
    (
        edit_of_others,
        {
            "job": 200,
            "reader": 403,
            "app": 200,
            "elsewhere": 403,
            "owner": 200,
            "writer": 200,
            "stranger": 403,
            "unknown": 401,
            "none": 401,
        },
    ),
    (
        check_run,
        {
            "job": 201,
            "reader": 403,
            "app": 201,
            "elsewhere": 403,
            "owner": 403,
            "writer": 403,
            "stranger": 403,
            "unknown": 401,
            "none": 401,
        },
    ),
    (
        commit_status,
        {
            "job": 201,
            "reader": 403,
            "app": 201,
            "elsewhere": 403,
            "owner": 201,
            "writer": 201,
            "stranger": 404,
            "unknown": 401,
            "none": 401,
        },
    ),
    (
        new_ref,
        {
            "job": 201,
            "reader": 403,
            "app": 201,
            "elsewhere": 403,
            "owner": 201,
            "writer": 201,
            "stranger": 404,
            "unknown": 401,
            "none": 401,
        },
    ),
    (
        read_pull,
        {
            "job": 200,
            "reader": 200,
            "app": 200,
            "elsewhere": 200,
            "owner": 200,
            "writer": 200,
            "stranger": 200,
            "unknown": 401,
            "none": 200,
        },
    ),
    (
        ask_permission,
        {
            "job": 200,
            "reader": 200,
            "app": 200,
            "elsewhere": 200,
            "owner": 200,
            "writer": 200,
            "stranger": 403,
            "unknown": 401,
            "none": 401,
        },
    ),
    (
        ask_myself,
        {
            "job": 403,
            "reader": 403,
            "app": 403,
            "elsewhere": 403,
            "owner": 200,
            "writer": 200,
            "stranger": 200,
            "unknown": 401,
            "none": 401,
        },
    ),
]


@pytest.mark.parametrize(("work", "row"), [pytest.param(*line, id=line[0].__name__) for line in MATRIX])
def test_each_token_may_do_what_it_stands_for(
    lab: Lab, tokens: Tokens, work: Callable[[Lab, str | None], int], row: dict[str, int]
) -> None:
    assert {who: work(lab, token) for who, token in tokens.items()} == row


def test_a_missing_permission_says_which_would_do(lab: Lab, tokens: Tokens) -> None:
    refused = lab.ask("POST", "issues/1/comments", tokens["reader"], {"body": "hello"})
    assert refused.message == "Resource not accessible by integration"
    assert refused.headers["x-accepted-github-permissions"] == "issues=write; pull_requests=write"


@pytest.mark.parametrize("scope", ["issues", "pull-requests"])
def test_either_of_two_permissions_is_enough_to_comment(lab: Lab, scope: str) -> None:
    assert comment(lab, lab.hub.job_token(lab.repo, {scope: "write"})) == 201


def test_a_permission_that_is_not_named_is_none(lab: Lab) -> None:
    assert check_run(lab, lab.hub.job_token(lab.repo, {"contents": "write"})) == 403


def test_only_the_app_that_made_a_check_run_changes_it(lab: Lab, tokens: Tokens) -> None:
    made = lab.ask("POST", "check-runs", tokens["job"], {"name": "b", "head_sha": lab.pull.head_sha}).body["id"]
    refused = lab.ask("PATCH", f"check-runs/{made}", tokens["app"], {"conclusion": "success"})
    assert refused.status == 403
    assert refused.message.startswith("Invalid app_id `")
    assert lab.ask("PATCH", f"check-runs/{made}", lab.hub.job_token(lab.repo, ALL), {"conclusion": "success"}).status == 200


def test_a_person_is_told_that_check_runs_are_for_apps(lab: Lab, tokens: Tokens) -> None:
    refused = lab.ask("POST", "check-runs", tokens["owner"], {"name": "b", "head_sha": lab.pull.head_sha})
    assert refused.message == "You must authenticate via a GitHub App."


def test_a_private_repository_is_not_there_for_those_who_must_not_see_it(lab: Lab, tokens: Tokens) -> None:
    lab.repo.private = True
    seen = {who: read_pull(lab, token) for who, token in tokens.items()}
    assert {who for who, status in seen.items() if status == 200} == {"job", "reader", "app", "owner", "writer"}
    assert {seen["stranger"], seen["elsewhere"], seen["none"]} == {404}


def test_a_job_reads_of_a_private_repository_only_what_its_permissions_name(lab: Lab) -> None:
    lab.repo.private = True
    token = lab.hub.job_token(lab.repo, {"contents": "read"})
    assert lab.ask("GET", "branches", token).status == 200
    assert lab.ask("GET", "issues/1/comments", token).status == 403


def test_a_revoked_token_is_unknown(lab: Lab) -> None:
    token = lab.hub.job_token(lab.repo)
    lab.hub.revoke(token)
    assert lab.ask("GET", "pulls/1", token).message == "Bad credentials"


def test_an_app_of_ones_own_is_a_bot_of_its_own_name(lab: Lab, tokens: Tokens) -> None:
    made = lab.ask("POST", "issues/1/comments", tokens["app"], {"body": "hello"}).body
    assert (made["user"]["login"], made["user"]["type"]) == ("lab-bot[bot]", "Bot")
    assert lab.ask("GET", "/users/lab-bot[bot]").body["id"] == made["user"]["id"]
