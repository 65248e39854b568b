"""Misconfigurations as people make them, each planted alone in a sound project: `assay doctor` names it and says how to mend it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.hub import Hub
from tests.pull_requests import NAME, Proposal
from tests.repositories import ISOLATED, Sandbox

ROOT = Path(__file__).parents[2]
SHA = "0123456789abcdef0123456789abcdef01234567"
CONFIG = "version: 1\nbenchmarks:\n  bench:\n    run: ./bench\n    metric: {name: loss, better: lower}\n"


@dataclass
class Site:
    """A job in a sound project with every workflow that `assay init` writes; a plant changes one thing of it."""

    project: Sandbox
    hub: Hub
    folder: Path
    files: dict[str, str]
    variables: dict[str, str] = field(default_factory=dict)

    def edit(self, name: str, old: str, new: str) -> None:
        """Change a file of the project."""
        assert old in self.files[name]
        self.files[name] = self.files[name].replace(old, new)

    def doctor(self) -> tuple[int, list[dict[str, Any]]]:
        """The exit code and what was not ok, but for the account, which is that of these tests."""
        self.project.commit(self.files)
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": str(ROOT / "src"), **ISOLATED, **self.variables}
        command = [sys.executable, "-m", "assay", "doctor", "--json"]
        done = subprocess.run(command, check=False, cwd=self.project.root, env=env, capture_output=True, text=True, timeout=60)
        assert done.stderr == ""
        findings = json.loads(done.stdout)["findings"]
        return done.returncode, [one for one in findings if one["state"] != "ok" and one["check"] != "account"]


def workflow(name: str) -> str:
    return f".github/workflows/assay-{name}.yml"


@pytest.fixture
def site(tmp_path: Path, hub: Hub) -> Site:
    proposal = Proposal.on(hub, tmp_path / "local")
    files = {".github/assay.yml": CONFIG, "bench": "echo METRIC loss=1\n"}
    for path in (ROOT / "templates" / "workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8").replace(f"OWNER/assay/run@{'0' * 40}", f"me/assay/run@{SHA}")
        files[workflow(path.stem)] = text
    (tmp_path / "event.json").write_text('{"repository": {"private": false}}')
    (tmp_path / "runner" / "_work" / "_temp").mkdir(parents=True)
    (tmp_path / "runner" / ".runner").write_text('{"ephemeral": true}')
    variables = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": NAME,
        "GITHUB_API_URL": hub.url,
        "GITHUB_TOKEN": hub.job_token(proposal.repo),
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "RUNNER_ENVIRONMENT": "self-hosted",
        "RUNNER_TEMP": str(tmp_path / "runner" / "_work" / "_temp"),
    }
    return Site(Sandbox(tmp_path / "project"), hub, tmp_path, files, variables)


def without_rights(site: Site) -> None:
    site.variables["GITHUB_TOKEN"] = site.hub.job_token(
        site.hub.repositories[NAME], {"contents": "write", "checks": "read", "pull-requests": "write"}
    )


def unknown_token(site: Site) -> None:
    site.variables["GITHUB_TOKEN"] = "ghs_nobody"


def lasting_runner(site: Site) -> None:
    (site.folder / "runner" / ".runner").write_text('{"agentName": "one"}')


def left_credential(site: Site) -> None:
    site.project.git("config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic c2VjcmV0")


def docker_without_nvidia(site: Site) -> None:
    """And a GPU that the config asks for, which this machine does not have either."""
    (site.folder / "bin").mkdir()
    (site.folder / "bin" / "docker").write_text('#!/bin/sh\n[ "$1 $2" = "info --format" ] && echo runc\n')
    (site.folder / "bin" / "docker").chmod(0o755)
    site.variables["PATH"] = f"{site.folder / 'bin'}:{os.environ['PATH']}"
    site.edit(".github/assay.yml", "    run:", "    gpus: 1\n    run:")


def shallow(site: Site) -> None:
    site.edit(workflow("pull-request"), "fetch-depth: 0", "fetch-depth: 1")


PLANTS: dict[str, tuple[Callable[[Site], None], str, str, str]] = {
    "a config with a wrong key": (lambda site: site.edit(".github/assay.yml", "metric:", "metrik:"), "config", "fail", "assay schema"),
    "a benchmark's folder that is not there": (
        lambda site: site.edit(".github/assay.yml", "    run:", "    workdir: nowhere\n    run:"),
        "config",
        "fail",
        "workdir",
    ),
    "a token that may not write check runs": (without_rights, "token", "warn", "checks: write"),
    "a token that GitHub does not know": (unknown_token, "token", "fail", "github.token"),
    "a checkout of one commit": (shallow, "history", "fail", "fetch-depth: 0"),
    "a credential left by the checkout": (left_credential, "credentials", "fail", "persist-credentials: false"),
    "an event under which strangers' code would hold a token": (
        lambda site: site.edit(workflow("pull-request"), "  pull_request:\n", "  pull_request_target:\n"),
        "trigger",
        "fail",
        "pull_request",
    ),
    "an event at which nothing happens": (
        lambda site: site.edit(workflow("fork-report"), "  workflow_run:", "  release:"),
        "trigger",
        "fail",
        "pull_request",
    ),
    "an action that its owner can move": (lambda site: site.edit(workflow("comments"), f"@{SHA}", "@v1"), "pin", "warn", "commit id"),
    "permissions that are not enough": (
        lambda site: site.edit(workflow("schedule"), "issues: write", "issues: read"),
        "permissions",
        "warn",
        "issues: write",
    ),
    "more than reading where a pull request's code runs": (
        lambda site: site.edit(workflow("gpu-comments"), "      contents: read\n", "      contents: write\n"),
        "permissions",
        "warn",
        "contents: read",
    ),
    "a queue that drops commands": (
        lambda site: site.edit(workflow("comments"), "experiment-${{ github.event.comment.id }}", "experiments"),
        "concurrency",
        "warn",
        "comment.id",
    ),
    "ticks of a schedule that break each other off": (
        lambda site: site.edit(workflow("schedule"), "cancel-in-progress: false", "cancel-in-progress: true"),
        "concurrency",
        "warn",
        "cancel-in-progress: false",
    ),
    "a runner of one's own that pull requests reach": (
        lambda site: site.edit(workflow("pull-request"), "runs-on: ubuntu-latest", "runs-on: [self-hosted, gpu]"),
        "runner",
        "warn",
        "gpu-comments",
    ),
    "a runner of one's own that outlives its job": (lasting_runner, "runner", "fail", "--ephemeral"),
    "a container that sees no GPU": (docker_without_nvidia, "docker", "warn", "default-runtime"),
    "a config for GPUs on a machine without": (docker_without_nvidia, "gpu", "fail", "machine"),
    "a committed store": (lambda site: site.files.update({".assay/store/x": "1"}), "store", "fail", "git rm -r --cached .assay"),
}


def test_of_a_sound_project_nothing_is_said(site: Site) -> None:
    assert site.doctor() == (0, [])


@pytest.mark.parametrize("name", PLANTS)
def test_it_is_found_and_how_to_mend_it(site: Site, name: str) -> None:
    plant, check, state, mend = PLANTS[name]
    plant(site)
    code, findings = site.doctor()
    (found,) = [one for one in findings if one["check"] == check]
    assert (found["state"], code) == (state, 2 if any(one["state"] == "fail" for one in findings) else 0)
    assert mend in found["mend"]
    assert {one["check"] for one in findings} <= {check, "gpu", "docker"}
    assert "c2VjcmV0" not in json.dumps(findings)


def test_what_a_repository_is_called_gives_a_terminal_and_a_runner_no_order(site: Site) -> None:
    hostile = "\\e]0;owned\\a\\n::error::no ##[group]"
    site.edit(workflow("comments"), f"me/assay/run@{SHA}", "me/assay/run@v1")
    site.files[workflow("odd")] = f'on: "{hostile}"\njobs: {{a: {{runs-on: x, steps: [{{uses: me/assay/run@{SHA}}}]}}}}\n'
    site.project.commit(site.files)
    env = {"PATH": os.environ["PATH"], "HOME": str(site.folder), "PYTHONPATH": str(ROOT / "src"), **ISOLATED}
    command = [sys.executable, "-m", "assay", "doctor"]
    done = subprocess.run(command, check=False, cwd=site.project.root, env=env, capture_output=True, text=True, timeout=60)
    assert "at which Assay does nothing" in done.stdout
    assert "\x1b" not in done.stdout
    assert "##[" not in done.stdout
    assert not [line for line in done.stdout.splitlines() if line.startswith("::")]


def test_asking_what_a_token_may_do_changes_nothing(site: Site) -> None:
    repo = site.hub.repositories[NAME]
    before = repo.git.refs()
    site.doctor()
    assert (repo.git.refs(), repo.checks, repo.comments) == (before, {}, {})
