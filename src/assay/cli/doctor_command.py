"""`assay doctor`: looks at the tools, the repository, the config, the workflows and the runner, and says how to mend what is wrong."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError, InfrastructureError, UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.core.checkup import Finding, Surroundings
    from assay.core.config import Config

_VERSION = re.compile(r"(\d+)\.(\d+)")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
MAX_LINE = 600
_SIGNS = {"fail": "✗", "warn": "!", "unknown": "?", "ok": "✓"}


def doctor(*, as_json: bool) -> int:
    """Print what was found, the worst first; 2 where something cannot work, else 0."""
    from assay.core.checkup import State, worst

    order = tuple(State)
    findings = sorted(_findings(), key=lambda one: order.index(one.state))
    state = worst(findings)
    if as_json:
        rows = [{"check": one.check, "state": one.state.value, "what": one.what, "mend": one.mend} for one in findings]
        sys.stdout.write(json.dumps({"state": state.value, "findings": rows}, indent=2) + "\n")
    else:
        sys.stdout.write("".join(map(_shown, findings)))
    return UsageError.exit_code if state is State.FAIL else 0


def _shown(one: "Finding") -> str:
    """For a terminal or a log: names of files, actions and events are the repository's."""
    from assay.core.escape import plain

    first, *further = one.what.split("\n")
    lines = [f"{_SIGNS[one.state]} {one.check}: {plain(first, MAX_LINE)}", *(f"    {plain(line, MAX_LINE)}" for line in further)]
    return "\n".join((*lines, *([f"    → {plain(one.mend, MAX_LINE)}"] if one.mend else ()))) + "\n"


def _findings() -> "Iterator[Finding]":
    from assay.core.checkup import Finding, State, of_job, of_machine

    repo = _repository()
    if repo is None:
        yield Finding("repository", State.FAIL, "This folder is in no git repository.", "cd into your repository, or make one: git init")
    config = None
    if repo is not None:
        yield Finding("repository", State.OK, f"The repository is {repo.root}.")
        config, found = _config(repo)
        yield from found
        yield from _workflows(Path(repo.root))
    facts = _surroundings(repo)
    wants = config is not None and any(one.gpus or "cuda" in one.needs for one in config.benchmarks.values())
    yield from of_machine(facts, wants_gpu=wants)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        yield from of_job(facts)
    yield from _token()


def _token() -> "Iterator[Finding]":
    """Asked of GitHub where there is a token and it is known for which repository."""
    from assay.core.token_checkup import of_token

    names = ("GITHUB_TOKEN", "INPUT_GITHUB-TOKEN", "INPUT_GITHUB_TOKEN")
    token = next((value for name in names if (value := os.environ.get(name, "").strip())), "")
    repository = os.environ.get("GITHUB_REPOSITORY", "")
    if token and _REPOSITORY.fullmatch(repository):
        from assay.adapters.github.rights import rights_of

        yield from of_token(rights_of(token, repository, os.environ.get("GITHUB_API_URL") or "https://api.github.com"))


def _repository() -> "GitRepo | None":
    from assay.adapters.git import GitRepo

    try:
        return GitRepo.discover(os.getcwd())  # noqa: PTH109 - a text, as the ports have it
    except AssayError:
        return None


def _config(repo: "GitRepo") -> "tuple[Config | None, list[Finding]]":
    from assay.adapters.config_file import read_config
    from assay.core.checkup import Finding, State
    from assay.core.config_text import CONFIG_FILE

    try:
        config = read_config(repo.root)
    except AssayError as error:
        return None, [Finding("config", State.FAIL, error.message, error.hint or "")]
    found = [Finding("config", State.OK, f"{CONFIG_FILE} is sound: {', '.join(config.benchmarks)}.")]
    for one in config.benchmarks.values():
        if not Path(repo.root, one.workdir).is_dir():
            what = f"The benchmark {one.name} runs in {one.workdir}, which does not exist."
            found.append(Finding("config", State.FAIL, what, "Mend its `workdir`."))
        for path in one.inputs:
            if not Path(repo.root, path).exists():
                what = f"The input {path} of the benchmark {one.name} does not exist here."
                found.append(Finding("inputs", State.WARN, what, "Make or fetch it, or take it out of `inputs`."))
    return config, found


def _workflows(root: Path) -> "Iterator[Finding]":
    from assay.core.checkup import Finding, State
    from assay.core.workflow_checkup import of_workflow

    files = sorted(path for path in (root / ".github" / "workflows").glob("*.y*ml") if path.is_file())
    found = [one for path in files for one in of_workflow(path.name, path.read_text(encoding="utf-8", errors="replace"))]
    yield from found
    if not found and files:
        yield Finding("workflow", State.OK, "Nothing is wrong with the workflows, as far as Assay goes.")


def _surroundings(repo: "GitRepo | None") -> "Surroundings":
    from assay.adapters.devices.local import LocalDevices
    from assay.adapters.git.persisted import credential_files
    from assay.adapters.machine import LocalMachine
    from assay.adapters.runner_settings import ephemeral
    from assay.core.checkup import Surroundings
    from assay.core.facts import Gpu

    devices = LocalDevices()
    gpu = LocalMachine(os.environ, devices=devices).facts().gpu
    root = Path(repo.root) if repo else Path.cwd()
    count = gpu.count if isinstance(gpu, Gpu) else 0 if gpu == "none" else None
    return Surroundings(
        python=sys.version_info[:2],
        git=_git_version(),
        shallow=repo.shallow if repo else None,
        runtime=_docker_runtime(),
        gpus=count if isinstance(count, int) else None,
        told=devices.library is not None or not devices.present,
        company=sum(len(devices.library.computing(card.bus) or ()) for card in devices.cards) if devices.library else 0,
        held=_held_clocks() if devices.present else (),
        hosted=os.environ.get("RUNNER_ENVIRONMENT") == "github-hosted" if "RUNNER_ENVIRONMENT" in os.environ else None,
        public=_public(),
        ephemeral=ephemeral(os.environ.get("RUNNER_TEMP", "")),
        root=os.geteuid() == 0,
        barrier=_barrier(root),
        tracked=bool(repo and repo.tracks(".assay")),
        credentials=tuple(map(str, credential_files(str(root)))) if repo else (),
        writable=os.access(root / ".assay" if (root / ".assay").exists() else root, os.W_OK | os.X_OK),
    )


def _git_version() -> tuple[int, int] | None:
    from assay.adapters.git.command import in_folder

    if shutil.which("git") is None:
        return None
    found = _VERSION.search(in_folder(os.sep).ask("version").line)
    return (int(found[1]), int(found[2])) if found else None


def _docker_runtime() -> str | None:
    """The default runtime of the Docker here; None where there is no Docker, or no word of it."""
    from assay.adapters.docker_engine import default_runtime

    return default_runtime()


def _held_clocks() -> tuple[str, ...]:
    from assay.adapters.devices.clocks import left_held
    from assay.adapters.process.lock_folder import shared_folder

    try:
        return left_held(shared_folder())
    except InfrastructureError:  # without such a folder nothing was noted
        return ()


def _public() -> bool | None:
    from assay.adapters.event_file import read_event
    from assay.core.event import is_public

    path = os.environ.get("GITHUB_EVENT_PATH")
    try:
        return is_public(read_event(path)) if path else None
    except AssayError:
        return None


def _barrier(root: Path) -> str:
    from assay.adapters.process.privileges import child_account

    return child_account([str(root)])[1]
