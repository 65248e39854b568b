"""The record of one attempt, `assay.attempt/1`: what was changed, what came of it, why, and what is to be done next."""

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from assay.core.envelope import RunId, Sha, Stamp
from assay.core.ids import is_id
from assay.core.record import Count, Envelope, Fact
from assay.core.store_layout import ATTEMPT_PREFIX, attempt_path

ATTEMPT_SCHEMA: Final = "assay.attempt/1"
LOCAL: Final = "local"
"""The subject of attempts that belong to no pull request."""


class AttemptStage(StrEnum):
    """What the attempts are for."""

    IMPLEMENTATION = "implementation"
    TUNING = "tuning"
    METHOD = "method"
    ABLATION = "ablation"


class AttemptResult(StrEnum):
    """What came of an attempt."""

    PROGRESS = "progress"
    NO_PROGRESS = "no_progress"
    FAILED = "failed"


class Diagnosis(StrEnum):
    """Why it did not get further."""

    BUG = "bug"
    DIRECTION = "direction"
    ENVIRONMENT = "environment"
    UNCLEAR = "unclear"


def _attempt_id(text: str) -> str:
    if not is_id(ATTEMPT_PREFIX, text):
        raise ValueError("not the id of an attempt")
    return text


Text = Annotated[str, StringConstraints(max_length=500)]


class AttemptEntry(Envelope):
    """An attempt; or a grant of `granted` more of them, which also lets go on after three strikes.

    `subject` is `local`, or the pull request as `pull 12`; `touched` are the declared invariants that the change touches.
    """

    schema_: Literal["assay.attempt/1"] = Field(default=ATTEMPT_SCHEMA, alias="schema")
    attempt_id: Annotated[str, AfterValidator(_attempt_id)]
    created_at: Stamp
    kind: Literal["attempt", "grant"]
    subject: Fact
    benchmark: Fact | None
    stage: AttemptStage | None
    change: Text
    result: AttemptResult | None
    diagnosis: Diagnosis | None
    next_action: Text
    touched: tuple[str, ...]
    commit: Sha | None
    run_id: RunId | None
    granted: Count
    by: Fact

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return attempt_path(self.attempt_id)
