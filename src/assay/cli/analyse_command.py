"""`assay analyse`: has the decision on a stored run explained, by the analysts of the config or by others."""

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.values import dataclass

if TYPE_CHECKING:
    from assay.app.panel import Fused
    from assay.core.config import Config


@dataclass(frozen=True, slots=True)
class AnalyseOptions:
    """The options of `assay analyse` as they were typed."""

    run: str
    routes: tuple[str, ...] = ()
    config: str | None = None
    store: str = "auto"
    as_json: bool = False


def analyse(options: AnalyseOptions, folder: str | None = None) -> int:
    """Analyse, print the report, and say where its files are; the exit code."""
    from assay.adapters.clock import SystemClock
    from assay.adapters.git import GitRepo
    from assay.adapters.terminal import display_for
    from assay.app.explain import Explainer
    from assay.cli.analysts import Keys, desk_of, panel_of
    from assay.cli.check_command import refuse_links
    from assay.cli.store_command import open_store
    from assay.core.events import Remark

    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    repo = GitRepo.discover(where)
    refuse_links(repo.root)
    config = _config(options, repo.root)
    keys, clock = Keys(os.environ), SystemClock()
    panel = panel_of(config.fusion, options.routes)
    with ExitStack() as stack:
        observer = stack.enter_context(display_for(sys.stderr))
        store = open_store(options.store or "auto", where, os.environ, lambda text: observer.note(Remark(text)))
        desk = desk_of(config.fusion, repo.root, stack, clock, observer, keys)
        explainer = Explainer(panel, desk, repo, config, keys.secrets)
        fused = explainer.explain_run(options.run, store)
        for remark in explainer.keep([fused], store):
            observer.note(Remark(remark))
    _print(fused, as_json=options.as_json)
    return 0


def _config(options: AnalyseOptions, root: str) -> "Config":
    """The config, or the defaults where there is none: a stored run can be explained without."""
    from assay.adapters.config_file import read_config
    from assay.core.config_text import CONFIG_FILE, adhoc_config

    if options.config:
        return read_config(root, options.config)
    return read_config(root) if Path(root, CONFIG_FILE).exists() else adhoc_config("true")


def _print(fused: "Fused", *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(as_document(fused), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")
        return
    from assay.core.fusion.narrative import plain_narrative

    sys.stdout.write(plain_narrative(fused.narrative) + f"Files: {fused.folder}\n")


def as_document(fused: "Fused") -> dict[str, object]:
    """What `--json` prints."""
    manifest = fused.manifest
    return {
        "analysis": manifest.analysis_id,
        "run": manifest.run_id,
        "benchmark": manifest.benchmark,
        "state": manifest.state.value,
        "report": fused.narrative.to_json(),
        "grounding": manifest.grounding,
        "usage": manifest.usage.to_json(),
        "routes": manifest.routes,
        "folder": fused.folder,
    }
