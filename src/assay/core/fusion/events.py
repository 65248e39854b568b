"""What is heard of an analysis in progress. A state is told once it is on disk, never before."""

from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class StateReached:
    """The analysis has come to its next state."""

    analysis_id: str
    benchmark: str
    state: str


@dataclass(frozen=True, slots=True)
class CandidateStarted:
    """A candidate was asked; after a launch that failed it is told a second time."""

    slot: int
    attempt: int
    route: str


@dataclass(frozen=True, slots=True)
class CandidateEnded:
    """A candidate has ended, well or not; `done` of `of` have."""

    slot: int
    status: str
    done: int
    of: int


@dataclass(frozen=True, slots=True)
class EvaluationStarted:
    """The evaluator was asked; `repair` where its first answer was not valid."""

    attempt: int
    repair: bool


@dataclass(frozen=True, slots=True)
class EvaluationRetry:
    """The first evaluation was not valid, and why."""

    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergeStarted:
    """The merger was asked."""


@dataclass(frozen=True, slots=True)
class AnalysisCompleted:
    """It is done, and its files are in the folder."""

    analysis_id: str
    folder: str


@dataclass(frozen=True, slots=True)
class AnalysisFailed:
    """It has failed, by a code of `core.fusion.failure`."""

    analysis_id: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class AnalysisCancelled:
    """Somebody ended it."""

    analysis_id: str
    reason: str


AnalysisEvent = (
    StateReached
    | CandidateStarted
    | CandidateEnded
    | EvaluationStarted
    | EvaluationRetry
    | MergeStarted
    | AnalysisCompleted
    | AnalysisFailed
    | AnalysisCancelled
)
