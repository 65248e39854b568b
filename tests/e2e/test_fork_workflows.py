"""The two examples for pull requests of strangers, run by act: one that may only read measures, another one reports."""

import io
import zipfile
from pathlib import Path

from tests.e2e.test_composite_action import ROOT, Act, Finished
from tests.e2e.test_composite_action import act as act
from tests.fakes.github import payloads
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.repository import Pull
from tests.harness.checkout import Checkout, checkout


def example(name: str) -> str:
    return (ROOT / "examples" / name).read_text(encoding="utf-8")


def forked(act: Act) -> Pull:
    """A pull request of mallory's."""
    repo, local = act.proposal.repo, act.proposal.local
    theirs = act.proposal.hub.fork(repo, "mallory")
    local.git("checkout", "-q", "-B", "patch", "main")
    local.commit({"metrics.txt": "loss=80\n"})
    local.git("push", "-q", str(theirs.path), "patch")
    repo.sync()
    return repo.open_pull("mallory:patch")


def measured(act: Act, pull: Pull) -> Finished:
    """What GitHub starts for it: the workflow of the merge commit, with a token that can read."""
    repo, token = act.proposal.repo, act.proposal.hub.fork_token(act.proposal.repo)
    repo.sync()
    place, ref = act.folder / "fork", f"refs/pull/{pull.number}/merge"
    sha = act.proposal.local.git(f"--git-dir={repo.path}", "rev-parse", ref)
    checkout(Checkout(repo.clone_url, token, ref, sha, depth=0), place, act.folder)
    return act.start(place, "pull_request", payloads.pull_request(repo, pull), act.with_command(example("fork-run.yml")), token)


def zipped(folder: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    return content.getvalue()


def reported(act: Act, pull: Pull) -> Finished:
    """The workflow of the default branch, once the other one has ended and left its artifacts."""
    repo = act.proposal.repo
    token = act.proposal.hub.job_token(repo, dict.fromkeys(("contents", "checks", "pull-requests"), "write") | {"actions": "read"})
    run = repo.add_workflow_run("Benchmarks", "pull_request", "patch", pull.head_sha, head_repository="mallory/lab")
    for folder in act.artifacts.iterdir():
        repo.add_artifact(run.id, folder.name, zipped(folder))
    main = repo.git.branch("main")
    assert main is not None
    place = act.folder / "report"
    checkout(Checkout(repo.clone_url, token, "refs/heads/main", main, depth=0), place, act.folder)
    return act.start(place, "workflow_run", payloads.workflow_run(repo, run), act.with_command(example("fork-report.yml")), token)


def test_a_stranger_s_pull_request_is_measured_without_rights_and_reported_with_them(act: Act) -> None:
    pull = forked(act)
    done = measured(act, pull)
    assert done.code == 0, done.text
    assert sorted(path.name for path in act.artifacts.iterdir()) == ["assay-cell-bench", "assay-plan"]
    assert (act.proposal.repo.comments, act.proposal.repo.checks) == ({}, {})
    done = reported(act, pull)
    assert done.code == 0, done.text
    assert [(one.head_sha, one.conclusion) for one in act.proposal.repo.checks.values()] == [(pull.head_sha, "success")]
    (comment,) = act.proposal.repo.comments.values()
    assert comment.body.startswith("<!-- assay:report -->")
