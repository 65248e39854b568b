"""Commit statuses, one line a context."""

from tests.fakes.github.messages import Answer, Call, unprocessable
from tests.fakes.github.model import Status, now
from tests.fakes.github.paging import paged
from tests.fakes.github.permissions import read, write
from tests.fakes.github.routes.repos import commit_of
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import checks, people
from tests.fakes.github.shapes.commits import api

_READ = read("statuses")


@route("POST", "/repos/{owner}/{repo}/statuses/{sha}", write("statuses"))
def create(call: Call) -> Answer:
    sha, body = call.params["sha"], call.body
    if call.repo.git.resolve(sha) != sha:
        raise unprocessable(f"No commit found for SHA: {sha}")
    text = (body.get("context", "default"), body.get("description"), body.get("target_url"))
    made = Status(call.hub.new_id(), sha, call.caller, body["state"], *text, now())
    call.repo.statuses.append(made)
    return Answer(201, checks.status(call.repo, made))


@route("GET", "/repos/{owner}/{repo}/commits/{ref}/statuses", _READ)
def listing(call: Call) -> Answer:
    return paged(call, _of_commit(call)[::-1], lambda one: checks.status(call.repo, one))


@route("GET", "/repos/{owner}/{repo}/commits/{ref}/status", _READ)
def combined(call: Call) -> Answer:
    """The latest of each context, and the worst of them; pending where there is none."""
    latest = list({one.context: one for one in _of_commit(call)}.values())
    states = {one.state for one in latest}
    state = "failure" if states & {"failure", "error"} else "success" if states == {"success"} else "pending"
    sha = commit_of(call, "ref").sha
    shape = {
        "state": state,
        "statuses": [checks.status(call.repo, one) for one in latest],
        "sha": sha,
        "total_count": len(latest),
        "repository": people.repository(call.hub, call.repo),
        "commit_url": api(call.repo, f"commits/{sha}"),
        "url": api(call.repo, f"commits/{sha}/status"),
    }
    return Answer(200, shape)


def _of_commit(call: Call) -> list[Status]:
    sha = commit_of(call, "ref").sha
    return [one for one in call.repo.statuses if one.sha == sha]
