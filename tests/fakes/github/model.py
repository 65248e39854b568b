"""The things a GitHub knows, as plain values and records. Who may do what with them is in `permissions`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum


def now() -> datetime:
    """The present, in whole seconds as GitHub gives it."""
    return datetime.now(UTC).replace(microsecond=0)


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class UserType(StrEnum):
    USER = "User"
    BOT = "Bot"


@dataclass(frozen=True, slots=True)
class User:
    login: str
    id: int
    type: UserType = UserType.USER


@dataclass(frozen=True, slots=True)
class App:
    id: int
    slug: str
    name: str


class TokenKind(StrEnum):
    JOB = "job"
    INSTALLATION = "installation"
    PERSONAL = "personal"


@dataclass(frozen=True, slots=True)
class Token:
    """Who a secret stands for. An app's token reaches `repositories` with `permissions`; a person's, whatever the person may."""

    value: str
    user: User
    kind: TokenKind
    app: App | None = None
    permissions: Mapping[str, str] = field(default_factory=dict)
    repositories: frozenset[str] = frozenset()


@dataclass(slots=True)
class Comment:
    id: int
    number: int
    user: User
    app: App | None
    body: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Reaction:
    id: int
    comment: int
    user: User
    content: str
    created_at: datetime


@dataclass(slots=True)
class CheckRun:
    id: int
    app: App
    name: str
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str = ""
    started_at: str | None = None
    completed_at: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Mapping[str, object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Status:
    id: int
    sha: str
    user: User
    state: str
    context: str
    description: str | None
    target_url: str | None
    created_at: datetime


@dataclass(slots=True)
class Issue:
    """An issue, or what a pull request is beside being one."""

    number: int
    title: str
    body: str | None
    user: User
    created_at: datetime
    state: str = "open"
    labels: list[str] = field(default_factory=list)
    state_reason: str | None = None
    changed: int = 0


@dataclass(slots=True)
class WorkflowRun:
    id: int
    name: str
    event: str
    head_branch: str
    head_sha: str
    actor: User
    head_repository: str
    path: str = ".github/workflows/assay.yml"
    status: str = "completed"
    conclusion: str | None = "success"
    run_attempt: int = 1


@dataclass(frozen=True, slots=True)
class Artifact:
    id: int
    run: int
    name: str
    content: bytes
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Activity:
    """A ref of the repository moved."""

    id: int
    ref: str
    before: str
    after: str
    at: datetime
    actor: User
