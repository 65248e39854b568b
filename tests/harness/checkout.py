"""A workspace as actions/checkout leaves it: depth, branch or merge ref, and where it kept the token."""

import base64
import os
import subprocess
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tests.repositories import ISOLATED


class Credentials(Enum):
    """Where checkout leaves the token: nowhere, in .git/config (to v5), or in a file of the runner's (from v6)."""

    NONE = "none"
    CONFIG = "config"
    INCLUDE = "include"


@dataclass(frozen=True, slots=True)
class Checkout:
    """What to check out. Depth 0 is the whole history with all branches and tags."""

    url: str
    token: str
    ref: str
    sha: str
    depth: int = 1
    credentials: Credentials = Credentials.NONE


def checkout(wanted: Checkout, workspace: Path, runner_temp: Path) -> None:
    """Make the workspace, on a branch for a branch and on a detached HEAD else. Raises CalledProcessError with git's words."""
    workspace.mkdir(parents=True, exist_ok=True)
    header = f"AUTHORIZATION: basic {base64.b64encode(f'x-access-token:{wanted.token}'.encode()).decode()}"
    env = {"PATH": os.environ["PATH"], "HOME": str(runner_temp), **ISOLATED}
    server = wanted.url.rsplit("/", 2)[0]

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", f"safe.directory={workspace.resolve()}", *words], check=True, cwd=workspace, env=env, capture_output=True
        )

    git("init", "-q", "-b", "main")
    git("remote", "add", "origin", wanted.url)
    git("config", "--local", "gc.auto", "0")
    git("config", "--local", f"http.{server}/.extraheader", header)
    local = _local_ref(wanted.ref)
    git("-c", "protocol.version=2", "fetch", "-q", "--no-tags", "--prune", "--no-recurse-submodules", *_fetched(wanted, local))
    branch = wanted.ref.removeprefix("refs/heads/")
    git("checkout", "-q", "--force", *([local] if branch == wanted.ref else ["-B", branch, local]))
    if wanted.credentials is not Credentials.CONFIG:
        git("config", "--local", "--unset-all", f"http.{server}/.extraheader")
    if wanted.credentials is Credentials.INCLUDE:
        kept = runner_temp / "git-credentials-0b5f.config"
        git("config", "--file", str(kept), f"http.{server}/.extraheader", header)
        git("config", "--local", f"includeIf.gitdir:{workspace.resolve()}/.git.path", str(kept))


def _local_ref(ref: str) -> str:
    if ref.startswith("refs/heads/"):
        return f"refs/remotes/origin/{ref.removeprefix('refs/heads/')}"
    return f"refs/remotes/pull/{ref.removeprefix('refs/pull/')}" if ref.startswith("refs/pull/") else ref


def _fetched(wanted: Checkout, local: str) -> list[str]:
    """The last words of checkout's fetch. Among all branches, one of them is there already."""
    one = f"+{wanted.sha}:{local}"
    if wanted.depth:
        return [f"--depth={wanted.depth}", "origin", one]
    whole = ["origin", "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]
    return whole if wanted.ref.startswith("refs/heads/") else [*whole, one]
