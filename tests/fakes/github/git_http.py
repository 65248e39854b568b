"""Clone, fetch and push over HTTP by git's own server side, allowed or refused by what the token may do."""

import re
import subprocess
from collections.abc import Mapping

from tests.fakes.github import api
from tests.fakes.github.git import ENVIRONMENT
from tests.fakes.github.hub import Hub
from tests.fakes.github.messages import Answer, ApiError, Request
from tests.fakes.github.model import Token
from tests.fakes.github.permissions import can_push, can_see
from tests.fakes.github.repository import Repository

_PATH = re.compile(r"/([^/]+/[^/]+?)(?:\.git)?(/info/refs|/git-upload-pack|/git-receive-pack)")
_ASK = {"WWW-Authenticate": 'Basic realm="GitHub"'}
_PASSED_ON = {"content-type": "CONTENT_TYPE", "content-encoding": "HTTP_CONTENT_ENCODING", "git-protocol": "GIT_PROTOCOL"}


def matches(path: str) -> bool:
    return _PATH.fullmatch(path) is not None


def answer(hub: Hub, request: Request, query: str) -> tuple[Answer, Token | None]:
    """What git's server side answers, or a refusal in GitHub's words."""
    found = _PATH.fullmatch(request.path)
    assert found is not None
    pushes = "git-receive-pack" in (found[2] + request.query.get("service", ""))
    try:
        token = api.authenticate(hub, request.headers.get("authorization"))
    except ApiError:
        return _refusal(401, "Invalid username or token. Password authentication is not supported for Git operations.", _ASK), None
    repo = hub.repositories.get(found[1])
    return _refuse(repo, found[1], token, pushes=pushes) or _run(hub, repo, request, found[2], query, token), token


def _refuse(repo: Repository | None, name: str, token: Token | None, *, pushes: bool) -> Answer | None:
    if token is None and (pushes or repo is None or repo.private):
        return _refusal(401, "No anonymous write access.", _ASK)
    if repo is None or not can_see(token, repo):
        return _refusal(404, "Repository not found.")
    if pushes and token is not None and not can_push(token, repo):
        return _refusal(403, f"Permission to {name}.git denied to {token.user.login}.")
    return None


def _refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status, raw=f"{message}\n".encode(), headers={"Content-Type": "text/plain; charset=utf-8", **(headers or {})})


def _run(hub: Hub, repo: Repository | None, request: Request, action: str, query: str, token: Token | None) -> Answer:
    assert repo is not None
    if "upload-pack" in action + query:
        with hub.lock:
            repo.sync()
    env = {
        **ENVIRONMENT,
        "GIT_PROJECT_ROOT": str(repo.path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repo.path.name}{action}",
        "QUERY_STRING": query,
        "REQUEST_METHOD": request.method,
        "CONTENT_LENGTH": str(len(request.content)),
        "REMOTE_ADDR": "127.0.0.1",
        "REMOTE_USER": token.user.login if token else "",
        **{variable: request.headers[name] for name, variable in _PASSED_ON.items() if name in request.headers},
    }
    done = subprocess.run(["git", "http-backend"], check=False, env=env, input=request.content, capture_output=True)
    return _parse(done.stdout)


def _parse(output: bytes) -> Answer:
    """A CGI program's headers and content."""
    head, _, content = output.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
    return Answer(int(headers.pop("Status", "200").split()[0]), raw=content, headers=headers)
