"""After foreign code has run, no git call of ours obeys anything that it has planted in the working tree's git folder."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.e2e.conftest import Done, World
from tests.traps import ATTRIBUTES, Traps

BENCH = """\
version: 1
benchmarks:
  bench:
    run: {run}
    metric: {{name: loss, better: lower}}
    repeats: {{min: 2, max: 2}}
    warmup: 0
"""


@pytest.fixture
def traps(world: World, tmp_path: Path) -> Traps:
    world.repo.commit({".gitattributes": ATTRIBUTES, "metrics.txt": "METRIC loss=100\n", "src/a.py": "A = 1\n", "notes.txt": "x\n"})
    world.repo.git("checkout", "-q", "-b", "experiment/try")
    return Traps.lay(tmp_path / "traps", world.repo.root)


class Loop:
    """An experiment whose benchmark plants the traps each time."""

    def __init__(self, world: World, traps: Traps, store: str = "auto") -> None:
        self.world = world
        self.traps = traps
        self.store = ("--store", store)
        self.session = str(self("init", "--name", "try", "--metric", "loss", "--better", "lower").result["session"])

    def __call__(self, *words: str) -> Done:
        done = self.world.assay("experiment", *words, "--json", *self.store, env={"PATH": self.traps.path})
        assert done.code == 0, done.text
        return done

    def run(self, loss: int, files: dict[str, str]) -> str:
        self.world.repo.write({"metrics.txt": f"METRIC loss={loss}\n", **files})
        words = ("run", "--session", self.session, "--json", *self.store, "--", *self.traps.plant)
        done = self.world.assay("experiment", *words, env={"PATH": self.traps.path})
        assert done.code == 0, done.text
        return str(done.result["handle"])

    def log(self, run: str, *words: str) -> Done:
        return self("log", "--session", self.session, "--run", run, *words)


def test_the_traps_are_real(world: World, traps: Traps) -> None:
    world.repo.git("config", "x.y", "z")
    subprocess.run(traps.plant, check=True, capture_output=True)
    subprocess.run(["git", "-c", "alias.status=", "add", "-A"], cwd=world.repo.root, check=False, capture_output=True, env=world.env)
    assert {"fsmonitor", "clean"} & set(traps.sprung) or "process" in traps.sprung
    subprocess.run(["git", "update-ref", "refs/heads/x", "HEAD"], cwd=world.repo.root, check=False, capture_output=True, env=world.env)
    assert "hook reference-transaction" in traps.sprung


@pytest.mark.parametrize("store", ["auto", "branch"])
def test_no_verb_of_an_experiment_uses_the_git_folder_in_which_foreign_code_was(
    world: World, traps: Traps, tmp_path: Path, store: str
) -> None:
    world.repo.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    world.repo.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    loop = Loop(world, traps, store)
    base = world.repo.git("rev-parse", "HEAD")
    kept = loop.log(loop.run(90, {"src/b.py": "B = 1\n"}), "--outcome", "keep").result["commit"]
    assert kept
    assert (
        loop.log(loop.run(500, {"src/a.py": "BAD\n", "src/new.py": "N\n"}), "--outcome", "discard", "--baseline", kept).result[
            "reverted_to"
        ]
        == kept
    )
    loop("status", "--session", loop.session)
    loop("list")
    ledger = loop("export", "--session", loop.session, "--out", str(tmp_path / "ledger.jsonl"))
    assert ledger.code == 0
    loop("archive", "--session", str(loop("import", str(tmp_path / "ledger.jsonl"), "--name", "other").result["session"]))
    refused = world.assay("experiment", "cancel", "run-none", "--json", "--store", store, env={"PATH": traps.path})
    assert refused.code == 2, refused.text
    loop("finalize", "--session", loop.session, "--integration-branch", "main")
    assert traps.calls()
    assert traps.obedient() == []
    assert traps.sprung == []
    assert (world.repo.root / "src/a.py").read_text() == "A = 1\n"
    assert base != kept


def test_a_check_during_which_traps_are_planted_springs_none(world: World, traps: Traps) -> None:
    base = world.repo.commit({".github/assay.yml": BENCH.format(run=json.dumps(traps.asking))})
    world.repo.commit({"src/a.py": "A = 2\n"})
    with traps.planted_on_request():
        done = world.assay("check", "--base", base, "--head", "HEAD", "--json", env={"PATH": traps.path})
    assert done.code in (0, 3), done.text
    assert (world.repo.root / ".git/planted").exists()
    assert traps.sprung == []
    assert traps.obedient() == []
