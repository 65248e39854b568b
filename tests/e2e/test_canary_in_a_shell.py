"""Secrets of whoever calls `assay` in a shell, and a benchmark that looks for them: on each verb that runs one."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.canaries import CANARY, VARIABLES, look, plant_at_home
from tests.e2e.conftest import Done, World
from tests.repositories import Sandbox

CONFIG = """\
version: 1
benchmarks:
  bench:
    run: sh bench.sh
    metric: {name: loss, better: lower}
    warmup: 0
    repeats: {min: 4, max: 4}
"""
WITH_FD = ("sh", "-c", 'exec 9<"$0"; exec "$@"')


@pytest.fixture
def exposed() -> Iterator[World]:
    """A checkout that every account can pass into, with a canary wherever its owner may keep a secret."""
    folder = Path(tempfile.mkdtemp(prefix="assay-shell-", dir="/var/tmp"))
    folder.chmod(0o755)
    for name in ("home", "tmp", "temp"):
        (folder / name).mkdir()
    (folder / "tmp").chmod(0o1777)
    world = World(folder, Sandbox(folder / "repo"), path="/usr/local/bin:/usr/bin:/bin")
    (folder / "opened").write_text(f"{CANARY}-opened\n", encoding="utf-8")
    (folder / "opened").chmod(0o600)
    plant_at_home(folder / "home")
    bench = "sh look.sh\nsed 's/^/METRIC /' metrics.txt\n"
    script = look(folder, world.repo.root)
    world.repo.commit({".github/assay.yml": CONFIG, "bench.sh": bench, "look.sh": script, "metrics.txt": "loss=120\n"})
    world.repo.commit({"metrics.txt": "loss=100\n"})
    world.repo.git("config", "http.https://github.com/.extraheader", f"AUTHORIZATION: basic {CANARY}")
    yield world
    shutil.rmtree(folder)


def call(world: World, *words: str) -> Done:
    return world.assay(*words, env={name: f"{CANARY}-{name}" for name in VARIABLES}, before=(*WITH_FD, str(world.folder / "opened")))


def runs_below(folder: Path) -> list[dict[str, Any]]:
    found = [json.loads(path.read_text()) for path in folder.rglob("*.json")]
    return [run for one in found for run in (one.get("runs", []) or [one]) if run.get("schema") == "assay.run/1"]


@pytest.mark.parametrize("verb", ["check", "run", "selftest"])
def test_a_canary_is_found_by_no_benchmark_and_kept_in_no_file(exposed: World, verb: str) -> None:
    if verb == "run":
        assert call(exposed, "plan", "--base", "HEAD~1").code == 0
    words = {"check": ("check", "--base", "HEAD~1"), "run": ("run", "--benchmark", "bench"), "selftest": ("selftest", "--aa", "1")}[verb]
    done = call(exposed, *words)
    assert done.code == 0, done.text
    folders = [exposed.repo.root / name for name in (".assay", "assay-handover")]
    runs = [run for folder in folders for run in runs_below(folder)]
    samples = [one for run in runs for one in run["samples"]]
    assert {one["value"] for one in samples if one["metric"] == "control"} == {1.0}  # the search does find what is there
    if os.geteuid() == 0:
        assert {run["isolation"]["account"].split()[0] for run in runs} == {"uid"}
        assert {one["value"] for one in samples if one["metric"] == "leaks"} == {0.0}
    texts = [done.text, *(path.read_text(errors="replace") for folder in folders for path in folder.rglob("*") if path.is_file())]
    assert not [text[:200] for text in texts if CANARY in text]
