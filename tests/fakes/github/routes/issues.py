"""Issues, which pull requests are too, and reactions to what was said under them."""

from tests.fakes.github.messages import Answer, Call, not_found
from tests.fakes.github.model import Reaction, now
from tests.fakes.github.paging import paged
from tests.fakes.github.permissions import read, write
from tests.fakes.github.routes.comments import comment_of
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import pulls

_REACTIONS = "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"


@route("GET", "/repos/{owner}/{repo}/issues/{issue_number}", read("issues", "pull-requests"))
def get(call: Call) -> Answer:
    found = call.repo.issues.get(call.number("issue_number"))
    if found is None:
        raise not_found()
    return Answer(200, pulls.issue(call.repo, found))


@route("GET", "/repos/{owner}/{repo}/issues", read("issues", "pull-requests"))
def listing(call: Call) -> Answer:
    """Open ones unless asked otherwise, pull requests among them; the newest first, or by their last change."""
    state, labels = call.query.get("state", "open"), set(filter(None, call.query.get("labels", "").split(",")))
    found = [one for one in call.repo.issues.values() if state in ("all", one.state) and labels <= set(one.labels)]
    by_change = call.query.get("sort", "created") == "updated"
    found.sort(
        key=lambda one: (one.changed, one.number) if by_change else (0, one.number), reverse=call.query.get("direction", "desc") == "desc"
    )
    return paged(call, found, lambda one: pulls.issue(call.repo, one))


@route("POST", "/repos/{owner}/{repo}/issues", write("issues", role="read"))
def create(call: Call) -> Answer:
    made = call.repo.open_issue(call.body["title"], author=call.caller)
    made.body = call.body.get("body")
    made.labels = list(call.body.get("labels", ()))
    made.changed = call.hub.new_id()
    return Answer(201, pulls.issue(call.repo, made))


@route("PATCH", "/repos/{owner}/{repo}/issues/{issue_number}", write("issues"))
def update(call: Call) -> Answer:
    found = call.repo.issues.get(call.number("issue_number"))
    if found is None:
        raise not_found()
    for name in ("title", "body", "state", "state_reason"):
        setattr(found, name, call.body.get(name, getattr(found, name)))
    found.changed = call.hub.new_id()
    return Answer(200, pulls.issue(call.repo, found))


@route("GET", _REACTIONS, read("issues", "pull-requests"))
def reactions(call: Call) -> Answer:
    comment, wanted = comment_of(call), call.query.get("content")
    found = [one for one in call.repo.reactions if one.comment == comment.id and wanted in (None, one.content)]
    return paged(call, found, lambda one: pulls.reaction(call.repo, one))


@route("POST", _REACTIONS, write("issues", "pull-requests", role="read"))
def react(call: Call) -> Answer:
    """The same reaction of the same user is one, whatever its number of tries."""
    comment, content = comment_of(call), call.body["content"]
    for one in call.repo.reactions:
        if (one.comment, one.user, one.content) == (comment.id, call.caller, content):
            return Answer(200, pulls.reaction(call.repo, one))
    made = Reaction(call.hub.new_id(), comment.id, call.caller, content, now())
    call.repo.reactions.append(made)
    return Answer(201, pulls.reaction(call.repo, made))


@route("DELETE", _REACTIONS + "/{reaction_id}", write("issues", "pull-requests", role="read"))
def retract(call: Call) -> Answer:
    mine = [one for one in call.repo.reactions if one.id == call.number("reaction_id") and one.user == call.caller]
    if not mine:
        raise not_found()
    call.repo.reactions.remove(mine[0])
    return Answer(204)
