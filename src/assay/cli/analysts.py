"""Who analyses: the adapters behind the routes of the config, put together with their keys."""

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.process.runner import LocalRunner
    from assay.analysis_ports import Analyst
    from assay.app.check import Checked
    from assay.app.explain import Explainer
    from assay.app.house import House
    from assay.app.panel import Desk, Panel
    from assay.cli.job_parts import Site
    from assay.core.config import Config, FusionConfig
    from assay.core.fusion.events import AnalysisEvent
    from assay.core.fusion.routes import Route
    from assay.ports import Clock, Observer, Store

FOLDER = "analyses"
AT_ONCE = 32
"""So many programs may answer at a time: those of one analysis all have to."""


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


class Unheard:
    """Satisfies `ports.Observer`: what takes no time needs no telling."""

    def note(self, event: object) -> None:
        pass


def explainer(
    config: "Config",
    repo: "GitRepo",
    stack: ExitStack,
    clock: "Clock",
    observer: "Observer",
    keys: Keys,
    routes: tuple[str, ...] = (),
    store: "Store | None" = None,
) -> "Explainer":
    """What a check has its results explained by. `routes` stand in for those of the config."""
    from assay.app.explain import Explainer

    fusion = config.fusion
    panel = panel_of(fusion, routes)
    desk = desk_of(fusion, repo.root, stack, clock, observer if panel.durable else Unheard(), keys)
    return Explainer(panel, desk, repo, config, keys.secrets, store)


def explained(
    checked: "Checked", config: "Config", repo: "GitRepo", house: "House", stack: ExitStack, variables: Mapping[str, str]
) -> "Checked":
    """The same check with its analyses, where the config wants some and there is something to analyse.

    `variables` are those of the job, from which the keys come.
    """
    from assay.core.events import Remark
    from assay.core.model import Status

    if not config.fusion.enabled or all(one.status is Status.SKIPPED for one in checked.result.benchmarks):
        return checked
    found = explainer(config, repo, stack, house.clock, house.observer, Keys(variables), store=house.store).explain(checked)
    for remark in found.remarks:
        house.observer.note(Remark(remark))
    return found.checked


def job_explainer(site: "Site", house: "House", config: "Config") -> "Explainer | None":
    """What a job on GitHub has its results analysed by, if it has. Keys go out of our environment before any benchmark runs."""
    from assay.adapters.process.secrets import forget
    from assay.core.credentials import looks_like_credential
    from assay.core.inputs import FusionChoice

    choice = site.inputs.fusion
    if choice is FusionChoice.OFF or not config.fusion.enabled:
        return None
    keys = Keys(dict(os.environ), {"GITHUB_TOKEN": site.inputs.token})
    forget(os.environ, [name for name in (config.fusion.key, *config.fusion.env) if looks_like_credential(name)])
    routes = ("offline",) if choice is FusionChoice.OFFLINE else ()
    return explainer(config, site.repo, site.stack, house.clock, house.observer, keys, routes, house.store)


def panel_of(fusion: "FusionConfig", routes: tuple[str, ...] = ()) -> "Panel":
    """The panel of the config, or of routes that were given instead: one for all, or candidates, evaluator and merger in turn.

    Raises UsageError for routes that make no panel.
    """
    from assay.app.panel import Panel
    from assay.core.fusion.budget import Limits
    from assay.core.fusion.routes import LENSES

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
    judge, scribe = _route(evaluator, candidate=False), _route(merger, candidate=False)
    chosen = tuple(_route(text, candidate=True) for text in candidates)
    return Panel(chosen, judge, scribe, quorum, Limits(fusion.max_input_tokens, fusion.timeout))


def _route(text: str, *, candidate: bool) -> "Route":
    from assay.core.fusion.routes import parse_route

    try:
        return parse_route(text, candidate=candidate)
    except ValueError as error:
        hint = "A route is offline (of a candidate offline:effect, …), openai:MODEL or command:ARGV."
        raise UsageError(f'--routes: "{text}" {error}', hint=hint) from error


def desk_of(fusion: "FusionConfig", root: str, stack: ExitStack, clock: "Clock", observer: "Observer", keys: Keys) -> "Desk":
    """Everything that an analysis in this repository needs of the world. What it starts ends with the stack."""
    from assay.adapters.analysis_store import AnalysisFolders
    from assay.adapters.templates import PackageTemplates
    from assay.app.panel import Desk
    from assay.core.fusion.exchange import INSTRUCTIONS

    templates = PackageTemplates()

    def observe(event: "AnalysisEvent") -> None:
        observer.note(event)

    return Desk(
        analyst=_analysts(fusion, stack, clock, keys),
        analyses=AnalysisFolders(Path(root, ".assay", FOLDER)),
        clock=clock,
        chance=secrets.token_bytes,
        observe=observe,
        instructions={name: templates.load(f"prompts/{name}.md") for name in INSTRUCTIONS},
    )


def _analysts(fusion: "FusionConfig", stack: ExitStack, clock: "Clock", keys: Keys) -> "Callable[[Route], Analyst]":
    """The analyst of a route, with what it needs made when it is first asked for."""
    from assay.core.fusion.routes import Means

    @cache
    def runner() -> "LocalRunner":
        from assay.adapters.process.runner import LocalRunner

        return stack.enter_context(LocalRunner(max_concurrent=AT_ONCE, clock=clock))

    def analyst(route: "Route") -> "Analyst":
        if route.means is Means.COMMAND:
            from assay.adapters.analysts.command import CommandAnalyst, environment

            return CommandAnalyst(route, runner(), environment(keys.environ, fusion.env))
        if route.means is Means.OPENAI:
            from assay.adapters.analysts.openai_server import OpenAIAnalyst, Server

            price = (fusion.price.input, fusion.price.output) if fusion.price else None
            return OpenAIAnalyst(route, Server(keys.get(fusion.key), fusion.key, fusion.base_url, price))
        from assay.adapters.analysts.offline import OfflineAnalyst

        return OfflineAnalyst(route)

    return analyst
