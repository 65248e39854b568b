"""A repository with a stored run, and the question whether that answers for what is checked out now."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.fakes.runs import ENVIRONMENT, MACHINE, NOW, a_run
from tests.repositories import Sandbox

from assay.adapters.git import GitRepo
from assay.adapters.store_directory import DirectoryStore
from assay.app.record import LOCKFILES
from assay.app.reuse import Content, Lineage
from assay.core.config import Watch
from assay.core.envelope import Run
from assay.core.fingerprint import fingerprints_of
from assay.core.lineage import Needed, ReuseQuestion
from assay.core.model import Rung, Trust
from assay.core.result import LineageKey, ReuseVerdict
from assay.core.window import Classifier

WATCH = Watch(code=("src/**",), harness=("bench/**",), model=("models/**",), config=("configs/**",), environment=("Dockerfile",))
CLASSIFIER = Classifier(WATCH, ("docs/**", "**/*.md"))
FILES: dict[str, str | bytes | None] = {
    "src/kernel.py": "TILE = 16\n",
    "bench/run.py": "print('METRIC val_loss=1')\n",
    "configs/small.ini": "batch = 8\n",
    "docs/notes.md": "notes\n",
    "Makefile": "all:\n",
}


@dataclass
class Scene:
    """A repository of `FILES`, a store, and what is asked."""

    sandbox: Sandbox
    store: DirectoryStore
    question: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, sandbox: Sandbox, root: Path) -> "Scene":
        sandbox.commit(FILES)
        return cls(sandbox, DirectoryStore(root / "store"))

    @property
    def store_root(self) -> Path:
        return self.sandbox.root.parent / "store"

    @property
    def head(self) -> str:
        return self.sandbox.git("rev-parse", "HEAD")

    def measure(self, number: int = 0, *, fingerprints: bool = True, **facts: Any) -> Run:
        """Store a run of the commit that is checked out."""
        repo, commit = GitRepo.discover(str(self.sandbox.root)), self.head
        known = {
            "commit": commit,
            "fingerprints": fingerprints_of(repo.tree_files(commit), CLASSIFIER.through(repo.links(commit))) if fingerprints else "unknown",
            "environment": ENVIRONMENT.with_lockfiles(repo.blobs(commit, LOCKFILES)),
        }
        run = a_run(number, **(known | facts))
        self.store.add_run(run)
        return run

    def ask(self, root: Path | None = None, **changes: Any) -> ReuseVerdict:
        """The verdict for what is checked out in the repository, or in a clone of it."""
        repo = GitRepo.discover(str(root or self.sandbox.root))
        key = LineageKey(repo.resolve("HEAD"), MACHINE.machine_class, "none", "none")
        asked = ReuseQuestion("bench", key, a_run().config.hash, ENVIRONMENT, Needed("val_loss", 4), NOW, 30 * 86400, Trust.MEMBER)
        lineage = Lineage(Content(repo, CLASSIFIER), self.store, replace(asked, **(self.question | changes)))
        found = next(lineage.answers(), None)
        return found[1] if found else lineage.refusal()


def said(verdict: ReuseVerdict, rung: Rung) -> str:
    """All that a rung says against reuse."""
    assert not verdict.reuse
    details = [reason.detail for reason in verdict.reasons if reason.rung is rung]
    assert details, f"no {rung} reason: {verdict.reasons}"
    return "; ".join(details)
