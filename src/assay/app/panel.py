"""What an analysis is made of: who analyses, what of the world they need, what is asked of them, what comes of it."""

from collections.abc import Callable, Mapping
from dataclasses import field

from assay.analysis_ports import Analyses, Analyst
from assay.core.fusion.budget import Limits
from assay.core.fusion.events import AnalysisEvent
from assay.core.fusion.narrative import Narrative
from assay.core.fusion.routes import Route
from assay.core.fusion.shuffle import Chance
from assay.core.fusion.state import Manifest
from assay.core.values import dataclass
from assay.ports import Clock


@dataclass(frozen=True, slots=True)
class Panel:
    """Who analyses: candidates by slot from 1, evaluator, merger, how many candidates must succeed, and what each may take."""

    candidates: tuple[Route, ...]
    evaluator: Route
    merger: Route
    quorum: int
    limits: Limits = field(default_factory=Limits)

    @property
    def durable(self) -> bool:
        """Whether any answer costs something, so that it has to outlive a crash of the machine."""
        return any(route.durable for route in (*self.candidates, self.evaluator, self.merger))

    def to_json(self) -> dict[str, object]:
        """As a manifest has it."""
        return {"candidates": [one.text for one in self.candidates], "evaluator": self.evaluator.text, "merger": self.merger.text}


@dataclass(frozen=True, slots=True)
class Desk:
    """What an analysis needs of the world. `analyst` gives the analyst of a route, `instructions` the texts of `exchange.INSTRUCTIONS`."""

    analyst: Callable[[Route], Analyst]
    analyses: Analyses
    clock: Clock
    chance: Chance
    observe: Callable[[AnalysisEvent], None]
    instructions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be analysed."""

    digest: Mapping[str, object]
    benchmark: str
    run_id: str | None
    panel: Panel


@dataclass(frozen=True, slots=True)
class Fused:
    """A completed analysis. `evaluation` and `merged` are as their files have them, `durable` is whether anything was paid for."""

    narrative: Narrative
    manifest: Manifest
    folder: str
    evaluation: Mapping[str, object]
    merged: str
    durable: bool
