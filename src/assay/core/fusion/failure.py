"""How an analysis can fail: one typed error with a stable code, and what it cost until then."""

from enum import StrEnum

from assay.core.fusion.usage import Usage
from assay.core.values import dataclass
from assay.errors import InfrastructureError


class Stage(StrEnum):
    """Which part of the work an attempt belongs to."""

    CANDIDATE = "candidate"
    EVALUATION = "evaluation"
    MERGE = "merge"


class Code(StrEnum):
    """Why. The words are stable: manifests keep them and scripts may read them."""

    CONFIG_INVALID = "config_invalid"
    MODEL_UNAVAILABLE = "model_unavailable"
    PROMPT_BUDGET_EXCEEDED = "prompt_budget_exceeded"
    CHILD_SPAWN_FAILED = "child_spawn_failed"
    CHILD_EVENT_INVALID = "child_event_invalid"
    CHILD_EXIT_FAILED = "child_exit_failed"
    CHILD_TIMEOUT = "child_timeout"
    CHILD_OUTPUT_CAP = "child_output_cap"
    CHILD_CANCELLED = "child_cancelled"
    EVALUATION_INVALID = "evaluation_invalid"
    ARTIFACT_ERROR = "artifact_error"
    STATE_TRANSITION_INVALID = "state_transition_invalid"
    ORCHESTRATION_FAILED = "orchestration_failed"


@dataclass(frozen=True, slots=True)
class Spent:
    """What an attempt left behind although it failed: what it cost, and what it had said so far."""

    usage: Usage = Usage()
    partial: str = ""


class AnalysisError(InfrastructureError):
    """An analysis, or one attempt of it, failed. It never touches a decision.

    `transient` and not `child_created` together mean that nothing had begun and that asking again may help.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        hint: str = "",
        transient: bool = False,
        child_created: bool = True,
        spent: Spent | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.transient = transient
        self.child_created = child_created
        self.spent = spent or Spent()
        self.stage: Stage | None = None
        self.slot: int | None = None
        self.attempt: int | None = None

    def at(self, stage: Stage, slot: int | None, attempt: int) -> "AnalysisError":
        """The same error, which now knows where it happened; the first place that is told stands."""
        if self.stage is None:
            self.stage, self.slot, self.attempt = stage, slot, attempt
        return self

    @property
    def where(self) -> str:
        """`candidate 2, attempt 1`; empty where it belongs to no attempt."""
        if self.stage is None:
            return ""
        slot = "" if self.slot is None else f" {self.slot}"
        return f"{self.stage.value}{slot}, attempt {self.attempt}"

    def to_json(self) -> dict[str, object]:
        """As a manifest has it."""
        return {
            "code": self.code.value,
            "message": self.message,
            "stage": self.stage.value if self.stage else None,
            "slot": self.slot,
            "attempt": self.attempt,
            "transient": self.transient,
            "child_created": self.child_created,
        }


def cancelled(message: str = "The analysis was cancelled.", spent: Spent | None = None) -> AnalysisError:
    """The error of work that somebody ended."""
    return AnalysisError(Code.CHILD_CANCELLED, message, spent=spent)
