"""From a request to an answer: who asks, which route, may they, is it what the description allows, and then the route itself."""

import base64
import binascii
import json
import traceback
from collections.abc import Mapping
from typing import Any

from tests.fakes.github import limits, openapi, routes
from tests.fakes.github.hub import Hub
from tests.fakes.github.messages import Answer, ApiError, Call, Request, not_found
from tests.fakes.github.model import Token
from tests.fakes.github.permissions import authorise, can_see
from tests.fakes.github.repository import Repository
from tests.fakes.github.routing import Route, matches

routes.register_all()

FORGOTTEN_NULLS = ("head/repo: None is not of type 'object'", "head_repository: None is not of type 'object'")
"""What GitHub does give for a fork that was deleted, though its description does not say so."""


def answer(hub: Hub, request: Request) -> tuple[Answer, Token | None]:
    """GitHub's answer to a request, and whose request it was. A mistake of the fake's own is written down and is a 500."""
    token: Token | None = None
    try:
        token = authenticate(hub, request.headers.get("authorization"))
        hub.quota.spend(token)
        found = _serve(hub, request, token)
    except ApiError as error:
        if error.violation:
            hub.violate(f"{request.method} {request.path}: {error.violation}")
        found = error.answer()
    except Exception:  # noqa: BLE001 - one broken route must fail its test by name, not end the connection
        hub.violate(f"the fake failed at {request.method} {request.path}:\n{traceback.format_exc()}")
        found = Answer(500, {"message": "the fake failed"})
    return found, token


def authenticate(hub: Hub, header: str | None) -> Token | None:
    """Whose token it is, None for none. Raises ApiError 401 for one that nobody has."""
    if header is None:
        return None
    scheme, _, value = header.partition(" ")
    secret = _password(value) if scheme.lower() == "basic" else value.strip()
    if scheme.lower() not in ("basic", "token", "bearer") or secret not in hub.tokens:
        raise ApiError(401, "Bad credentials")
    return hub.tokens[secret]


def _password(value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _serve(hub: Hub, request: Request, token: Token | None) -> Answer:
    route, params = _find(hub, request)
    repo = _repository(hub, params)
    if repo is not None and not can_see(token, repo):
        raise not_found()
    body = _judge(hub, request, route, params)
    authorise(route.need, token, repo)
    limits.enforce(route.method, route.template, body)
    if repo is not None:
        repo.sync()
    found = route.handler(Call(hub, route.template, params, request.query, request.headers, body, token, repo))
    _judge_answer(hub, route, found)
    return found


def _find(hub: Hub, request: Request) -> tuple[Route, Mapping[str, str]]:
    found = list(matches(request.path))
    for route, params in found:
        if route.method == request.method:
            return route, params
    hub.violate(f"{request.method} {request.path}: the fake has no such route")
    raise not_found()


def _repository(hub: Hub, params: Mapping[str, str]) -> Repository | None:
    if "repo" not in params:
        return None
    found = hub.repositories.get(f"{params['owner']}/{params['repo']}")
    if found is None:
        raise not_found()
    return found


def _judge(hub: Hub, request: Request, route: Route, params: Mapping[str, str]) -> Any:
    """The request's body, once the description has nothing against the request."""
    operation = openapi.operation(route.method, route.template)
    assert operation is not None, f"{route.method} {route.template} is not an operation of GitHub's"
    body = _parse(request)
    problems = list(operation.judge_request(params, request.query, body))
    for problem in problems:
        hub.violate(f"{request.method} {request.path}: {problem}")
    if problems:
        raise ApiError(422, f"Invalid request.\n\n{problems[0]}")
    return body


def _parse(request: Request) -> Any:
    if not request.content:
        return None
    try:
        return json.loads(request.content)
    except ValueError:
        raise ApiError(400, "Problems parsing JSON", violation="the body is not JSON") from None


def _judge_answer(hub: Hub, route: Route, found: Answer) -> None:
    operation = openapi.operation(route.method, route.template)
    if operation is not None and found.raw is None:
        for problem in operation.judge_answer(found.status, found.body):
            if not problem.endswith(FORGOTTEN_NULLS):
                hub.violate(f"the fake answers {route.method} {route.template} wrongly: {problem}")
