"""GitHub's limits beyond its description: what is counted in bytes, what hangs together, and how many requests an hour has."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.github.messages import ApiError, over_limit
from tests.fakes.github.model import Token, TokenKind

COMMENT_CHARACTERS = 65_536
OUTPUT_BYTES = 65_535
ANNOTATIONS = 50
ANNOTATION_BYTES = 64 * 1024
ANNOTATION_TITLE = 255
STATUS_DESCRIPTION = 140
_HOUR = 3600
_CHECKS = "/repos/{owner}/{repo}/check-runs"
_COMMENTS = ("/repos/{owner}/{repo}/issues/{issue_number}/comments", "/repos/{owner}/{repo}/issues/comments/{comment_id}")


@dataclass(slots=True)
class Quota:
    """The primary limit: requests by token, in an hour that began with the fake."""

    hourly: dict[TokenKind | None, int] = field(
        default_factory=lambda: {TokenKind.JOB: 1000, TokenKind.INSTALLATION: 5000, TokenKind.PERSONAL: 5000, None: 60}
    )
    reset: int = field(default_factory=lambda: int(time.time()) + _HOUR)
    _used: dict[str, int] = field(default_factory=dict)

    def spend(self, token: Token | None) -> None:
        """Count one request. Raises ApiError once the hour's are spent."""
        key = token.value if token else ""
        if self._used.get(key, 0) >= self.limit(token):
            raise ApiError(403, "API rate limit exceeded for installation.", headers={"x-ratelimit-remaining": "0"})
        self._used[key] = self._used.get(key, 0) + 1

    def limit(self, token: Token | None) -> int:
        return self.hourly[token.kind if token else None]

    def facts(self, token: Token | None) -> dict[str, int]:
        used, limit = self._used.get(token.value if token else "", 0), self.limit(token)
        return {"limit": limit, "used": used, "remaining": limit - used, "reset": self.reset}

    def headers(self, token: Token | None) -> dict[str, str]:
        return {f"x-ratelimit-{name}": str(value) for name, value in self.facts(token).items()} | {"x-ratelimit-resource": "core"}


def enforce(method: str, template: str, body: Any) -> None:
    """Hold a request's body to the limits. Raises ApiError as GitHub would answer."""
    if not isinstance(body, dict):
        return
    if template.startswith(_CHECKS):
        _enforce_check(body, new=method == "POST")
    elif template in _COMMENTS:
        _enforce_comment(body)
    elif template.endswith("/statuses/{sha}") and len(body.get("description") or "") > STATUS_DESCRIPTION:
        raise over_limit("Status", "description", f"description is too long (maximum is {STATUS_DESCRIPTION} characters)")


def _enforce_comment(body: Mapping[str, Any]) -> None:
    text = body.get("body", "")
    if not text.strip():
        raise over_limit("IssueComment", "body", "body can't be blank")
    if len(text) > COMMENT_CHARACTERS:
        raise over_limit("IssueComment", "body", f"body is too long (maximum is {COMMENT_CHARACTERS} characters)")


def _enforce_check(body: Mapping[str, Any], *, new: bool) -> None:
    completed = body.get("status") == "completed" or (new and "completed_at" in body)
    if completed and "conclusion" not in body:
        raise over_limit("CheckRun", "conclusion", "conclusion is required for a completed check run")
    if body.get("conclusion") == "stale":
        raise over_limit("CheckRun", "conclusion", "only GitHub can set stale")
    output = body.get("output") or {}
    for name in ("summary", "text"):
        if len(output.get(name, "").encode()) > OUTPUT_BYTES:
            raise over_limit("CheckRun", name, f"{name} exceeds a maximum bytesize of {OUTPUT_BYTES}")
    for annotation in output.get("annotations", ()):
        _enforce_annotation(annotation)


def _enforce_annotation(annotation: Mapping[str, Any]) -> None:
    for name in ("message", "raw_details"):
        if len(annotation.get(name, "").encode()) > ANNOTATION_BYTES:
            raise over_limit("CheckAnnotation", name, f"{name} exceeds a maximum bytesize of {ANNOTATION_BYTES}")
    if len(annotation.get("title", "")) > ANNOTATION_TITLE:
        raise over_limit("CheckAnnotation", "title", f"title is too long (maximum is {ANNOTATION_TITLE} characters)")
    if not 1 <= annotation["start_line"] <= annotation["end_line"]:
        raise over_limit("CheckAnnotation", "end_line", "lines count from 1 and do not go back")
    columns = annotation.keys() & {"start_column", "end_column"}
    if columns and annotation["start_line"] != annotation["end_line"]:
        raise over_limit("CheckAnnotation", "start_column", "columns are for annotations of one line")
