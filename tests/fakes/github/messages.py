"""What travels through the fake: a request on its way to a route, an answer, and the errors that GitHub answers with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.github.model import Token, User

if TYPE_CHECKING:
    from tests.fakes.github.hub import Hub
    from tests.fakes.github.repository import Repository

DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request, as it came in. `path` is still quoted."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """A status with a JSON body, or with raw content."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A request that found its route. `where` is the repository of routes that have one."""

    hub: "Hub"
    template: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    token: Token | None
    where: "Repository | None"

    @property
    def repo(self) -> "Repository":
        assert self.where is not None
        return self.where

    @property
    def caller(self) -> User:
        """Whose token it is. Routes that need nobody may not ask."""
        assert self.token is not None
        return self.token.user

    def number(self, name: str) -> int:
        return int(self.params[name])


class ApiError(Exception):
    """A refusal. `violation` marks those that say the client is wrong whatever the state of the world."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[object] = (),
        headers: Mapping[str, str] | None = None,
        violation: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = headers or {}
        self.violation = violation

    def answer(self) -> Answer:
        body: dict[str, object] = {"message": self.message, "documentation_url": DOCS, "status": str(self.status)}
        if self.errors:
            body["errors"] = list(self.errors)
        return Answer(self.status, body, self.headers)


def not_found() -> ApiError:
    return ApiError(404, "Not Found")


def unprocessable(message: str, *, errors: Sequence[object] = ()) -> ApiError:
    return ApiError(422, message, errors=errors)


def over_limit(resource: str, name: str, message: str) -> ApiError:
    """GitHub's answer to a value that is too long, or that its description cannot rule out."""
    problem = {"resource": resource, "code": "custom", "field": name, "message": message}
    return ApiError(422, "Validation Failed", errors=[problem], violation=f"{resource} {name}: {message}")
