"""The one format of a moment: RFC 3339 in UTC with `Z`, to the millisecond."""

import re
from datetime import UTC, datetime

_FORM = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z", re.ASCII)


def stamp(moment: datetime) -> str:
    """A moment as text, such as `2025-03-01T12:00:00.250Z`. Raises ValueError where it has no time zone."""
    if moment.tzinfo is None:
        raise ValueError("a moment without a time zone cannot be stamped")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def moment(text: str) -> datetime:
    """The moment that a stamp stands for, in UTC. Raises ValueError for any other form."""
    if not _FORM.fullmatch(text):
        raise ValueError(f"{text!r} is not a time in UTC such as 2025-03-01T12:00:00Z")
    return datetime.fromisoformat(text)
