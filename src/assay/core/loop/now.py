"""The moment that `--now` names, in one of the forms in which people have it at hand."""

import re
from datetime import UTC, datetime

from assay.core.escape import plain
from assay.core.timestamp import moment
from assay.errors import UsageError

_COMPACT = re.compile(r"[0-9]{8}T[0-9]{6}Z")
_FIRST_YEAR, _LAST_YEAR = 1970, 9000
"""Between them a recheck can be added and a day taken away."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_now(text: str) -> datetime:
    """The moment of `2025-03-01T12:00:00Z`, `20250301T120000Z` or `2025-03-01`, in UTC. Raises UsageError for anything else."""
    hint = "Write 2025-03-01T12:00:00Z, 20250301T120000Z or 2025-03-01, in UTC, of a year from 1970 to 9000."
    try:
        found = _read(text)
    except ValueError as error:
        raise UsageError(f"--now is no moment: {plain(text, 60)}", hint=hint) from error
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise UsageError(f"--now is too far away: {plain(text, 60)}", hint=hint)
    return found


def _read(text: str) -> datetime:
    if _COMPACT.fullmatch(text):
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    if _DATE.fullmatch(text):
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    return moment(text).astimezone(UTC)
