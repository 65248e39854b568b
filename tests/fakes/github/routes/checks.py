"""Check runs: made by apps, changed only by the app that made them."""

from collections.abc import Mapping
from typing import Any

from tests.fakes.github.messages import Answer, ApiError, Call, not_found, unprocessable
from tests.fakes.github.model import CheckRun, now, stamp
from tests.fakes.github.paging import paged
from tests.fakes.github.permissions import read, write
from tests.fakes.github.routes.repos import commit_of
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import checks

_READ, _WRITE = read("checks"), write("checks", apps_only=True)
_ONE = "/repos/{owner}/{repo}/check-runs/{check_run_id}"
_PLAIN = ("name", "status", "conclusion", "external_id", "details_url", "started_at", "completed_at")


@route("POST", "/repos/{owner}/{repo}/check-runs", _WRITE)
def create(call: Call) -> Answer:
    sha = call.body["head_sha"]
    if call.repo.git.resolve(sha) != sha:
        raise unprocessable(f"No commit found for SHA: {sha}")
    assert call.token is not None
    assert call.token.app is not None
    made = CheckRun(call.hub.new_id(), call.token.app, call.body["name"], sha)
    _apply(made, call.body)
    call.repo.checks[made.id] = made
    return Answer(201, checks.check_run(call.repo, made))


@route("PATCH", _ONE, _WRITE)
def update(call: Call) -> Answer:
    found = _check_of(call)
    assert call.token is not None
    if found.app != call.token.app:
        message = "check run can only be modified by the GitHub App that created it."
        raise ApiError(403, f"Invalid app_id `{call.token.app.id if call.token.app else 0}` - {message}")
    _apply(found, call.body)
    return Answer(200, checks.check_run(call.repo, found))


@route("GET", _ONE, _READ)
def get(call: Call) -> Answer:
    return Answer(200, checks.check_run(call.repo, _check_of(call)))


@route("GET", _ONE + "/annotations", _READ)
def annotations(call: Call) -> Answer:
    found = _check_of(call)
    return paged(call, found.annotations, lambda one: checks.annotation(call.repo, found, dict(one)))


@route("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", _READ)
def of_commit(call: Call) -> Answer:
    """Newest first; of each app and name the latest alone, unless all are asked for."""
    sha, asked = commit_of(call, "ref").sha, call.query
    wanted = {"name": asked.get("check_name"), "status": asked.get("status")}
    found = [
        one for one in call.repo.checks.values() if one.head_sha == sha and all(v in (None, getattr(one, k)) for k, v in wanted.items())
    ]
    found = [one for one in found if asked.get("app_id") in (None, str(one.app.id))]
    if asked.get("filter", "latest") == "latest":
        found = list({(one.app.id, one.name): one for one in found}.values())
    found.sort(key=lambda one: one.id, reverse=True)
    return paged(call, found, lambda one: checks.check_run(call.repo, one), key="check_runs")


def _check_of(call: Call) -> CheckRun:
    found = call.repo.checks.get(call.number("check_run_id"))
    if found is None:
        raise not_found()
    return found


def _apply(run: CheckRun, body: Mapping[str, Any]) -> None:
    """Take over what a request sets. A conclusion completes; annotations are added to those there are."""
    for name in _PLAIN:
        if name in body:
            setattr(run, name, body[name])
    if "conclusion" in body or "completed_at" in body:
        run.status = "completed"
        run.completed_at = run.completed_at or stamp(now())
    elif body.get("status", "completed") != "completed":
        run.conclusion = run.completed_at = None
    run.started_at = run.started_at or stamp(now())
    _apply_output(run, body.get("output", {}))


def _apply_output(run: CheckRun, output: Mapping[str, Any]) -> None:
    run.title, run.summary = output.get("title", run.title), output.get("summary", run.summary)
    run.text = output.get("text", run.text)
    run.annotations.extend(output.get("annotations", ()))
