"""What goes wrong, in which order: faults that a test plans for the next requests to a path."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fnmatch import fnmatchcase
from threading import Lock
from typing import Any

from tests.fakes.github.messages import DOCS, Answer


class When(Enum):
    """Whether the request has done its work by the time it fails."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one request: an answer in place of the right one, none at all, or the right one late."""

    answer: Answer | None = None
    when: When = When.BEFORE
    drop: bool = False
    delay: float = 0.0

    def committed(self) -> "Fault":
        """The same, after the request has done its work."""
        return replace(self, when=When.AFTER)


PASS = Fault()
DROPPED = Fault(drop=True)
"""The connection ends without an answer, and nothing was done."""
DROPPED_AFTER_COMMIT = Fault(drop=True, when=When.AFTER)
"""The connection ends without an answer, though the work was done."""


def status(code: int, message: str = "Server Error", headers: Mapping[str, str] | None = None) -> Fault:
    """An answer in place of the right one: 502 for an outage, 404 for an object that is not everywhere yet."""
    body: dict[str, Any] = {"message": message, "documentation_url": DOCS, "status": str(code)}
    return Fault(Answer(code, body, headers or {}))


def slow(seconds: float) -> Fault:
    """The work is done at once; the answer comes late."""
    return Fault(delay=seconds, when=When.AFTER)


def primary_limit(reset: int, code: int = 403) -> Fault:
    """The hour's requests are spent until `reset`, in seconds since 1970."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}
    return status(
        code, "API rate limit exceeded for installation. If you reach out to GitHub Support, please include the request ID.", headers
    )


def secondary_limit(retry_after: int | None = None, code: int = 403) -> Fault:
    """Too much at once, with or without saying how long to wait."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return status(code, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", headers)


@dataclass(slots=True)
class Plan:
    """The faults to come. A pattern is a glob over the path without its query; `*` also matches slashes."""

    _entries: list[tuple[str, str, list[Fault]]] = field(default_factory=list)
    _lock: Any = field(default_factory=Lock)

    def add(self, method: str, pattern: str, *faults: Fault) -> None:
        """The next requests of this method (`*` for any) to these paths meet these faults, one each, in order."""
        with self._lock:
            self._entries.append((method, pattern, list(faults)))

    def take(self, method: str, path: str) -> Fault:
        """The fault that this request meets; it is used up."""
        with self._lock:
            for wanted, pattern, faults in self._entries:
                if faults and wanted in ("*", method) and fnmatchcase(path, pattern):
                    return faults.pop(0)
        return PASS

    def pending(self) -> list[str]:
        """What was planned and has not happened, which a test may hold against itself."""
        with self._lock:
            return [f"{method} {pattern}: {len(faults)}" for method, pattern, faults in self._entries if faults]
