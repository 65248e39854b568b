"""Any order of editing, running, keeping and restoring, held against a model that knows what must be where."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.integration.experiment.lab import LOCKS, Bench, laboratory
from tests.repositories import ISOLATED, Sandbox

from assay.adapters.clock import SystemClock
from assay.adapters.process.runner import LocalRunner
from assay.core.experiment_errors import RestoreConflictError

TRACKED = ("src/model.py", "src/kernel.py", "a b.txt")
NEW = ("src/new.py", "out/deep/er.log", "line\nend.txt", "ümlaut.txt")
ARTEFACTS = ("autoresearch.jsonl", "autoresearch.hooks/be fore.sh", ".auto/log.jsonl")
IGNORED = ("build/cache.bin", "build/deep/x.o")
MINE = ("todo.txt", "notes/mine.md")

contents = st.binary(max_size=12).map(lambda data: data + b"\n")


class Loop(RuleBasedStateMachine):
    """One repository, one session. `files` is what the tree must hold, `committed` what HEAD must."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.saved_environment = dict(os.environ)
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            del os.environ[name]
        os.environ.update(ISOLATED)
        (self.folder / LOCKS).mkdir(mode=0o700)
        self.runner = LocalRunner(str(self.folder / LOCKS), clock=SystemClock())
        self.values: dict[str, float] = {}
        self.best: tuple[float, str] | None = None
        self.pending: str | None = None
        self.loss = 100.0

    @initialize(mine=st.sets(st.sampled_from(MINE)))
    def begin(self, mine: set[str]) -> None:
        repo = Sandbox(self.folder / "repo")
        start: dict[str, str | bytes | None] = {path: f"{path}\n" for path in (*TRACKED, ARTEFACTS[0])}
        repo.commit({**start, ".gitignore": "build/\n", "metrics.txt": "METRIC loss=100\n"})
        repo.git("checkout", "-q", "-b", "experiment/try")
        repo.write(dict.fromkeys(mine, "mine\n"))
        self.mine = dict.fromkeys(mine, b"mine\n")
        self.bench = Bench(repo, laboratory(repo.root, self.runner, self.folder / LOCKS))
        self.bench.begin()
        self.base = self.bench.head
        self.ignored: dict[str, bytes] = {}

    @rule(path=st.sampled_from((*TRACKED, *NEW, *ARTEFACTS)), content=contents)
    def edit(self, path: str, content: bytes) -> None:
        if not (self.bench.repo.root / path).is_dir():
            self.bench.write({path: content})

    @rule(path=st.sampled_from(TRACKED))
    def delete(self, path: str) -> None:
        if (self.bench.repo.root / path).is_file():
            (self.bench.repo.root / path).unlink()

    @rule(path=st.sampled_from(TRACKED))
    def replace_by_a_folder(self, path: str) -> None:
        file = self.bench.repo.root / path
        if file.is_file():
            file.unlink()
            self.bench.write({f"{path}/inside.txt": "deep\n"})

    @rule(path=st.sampled_from(TRACKED))
    def make_executable(self, path: str) -> None:
        if (self.bench.repo.root / path).is_file():
            (self.bench.repo.root / path).chmod(0o755)

    @rule()
    def stage(self) -> None:
        names = [path for path in (*TRACKED, *NEW, *ARTEFACTS) if (self.bench.repo.root / path).is_file()]
        self.bench.repo.git("add", "--", *names)

    @rule(path=st.sampled_from(IGNORED), content=contents)
    def build(self, path: str, content: bytes) -> None:
        self.bench.write({path: content})
        self.ignored[path] = content

    @precondition(lambda self: self.pending is None)
    @rule(loss=st.integers(1, 200))
    def run(self, loss: int) -> None:
        self.loss = float(loss)
        self.bench.write({"metrics.txt": f"METRIC loss={loss}\n"})
        self.pending = self.bench.run("cat", "metrics.txt").run

    @precondition(lambda self: self.pending)
    @rule()
    def keep(self) -> None:
        before, run = self.bench.head, self.pending or ""
        tree = self.tree_now()
        left = set(self.bench.changed())
        result = self.bench.log(run, "keep")
        assert result.kept is not None
        if result.kept.commit:
            assert self.bench.repo.git("rev-parse", "HEAD^") == before
        assert {line[3:] for line in self.bench.changed()} <= {line[3:] for line in left}
        assert self.tree_now() == tree
        if self.best is None or self.loss < self.best[0]:
            self.best = (self.loss, run)
        self.pending = None

    @precondition(lambda self: self.pending)
    @rule(outcome=st.sampled_from(["discard", "checks_failed", "errored"]), back=st.booleans())
    def restore(self, outcome: str, back: bool) -> None:
        baseline = self.base if back else self.bench.head
        run, before = self.pending or "", self.tree_now()
        head = self.bench.head
        self.pending = None
        try:
            result = self.bench.log(run, outcome, baseline=baseline)
        except RestoreConflictError:
            wanted = self.tree_of(baseline)
            assert any(mine.startswith(f"{path}/") or path.startswith(f"{mine}/") for mine in self.mine for path in wanted)
            assert (self.bench.head, self.tree_now()) == (head, before)
            return
        assert result.restored is not None
        assert self.bench.head == baseline
        committed = self.tree_of(baseline)
        now = self.tree_now()
        for path in committed.keys() | now.keys():
            if path in ARTEFACTS:
                assert path not in before or now.get(path) == before[path]
            elif path in self.mine:
                assert now[path] == before[path]
            else:
                assert now.get(path) == committed.get(path), path
        self.assert_saved(result.restored.discarded, before, now)

    def assert_saved(self, ref: str | None, before: dict[str, Any], now: dict[str, Any]) -> None:
        """Every byte that is no longer where it was is in the commit that the output names."""
        lost = {path: facts for path, facts in before.items() if now.get(path) != facts}
        saved = self.tree_of(ref) if ref else {}
        assert {path: saved.get(path) for path in lost} == lost

    @precondition(lambda self: self.pending is None)
    @rule()
    def next_segment(self) -> None:
        self.bench.begin()
        self.best = None
        self.mine |= dict.fromkeys(self.bench.lab.tree.untracked(), b"") if self.bench.lab.tree else {}

    @invariant()
    def holds(self) -> None:
        if not hasattr(self, "bench"):
            return
        assert [one.seq for one in self.bench.journal.records] == list(range(1, len(self.bench.journal.records) + 1))
        assert self.bench.repo.git("stash", "list") == ""
        assert {path: self.bench.read(path) for path in self.ignored} == self.ignored
        assert (self.bench.state.best.run if self.bench.state.best else None) == (self.best[1] if self.best else None)
        assert not (self.bench.repo.root / ".git/index.lock").exists()
        assert self.bench.live == []
        assert self.bench.repo.git("fsck", "--no-dangling", "--no-progress") == ""

    def tree_now(self) -> dict[str, tuple[bytes, bool]]:
        """The files that git could know of, with their content and whether they can be executed."""
        names = self.bench.repo.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        files = {name: self.bench.repo.root / name for name in names if name and not name.startswith(".assay/")}
        return {name: (file.read_bytes(), os.access(file, os.X_OK)) for name, file in files.items() if file.is_file()}

    def tree_of(self, commit: str) -> dict[str, tuple[bytes, bool]]:
        rows = self.bench.repo.git("ls-tree", "-r", "-z", commit).split("\0")[:-1]
        found = {}
        for row in rows:
            facts, _, name = row.partition("\t")
            mode, _, blob = facts.split(" ")
            content = self.bench.repo.git("cat-file", "blob", blob) + ("\n" if self.ends_with_newline(blob) else "")
            found[name] = (content.encode("utf-8", "surrogateescape"), mode == "100755")
        return found

    def ends_with_newline(self, blob: str) -> bool:
        size = int(self.bench.repo.git("cat-file", "-s", blob))
        return size > len(self.bench.repo.git("cat-file", "blob", blob).encode("utf-8", "surrogateescape"))

    def teardown(self) -> None:
        self.runner.close()
        os.environ.clear()
        os.environ.update(self.saved_environment)
        shutil.rmtree(self.folder, ignore_errors=True)


TestLoop = Loop.TestCase
TestLoop.settings = settings(
    max_examples=12,
    stateful_step_count=14,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
