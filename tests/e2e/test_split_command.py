"""`assay plan`, `run` and `report` in processes of their own: three steps to what one check gives."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.repositories import ISOLATED, Sandbox

CONFIG = """\
version: 1
machines:
  big: {runs_on: [self-hosted, gpu], expect: {gpu: A100, count: 8}}
benchmarks:
  bench:
    run: cat out.txt
    metric: {name: loss, better: lower}
    warmup: 0
    repeats: {min: 4, max: 4}
"""
ON_BIG = CONFIG + "    machine: big\n"


def assay(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "PYTHONPATH": str(Path(__file__).parents[2] / "src"), **ISOLATED}
    return subprocess.run(
        [sys.executable, "-m", "assay", *words], check=False, cwd=folder, env=env, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def project(tmp_path: Path) -> Sandbox:
    one = Sandbox(tmp_path / "project")
    one.commit({".github/assay.yml": CONFIG, "out.txt": "METRIC loss=120\n"})
    one.commit({"out.txt": "METRIC loss=150\n"})
    return one


def test_three_steps_come_to_the_verdict_of_a_check(project: Sandbox) -> None:
    planned = assay(project.root, "plan", "--base", "HEAD~1", "--json")
    assert planned.returncode == 0, planned.stderr
    (cell,) = json.loads(planned.stdout)["include"]
    assert cell["benchmark"] == "bench"
    assert assay(project.root, "run", "--benchmark", "bench").returncode == 0
    reported = assay(project.root, "report", "--json")
    assert reported.returncode == 1, reported.stderr
    (one,) = json.loads(reported.stdout)["benchmarks"]
    assert (one["status"], one["outcome"], one["comparisons"][0]["verdict"]) == ("measured", "discard", "regressed")
    checked = assay(project.root, "check", "--base", "HEAD~1", "--json")
    assert json.loads(checked.stdout)["benchmarks"][0]["status"] == "reused"
    assert project.git("status", "--porcelain") == ""


def test_another_machine_than_expected_is_a_cell_that_failed(project: Sandbox) -> None:
    project.commit({".github/assay.yml": ON_BIG, "out.txt": "METRIC loss=160\n"})
    planned = assay(project.root, "plan", "--base", "HEAD~1", "--json")
    assert json.loads(planned.stdout)["include"][0]["runs_on"] == ["self-hosted", "gpu"]
    ran = assay(project.root, "run", "--benchmark", "bench", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["state"] == "failed"
    reported = assay(project.root, "report")
    assert reported.returncode == 4
    assert "GPU A100 is expected" in reported.stdout + reported.stderr


@pytest.mark.parametrize("words", [("run",), ("run", "-b", "a", "-b", "b"), ("run", "-b", "bench"), ("report",)])
def test_a_step_without_the_one_before_it_says_what_to_do(project: Sandbox, words: tuple[str, ...]) -> None:
    done = assay(project.root, *words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "plan" in done.stderr or "Name it" in done.stderr
