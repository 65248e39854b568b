"""The few members of a stored record that an index needs, read without the rest: a quarter of the cost of the whole.

A header says where a record belongs, never that it is sound. Whoever uses a record reads it whole.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class _Header(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class MachineHeader(_Header):
    """Of the machine its class."""

    machine_class: str


class RunHeader(_Header):
    """What the runs of a store are asked by."""

    schema_: Literal["assay.run/1"] = Field(alias="schema")
    run_id: str
    benchmark: str
    commit: str
    machine: MachineHeader
    model: str
    precision: str
    status: str
    created_at: str


class DecisionHeader(_Header):
    """What the decisions of a store are asked by."""

    schema_: Literal["assay.decision/1"] = Field(alias="schema")
    decision_id: str
    head_run: str | None


def run_header(data: bytes) -> RunHeader | None:
    """The header of a run's envelope, None where the bytes have none: the whole reader can say why."""
    try:
        return RunHeader.model_validate_json(data)
    except ValidationError:
        return None


def decision_header(data: bytes) -> DecisionHeader | None:
    """The header of a decision, None where the bytes have none."""
    try:
        return DecisionHeader.model_validate_json(data)
    except ValidationError:
        return None
