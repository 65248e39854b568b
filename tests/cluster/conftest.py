"""What the tests of clusters share: the command as a user calls it, on a real repository."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.slurm_server import SlurmServer
from tests.cluster.ssh_server import SshServer
from tests.repositories import ISOLATED, Sandbox

SOURCE = str(Path(__file__).parents[2] / "src")


@dataclass
class Lab:
    """A repository whose benchmarks belong on another machine."""

    repo: Sandbox
    variables: dict[str, str] = field(default_factory=dict)

    def start(self, *words: str) -> subprocess.Popen[str]:
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        env = {**kept, **ISOLATED, "HOME": str(self.repo.root.parent), "PYTHONPATH": SOURCE, **self.variables}
        return subprocess.Popen(
            [sys.executable, "-m", "assay", *words],
            cwd=self.repo.root,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def assay(self, *words: str) -> tuple[int, str, str]:
        process = self.start(*words)
        out, err = process.communicate(timeout=180)
        assert "Traceback (most recent call last)" not in out + err
        return process.returncode, out, err

    def stored(self) -> list[dict[str, Any]]:
        """All runs in the store."""
        return [json.loads(path.read_text()) for path in sorted((self.repo.root / ".assay/store/runs").rglob("run-*.json"))]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(Sandbox(tmp_path / "project"))


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmServer]:
    server = SlurmServer(tmp_path_factory.mktemp("slurm"))
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def cluster(lab: Lab, slurm: SlurmServer) -> Lab:
    """The same, on a machine that can send jobs to the cluster."""
    lab.variables["SLURM_CONF"] = str(slurm.conf)
    return lab


@pytest.fixture
def box(tmp_path: Path) -> Iterator[SshServer]:
    """A machine that is reached by ssh."""
    (tmp_path / "sshd").mkdir()
    server = SshServer(tmp_path / "sshd")
    server.prepare()
    server.plug()
    try:
        yield server
    finally:
        server.unplug()


@pytest.fixture
def remote(lab: Lab, box: SshServer) -> Lab:
    """The same, on a machine that reaches the box."""
    lab.variables["ASSAY_SSH_CONFIG"] = str(box.config)
    return lab
