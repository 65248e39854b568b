"""The connection to GitHub: who we are, how long we wait, and what is sent again. PyGithub itself sends nothing twice.

Left to itself it repeats a POST that got no answer, never repeats a PATCH, and waits for a reset up to an hour.
"""

import json
import random
import re
import time
from collections.abc import Callable
from dataclasses import field
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
from github import Auth, GithubException
from github.Repository import Repository
from github.Requester import Requester

from assay import __version__
from assay.core.escape import plain
from assay.core.http_waits import Limits, Trouble, wait_s
from assay.core.values import dataclass
from assay.errors import UsageError

PER_PAGE = 100

T = TypeVar("T")

_SILENT = frozenset({202, 204, 205})
"""The successes that may come without a word."""

_NAMED = re.compile(r"/pulls/[0-9]+$")
"""What the event has named exists, though a server may hear of it later than we do."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one request may take, how it is repeated, and the least time between two that write, in seconds."""

    timeout_s: float = 15
    limits: Limits = field(default_factory=Limits)
    between_writes_s: float = 1.0


HASTY = Patience(timeout_s=2, limits=Limits(tries=1), between_writes_s=0.0)
"""For a job that is being cancelled, which has a few seconds left."""

BRISK = Patience(timeout_s=10, limits=Limits(tries=2, longest_s=5.0, budget_s=10.0))
"""For what an earlier job has left to do: it must not hold this one up."""


@dataclass(frozen=True, slots=True)
class Time:
    """The clock, the pauses and the chance of a client: seconds since 1970, seconds, and a number between 0 and 1."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


class Sender:
    """Sends requests one after the other, and again where that may help. It remembers how long it has waited in all."""

    def __init__(self, patience: Patience, clock: Time) -> None:
        self._patience = patience
        self._clock = clock
        self._waited = 0.0
        self._wrote = 0.0

    def send(self, method: str, request: Callable[[], T], *, exists: bool = False) -> T:
        """The answer of the first try that has one. `exists` says that what it asks for exists, whatever a 404 says.

        Raises what the last try raised: GithubException, or RequestException where there was no answer.
        """
        for turn in range(1, 100):
            self._keep_distance(method)
            began = self._clock.now()
            try:
                return request()
            except (GithubException, requests.RequestException) as error:
                trouble = trouble_of(method, error, exists=exists)
                self._waited += max(self._clock.now() - began, 0.0)  # for an answer that did not come
                seconds = wait_s(trouble, turn, self._clock.now(), self._clock.chance(), self._patience.limits, self._waited)
                if seconds is None:
                    raise
            finally:
                self._wrote = self._wrote if method == "GET" else self._clock.now()
            self._waited += seconds
            self._clock.sleep(seconds)
        raise ValueError("a request is to be sent less than a hundred times")

    def _keep_distance(self, method: str) -> None:
        """GitHub asks for a second between writes."""
        early = self._wrote + self._patience.between_writes_s - self._clock.now()
        if method != "GET" and 0 < early <= self._patience.between_writes_s:
            self._clock.sleep(early)


class PatientRequester(Requester):
    """PyGithub's way out, by way of a Sender. What was made here is known to exist, though not every server may know it yet."""

    def __init__(self, sender: Sender, token: str, api_url: str, timeout_s: float) -> None:
        super().__init__(
            auth=Auth.Token(token),
            base_url=api_url,
            timeout=timeout_s,  # type: ignore[arg-type] # requests takes any number
            user_agent=f"assay/{__version__}",
            per_page=PER_PAGE,
            verify=True,
            retry=None,
            pool_size=None,
            seconds_between_requests=0,
            seconds_between_writes=0,
            lazy=True,
        )
        self._sender = sender
        self._made: set[str] = set()

    def requestJsonAndCheck(  # noqa: N802 - the name that PyGithub calls
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,  # noqa: A002
        follow_302_redirect: bool = False,  # noqa: FBT001, FBT002
    ) -> tuple[dict[str, Any], Any]:
        """As PyGithub's, sent as often as it takes."""
        ask = super().requestJsonAndCheck
        answer = self._sender.send(
            _nature(verb, url, input),
            lambda: ask(verb, url, parameters, headers, input, follow_302_redirect),
            exists=urlsplit(url).path in self._made or (verb == "GET" and _NAMED.search(url) is not None),
        )
        if verb == "POST" and isinstance(answer[1], dict):
            self._made.add(urlsplit(str(answer[1].get("url", ""))).path)
        return answer

    def requestJson(  # noqa: N802 - the name that PyGithub calls
        self,
        *request: Any,
        **options: Any,
    ) -> tuple[int, dict[str, Any], str]:
        """As PyGithub's, where what came is an answer of the API; see `_heard`."""
        try:
            return _heard(*super().requestJson(*request, **options))
        except (RuntimeError, ArithmeticError) as error:  # it will not follow a redirect elsewhere, or one that goes round in circles
            raise _moved(str(error)) from error


def _heard(status: int, headers: dict[str, Any], text: str) -> tuple[int, dict[str, Any], str]:
    """The same, where it is JSON or says that there is nothing to say.

    What a proxy or a half sent answer says instead is no answer: of a failure its status is all that counts. Raises
    GithubException for a redirect, which PyGithub would take for a success, and RequestException where nothing was heard.
    """
    if 300 <= status < 400:
        raise _moved(f"a redirect (status {status})", status)
    if _is_json(text) or (not text and status in _SILENT):
        return status, headers, text
    if status >= 400:
        return status, headers, "{}"
    raise requests.exceptions.ContentDecodingError("what came is not JSON")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _moved(said: str, status: int = 301) -> GithubException:
    return GithubException(status, {"message": said}, {})


def _nature(verb: str, url: str, content: Any) -> str:
    """The method that a request is like when it is repeated: of equal reactions GitHub keeps one, annotations it adds to those there."""
    if url.endswith("/reactions"):
        return "PUT"
    output = content.get("output") if isinstance(content, dict) else None
    return "POST" if isinstance(output, dict) and output.get("annotations") else verb


def connect(token: str, repository: str, api_url: str, patience: Patience, clock: Time) -> tuple[Repository, Sender]:
    """A repository that is asked for nothing until it must, with 100 items a page; and the way out for requests of other kinds.

    Raises UsageError for an address that is none.
    """
    if not _is_address(api_url):
        raise UsageError(f"GITHUB_API_URL is no address: {plain(api_url, 100)}.", hint="It looks like https://api.github.com.")
    sender = Sender(patience, clock)
    requester = PatientRequester(sender, token, api_url, patience.timeout_s)
    return Repository(requester, url=f"/repos/{repository}"), sender


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def trouble_of(method: str, error: GithubException | requests.RequestException, *, exists: bool) -> Trouble:
    """What went wrong, in the words of the policy."""
    if isinstance(error, GithubException):
        said = error.data.get("message") if isinstance(error.data, dict) else ""
        headers = {str(name).lower(): str(value) for name, value in (error.headers or {}).items()}
        return Trouble(method, error.status, headers, str(said or ""), exists)
    if error.response is not None:
        headers = {name.lower(): value for name, value in error.response.headers.items()}
        return Trouble(method, error.response.status_code, headers, "", exists)
    return Trouble(method)
