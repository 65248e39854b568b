"""The moment that `--now` names, in one of the forms in which people have it at hand."""

import re
from datetime import UTC, datetime

from assay.core.escape import plain
from assay.core.timestamp import moment
from assay.errors import UsageError

_COMPACT = re.compile(r"[0-9]{8}T[0-9]{6}Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_now(text: str) -> datetime:
    """The moment of `2025-03-01T12:00:00Z`, `20250301T120000Z` or `2025-03-01`, in UTC. Raises UsageError for anything else."""
    try:
        if _COMPACT.fullmatch(text):
            return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        if _DATE.fullmatch(text):
            return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
        return moment(text).astimezone(UTC)
    except ValueError as error:
        hint = "Write 2025-03-01T12:00:00Z, 20250301T120000Z or 2025-03-01, in UTC."
        raise UsageError(f"--now is no moment: {plain(text, 60)}", hint=hint) from error
