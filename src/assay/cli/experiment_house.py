"""Builds what the verbs of `assay experiment` work with, without one question to a git that foreign code could have prepared."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.check_command import FOLDER, refuse_links
from assay.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from assay.adapters.git.experiment_tree import GitTree
    from assay.app.laboratory import Laboratory
    from assay.core.config import Config
    from assay.experiment_ports import Sessions
    from assay.ports import Observer

KEPT_LOGS = 500


def laboratory(stack: ExitStack, store: str, observer: "Observer", folder: str | None = None) -> "Laboratory":
    """The laboratory of the repository around a folder, by default the current one; what it starts ends with the stack."""
    from assay.adapters.clock import SystemClock
    from assay.adapters.hook_scripts import HookScripts
    from assay.adapters.live_runs import BoxExclusion, BoxHandles
    from assay.adapters.log_folder import LogFolder
    from assay.adapters.process.privileges import harden_self
    from assay.adapters.process.runner import LocalRunner
    from assay.adapters.spared_files import SparedList
    from assay.app.laboratory import Laboratory
    from assay.core.config import GitConfig

    harden_self()
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    tree = _tree(where)
    root = tree.root if tree else where
    refuse_links(root)
    config = config_at(root)
    clock = SystemClock()
    return Laboratory(
        sessions=_sessions(store, root, observer),
        tree=tree,
        branches=tree.branch_maker if tree else None,
        spared=SparedList(Path(root, FOLDER)),
        runner=stack.enter_context(LocalRunner(max_concurrent=config.max_concurrent if config else 2, clock=clock)),
        handles=BoxHandles(),
        exclusion=BoxExclusion(),
        clock=clock,
        observer=observer,
        git=config.git if config else GitConfig(),
        folder=where,
        environment=environment,
        machine=_machine,
        logs=LogFolder(Path(root, FOLDER, "logs"), "run", KEPT_LOGS).session,
        hooks=HookScripts(Path(root), allowed=config is not None and config.hooks).find,
    )


def config_at(root: str) -> "Config | None":
    """The config of a tree, None where it has none. Raises ConfigError for what it says wrongly."""
    from assay.adapters.config_file import read_config
    from assay.core.config_text import CONFIG_FILE

    return read_config(root) if os.path.lexists(Path(root, CONFIG_FILE)) else None


@contextmanager
def environment(added: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """The variables of a process, with a home and a temporary folder of its own."""
    from assay.core.environment import child_environment

    try:
        with tempfile.TemporaryDirectory(prefix="assay-run-", ignore_cleanup_errors=True) as folder:
            home, scratch = Path(folder, "home"), Path(folder, "tmp")
            for own in (home, scratch):
                own.mkdir()
            yield child_environment(os.environ, assigned=added, home=str(home), tmp=str(scratch))
    except OSError as error:
        what = f"No temporary folder can be made for the run: {error.strerror or error} ({error.filename})."
        raise InfrastructureError(what, hint="Point TMPDIR to a folder that is writable and has space.") from error


def _tree(where: str) -> "GitTree | None":
    from assay.adapters.git.experiment_tree import GitTree
    from assay.core.experiment_errors import NoRepositoryError

    try:
        return GitTree.around(where)
    except NoRepositoryError:
        return None


def _sessions(store: str, root: str, observer: "Observer") -> "Sessions":
    kind, _, rest = store.partition(":")
    if store == "auto":
        kind = "branch" if os.environ.get("GITHUB_ACTIONS") == "true" else "dir"
    if kind == "branch":
        from assay.adapters.store_branch import locate, token_for
        from assay.core.events import Remark

        place = locate(root, rest)
        return place.open(token_for(place.remote, os.environ), lambda text: observer.note(Remark(text))).sessions
    if kind != "dir" or (store != "auto" and not rest):
        raise UsageError(f"--store is auto, dir:PATH or branch[:NAME], not {store!r}.", hint="For example --store dir:/srv/assay")
    from assay.adapters.store_directory import DirectoryStore

    return DirectoryStore(Path(rest).absolute() if rest else Path(root, FOLDER, "store")).sessions


def _machine() -> str:
    from assay.adapters.machine import LocalMachine

    return LocalMachine(os.environ).facts().machine_class
