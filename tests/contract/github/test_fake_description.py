"""GitHub's own description judges every request, and the fake's answers too; nothing passes unjudged."""

import pytest
from tests.contract.github.conftest import Lab
from tests.fakes.github import openapi
from tests.fakes.github.messages import Answer
from tests.fakes.github.routing import ROUTES, Route


@pytest.fixture
def token(lab: Lab) -> str:
    return lab.hub.job_token(lab.repo)


@pytest.mark.parametrize("route", [pytest.param(one, id=f"{one.method} {one.template}") for one in ROUTES])
def test_every_route_is_an_operation_of_the_description(route: Route) -> None:
    found = openapi.operation(route.method, route.template)
    assert found is not None
    assert found.answers or route.template.endswith(("{archive_format}", "{ref}", "{comment_id}", "{reaction_id}", "{username}"))


@pytest.mark.parametrize(
    ("method", "path", "body", "problem"),
    [
        ("GET", "issues/1/comments?pages=2", None, "query parameter 'pages' is not in the description"),
        ("GET", "issues/1/comments?page=two", None, "'two' is not of type 'integer'"),
        ("GET", "issues/1/comments?since=yesterday", None, "'yesterday' is not a 'date-time'"),
        ("GET", "pulls/one", None, "path parameter 'pull_number'"),
        ("GET", "pulls/1", {"a": 1}, "a body was sent"),
        ("POST", "issues/1/comments", {"body": 1}, "body/body: 1 is not of type 'string'"),
        ("POST", "issues/1/comments", {}, "'body' is a required property"),
        ("POST", "issues/1/comments", None, "is not of type 'object'"),
        ("POST", "issues/1/comments", {"body": "b", "in_reply_to": 1}, "'in_reply_to' is not in the description"),
        ("POST", "check-runs", {"name": "b", "head_sha": "a", "status": "done"}, "'done' is not one of"),
        ("POST", "issues/comments/1/reactions", {"content": "shrug"}, "'shrug' is not one of"),
    ],
)
def test_a_request_that_the_description_does_not_allow_is_refused_and_held_against_the_test(
    lab: Lab, token: str, method: str, path: str, body: object, problem: str
) -> None:
    assert lab.ask(method, path, token, body).status == 422
    assert any(problem in one for one in lab.hub.take_violations())


def test_a_body_that_is_not_json_is_refused(lab: Lab, token: str) -> None:
    assert lab.ask("POST", "issues/1/comments", token, b"{").status == 400
    assert len(lab.hub.take_violations()) == 1


@pytest.mark.parametrize(("method", "path"), [("GET", "/nowhere"), ("PUT", "pulls/1/merge"), ("DELETE", "pulls/1")])
def test_a_route_that_the_fake_lacks_is_held_against_the_test(lab: Lab, token: str, method: str, path: str) -> None:
    assert lab.ask(method, path, token).status == 404
    assert "no such route" in lab.hub.take_violations()[0]


def test_a_wrong_answer_of_the_fake_is_held_against_it(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fakes.github.shapes.pulls.comment", lambda repo, one: {"id": "one", "user": {"login": 5}})
    lab.repo.comment(1, "c", lab.repo.owner)
    lab.ask("GET", "issues/1/comments")
    found = lab.hub.take_violations()
    assert ["the fake answers GET" in one for one in found] == [True, True]


def test_a_broken_route_of_the_fake_is_a_500_with_its_traceback_on_record(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Answer:
        raise ZeroDivisionError

    monkeypatch.setattr("tests.fakes.github.shapes.pulls.whole_pull", broken)
    assert lab.ask("GET", "pulls/1").status == 500
    assert "ZeroDivisionError" in lab.hub.take_violations()[0]
