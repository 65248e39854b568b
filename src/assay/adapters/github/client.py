"""The connection to GitHub: who we are, how long we wait, and what may be sent twice."""

from github import Auth, Github
from github.GithubRetry import GithubRetry

from assay import __version__
from assay.core.values import dataclass

PER_PAGE = 100

REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE", "PATCH"})
"""Sent again by the transport when no answer came. A POST that was carried out unheard would leave its thing there twice."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one request may take, in seconds, how often it is tried, and the longest wait for a rate limit."""

    timeout_s: int = 15
    tries: int = 5
    rate_limit_s: float = 120.0
    between_writes_s: float = 1.0


HASTY = Patience(timeout_s=2, tries=1, rate_limit_s=0.0, between_writes_s=0.0)
"""For a job that is being cancelled, which has a few seconds left."""


def connect(token: str, api_url: str, patience: Patience) -> Github:
    """A client that asks for nothing until it must, with 100 items a page."""
    return Github(
        auth=Auth.Token(token),
        base_url=api_url,
        timeout=patience.timeout_s,
        user_agent=f"assay/{__version__}",
        per_page=PER_PAGE,
        retry=_retry(patience) if patience.tries > 1 else None,
        seconds_between_requests=0,
        seconds_between_writes=patience.between_writes_s,
        lazy=True,
    )


def _retry(patience: Patience) -> GithubRetry:
    return GithubRetry(
        total=patience.tries - 1,
        backoff_factor=1,
        max_rate_limit_wait=patience.rate_limit_s,
        allowed_methods=REPEATABLE,
        respect_retry_after_header=True,
    )
