"""Who analyses: the adapters behind the routes of the config, put together with their keys."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.app.analyse import Desk, Panel
    from assay.app.explain import Explainer
    from assay.core.config import Config, FusionConfig
    from assay.core.fusion.events import AnalysisEvent
    from assay.core.fusion.routes import Route
    from assay.ports import Analyst, Clock, Observer

FOLDER = "analyses"


@dataclass(frozen=True, slots=True)
class Keys:
    """The environment of the job, and the values in it that nobody may see. `tokens` stand for variables that were forgotten since."""

    environ: Mapping[str, str] = field(repr=False)
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)

    def get(self, name: str) -> str:
        """The value of a variable, empty where there is none."""
        return self.tokens.get(name) or self.environ.get(name, "")

    @property
    def secrets(self) -> tuple[str, ...]:
        from assay.core.credentials import looks_like_credential

        named = (value for name, value in self.environ.items() if looks_like_credential(name))
        return tuple(value for value in (*named, *self.tokens.values()) if value)


def explainer(config: "Config", repo: "GitRepo", clock: "Clock", observer: "Observer", keys: Keys) -> "Explainer":
    """What a check has its results explained by."""
    from assay.app.explain import Explainer

    fusion = config.fusion
    return Explainer(panel_of(fusion), desk_of(repo.root, clock, observer), repo, config, keys.secrets)


def panel_of(fusion: "FusionConfig", routes: tuple[str, ...] = ()) -> "Panel":
    """The panel of the config, or of routes that were given instead: one for all, or candidates, evaluator and merger in turn.

    Raises UsageError for routes that make no panel.
    """
    from assay.app.analyse import Panel
    from assay.core.fusion.budget import Limits
    from assay.core.fusion.routes import LENSES, parse_route

    candidates, evaluator, merger = fusion.candidates, fusion.evaluator, fusion.merger
    if routes == ("offline",):
        candidates, evaluator, merger = tuple(f"offline:{lens}" for lens in LENSES), "offline", "offline"
    elif len(routes) == 1:
        candidates, evaluator, merger = routes * len(candidates), routes[0], routes[0]
    elif routes and len(routes) < 3:
        raise UsageError(
            "--routes takes one route for all, or at least three: candidates, evaluator, merger.",
            hint="For example --routes offline, or --routes openai:gpt-4o-mini",
        )
    elif routes:
        *given, evaluator, merger = routes
        candidates = tuple(given)
    quorum = min(fusion.quorum, len(candidates))
    try:
        parsed = tuple(parse_route(text, candidate=True) for text in candidates)
        judge, scribe = (parse_route(text, candidate=False) for text in (evaluator, merger))
    except ValueError as error:
        raise UsageError(f"--routes: a route {error}", hint="A route is offline:effect, openai:MODEL or command:ARGV.") from error
    return Panel(parsed, judge, scribe, quorum, Limits(fusion.max_input_tokens, fusion.timeout))


def desk_of(root: str, clock: "Clock", observer: "Observer") -> "Desk":
    """Everything that an analysis in this repository needs of the world."""
    from assay.adapters.analysis_store import AnalysisFolders
    from assay.adapters.templates import PackageTemplates
    from assay.app.analyse import Desk
    from assay.core.fusion.exchange import INSTRUCTIONS

    templates = PackageTemplates()

    def observe(event: "AnalysisEvent") -> None:
        observer.note(event)

    return Desk(
        analyst=_analyst,
        analyses=AnalysisFolders(Path(root, ".assay", FOLDER)),
        clock=clock,
        chance=secrets.token_bytes,
        observe=observe,
        instructions={name: templates.load(f"prompts/{name}.md") for name in INSTRUCTIONS},
    )


def _analyst(route: "Route") -> "Analyst":
    from assay.adapters.analysts.offline import OfflineAnalyst

    return OfflineAnalyst(route)
