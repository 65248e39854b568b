"""GitHub's limits hold on every way in, are counted as GitHub counts, and are held against the client."""

from typing import Any

import pytest
from tests.contract.github.conftest import Lab, Reply
from tests.fakes.github.model import TokenKind


@pytest.fixture
def token(lab: Lab) -> str:
    return lab.hub.job_token(lab.repo, dict.fromkeys(("checks", "issues", "statuses"), "write"))


def check(lab: Lab, token: str, **body: Any) -> Reply:
    return lab.ask("POST", "check-runs", token, {"name": "bench", "head_sha": lab.pull.head_sha, **body})


def output(**more: Any) -> dict[str, Any]:
    return {"title": "t", "summary": "s", **more}


def notes(number: int, **more: Any) -> list[dict[str, Any]]:
    return [{"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m", **more}] * number


def test_a_comment_holds_65536_characters_whatever_their_bytes(lab: Lab, token: str) -> None:
    assert lab.ask("POST", "issues/1/comments", token, {"body": "é" * 65_536}).status == 201


@pytest.mark.parametrize(("method", "path"), [("POST", "issues/1/comments"), ("PATCH", "issues/comments/{id}")])
def test_a_longer_comment_is_refused_new_or_changed(lab: Lab, token: str, method: str, path: str) -> None:
    made = lab.repo.comment(1, "short", lab.repo.owner)
    refused = lab.ask(method, path.format(id=made.id), token, {"body": "x" * 65_537})
    assert (refused.status, refused.message) == (422, "Validation Failed")
    assert refused.body["errors"][0]["message"] == "body is too long (maximum is 65536 characters)"
    assert made.body == "short"
    assert len(lab.hub.take_violations()) == 1


@pytest.mark.parametrize("name", ["summary", "text"])
def test_an_output_is_counted_in_bytes(lab: Lab, token: str, name: str) -> None:
    assert check(lab, token, output=output(**{name: "x" * 65_535})).status == 201
    refused = check(lab, token, output=output(**{name: "é" * 32_768}))
    assert refused.status == 422
    assert "maximum bytesize of 65535" in refused.body["errors"][0]["message"]
    assert len(lab.hub.take_violations()) == 1


def test_a_request_carries_at_most_fifty_annotations(lab: Lab, token: str) -> None:
    made = check(lab, token, output=output(annotations=notes(50)))
    assert made.status == 201
    update = {"output": output(annotations=notes(51))}
    assert lab.ask("PATCH", f"check-runs/{made.body['id']}", token, update).status == 422
    assert len(lab.repo.checks[made.body["id"]].annotations) == 50
    assert len(lab.hub.take_violations()) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"title": "x" * 256},
        {"message": "x" * 65_537},
        {"start_line": 0},
        {"start_line": 2},
        {"end_line": 2, "start_column": 1},
        {"annotation_level": "error"},
    ],
)
def test_an_annotation_has_limits_of_its_own(lab: Lab, token: str, more: dict[str, Any]) -> None:
    assert check(lab, token, output=output(annotations=notes(1, **more))).status == 422
    assert len(lab.hub.take_violations()) == 1


@pytest.mark.parametrize(
    "body", [{"status": "completed"}, {"completed_at": "2026-01-01T00:00:00Z"}, {"conclusion": "stale"}, {"conclusion": "bogus"}]
)
def test_a_completed_check_run_has_a_conclusion_that_clients_may_give(lab: Lab, token: str, body: dict[str, str]) -> None:
    assert check(lab, token, **body).status == 422
    assert lab.repo.checks == {}
    assert len(lab.hub.take_violations()) >= 1


def test_a_status_has_a_short_description(lab: Lab, token: str) -> None:
    body = {"state": "success", "description": "x" * 141}
    assert lab.ask("POST", f"statuses/{lab.pull.head_sha}", token, body).status == 422
    assert len(lab.hub.take_violations()) == 1


def test_an_empty_comment_is_refused(lab: Lab, token: str) -> None:
    assert lab.ask("POST", "issues/1/comments", token, {"body": " \n"}).status == 422
    assert len(lab.hub.take_violations()) == 1


def test_an_hours_requests_are_counted_by_token(lab: Lab, token: str) -> None:
    lab.hub.quota.hourly[TokenKind.JOB] = 2
    first, second, third = (lab.ask("GET", "pulls/1", token) for _ in range(3))
    assert (first.headers["x-ratelimit-remaining"], second.headers["x-ratelimit-remaining"]) == ("1", "0")
    assert (third.status, third.headers["x-ratelimit-remaining"]) == (403, "0")
    assert third.headers["x-ratelimit-reset"] == str(lab.hub.quota.reset)
    assert lab.ask("GET", "/rate_limit").body["rate"]["limit"] == 60
