"""Reads the payload of a job's event from the file that the runner wrote."""

import json
import os
import stat
from collections.abc import Mapping
from typing import Any

from assay.errors import UsageError

MAX_BYTES = 32 * 2**20
"""GitHub drops payloads over 25 MB."""

_HINT = "GITHUB_EVENT_PATH has to name the file that GitHub wrote for this very job."


def read_event(path: str) -> Mapping[str, Any]:
    """The payload. Raises UsageError where there is no such file, or none that holds one JSON object."""
    data = _content(path)
    try:
        payload = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The event payload {path} is not JSON.", hint=_HINT) from error
    if not isinstance(payload, dict):
        raise UsageError(f"The event payload {path} is no JSON object.", hint=_HINT)
    return payload


def _content(path: str) -> bytes:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            data = file.read(MAX_BYTES + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError as error:
        raise UsageError(f"The event payload {path} cannot be read: {error.strerror}.", hint=_HINT) from error
    if data is None or len(data) > MAX_BYTES:
        raise UsageError(f"The event payload {path} is no file, or larger than any payload.", hint=_HINT)
    return data
