"""Secrets of whoever calls `assay` in a shell, and a benchmark that looks for them: on each verb that runs one."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
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


ROUTES: dict[str, tuple[tuple[str, ...], ...]] = {
    "check": (("check", "--base", "HEAD~1"),),
    "run": (("plan", "--base", "HEAD~1"), ("run", "--benchmark", "bench")),
    "selftest": (("selftest", "--aa", "1"),),
    "loop": (("loop", "--apply"),),
    "queue work": (("queue", "add", "--baseline", "HEAD"), ("queue", "work")),
}


@pytest.mark.parametrize("route", ROUTES)
def test_a_canary_is_found_by_no_benchmark_and_kept_in_no_file(exposed: World, route: str) -> None:
    said = [call(exposed, *words) for words in ROUTES[route]]
    assert [one.code for one in said] == [0] * len(said), said[-1].text
    unfound(exposed, said)


def test_a_canary_is_not_found_by_what_is_measured_again(exposed: World) -> None:
    assert call(exposed, "check", "--base", "HEAD~1").code == 0
    (head,) = [run for run in runs_below(exposed.repo.root / ".assay" / "store") if run["base"]]
    unfound(exposed, [call(exposed, "reproduce", head["run_id"])])
    assert len(runs_below(exposed.repo.root / ".assay" / "store")) > 2


def unfound(exposed: World, said: Sequence[Done]) -> None:
    folders = [exposed.repo.root / name for name in (".assay", "assay-handover")]
    runs = [run for folder in folders for run in runs_below(folder)]
    samples = [one for run in runs for one in run["samples"]]
    assert {one["value"] for one in samples if one["metric"] == "control"} == {1.0}  # the search does find what is there
    if os.geteuid() == 0:
        assert {run["isolation"]["account"].split()[0] for run in runs} == {"uid"}
        assert {one["value"] for one in samples if one["metric"] == "leaks"} == {0.0}
    texts = [
        *(one.text for one in said),
        *(path.read_text(errors="replace") for folder in folders for path in folder.rglob("*") if path.is_file()),
    ]
    assert not [text[:200] for text in texts if CANARY in text]
