"""Comments on issues and pull requests, in the order they were made."""

from datetime import datetime

from tests.fakes.github.messages import Answer, ApiError, Call, not_found
from tests.fakes.github.model import Comment, now
from tests.fakes.github.paging import paged
from tests.fakes.github.permissions import has_role, read, write
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import pulls

_READ = read("issues", "pull-requests")
_WRITE = write("issues", "pull-requests", role="read")
_OF_ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
_ONE = "/repos/{owner}/{repo}/issues/comments/{comment_id}"


@route("GET", _OF_ISSUE, _READ)
def of_issue(call: Call) -> Answer:
    number = call.number("issue_number")
    if number not in call.repo.issues:
        raise not_found()
    return _listing(call, [one for one in call.repo.comments.values() if one.number == number])


@route("GET", "/repos/{owner}/{repo}/issues/comments", _READ)
def of_repository(call: Call) -> Answer:
    return _listing(call, list(call.repo.comments.values()))


def _listing(call: Call, found: list[Comment]) -> Answer:
    """In ascending order; `since` goes by the last change."""
    if "since" in call.query:
        since = datetime.fromisoformat(call.query["since"])
        found = [one for one in found if one.updated_at >= since]
    return paged(call, sorted(found, key=lambda one: one.id), lambda one: pulls.comment(call.repo, one))


@route("POST", _OF_ISSUE, _WRITE)
def create(call: Call) -> Answer:
    number = call.number("issue_number")
    if number not in call.repo.issues:
        raise not_found()
    made = call.repo.comment(number, call.body["body"], call.caller)
    made.app = call.token.app if call.token else None
    return Answer(201, pulls.comment(call.repo, made))


@route("GET", _ONE, _READ)
def get(call: Call) -> Answer:
    return Answer(200, pulls.comment(call.repo, comment_of(call)))


@route("PATCH", _ONE, _WRITE)
def update(call: Call) -> Answer:
    found = _own(call)
    found.body, found.updated_at = call.body["body"], now()
    return Answer(200, pulls.comment(call.repo, found))


@route("DELETE", _ONE, _WRITE)
def delete(call: Call) -> Answer:
    del call.repo.comments[_own(call).id]
    return Answer(204)


def comment_of(call: Call) -> Comment:
    found = call.repo.comments.get(call.number("comment_id"))
    if found is None:
        raise not_found()
    return found


def _own(call: Call) -> Comment:
    """A comment that the caller may change: their own, or anybody's for those who can write."""
    found = comment_of(call)
    assert call.token is not None
    if found.user != call.caller and not call.token.app and not has_role(call.token, call.repo, "write"):
        raise ApiError(403, "Must have admin rights to Repository.")
    return found
