"""A laboratory of real adapters: real git, real processes, a store and locks of its own."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.experiments import config
from tests.fakes.observer import RecordingObserver
from tests.repositories import Sandbox

from assay.adapters.clock import SystemClock
from assay.adapters.git.experiment_tree import GitTree
from assay.adapters.hook_scripts import HookScripts
from assay.adapters.live_runs import BoxExclusion, BoxHandles
from assay.adapters.log_folder import LogFolder
from assay.adapters.process.runner import LocalRunner
from assay.adapters.session_files import DirectorySessions
from assay.adapters.spared_files import SparedList
from assay.app.experiment import Begun, begin, status
from assay.app.experiment_log import LogRequest, LogResult, log
from assay.app.experiment_run import Ran, RunRequest, run
from assay.app.laboratory import Laboratory, find_session
from assay.cli.experiment_house import environment
from assay.core.config import GitConfig
from assay.core.experiment import Journal
from assay.core.experiment_state import SessionState
from assay.core.model import Outcome

SAY = "import pathlib; print(pathlib.Path('metrics.txt').read_text())"
LOCKS = "locks"


@dataclass
class Bench:
    """A repository on the branch `experiment/try` with a benchmark that prints metrics.txt, and what may be done in it."""

    repo: Sandbox
    lab: Laboratory
    session: str = ""

    def begin(self, name: str = "try", **settings: Any) -> Begun:
        begun = begin(self.lab, name, None, config(**settings))
        self.session = begun.journal.id
        return begun

    def run(self, *command: str, **asked: Any) -> Ran:
        return run(self.lab, RunRequest(self.session, command or (sys.executable, "-I", "-S", "-c", SAY), **asked))

    def log(self, run_id: str, outcome: str, **asked: Any) -> LogResult:
        return log(self.lab, LogRequest(self.session, run_id, Outcome(outcome), **asked))

    def tried(self, loss: float, outcome: str, files: dict[str, str | bytes | None] | None = None, **asked: Any) -> LogResult:
        """Change files, run, log."""
        self.write({"metrics.txt": f"METRIC loss={loss}\n", **(files or {})})
        return self.log(self.run().run, outcome, **asked)

    def write(self, files: dict[str, str | bytes | None]) -> None:
        self.repo.write(files)

    def read(self, path: str) -> bytes | None:
        file = self.repo.root / path
        return file.read_bytes() if file.is_file() else None

    @property
    def journal(self) -> Journal:
        return find_session(self.lab.sessions, self.session)

    @property
    def state(self) -> SessionState:
        return SessionState(self.journal)

    @property
    def live(self) -> list[tuple[str, bool]]:
        return [(one.handle, one.active) for one in status(self.lab, self.session).live]

    @property
    def head(self) -> str:
        return self.repo.git("rev-parse", "HEAD")

    def changed(self) -> list[str]:
        """What git says is changed, but for our own folder."""
        lines = self.repo.git("status", "--porcelain=v1", "-z", "--untracked-files=all").split("\0")
        return sorted(line for line in lines if line and not line[3:].startswith(".assay/"))

    def with_git(self, **settings: Any) -> "Bench":
        """The same under other settings of the section `git`."""
        return replace(self, lab=replace(self.lab, git=GitConfig.model_validate(settings)))


def laboratory(folder: Path, runner: LocalRunner, locks: Path) -> Laboratory:
    """A laboratory around a folder, as the command builds one."""
    tree = GitTree.around(str(folder))
    home = Path(tree.root, ".assay")
    return Laboratory(
        sessions=DirectorySessions(home / "store"),
        tree=tree,
        branches=tree.branch_maker,
        spared=SparedList(home),
        runner=runner,
        handles=BoxHandles(locks),
        exclusion=BoxExclusion(locks),
        clock=SystemClock(),
        observer=RecordingObserver(),
        git=GitConfig(),
        folder=str(folder),
        environment=environment,
        machine=lambda: "linux-x86_64-test",
        logs=LogFolder(home / "logs", "run").session,
        hooks=HookScripts(Path(tree.root), allowed=True).find,
    )


@contextmanager
def bench(sandbox: Sandbox, files: dict[str, str | bytes | None] | None = None) -> Iterator[Bench]:
    """A bench on a repository with one commit on `experiment/try`."""
    standard: dict[str, str | bytes | None] = {
        ".gitignore": "build/\n",
        "metrics.txt": "METRIC loss=100\n",
        "src/model.py": "WIDTH = 8\n",
        "src/kernel.py": "TILE = 16\n",
    }
    sandbox.commit({**standard, **(files or {})})
    sandbox.git("checkout", "-q", "-b", "experiment/try")
    locks = sandbox.root.parent / LOCKS
    locks.mkdir(mode=0o700, exist_ok=True)
    with LocalRunner(str(locks), clock=SystemClock()) as runner:
        yield Bench(sandbox, laboratory(sandbox.root, runner, locks))
