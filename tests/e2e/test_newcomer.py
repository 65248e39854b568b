"""From the README to a first comment: its lines are run as they stand, and the workflow that they write by act on the fake GitHub."""

import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.e2e.test_composite_action import ROOT, Act
from tests.e2e.test_composite_action import act as act
from tests.fakes.github.fixtures import hub as hub
from tests.harness.checkout import Checkout, checkout
from tests.pull_requests import NAME, Proposal
from tests.repositories import ISOLATED, Sandbox

SHA = "0123456789abcdef0123456789abcdef01234567"
BENCH = "print('METRIC ms={}')\n"


def lines_of_the_readme() -> str:
    """The block of commands under "On GitHub"."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## On GitHub\n")[2]
    found = re.search(r"\n\n((?:    .*\n)+)\n", section)
    assert found
    return re.sub(r"^ {4}", "", found[1], flags=re.MULTILINE).replace("OWNER/assay@COMMIT", f"me/assay@{SHA}")


@pytest.fixture
def newcomer(act: Act) -> Act:
    """Somebody with a repository that has a benchmark, and the command on the PATH."""
    hub = act.proposal.hub
    hub.remove_repository(act.proposal.repo)
    local = Sandbox(act.folder / "clone")
    local.commit({"bench.py": BENCH.format(12.5)})
    repo = hub.create_repository(NAME, local.root)
    local.git("remote", "add", "origin", str(repo.path))
    act.installed()
    return replace(act, proposal=Proposal(hub, repo, local, None))  # type: ignore[arg-type] # no pull request yet


def test_the_lines_of_the_readme_lead_to_a_first_comment(newcomer: Act) -> None:
    local, repo, hub = newcomer.proposal.local, newcomer.proposal.repo, newcomer.proposal.hub
    env = {**ISOLATED, "PATH": f"{newcomer.folder}:{os.environ['PATH']}", "HOME": str(newcomer.folder)}
    done = subprocess.run(
        ["bash", "-euxc", lines_of_the_readme()], check=False, cwd=local.root, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    local.git("checkout", "-q", "-b", "faster")
    local.commit({"bench.py": BENCH.format(9.5)})
    local.git("push", "-q", "origin", "faster")
    repo.sync()
    pull = repo.open_pull("faster")
    mine = replace(newcomer, proposal=Proposal(hub, repo, local, pull))

    token = hub.job_token(repo)
    job, place = mine.proposal.job(token), newcomer.folder / "work"
    checkout(Checkout(repo.clone_url, token, job.ref, job.sha, depth=0), place, newcomer.folder)
    (written,) = (place / ".github" / "workflows").iterdir()
    workflow = with_command(written.read_text(encoding="utf-8"), newcomer.folder / "assay")
    shutil.rmtree(written.parent)
    ended = mine.start(place, "pull_request", job.event, workflow, token)
    assert ended.code == 0, ended.text
    (comment,) = repo.comments.values()
    assert comment.number == pull.number
    assert comment.body.startswith("<!-- assay:report -->")
    assert "12.5" in comment.body


def with_command(workflow: str, command: Path) -> str:
    """With the command of this checkout, since that it installs is shown elsewhere; act knows our action as OWNER's."""
    step = r"(- uses: )me(/assay/run@\w+\n +id: assay\n)"
    found, count = re.subn(step, rf"\1OWNER\2        with:\n          assay-path: {command}\n", workflow)
    assert count == 1
    return found
