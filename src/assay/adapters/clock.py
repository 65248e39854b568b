"""The system's clock, and chance from the operating system."""

import secrets
import time
from datetime import UTC, datetime

from assay.core import ids


class SystemClock:
    """Satisfies `ports.Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def new_id(self, prefix: str) -> str:
        return ids.new_id(prefix, self.now(), secrets.token_bytes(ids.ENTROPY_BYTES))


def pause(seconds: float) -> None:
    """Wait; a signal still reaches us meanwhile."""
    time.sleep(seconds)


class ShiftedClock(SystemClock):
    """The same, begun at another moment: what would have happened then."""

    def __init__(self, start: datetime) -> None:
        self._shift = start - datetime.now(UTC)

    def now(self) -> datetime:
        return super().now() + self._shift
