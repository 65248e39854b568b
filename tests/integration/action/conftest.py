"""`assay action` in a process of its own, on a real checkout, against the stateful fake GitHub."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.hub import Hub
from tests.fakes.github.repository import Pull, Repository
from tests.harness import hangups
from tests.repositories import ISOLATED, Sandbox

CONFIG = """\
version: 1
benchmarks:
  bench:
    run: sh bench.sh
    metric: {name: loss, better: lower}
    timeout: 30s
    warmup: 0
    repeats: {min: 4, max: 4}
    watch: {code: ["*.txt", "extra.sh"], harness: [bench.sh]}
"""
BENCH = '. ./extra.sh\nsed "s/^/METRIC /" metrics.txt\n'
PROJECT = {".github/assay.yml": CONFIG, "bench.sh": BENCH, "extra.sh": "", "metrics.txt": "loss=120\n", "README.md": "lab\n"}


@dataclass(frozen=True)
class Done:
    """A finished step: its code, its log, and what it left for the runner."""

    code: int
    out: str
    err: str
    outputs: Mapping[str, str]
    summary: str

    @property
    def log(self) -> str:
        return self.out + self.err


@dataclass
class Step:
    """A job on ada/lab. What `env` holds goes over the environment that a runner would give."""

    hub: Hub
    folder: Path
    author: Sandbox
    remote: Repository
    token: str = ""
    env: dict[str, str] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.folder / "work"

    def branch(self, name: str, files: Mapping[str, str | None], start: str = "main") -> str:
        """A branch on the forge with one commit more than `start`; its sha. The author's own checkout moves to it."""
        self.author.git("checkout", "-q", "-B", name, start)
        sha = self.author.commit(dict(files), name)
        self.push(name)
        return sha

    def push(self, name: str, to: Repository | None = None) -> None:
        target = to or self.remote
        self.author.git("push", "-q", "--force", str(target.path), f"{name}:refs/heads/{name}")
        self.remote.sync()

    def checkout(self, ref: str, *options: str) -> None:
        """What actions/checkout with `fetch-depth: 0` leaves: all branches, and the ref of the event, detached."""
        if not self.workspace.exists():
            self.author.git("clone", "-q", *options, f"file://{self.remote.path}", str(self.workspace), cwd=self.folder)
        fetched = ("--depth=1",) if "--depth=1" in options else ()
        self.author.git("fetch", "-q", *fetched, "origin", f"+{ref}:refs/remotes/{ref.removeprefix('refs/')}", cwd=self.workspace)
        if "--depth=1" not in options:
            self.author.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*", cwd=self.workspace)
        self.author.git(
            "checkout", "-q", "--detach", "FETCH_HEAD" if fetched else f"refs/remotes/{ref.removeprefix('refs/')}", cwd=self.workspace
        )

    def pull_request(self, pull: Pull, action: str = "synchronize") -> Mapping[str, Any]:
        """The payload of the event, as far as anybody reads it."""
        self.remote.sync()
        head = pull.head.full_name if pull.head else None
        return {
            "action": action,
            "number": pull.number,
            "pull_request": {
                "head": {"sha": pull.head_sha, "ref": pull.head_ref, "repo": {"full_name": head} if head else None},
                "base": {"sha": pull.base_sha, "ref": pull.base_ref, "repo": {"full_name": self.remote.full_name}},
            },
            "repository": {"private": True},
            "sender": {"login": "ada"},
        }

    def on_pull(self, pull: Pull, action: str = "synchronize", **inputs: str) -> Done:
        """Check out the merge commit, as the default checkout does, and run the action."""
        payload = self.pull_request(pull, action)
        self.checkout(f"refs/pull/{pull.number}/merge")
        return self.run("pull_request", payload, **inputs)

    def start(self, event: str, payload: object, **inputs: str) -> subprocess.Popen[str]:
        """The step's process, with the variables that a runner sets."""
        files = {name: self.folder / name for name in ("output", "summary", "env", "path", "state")}
        for path in files.values():
            path.write_bytes(b"")
        text = payload if isinstance(payload, str) else json.dumps(payload)
        (self.folder / "event.json").write_text(text, encoding="utf-8")
        with hangups.heard():
            return subprocess.Popen(
                [sys.executable, "-m", "assay", "action"],
                cwd=self.workspace if self.workspace.exists() else self.folder,
                env={**self._runner(files, event), **{f"INPUT_{name.upper().replace('_', '-')}": value for name, value in inputs.items()}},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )

    def run(self, event: str, payload: object, **inputs: str) -> Done:
        process = self.start(event, payload, **inputs)
        return self.finish(process)

    def finish(self, process: subprocess.Popen[str]) -> Done:
        out, err = process.communicate(timeout=120)
        assert "Traceback (most recent call last)" not in out + err, out + err
        assert self.token not in out + err
        written = (self.folder / "output").read_text(encoding="utf-8")
        return Done(process.returncode, out, err, outputs_of(written), (self.folder / "summary").read_text(encoding="utf-8"))

    def stored(self, kind: str = "runs") -> list[dict[str, Any]]:
        """The envelopes on the data branch of the forge, oldest first."""
        where = f"--git-dir={self.remote.path}"
        if not self.author.git(where, "for-each-ref", "refs/heads/assay-data"):
            return []
        names = self.author.git(where, "ls-tree", "-r", "--name-only", "assay-data", f"{kind}/").splitlines()
        return [json.loads(self.author.git(where, "show", f"assay-data:{name}")) for name in names]

    def _runner(self, files: Mapping[str, Path], event: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        return {
            **kept,
            **ISOLATED,
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "PYTHONPATH": str(Path(__file__).parents[3] / "src"),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_REPOSITORY": self.remote.full_name,
            "GITHUB_API_URL": self.hub.url,
            "GITHUB_SERVER_URL": self.hub.server_url,
            "GITHUB_RUN_ID": "4711",
            "RUNNER_ENVIRONMENT": "github-hosted",
            "GITHUB_OUTPUT": str(files["output"]),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "GITHUB_ENV": str(files["env"]),
            "GITHUB_PATH": str(files["path"]),
            "GITHUB_STATE": str(files["state"]),
            "INPUT_GITHUB-TOKEN": self.token,
            **self.env,
        }


def outputs_of(text: str) -> dict[str, str]:
    """The outputs in a file of the runner's protocol, read as the runner reads it."""
    found, lines = {}, iter(text.splitlines())
    for line in lines:
        name, _, mark = line.partition("<<")
        value: list[str] = []
        for inner in lines:
            if inner == mark:
                break
            value.append(inner)
        found[name] = "\n".join(value)
    return found


@pytest.fixture
def step(hub: Hub, tmp_path: Path) -> Step:
    """A repository on the fake with a benchmark on main, and nothing checked out yet."""
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    author = Sandbox(tmp_path / "author")
    author.commit(PROJECT, "first")
    remote = hub.create_repository("ada/lab", author.root)
    remote.collaborators["bob"] = "write"
    return Step(hub, tmp_path, author, remote, hub.job_token(remote, {"contents": "write", "pull-requests": "write", "checks": "write"}))
