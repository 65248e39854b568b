"""What an observer hears of a check in progress, as frozen values."""

from assay.core.fusion.events import AnalysisEvent
from assay.core.model import Side
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class BenchmarkStarted:
    """A benchmark is about to be planned."""

    benchmark: str
    position: int
    total: int


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A stage that may take long begins: `checkout`, `setup`, `pilot`, `checks`."""

    benchmark: str
    stage: str
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class ProcessStarted:
    """The benchmark's process number `number` of at most `at_most` in this session begins; `warmup` ones are dropped."""

    benchmark: str
    side: Side
    number: int
    at_most: int
    warmup: bool


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """A process has ended. `remaining_s` estimates the rest of the session up to the next look and up to its very end."""

    benchmark: str
    side: Side
    number: int
    at_most: int
    duration_s: float
    value: float | None
    remaining_s: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Remark:
    """One line for the person who waits."""

    text: str


Event = BenchmarkStarted | StageStarted | ProcessStarted | ProcessEnded | Remark | AnalysisEvent
