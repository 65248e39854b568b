"""The finished command on real repositories, in a world of its own: HOME, git configuration and environment."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.harness import hangups
from tests.repositories import ISOLATED, Sandbox

CONFIG = """\
version: 1
benchmarks:
  bench:
    run: sh bench.sh
    metric: {name: loss, better: lower}
    timeout: 30s
    repeats: {min: 4, max: 6}
"""
BENCH = 'n=$(cat "$TMPDIR/n" 2>/dev/null || echo 0); echo $((n + 1)) > "$TMPDIR/n"\n. ./extra.sh\nsed "s/^/METRIC /" metrics.txt\n'


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err

    @property
    def result(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.out)
        return parsed

    @property
    def bench(self) -> dict[str, Any]:
        only: dict[str, Any] = self.result["benchmarks"][0]
        return only


@dataclass
class World:
    """A repository and the command, run as a user would run it; `path` is another PATH than that of the tests."""

    folder: Path
    repo: Sandbox
    path: str | None = None

    @property
    def env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        kept |= {"PATH": self.path} if self.path else {}
        source = str(Path(__file__).parents[2] / "src")
        return {**kept, **ISOLATED, "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"), "PYTHONPATH": source}

    def start(
        self, *words: str, cwd: Path | None = None, env: dict[str, str] | None = None, before: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        """The command, running in a session of its own; `before` are words that start it."""
        with hangups.heard():
            return subprocess.Popen(
                [*before, sys.executable, "-m", "assay", *words],
                cwd=cwd or self.repo.root,
                env={**self.env, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )

    def assay(self, *words: str, cwd: Path | None = None, env: dict[str, str] | None = None, before: Sequence[str] = ()) -> Done:
        """Run the command to its end. Never a traceback, whatever it was asked."""
        process = self.start(*words, cwd=cwd, env=env, before=before)
        out, err = process.communicate(timeout=120)
        assert "Traceback (most recent call last)" not in out + err
        return Done(process.returncode, out, err)

    def project(self, metrics: str = "loss=120", **files: str) -> str:
        """The first commit: a benchmark that prints metrics.txt, after running extra.sh."""
        named = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
        return self.repo.commit(
            {".github/assay.yml": CONFIG, "bench.sh": BENCH, "extra.sh": "", "metrics.txt": metrics + "\n", "README.md": "lab\n", **named}
        )

    def change(self, metrics: str = "loss=90", extra: str = "") -> str:
        """A further commit."""
        return self.repo.commit({"metrics.txt": metrics + "\n", "extra.sh": extra})


@pytest.fixture
def world(tmp_path: Path) -> World:
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    return World(tmp_path, Sandbox(tmp_path / "repo"))
