"""The states of an analysis and what may follow what: no analysis skips a stage, and none comes back from an end."""

from dataclasses import field, replace
from enum import StrEnum

from assay.core.fusion.failure import AnalysisError, Code, Stage
from assay.core.fusion.usage import Usage, total
from assay.core.values import dataclass

MANIFEST_SCHEMA = "assay.analysis/1"
MERGED = "merged.md"


class State(StrEnum):
    """Where an analysis is."""

    INITIALIZING = "initializing"
    CANDIDATES_RUNNING = "candidates_running"
    CANDIDATES_COMPLETE = "candidates_complete"
    EVALUATING = "evaluating"
    EVALUATION_COMPLETE = "evaluation_complete"
    MERGING = "merging"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def terminal(self) -> bool:
        return self in (State.COMPLETED, State.FAILED, State.CANCELLED)


_ORDER = tuple(state for state in State if state not in (State.FAILED, State.CANCELLED))


def may_follow(state: State, successor: State) -> bool:
    """Whether an analysis may go from the one to the other."""
    if state.terminal:
        return False
    return successor in (State.FAILED, State.CANCELLED) or successor is _ORDER[_ORDER.index(state) + 1]


class AttemptStatus(StrEnum):
    """How one attempt ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of an analysis, by what it must still be."""

    path: str
    byte_length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One child: a candidate has a slot, evaluation and merge have none. Paths are names of artifacts."""

    stage: Stage
    slot: int | None
    number: int
    route: str
    status: AttemptStatus
    usage: Usage = Usage()
    prompt: str | None = None
    response: str | None = None
    partial: str | None = None
    model: str | None = None
    error: AnalysisError | None = None

    def __post_init__(self) -> None:
        if (self.stage is Stage.CANDIDATE) is (self.slot is None):
            raise ValueError("a candidate's attempt has a slot, and no other has one")

    def to_json(self) -> dict[str, object]:
        """As a manifest has it."""
        return {
            "stage": self.stage.value,
            "slot": self.slot,
            "attempt": self.number,
            "route": self.route,
            "model": self.model,
            "status": self.status.value,
            "prompt_path": self.prompt,
            "response_path": self.response,
            "partial_response_path": self.partial,
            "usage": self.usage.to_json(),
            "error": self.error.to_json() if self.error else None,
        }


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything about an analysis save its texts. `anonymous_map` says who was A, and stands nowhere else."""

    analysis_id: str
    run_id: str | None
    benchmark: str
    created_at: str
    updated_at: str
    routes: dict[str, object]
    quorum: int
    state: State = State.INITIALIZING
    attempts: tuple[Attempt, ...] = ()
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    anonymous_map: dict[str, int] = field(default_factory=dict)
    limitations: tuple[str, ...] = ()
    grounding: dict[str, object] = field(default_factory=dict)
    error: AnalysisError | None = None

    @property
    def usage(self) -> Usage:
        """Of every attempt, however it ended, exactly once."""
        return total(one.usage for one in self.attempts)

    def advanced(self, successor: State, at: str) -> "Manifest":
        """The manifest in its next state. Raises AnalysisError for a step that is none, and for an end without a merged text."""
        if not may_follow(self.state, successor):
            raise AnalysisError(Code.STATE_TRANSITION_INVALID, f"An analysis that is {self.state.value} cannot become {successor.value}.")
        if successor is State.COMPLETED and MERGED not in self.artifacts:
            raise AnalysisError(Code.STATE_TRANSITION_INVALID, f"An analysis is not completed before {MERGED} is recorded.")
        return replace(self, state=successor, updated_at=at)

    def to_json(self) -> dict[str, object]:
        """The whole manifest as its file has it."""
        return {
            "schema": MANIFEST_SCHEMA,
            "analysis_id": self.analysis_id,
            "run_id": self.run_id,
            "benchmark": self.benchmark,
            "state": self.state.value,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "routes": self.routes,
            "quorum": self.quorum,
            "usage": self.usage.to_json(),
            "attempts": [one.to_json() for one in self.attempts],
            "artifacts": {
                name: {"path": one.path, "byte_length": one.byte_length, "sha256": one.sha256} for name, one in self.artifacts.items()
            },
            "anonymous_map": dict(self.anonymous_map),
            "limitations": list(self.limitations),
            "grounding": dict(self.grounding),
            "error": self.error.to_json() if self.error else None,
        }
