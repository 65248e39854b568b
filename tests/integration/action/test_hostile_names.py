"""Names that a stranger chooses for a branch, in each job that reads them: words to everybody, and orders to nobody."""

import pytest
from tests.fakes.github import payloads
from tests.fakes.github.repository import Pull
from tests.integration.action.conftest import CONFIG, Step
from tests.integration.action.test_comment_commands import BETTER, obey, replies, said
from tests.integration.action.test_split import zipped

WITNESS = "touch${IFS}witness"
NAMES = (
    f"--upload-pack={WITNESS}",
    f"a&state=closed#b%2e;$({WITNESS});`{WITNESS}`",
    "refs/heads/main",
    "HEAD",
    "<!--assay-->@ada\u202etxt.exe",
)
REPORTED = (NAMES[1], NAMES[4])


def proposed(step: Step, name: str, number: int) -> Pull:
    """A pull request from a stranger's fork whose branch has that name."""
    theirs = step.hub.fork(step.remote, f"mallory{number}")
    step.author.git("checkout", "-q", "--detach", "main")
    step.author.commit({**BETTER, "n.txt": str(number)}, "patch")
    step.author.git("push", "-q", str(theirs.path), f"HEAD:refs/heads/{name}")
    step.remote.sync()
    return step.remote.open_pull(f"mallory{number}:{name}")


def test_the_name_of_a_branch_is_a_word_in_every_job(step: Step) -> None:
    step.branch("main", {".github/assay.yml": CONFIG + "permissions: {forks: sha}\n"})
    for number, name in enumerate(NAMES):
        pull = proposed(step, name, number)
        payload = step.pull_request(pull)
        step.checkout(f"refs/pull/{pull.number}/merge")
        planned = step.run("pull_request", payload, mode="plan")
        assert planned.code == 0, (name, planned.log)
        assert pull.head_sha in planned.outputs["matrix"], name
        if name not in REPORTED:
            continue
        run = step.remote.add_workflow_run("benchmarks", "pull_request", name, pull.head_sha, head_repository=f"mallory{number}/lab")
        step.remote.add_artifact(run.id, "assay-bench", zipped({"cell-bench.json": b"{}"}))
        reported = step.run("workflow_run", payloads.workflow_run(step.remote, run))
        assert reported.code == 4, (name, reported.log)
        assert "cannot be read" in reported.summary, name
        assert [check.head_sha for check in step.remote.checks.values()][-1] == pull.head_sha
    assert not list(step.folder.rglob("witness*"))


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_command_runs_a_branch_of_any_name_at_its_commit(step: Step, name: str) -> None:
    step.branch("main", {".github/assay.yml": CONFIG + "permissions: {forks: sha}\n"})
    pull = proposed(step, name, 0)
    done = obey(step, said(step, pull, f"/experiment run sha={pull.head_sha}"), allow_forks="sha")
    assert done.code == 0, done.log
    assert [(one.head_sha, one.conclusion) for one in step.remote.checks.values()] == [(pull.head_sha, "success")]
    assert replies(step) == []
    assert not list(step.folder.rglob("witness*"))


def test_an_artifact_of_another_commit_and_of_another_branch_reaches_no_pull_request(step: Step) -> None:
    pull = proposed(step, "patch", 0)
    step.author.git("push", "-q", str(step.hub.fork(step.remote, "mallory1").path), f"{pull.head_sha}:refs/heads/patch")
    step.checkout("refs/heads/main")
    for branch, sha, owner in (
        ("patch", pull.base_sha, "mallory0"),
        ("other", pull.head_sha, "mallory0"),
        ("patch", pull.head_sha, "mallory1"),
    ):
        run = step.remote.add_workflow_run("benchmarks", "pull_request", branch, sha, head_repository=f"{owner}/lab")
        step.remote.add_artifact(run.id, "assay-bench", zipped({"cell-bench.json": b"{}"}))
        done = step.run("workflow_run", payloads.workflow_run(step.remote, run))
        assert done.code == 0, done.log
    assert step.remote.checks == {}
    assert step.remote.comments == {}
