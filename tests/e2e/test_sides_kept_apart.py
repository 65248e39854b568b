"""What a hostile benchmark tries against the other side, and what a careless one does to its own."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.e2e.conftest import CONFIG, World
from tests.environments import INSTALL, make_job, package
from tests.repositories import Sandbox

ROOT = os.geteuid() == 0
OTHERS = 'for tree in "$PWD"/../../*/tree; do [ "$tree" -ef "$PWD" ] || %s; done\n'
FORGERIES = {
    "a tracked file": OTHERS % 'echo loss=500 > "$tree/metrics.txt"',
    "a file more": OTHERS % 'echo > "$tree/sitecustomize.py"',
    "a file less": OTHERS % 'rm "$tree/README.md"',
    "a file put back in time": OTHERS % '{ touch -r "$tree/bench.sh" ref; echo "#" >> "$tree/bench.sh"; touch -r ref "$tree/bench.sh"; }',
    "its home": OTHERS % 'echo > "$tree/../home/.shrc"',
    "its git folder": OTHERS % 'echo > "$tree/../git/HEAD"',
}


@pytest.fixture
def open_world() -> Iterator[World]:
    """A world whose folders another account can pass, as those of a CI job are; a test's own are closed to it."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    (folder / "tmp").chmod(0o1777)
    yield World(folder, Sandbox(folder / "repo"), path="/usr/bin:/bin")
    shutil.rmtree(folder)


def runs(world: World) -> dict[str, dict[str, Any]]:
    """The envelopes of a check, by side."""
    found = [json.loads(path.read_text()) for path in (world.repo.root / ".assay/store/runs").rglob("run-*.json")]
    return {"head" if run["base"] else "base": run for run in found}


@pytest.mark.parametrize("what", FORGERIES)
def test_whoever_changes_the_other_side_gets_no_answer(world: World, what: str) -> None:
    base = world.project()
    world.change("loss=119", extra=FORGERIES[what])
    done = world.assay("check", "--base", base, "--json")
    assert (done.code, done.bench["outcome"], done.bench["conclusion"]) == (0, "pending", "neutral"), done.text
    primary = done.bench["comparisons"][0]
    assert primary["verdict"] == "undecided"
    assert primary["reason"].startswith("sides not isolated: a process of one side changed the other's worktree")
    assert any(text.startswith("While a process of the other side ran") for text in done.bench["warnings"])
    assert runs(world)["head"]["status"] == "degraded"
    assert runs(world)["base"]["dirty"] is (what in {"a tracked file", "a file less", "a file put back in time"})


def test_where_benchmarks_run_as_somebody_else_the_other_side_cannot_be_reached(open_world: World) -> None:
    base = open_world.project()
    open_world.change(
        "loss=119", extra='printf "METRIC reached=%s\\n" $(ls -d "$PWD"/../../*/tree | wc -l)\n' + FORGERIES["a tracked file"]
    )
    done = open_world.assay("check", "--base", base, "--json")
    found = {one["metric"]: one for one in done.bench["comparisons"]}
    if ROOT:
        assert set(found["loss"]["base"]) == {120}
        assert set(found["reached"]["head"]) == {0}
        assert runs(open_world)["base"]["isolation"]["account"].startswith("uid ")
        assert not runs(open_world)["base"]["dirty"]
    else:
        assert "not isolated" in found["loss"]["reason"]


@pytest.mark.parametrize("what", ["echo >> README.md", "rm README.md", "chmod +x README.md", "ln -sf bench.sh README.md"])
def test_who_changes_its_own_tracked_files_is_marked_and_measured_again(world: World, what: str) -> None:
    base = world.project()
    world.change(extra=f"{what}\n")
    done = world.assay("check", "--base", base, "--json")
    assert (done.code, done.bench["outcome"]) == (0, "keep"), done.text
    assert {side: run["dirty"] for side, run in runs(world).items()} == {"base": False, "head": True}
    assert any("README.md" in text and "head" in text for text in done.bench["warnings"])
    assert world.assay("check", "--base", base, "--json").bench["status"] == "measured"


def test_a_tracked_file_that_is_written_anew_with_the_same_content_is_unchanged(world: World) -> None:
    base = world.project()
    world.change(extra="cp README.md copy; rm README.md; mv copy README.md; touch bench.sh\n")
    assert world.assay("check", "--base", base).code == 0
    assert not any(run["dirty"] for run in runs(world).values())


def test_data_behind_a_link_in_an_input_stop_reuse_when_they_change(world: World) -> None:
    base = world.project(_dot_gitignore="data/\n.assay/\n", _dot_github__assay_dot_yml=CONFIG + "    inputs: [data]\n")
    (world.folder / "tokens.bin").write_text("first")
    (world.repo.root / "data").mkdir()
    (world.repo.root / "data/tokens.bin").symlink_to(world.folder / "tokens.bin")
    world.change()
    assert world.assay("check", "--base", base, "--json").bench["status"] == "measured"
    assert world.assay("check", "--base", base, "--json").bench["status"] == "reused"
    (world.folder / "tokens.bin").write_text("other")
    again = world.assay("check", "--base", base, "--json").bench
    assert again["status"] == "measured"
    assert "input data" in again["reuse"]["reasons"][0]["detail"]


CANARY = f"canary{uuid4().hex}"
SPY = f"""\
for file in /proc/[0-9]*/environ "$(dirname "$(cat "$PWD"/../git/objects/info/alternates)")"/config; do
  if grep -aq {CANARY} "$file" 2>/dev/null; then found="$found $file"; fi
done
printf 'METRIC leaks=%s\\n' "$(printf '%s' "$found" | wc -w)"
"""


def leaks(world: World, keys: str = "", **variables: str) -> tuple[set[float], dict[str, Any]]:
    """How many places with a canary each process of head's could read, and the benchmark's result."""
    base = world.project(_dot_github__assay_dot_yml=CONFIG + keys)
    world.change(extra=SPY)
    world.repo.git("config", "http.https://example.com/.extraheader", f"AUTHORIZATION: basic {CANARY}")
    bench = world.assay("check", "--base", base, "--json", env=variables).bench
    return set(next(one["head"] for one in bench["comparisons"] if one["metric"] == "leaks")), bench


def test_a_folder_or_a_cache_that_is_closed_to_others_does_not_make_benchmarks_root(open_world: World) -> None:
    closed = open_world.folder / "home"
    closed.chmod(0o700)
    path = f"{closed}:/usr/bin:/bin"
    found, bench = leaks(open_world, "    cache: [~/.cache/lab]\n", PATH=path, LAB_TOKEN=CANARY, GITHUB_TOKEN=CANARY)
    account = "uid 65534" if ROOT else "the caller's own"
    assert runs(open_world)["head"]["isolation"]["account"] == account
    if ROOT:
        assert found == {0}
        assert any("PATH is without" in text and str(closed) in text for text in bench["warnings"])
        assert any("~/.cache/lab" in text for text in bench["warnings"])
        assert (open_world.repo.root / ".git/config").stat().st_mode & 0o777 == 0o644


def test_benchmarks_that_stay_root_find_no_token_in_our_environment_and_the_report_says_so_first(world: World) -> None:
    found, bench = leaks(world, LAB_TOKEN=CANARY, GITHUB_TOKEN=CANARY, ACTIONS_RUNTIME_TOKEN=CANARY)
    assert found == {1}, "the checkout's own configuration, which nothing can close to its owner"
    if ROOT:
        assert bench["warnings"][0].startswith("Benchmarks run as root and can read whatever root can")


@pytest.mark.parametrize("place", ["world", "open_world"])
def test_two_editable_packages_never_stand_in_for_each_other(place: str, request: pytest.FixtureRequest) -> None:
    """Each side imports its own, by module and by console script, and the job's environment has neither afterwards."""
    world: World = request.getfixturevalue(place)
    job = make_job(world.folder / "job")
    text = CONFIG + f"    setup: {INSTALL}\n"
    bench = 'python -c "import lab_core; print(\'METRIC loss=%d\' % lab_core.LOSS)"\nlab | sed "s/lab /METRIC script=/"\n'
    base = world.repo.commit({".github/assay.yml": text, "bench.sh": bench, ".gitignore": ".assay/\n", **package(120)})
    world.repo.commit(package(90))
    before = job.entries()
    done = world.assay("check", "--base", base, "--json", env={"PATH": f"{job.bin}:/usr/bin:/bin"})
    found = {one["metric"]: (set(one["base"]), set(one["head"])) for one in done.bench["comparisons"]}
    assert found == {"loss": ({120}, {90}), "script": ({120}, {90})}, done.text
    assert (done.code, done.bench["outcome"]) == (0, "keep")
    assert job.entries() == before
    assert {run["isolation"]["own_environment"] for run in runs(world).values()} == {True}


def test_where_root_is_refused_nothing_is_run_as_root(world: World) -> None:
    base = world.project()
    marker = world.folder / "ran"
    world.change(extra=f'touch "{marker}"\n')
    done = world.assay("check", "--base", base, env={"ASSAY_ROOT": "refuse"})
    assert (done.code, marker.exists()) == ((2, False) if ROOT else (0, True)), done.text
    if ROOT:
        assert "Benchmarks run as root" in done.err
        assert "ASSAY_ROOT" in done.err
    wrong = world.assay("check", "--base", base, env={"ASSAY_ROOT": "no"})
    assert (wrong.code, "allow or refuse" in wrong.err) == (2, True)
