"""`assay doctor` on real repositories: it finds what was planted, and leaves everything as it is."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.repositories import ISOLATED, Sandbox

CONFIG = "version: 1\nbenchmarks:\n  bench:\n    run: ./bench\n    metric: {name: loss, better: lower}\n"


def doctor(folder: Path, **variables: str) -> tuple[int, dict[str, Any], str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "PYTHONPATH": str(Path(__file__).parents[2] / "src"), **ISOLATED}
    command = [sys.executable, "-m", "assay", "doctor", "--json"]
    done = subprocess.run(command, check=False, cwd=folder, env={**env, **variables}, capture_output=True, text=True, timeout=60)
    return done.returncode, json.loads(done.stdout), done.stderr


def states(report: dict[str, Any]) -> dict[str, str]:
    return {one["check"]: one["state"] for one in report["findings"] if one["state"] != "ok"}


def test_a_sound_repository_is_sound(tmp_path: Path) -> None:
    project = Sandbox(tmp_path / "project")
    project.commit({".github/assay.yml": CONFIG})
    code, report, _ = doctor(project.root)
    assert code == 0, report
    assert set(states(report)) <= {"account"}  # of root, in pytest's own folders
    assert project.git("status", "--porcelain", "--ignored") == ""


def test_what_was_planted_is_found_with_what_mends_it(tmp_path: Path) -> None:
    origin = Sandbox(tmp_path / "origin")
    workflow = "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    permissions: {}\n    steps: [{uses: me/assay/run@main}]\n"
    bad = CONFIG + "    workdir: nowhere\n    inputs: [data/]\n    gpus: 1\n"
    origin.commit({"a": "1"})
    origin.commit({".github/assay.yml": bad, ".github/workflows/a.yml": workflow, ".assay/store/x": "1"})
    origin.git("clone", "-q", "--depth=1", f"file://{origin.root}", str(tmp_path / "clone"), cwd=tmp_path)
    origin.git("config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic c2VjcmV0", cwd=tmp_path / "clone")
    (tmp_path / "event.json").write_text('{"repository": {"private": false}}')
    job = {"GITHUB_ACTIONS": "true", "RUNNER_ENVIRONMENT": "self-hosted", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    code, report, stderr = doctor(tmp_path / "clone", **job)
    assert code == 2
    assert {"config", "inputs", "history", "store", "trigger", "pin", "checkout", "permissions", "credentials", "runner", "gpu"} <= set(
        states(report)
    )
    assert all(one["mend"] for one in report["findings"] if one["state"] != "ok")
    assert "c2VjcmV0" not in json.dumps(report) + stderr


def test_outside_of_any_repository_it_says_so(tmp_path: Path) -> None:
    code, report, _ = doctor(tmp_path)
    assert (code, states(report)["repository"]) == (2, "fail")


def test_a_config_that_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    project = Sandbox(tmp_path / "project")
    project.commit({".github/assay.yml": CONFIG + "    tiemout: 3s\n"})
    code, report, _ = doctor(project.root)
    assert code == 2
    assert "timeout" in json.dumps(report["findings"])
