"""What is to be done outside, as frozen values: made by the core, applied in one place (`app.apply`).

Three kinds. *Git* effects (keep, restore, and the records that speak of them) are ordered and abort on failure; *reporting*
effects have their failures collected and never change a decision; *lifecycle* effects belong to their stage.
"""

from dataclasses import dataclass

from assay.core.envelope import Run, StoredDecision


@dataclass(frozen=True, slots=True)
class RecordRun:
    """Store a run's envelope. A failure is told and the envelope kept elsewhere: nothing measured is ever lost."""

    run: Run


@dataclass(frozen=True, slots=True)
class RecordDecision:
    """Store what was decided on two runs."""

    decision: StoredDecision


@dataclass(frozen=True, slots=True)
class WriteReport:
    """Write one file of the report."""

    name: str
    text: str


RecordEffect = RecordRun | RecordDecision
ReportingEffect = WriteReport
Effect = RecordEffect | ReportingEffect
