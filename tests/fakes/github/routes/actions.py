"""Runs of workflows and what they uploaded."""

from tests.fakes.github import control
from tests.fakes.github.messages import Answer, ApiError, Call, not_found
from tests.fakes.github.model import Artifact
from tests.fakes.github.paging import paged
from tests.fakes.github.permissions import read, write
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import checks

_READ = read("actions")
_DONE = "completed"


@route("GET", "/repos/{owner}/{repo}/actions/runs", _READ)
def runs(call: Call) -> Answer:
    asked = {name: call.query[name] for name in ("event", "status", "head_sha") if name in call.query}
    found = [one for one in call.repo.workflow_runs.values() if all(getattr(one, name) == value for name, value in asked.items())]
    return paged(call, found[::-1], lambda one: checks.workflow_run(call.repo, one), key="workflow_runs")


@route("POST", "/repos/{owner}/{repo}/actions/runs/{run_id}/cancel", write("actions"))
def cancel(call: Call) -> Answer:
    """The run is cancelled at once; on GitHub it may take a while."""
    found = call.repo.workflow_runs.get(call.number("run_id"))
    if found is None:
        raise not_found()
    if found.status == _DONE:
        raise ApiError(409, "Cannot cancel a workflow run that is completed.")
    found.status, found.conclusion = _DONE, "cancelled"
    return Answer(202, {})


@route("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}", _READ)
def get(call: Call) -> Answer:
    found = call.repo.workflow_runs.get(call.number("run_id"))
    if found is None:
        raise not_found()
    return Answer(200, checks.workflow_run(call.repo, found))


@route("GET", "/repos/{owner}/{repo}/actions/artifacts", _READ)
def artifacts(call: Call) -> Answer:
    return _listing(call, list(call.repo.artifacts.values()))


@route("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", _READ)
def artifacts_of_run(call: Call) -> Answer:
    return _listing(call, [one for one in call.repo.artifacts.values() if one.run == call.number("run_id")])


def _listing(call: Call, found: list[Artifact]) -> Answer:
    named = [one for one in found if call.query.get("name") in (None, one.name)]
    return paged(call, named[::-1], lambda one: checks.artifact(call.repo, one), key="artifacts")


@route("GET", "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}", _READ)
def download(call: Call) -> Answer:
    """Sends the caller to an address that needs no token, as GitHub does."""
    number = call.number("artifact_id")
    if call.token is None:
        raise ApiError(401, "Requires authentication")
    if number not in call.repo.artifacts or call.params["archive_format"] != "zip":
        raise not_found()
    return Answer(302, headers={"Location": f"{call.hub.server_url}{control.PREFIX}artifacts/{number}"})
