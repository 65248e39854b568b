"""`assay init` in repositories as people have them: it writes what is missing, and never over anything."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.repositories import ISOLATED, Sandbox

SHA = "0123456789abcdef0123456789abcdef01234567"


def init(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "PYTHONPATH": str(Path(__file__).parents[2] / "src"), **ISOLATED}
    command = [sys.executable, "-m", "assay", "init", *words]
    return subprocess.run(command, check=False, cwd=folder, env=env, capture_output=True, text=True, timeout=60)


@pytest.fixture
def project(tmp_path: Path) -> Sandbox:
    one = Sandbox(tmp_path / "project")
    one.commit({"README.md": "mine\n"})
    return one


def test_a_config_and_the_workflows_that_were_asked_for(project: Sandbox) -> None:
    run = 'python "bench 1.py" --n {n} # "quoted"'.replace("{n}", "3")
    done = init(
        project.root, "--run", run, "--metric", "loss", "-w", "forks", "-w", "gpu-comments", "--action", f"me/assay@{SHA}", "--json"
    )
    assert done.returncode == 0, done.stderr
    names = ["assay-fork-report.yml", "assay-fork-run.yml", "assay-gpu-comments.yml"]
    assert sorted(json.loads(done.stdout)["written"]) == [".github/assay.yml", *(f".github/workflows/{name}" for name in names)]
    for name in names:
        text = (project.root / ".github" / "workflows" / name).read_text()
        assert f"uses: me/assay/run@{SHA}" in text
        assert "OWNER/assay/run@" not in text


def test_the_written_config_is_one_that_a_check_takes(project: Sandbox) -> None:
    assert init(project.root, "--run", "echo METRIC loss=1", "--metric", "loss").returncode == 0
    project.commit({}, "config")
    project.commit({"x.txt": "1\n"})
    env = {"PATH": os.environ["PATH"], "HOME": str(project.root.parent), "PYTHONPATH": str(Path(__file__).parents[2] / "src"), **ISOLATED}
    command = [sys.executable, "-m", "assay", "check", "--base", "HEAD~1", "--json"]
    done = subprocess.run(command, check=False, cwd=project.root, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["benchmarks"][0]["name"] == "bench"


def test_what_is_there_stays_as_it_is(project: Sandbox) -> None:
    (project.root / ".github").mkdir()
    (project.root / ".github" / "assay.yml").write_text("mine\n")
    done = init(project.root, "-w", "pull-request", "--json")
    assert json.loads(done.stdout) == {"written": [".github/workflows/assay-pull-request.yml"], "kept": [".github/assay.yml"]}
    assert (project.root / ".github" / "assay.yml").read_text() == "mine\n"
    assert "kept" in init(project.root, "-w", "pull-request").stdout


def test_a_link_is_not_followed(project: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project.root / ".github").symlink_to(tmp_path / "elsewhere")
    done = init(project.root)
    assert done.returncode == 2
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-w", "nosuch"), "gpu-comments"),
        (("--action", "me/assay@v1"), "full commit id"),
        (("-w", "forks", "--action", "me/assay@main"), "full commit id"),
        (("--better", "faster"), "lower or higher"),
        (("--metric", "two words"), "METRIC NAME"),
        (("--run", "x {seed}"), "seed"),
    ],
)
def test_a_wrong_option_writes_nothing_and_says_what_is_right(project: Sandbox, words: tuple[str, ...], says: str) -> None:
    done = init(project.root, *words)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert says in done.stderr
    assert not (project.root / ".github").exists()
