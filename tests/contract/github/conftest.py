"""A fake GitHub with one repository and one pull request, and PyGithub as its client."""

import http.client
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from github import Auth, Github
from github.Repository import Repository as Remote
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.hub import Hub
from tests.fakes.github.repository import Pull, Repository
from tests.repositories import Sandbox

Connect = Callable[[str], Remote]


@dataclass(frozen=True)
class Lab:
    """The repository ada/lab, its local origin, and its pull request from the branch `feature/faster`."""

    hub: Hub
    repo: Repository
    local: Sandbox
    pull: Pull

    def ask(
        self, method: str, path: str, token: str | None = None, body: object = None, headers: Mapping[str, str] | None = None
    ) -> "Reply":
        """One request to the API, below the repository where the path does not begin with a slash. No redirect is followed."""
        base = urlsplit(self.hub.url)
        connection = http.client.HTTPConnection("127.0.0.1", base.port or 0, timeout=10)
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        where = path if path.startswith("/") else f"/repos/ada/lab/{path}"
        try:
            connection.request(method, base.path + where, content, sent)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        kind = answer.headers.get("content-type", "")
        return Reply(
            answer.status, json.loads(text) if "json" in kind else text, {name.lower(): value for name, value in answer.getheaders()}
        )


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def message(self) -> str:
        return str(self.body["message"])


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two commits on two branches, made once and copied by each test."""
    local = Sandbox(tmp_path_factory.mktemp("origin") / "local")
    local.commit({"bench.py": "print(1)\n", "docs/a.md": "a\n"}, "first")
    local.git("checkout", "-q", "-b", "feature/faster")
    local.commit({"bench.py": "print(2)\n"}, "faster")
    local.git("checkout", "-q", "main")
    return local.root


@pytest.fixture
def lab(hub: Hub, origin: Path, tmp_path: Path) -> Lab:
    shutil.copytree(origin, tmp_path / "local", symlinks=True)
    local = Sandbox(tmp_path / "local")
    repo = hub.create_repository("ada/lab", local.root)
    repo.collaborators.update({"bob": "write", "tim": "triage", "mia": "maintain"})
    for login in ("bob", "tim", "mia", "mallory"):
        hub.user(login)
    return Lab(hub, repo, local, repo.open_pull("feature/faster"))


@pytest.fixture
def connect(lab: Lab) -> Iterator[Connect]:
    """PyGithub's view of ada/lab, with a token and without retries or pauses."""
    opened: list[Github] = []

    def client(token: str) -> Remote:
        opened.append(
            Github(
                auth=Auth.Token(token), base_url=lab.hub.url, retry=None, timeout=10, seconds_between_requests=0, seconds_between_writes=0
            )
        )
        return opened[-1].get_repo("ada/lab")

    yield client
    for one in opened:
        one.close()


@pytest.fixture
def job(lab: Lab, connect: Connect) -> Remote:
    """As a job of the repository sees it."""
    return connect(lab.hub.job_token(lab.repo, {**dict.fromkeys(("contents", "pull-requests", "checks", "issues", "statuses"), "write")}))
