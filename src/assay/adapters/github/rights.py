"""Asks GitHub what a token may do. It has no question for that, so it is asked for what cannot be done, and refuses in one of two ways:
a token without the right gets 403, one with it is told that the commit of all zeros does not exist."""

from typing import Any

from assay.adapters.github.client import Patience, Time, connect, trouble_of
from assay.core.http_waits import Limits, Nature
from assay.core.token_checkup import Rights
from assay.errors import UsageError

NOWHERE = "0" * 40
"""No commit has this id."""
ONCE = Patience(timeout_s=10, limits=Limits(tries=1), between_writes_s=0.0)

_UNKNOWN, _REFUSED, _MISSING, _IMPOSSIBLE = 401, 403, 404, 422


def rights_of(token: str, repository: str, api_url: str) -> Rights:
    """What the token may do. Nothing is changed: each request names what does not exist."""
    from github import GithubException

    try:
        home, _ = connect(token, repository, api_url, ONCE, Time())
    except UsageError as error:
        return Rights(repository, problem=error.message)

    def status(verb: str, path: str, content: dict[str, Any] | None = None) -> int:
        try:
            home.requester.requestJsonAndCheck(verb, f"/repos/{repository}{path}", input=content)
        except GithubException as error:
            if trouble_of(verb, error, exists=False).nature in (Nature.OUTAGE, Nature.LIMIT):
                raise
            return int(error.status)
        return 200

    try:
        seen = status("GET", "")
        if seen != 200:
            return Rights(repository, known=seen != _UNKNOWN, seen=False)
        return Rights(
            repository,
            contents=_may(status("POST", "/git/refs", {"ref": "refs/heads/assay-doctor", "sha": NOWHERE})),
            checks=_may(status("POST", "/check-runs", {"name": "assay: doctor", "head_sha": NOWHERE})),
            comments=_may(status("PATCH", "/issues/comments/1", {"body": "…"})),
        )
    except GithubException as error:
        what = "a rate limit" if error.status < 500 else "a failure of its own"
        return Rights(repository, problem=f"{api_url} answers with {what} (status {error.status}), which tells nothing of the token.")
    except OSError as error:  # a RequestException is one
        return Rights(repository, problem=f"{api_url} gives no answer ({type(error).__name__}).")


def _may(status: int) -> bool | None:
    """A 404 tells nothing: so answers a right without a thing, and to some tokens a thing without a right."""
    return {_IMPOSSIBLE: True, _REFUSED: False}.get(status)
