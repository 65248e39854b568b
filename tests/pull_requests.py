"""A repository with a benchmark and a pull request, on the fake GitHub, and the job that it starts."""

from dataclasses import dataclass
from pathlib import Path

from tests.fakes.github import payloads
from tests.fakes.github.hub import Hub
from tests.fakes.github.repository import Pull, Repository
from tests.harness.job import Job
from tests.repositories import Sandbox

CONFIG = """\
version: 1
benchmarks:
  bench:
    run: sh bench.sh
    metric: {name: loss, better: lower}
    timeout: 30s
    repeats: {min: 4, max: 6}
"""
BENCH = '. ./extra.sh\nsed "s/^/METRIC /" metrics.txt\n'
NAME = "ada/lab"
BRANCH = "faster"


@dataclass(frozen=True)
class Proposal:
    """The repository ada/lab on the fake, and a pull request that brings its loss from 120 to 90."""

    hub: Hub
    repo: Repository
    local: Sandbox
    pull: Pull

    @classmethod
    def on(cls, hub: Hub, folder: Path) -> "Proposal":
        local = Sandbox(folder)
        local.commit({".github/assay.yml": CONFIG, "bench.sh": BENCH, "extra.sh": "", "metrics.txt": "loss=120\n"})
        local.git("checkout", "-q", "-b", BRANCH)
        local.commit({"metrics.txt": "loss=90\n"})
        repo = hub.create_repository(NAME, local.root)
        return cls(hub, repo, local, repo.open_pull(BRANCH))

    def push(self, metrics: str = "loss=90", extra: str = "") -> None:
        """A further commit on the pull request's branch; `extra` is shell that the benchmark runs first."""
        self.local.commit({"metrics.txt": metrics + "\n", "extra.sh": extra})
        self.local.git("push", "-q", str(self.repo.path), BRANCH)
        self.repo.sync()

    def job(self, token: str) -> Job:
        """What the pull request, as it is now, starts."""
        return Job(self.hub, self.repo, "pull_request", payloads.pull_request(self.repo, self.pull), token)
