"""`assay reproduce` on a real repository: a run is measured again as it was then, whatever the config and the branch say by now."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import CONFIG, Done, World


@pytest.fixture
def measured(world: World) -> World:
    """A project with a check behind it."""
    world.project()
    world.change("loss=90")
    assert world.assay("check", "--base", "HEAD~1").code == 0
    return world


def head_run(world: World) -> str:
    found = [json.loads(path.read_text()) for path in (world.repo.root / ".assay/store/runs").rglob("run-*.json")]
    head = world.repo.git("rev-parse", "HEAD")
    return next(str(run["run_id"]) for run in found if run["commit"] == head)


def answer(done: Done) -> tuple[str, str]:
    return done.result["answer"], done.result["reason"]


def differing(done: Done) -> set[tuple[str, str]]:
    """What is otherwise, without what could be read neither then nor now: a Python behind a shim."""
    rows: list[dict[str, Any]] = done.result["differences"]
    return {(one["group"], one["what"]) for one in rows if (one["then"], one["now"]) != ("unknown", "unknown")}


def test_a_run_is_reproduced_with_nothing_otherwise(measured: World) -> None:
    run = head_run(measured)
    done = measured.assay("reproduce", run, "--json")
    assert done.code == 0, done.text
    assert answer(done) == ("reproduced", "the numbers are the same to the last digit")
    assert differing(done) == set()
    again = json.loads(next((measured.repo.root / ".assay/store/runs").rglob(f"{done.result['again']}.json")).read_text())
    assert again["commit"] == measured.repo.git("rev-parse", "HEAD")
    assert len(again["samples"]) == len(done.result["comparisons"][0]["base"])
    assert again["reproduce"] == f"assay reproduce {run}"
    assert f"{run} (bench at " in measured.assay("reproduce", run).out


def test_the_command_of_then_is_run_and_what_the_config_says_by_now_is_told(measured: World) -> None:
    run = head_run(measured)
    changed = CONFIG.replace("run: sh bench.sh", "run: 'echo METRIC loss=1'")
    measured.repo.commit({".github/assay.yml": changed, "metrics.txt": "loss=5\n"})
    done = measured.assay("reproduce", run, "--json")
    assert answer(done)[0] == "reproduced", done.text
    assert differing(done) == {("config", "run")}


@pytest.fixture
def number(world: World) -> Path:
    """A file outside the repository that the benchmark prints, with a check behind it: what nobody can see from the commit."""
    file = world.folder / "number"
    file.write_text("METRIC loss=100\n")
    world.project()
    world.repo.commit({"bench.sh": f"cat {file}\n"})
    world.repo.commit({"extra.sh": "# other\n"})
    assert world.assay("check", "--base", "HEAD~1").code == 0
    return file


def test_numbers_that_are_others_than_then_are_told(world: World, number: Path) -> None:
    number.write_text("METRIC loss=150\n")
    done = world.assay("reproduce", head_run(world), "--json")
    assert (done.code, answer(done)[0]) == (1, "differs"), done.text
    assert done.result["comparisons"][0]["head"] == [150.0] * 4


def test_a_run_that_fails_today_is_told(world: World, number: Path) -> None:
    number.unlink()
    done = world.assay("reproduce", head_run(world), "--json")
    assert (done.code, answer(done)[0]) == (1, "failed"), done.text
    assert "benchmark failed" in answer(done)[1]


def test_a_check_of_the_surroundings_runs_nothing(measured: World) -> None:
    run = head_run(measured)
    before = sorted((measured.repo.root / ".assay").rglob("*.log"))
    done = measured.assay("reproduce", run, "--check", "--json")
    assert (done.code, answer(done)[0], done.result["again"]) == (0, "checked", None)
    assert sorted((measured.repo.root / ".assay").rglob("*.log")) == before


def test_a_run_that_is_not_there_says_where_to_look(measured: World) -> None:
    done = measured.assay("reproduce", "run-01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert done.code == 2
    assert "--store" in done.err


def test_a_fork_s_run_is_measured_only_where_that_is_said(measured: World) -> None:
    run = head_run(measured)
    stored = next((measured.repo.root / ".assay/store/runs").rglob(f"{run}.json"))
    stored.write_text(stored.read_text().replace('"trust": "member"', '"trust": "fork"'))
    refused = measured.assay("reproduce", run)
    assert refused.code == 2
    assert "--allow-fork" in refused.err
    assert measured.assay("reproduce", run, "--allow-fork").code == 0
