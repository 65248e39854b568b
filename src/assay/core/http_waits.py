"""Whether a request that failed is sent again, and after how long: what GitHub's documents ask of a client, as a pure function."""

from collections.abc import Mapping
from dataclasses import field
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import StrEnum

from assay.core.values import dataclass

REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE", "PATCH"})
"""Sent again though nobody knows whether they were carried out. A POST that was would leave its thing there twice."""

SECONDARY_S = 60.0
"""The wait that GitHub asks for where a limit names none; it doubles with each further refusal."""

YOUNG_TRIES = 6
"""So often something that certainly exists is asked for, which takes about ten seconds where it stays unknown."""

_LIMIT_WORDS = ("rate limit", "abuse detection", "please wait a few minutes before you try again")


class Nature(StrEnum):
    """What kind of failure it was."""

    LIMIT = "limit"
    OUTAGE = "outage"
    YOUNG = "not everywhere yet"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A request that failed. `status` is None where no answer came; names of headers are in lower case.

    `exists` says that what was asked for is known to exist.
    """

    method: str
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    exists: bool = False

    @property
    def nature(self) -> Nature:
        if self.status is None or self.status >= 500:
            return Nature.OUTAGE
        if self.status == 429 or (self.status == 403 and self._limited):
            return Nature.LIMIT
        if self.status == 404 and self.exists:
            return Nature.YOUNG
        return Nature.REFUSAL

    @property
    def _limited(self) -> bool:
        """A 403 may be a limit or a missing permission; only the former says when to come back, or that a limit it is."""
        said = self.message.lower()
        return "retry-after" in self.headers or self._spent or any(words in said for words in _LIMIT_WORDS)

    @property
    def _spent(self) -> bool:
        return self.headers.get("x-ratelimit-remaining") == "0"

    def asked_s(self, now: float) -> float | None:
        """How long the answer asks to wait, in seconds; `now` is the time since 1970. None where it does not say."""
        if (after := self.headers.get("retry-after")) is not None:
            return _seconds(after, now)
        reset = self.headers.get("x-ratelimit-reset", "")
        if self._spent and reset.isascii() and reset.isdigit():
            return max(float(reset[:12]) - now, 0.0) + 1.0  # it is not said when in that second
        return None


@dataclass(frozen=True, slots=True)
class Limits:
    """How often a request is sent at most, the longest single wait, and what all waits of a job may take, in seconds."""

    tries: int = 5
    longest_s: float = 120.0
    budget_s: float = 300.0


def wait_s(trouble: Trouble, turn: int, now: float, chance: float, limits: Limits, waited: float) -> float | None:
    """The seconds to wait after try number `turn`, counted from 1; None where the request is not to be sent again.

    `chance` is between 0 and 1, and spreads those that were refused together. A wait beyond the limits is not begun at all.
    """
    wanted = _wanted(trouble, turn, now)
    tries = max(limits.tries, YOUNG_TRIES) if trouble.nature is Nature.YOUNG and limits.tries > 1 else limits.tries
    if wanted is None or turn >= tries or wanted > limits.longest_s:
        return None
    spread = wanted * (1.0 + chance / 4)
    return spread if waited + spread <= limits.budget_s else None


def _wanted(trouble: Trouble, turn: int, now: float) -> float | None:
    match trouble.nature:
        case Nature.LIMIT:  # nothing was done, so that a POST may go again, too
            asked = trouble.asked_s(now)
            return SECONDARY_S * 2.0 ** (turn - 1) if asked is None else max(asked, 1.0)
        case Nature.OUTAGE if trouble.method in REPEATABLE:
            return max(2.0 ** (turn - 1), trouble.asked_s(now) or 0.0)
        case Nature.YOUNG:
            return min(0.5 * 2.0 ** (turn - 1), 4.0)
        case _:
            return None


def _seconds(text: str, now: float) -> float | None:
    """The header Retry-After: seconds, or a date."""
    if text.strip().isascii() and text.strip().isdigit():
        return float(text.strip()[:12])
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment: float = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return max(moment - now, 0.0)
