"""Who may do what: one need for each route, judged against the caller's token. 401, 403 and 404 are told apart as GitHub does."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from tests.fakes.github.messages import ApiError, not_found
from tests.fakes.github.model import Token, TokenKind

if TYPE_CHECKING:
    from tests.fakes.github.repository import Repository


class Level(IntEnum):
    """How far a permission goes."""

    NONE = 0
    READ = 1
    WRITE = 2

    @classmethod
    def of(cls, name: str) -> "Level":
        return cls[name.upper()]


ROLES = ("none", "read", "triage", "write", "maintain", "admin")
_PERMISSION_OF_ROLE = {"triage": "read", "maintain": "write"}


@dataclass(frozen=True, slots=True)
class Need:
    """What a route asks for: an app, one of `scopes` at `level`; a person, `role` in the repository, or to be an app."""

    level: Level = Level.READ
    scopes: tuple[str, ...] = ("metadata",)
    role: str = "read"
    apps_only: bool = False
    people_only: bool = False


def read(*scopes: str) -> Need:
    return Need(Level.READ, scopes or ("metadata",))


def write(*scopes: str, role: str = "write", apps_only: bool = False) -> Need:
    return Need(Level.WRITE, scopes, role, apps_only)


ANYBODY = Need(Level.NONE)
MEMBERS = Need(Level.READ, ("metadata",), "write")
A_PERSON = Need(Level.NONE, people_only=True)


def permission_of(role: str) -> str:
    """The four-valued `permission` of a role, as the API gives it."""
    return _PERMISSION_OF_ROLE.get(role, role)


def level_of(token: Token, scope: str, repo: "Repository") -> Level:
    """How far an app's token goes. Metadata comes with every installation, reading with every public repository."""
    granted = Level.READ if scope == "metadata" or not repo.private else Level.NONE
    if repo.full_name in token.repositories:
        granted = max(granted, Level.of(token.permissions.get(scope, "none")))
    return granted


def can_see(token: Token | None, repo: "Repository") -> bool:
    if not repo.private:
        return True
    if token is None:
        return False
    return repo.full_name in token.repositories if token.app else repo.role(token.user.login) != "none"


def can_push(token: Token, repo: "Repository") -> bool:
    if token.app:
        return level_of(token, "contents", repo) >= Level.WRITE
    return has_role(token, repo, "write")


def has_role(token: Token, repo: "Repository", role: str) -> bool:
    return ROLES.index(repo.role(token.user.login)) >= ROLES.index(role)


def authorise(need: Need, token: Token | None, repo: "Repository | None") -> None:
    """Raises the ApiError that GitHub would answer with."""
    if need.people_only and token is not None and token.kind is not TokenKind.PERSONAL:
        raise denied(need)
    if token is None and (need.level is Level.WRITE or need.people_only or need.role != "read"):
        raise ApiError(401, "Requires authentication")
    if token is None or repo is None or need.level is Level.NONE:
        return
    if token.app:
        if not any(level_of(token, scope, repo) >= need.level for scope in need.scopes):
            raise denied(need)
    else:
        _authorise_person(need, token, repo)


def _authorise_person(need: Need, token: Token, repo: "Repository") -> None:
    if need.apps_only:
        raise ApiError(403, "You must authenticate via a GitHub App.")
    if not has_role(token, repo, need.role):
        raise ApiError(403, "Must have push access to repository") if need.level is Level.READ else not_found()


def denied(need: Need) -> ApiError:
    accepted = "; ".join(_accepted(need))
    return ApiError(403, "Resource not accessible by integration", headers={"X-Accepted-GitHub-Permissions": accepted} if accepted else {})


def _accepted(need: Need) -> Iterator[str]:
    return (f"{scope.replace('-', '_')}={need.level.name.lower()}" for scope in need.scopes if need.level is not Level.NONE)
