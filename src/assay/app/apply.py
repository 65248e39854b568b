"""The one place where effects leave the house."""

from collections.abc import Iterable
from dataclasses import field
from typing import TypeVar, assert_never

from assay.app.outlet import Outlet
from assay.core.effects import (
    CloseCheck,
    Effect,
    OpenCheck,
    PostComment,
    RecordDecision,
    RecordRun,
    UpdateComment,
    WriteOutput,
    WriteReport,
    WriteSummary,
)
from assay.core.values import dataclass
from assay.errors import InfrastructureError
from assay.forge_ports import JobFiles
from assay.ports import Reports, Store

T = TypeVar("T")


@dataclass(slots=True)
class Applied:
    """What came of the effects: where each file now is, by name, and what could not be done."""

    paths: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Places:
    """Where effects go. Without a forge and a job, as on a machine of one's own, no effect may ask for one."""

    store: Store
    reports: Reports
    outlet: Outlet | None = None
    job: JobFiles | None = None


def apply(effects: Iterable[Effect], store: Store, reports: Reports) -> Applied:
    """Apply the effects of a local check in order; failures are collected."""
    return apply_all(effects, Places(store, reports))


def apply_all(effects: Iterable[Effect], places: Places) -> Applied:
    """Apply effects in order. Failures are collected, for none of these may change a decision."""
    applied = Applied()
    for effect in effects:
        try:
            _apply_one(effect, places, applied)
        except InfrastructureError as error:
            applied.failures.append(f"{error.message} {error.hint}".strip())
            _keep_elsewhere(effect, places.reports, applied)
    return applied


def _apply_one(effect: Effect, places: Places, applied: Applied) -> None:
    match effect:
        case RecordRun(run):
            applied.paths[run.run_id] = places.store.add_run(run)
        case RecordDecision(decision):
            applied.paths[decision.decision_id] = places.store.add_decision(decision)
        case WriteReport(name, text):
            applied.paths[name] = places.reports.write(name, text)
        case OpenCheck() | CloseCheck() | PostComment() | UpdateComment():
            _there(places.outlet).perform(effect)
        case WriteSummary(text):
            _there(places.job).summary(text)
        case WriteOutput(name, value):
            _there(places.job).output(name, value)
        case _:
            assert_never(effect)


def _there(place: T | None) -> T:
    if place is None:
        raise ValueError("an effect for a forge was made where there is none")
    return place


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
