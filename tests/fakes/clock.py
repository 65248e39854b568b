"""A clock that a test moves, and chance that counts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assay.core import ids


@dataclass(slots=True)
class FakeClock:
    """Satisfies `ports.Clock`. Each question for the time moves it on by `step`; ids count up."""

    moment: datetime = datetime(2025, 3, 1, 12, tzinfo=UTC)
    step: timedelta = timedelta(milliseconds=1)
    elapsed: float = 0.0
    made: int = 0

    def now(self) -> datetime:
        self.advance(self.step.total_seconds())
        return self.moment

    def monotonic(self) -> float:
        self.advance(self.step.total_seconds())
        return self.elapsed

    def new_id(self, prefix: str) -> str:
        self.made += 1
        return ids.new_id(prefix, self.now(), self.made.to_bytes(ids.ENTROPY_BYTES))

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.moment += timedelta(seconds=seconds)
        self.elapsed += seconds
