"""The whole fake GitHub without its HTTP: users, tokens, repositories, the log of requests, and what clients did wrong."""

import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path
from threading import Event, RLock
from typing import Any

from tests.fakes.github.faults import Plan
from tests.fakes.github.git import BareRepository
from tests.fakes.github.limits import Quota
from tests.fakes.github.model import App, Token, TokenKind, User, UserType
from tests.fakes.github.repository import Repository

ACTIONS = App(15368, "github-actions", "GitHub Actions")
ACTIONS_BOT = User("github-actions[bot]", 41898282, UserType.BOT)
JOB_PERMISSIONS: Mapping[str, str] = {"contents": "write", "pull-requests": "write", "checks": "write", "issues": "write"}
FORK_PERMISSIONS: Mapping[str, str] = {"contents": "read", "pull-requests": "read", "checks": "read", "issues": "read"}


@dataclass(frozen=True, slots=True)
class Logged:
    """A request that was answered. `status` is None where the answer was withheld."""

    method: str
    path: str
    query: Mapping[str, str]
    login: str | None
    body: Any
    status: int | None


@dataclass(slots=True)
class Hub:
    """State that a test seeds and looks at. `url` is the API's base, `server_url` that of clones and pages."""

    folder: Path
    url: str = ""
    server_url: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    apps: dict[str, App] = field(default_factory=dict)
    faults: Plan = field(default_factory=Plan)
    quota: Quota = field(default_factory=Quota)
    log: list[Logged] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    closing: Event = field(default_factory=Event)
    lock: Any = field(default_factory=RLock)
    _ids: Iterator[int] = field(default_factory=lambda: count(1001))

    def new_id(self) -> int:
        return next(self._ids)

    def user(self, login: str) -> User:
        """A person of that login, made where there is none."""
        if login not in self.users:
            self.users[login] = User(login, self.new_id())
        return self.users[login]

    def create_repository(self, full_name: str, source: Path | None = None, *, private: bool = False) -> Repository:
        """A repository with all branches and tags of a local one."""
        owner, _, name = full_name.partition("/")
        repo = Repository(self, self.new_id(), self.user(owner), name, BareRepository(self.folder / f"{full_name}.git"), private)
        repo.git.create(source)
        self.repositories[full_name] = repo
        return repo

    def fork(self, repo: Repository, login: str) -> Repository:
        fork = self.create_repository(f"{login}/{repo.name}", repo.path, private=repo.private)
        fork.parent = repo
        return fork

    def remove_repository(self, repo: Repository) -> None:
        del self.repositories[repo.full_name]
        shutil.rmtree(repo.path)

    def job_token(self, repo: Repository, permissions: Mapping[str, str] = JOB_PERMISSIONS) -> str:
        """The token of a job in this repository. Permissions are named as in a workflow file; those not named are none."""
        return self._add("ghs", ACTIONS_BOT, TokenKind.JOB, ACTIONS, permissions, repo)

    def fork_token(self, repo: Repository) -> str:
        """The token of a job on a pull request from a fork: it may read."""
        return self.job_token(repo, FORK_PERMISSIONS)

    def installation_token(self, slug: str, *repos: Repository, permissions: Mapping[str, str] = JOB_PERMISSIONS) -> str:
        """The token of an App of one's own, whose comments are by `slug[bot]`."""
        app = self.apps.setdefault(slug, App(self.new_id(), slug, slug.title()))
        bot = self.users.setdefault(f"{slug}[bot]", User(f"{slug}[bot]", self.new_id(), UserType.BOT))
        return self._add("ghs", bot, TokenKind.INSTALLATION, app, permissions, *repos)

    def personal_token(self, login: str) -> str:
        """A person's token; it may what the person may."""
        return self._add("ghp", self.user(login), TokenKind.PERSONAL, None, {})

    def _add(self, prefix: str, user: User, kind: TokenKind, app: App | None, permissions: Mapping[str, str], *repos: Repository) -> str:
        self.users.setdefault(user.login, user)
        token = Token(f"{prefix}_{secrets.token_hex(18)}", user, kind, app, dict(permissions), frozenset(repo.full_name for repo in repos))
        self.tokens[token.value] = token
        return token.value

    def revoke(self, token: str) -> None:
        del self.tokens[token]

    def requests(self, method: str = "*", pattern: str = "*") -> list[Logged]:
        """The requests so far of a method and a glob over the path, faults included."""
        return [one for one in list(self.log) if method in ("*", one.method) and fnmatchcase(one.path, pattern)]

    def violate(self, text: str) -> None:
        """Write down a mistake of the client, or of the fake itself. Whoever runs the fake must look."""
        self.violations.append(text)

    def take_violations(self) -> list[str]:
        """The mistakes so far, for a test that made them on purpose; they are forgotten."""
        taken, self.violations[:] = list(self.violations), []
        return taken
