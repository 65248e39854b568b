"""The one place where effects leave the house."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from assay.core.effects import Effect, RecordDecision, RecordRun, WriteReport
from assay.errors import InfrastructureError
from assay.ports import Reports, Store


@dataclass(slots=True)
class Applied:
    """What came of the effects: where each file now is, by name, and what could not be done."""

    paths: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def apply(effects: Iterable[Effect], store: Store, reports: Reports) -> Applied:
    """Apply effects in order. Failures are collected, for none of these may change a decision."""
    applied = Applied()
    for effect in effects:
        try:
            _apply_one(effect, store, reports, applied)
        except InfrastructureError as error:
            applied.failures.append(f"{error.message} {error.hint}".strip())
            _keep_elsewhere(effect, reports, applied)
    return applied


def _apply_one(effect: Effect, store: Store, reports: Reports, applied: Applied) -> None:
    match effect:
        case RecordRun(run):
            applied.paths[run.run_id] = store.add_run(run)
        case RecordDecision(decision):
            applied.paths[decision.decision_id] = store.add_decision(decision)
        case WriteReport(name, text):
            applied.paths[name] = reports.write(name, text)
        case _:
            assert_never(effect)


def _keep_elsewhere(effect: Effect, reports: Reports, applied: Applied) -> None:
    """A run that the store refuses goes beside the reports, whence `assay store import` can take it."""
    if not isinstance(effect, RecordRun):
        return
    name = f"unstored-{effect.run.run_id}.json"
    try:
        applied.paths[name] = reports.write(name, effect.run.to_json())
        applied.failures.append(f"The run {effect.run.run_id} was kept as {applied.paths[name]} instead.")
    except InfrastructureError as error:
        applied.failures.append(f"{error.message} {error.hint}".strip())
