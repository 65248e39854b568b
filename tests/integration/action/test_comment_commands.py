"""A comment on the fake GitHub, from the event to the run: acknowledged, pinned, answered, and never a shell."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from tests.fakes.github import payloads
from tests.fakes.github.model import Comment, User, UserType, now
from tests.fakes.github.repository import Pull
from tests.integration.action.conftest import CONFIG, Done, Step

BETTER = {"metrics.txt": "loss=90\n"}
LATER = timedelta(minutes=5)


def said(step: Step, pull: Pull, body: str, author: User | None = None) -> Comment:
    """A comment that was written well after the last push."""
    comment = step.remote.comment(pull.number, body, author or step.hub.user("bob"))
    comment.created_at = comment.updated_at = now() + LATER
    return comment


def obey(step: Step, comment: Comment, action: str = "created", **inputs: str) -> Done:
    """Run the action in the default branch's checkout, as the event gives it."""
    payload: Mapping[str, Any] = payloads.issue_comment(step.remote, comment, action)
    step.checkout("refs/heads/main")
    return step.run("issue_comment", payload, **inputs)


def reactions(step: Step, comment: Comment) -> list[str]:
    return [one.content for one in step.remote.reactions if one.comment == comment.id]


def replies(step: Step) -> list[str]:
    return [one.body for one in step.remote.comments.values() if one.body.startswith("<!-- assay:reply")]


def test_a_member_s_command_runs_the_head_and_reports_it(step: Step) -> None:
    head = step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    comment = said(step, pull, "Let us see.\r\n\r\n/experiment run bench\r\n")
    done = obey(step, comment)
    assert done.code == 0, done.log
    assert done.outputs["outcome"] == "keep"
    assert reactions(step, comment) == ["eyes", "rocket"]
    assert [(one.head_sha, one.conclusion) for one in step.remote.checks.values()] == [(head, "success")]
    assert replies(step) == []
    assert [one for one in step.remote.comments.values() if one.body.startswith("<!-- assay:report -->")]


def test_a_stranger_s_command_runs_nothing_and_is_not_answered(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    comment = said(step, pull, "/experiment run", step.hub.user("mallory"))
    done = obey(step, comment)
    assert done.code == 0, done.log
    assert reactions(step, comment) == ["confused"]
    assert replies(step) == []
    assert step.remote.checks == {}
    assert set(done.outputs.values()) == {""}


def test_a_bot_an_edit_and_a_quotation_are_not_heard(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    robot = User("helper[bot]", 77, UserType.BOT)
    for comment, action in (
        (said(step, pull, "/experiment run", robot), "created"),
        (said(step, pull, "/experiment run"), "edited"),
        (said(step, pull, "> /experiment run"), "created"),
    ):
        done = obey(step, comment, action)
        assert done.code == 0, done.log
        assert reactions(step, comment) == []
    assert step.remote.checks == {}


def test_a_command_is_words_and_never_a_shell(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    witness = step.folder / "witness"
    for words in (f"$(touch {witness}); id", "bench vs=--upload-pack=touch", "-x", "`id`"):
        comment = said(step, pull, f"/experiment run {words}")
        done = obey(step, comment)
        assert done.code == 0, done.log
        assert reactions(step, comment) == ["confused"]
    assert not witness.exists()
    assert len(replies(step)) == 4
    assert not any("/experiment" in one for one in replies(step))


def test_the_same_event_twice_answers_once(step: Step) -> None:
    step.branch("faster", BETTER)
    comment = said(step, step.remote.open_pull("faster"), "/experiment rnu")
    for _ in range(2):
        assert obey(step, comment).code == 0
    assert len(replies(step)) == 1
    assert "Did you mean" in replies(step)[0]


def test_a_push_after_the_comment_is_never_run(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    comment = step.remote.comment(pull.number, "/experiment run", step.hub.user("bob"))
    comment.created_at = now() - LATER
    step.branch("faster", {"metrics.txt": "loss=10\n"})
    assert obey(step, comment).code == 0
    assert "pushed after" in replies(step)[0]
    assert step.remote.checks == {}


@pytest.mark.parametrize("named", [True, False])
def test_a_fork_s_head_runs_at_its_full_sha_where_that_is_allowed(step: Step, named: bool) -> None:
    step.branch("main", {".github/assay.yml": CONFIG + "permissions: {forks: sha}\n"})
    theirs = step.hub.fork(step.remote, "mallory")
    step.author.git("checkout", "-q", "-B", "patch", "main")
    head = step.author.commit(dict(BETTER), "patch")
    step.push("patch", theirs)
    pull = step.remote.open_pull("mallory:patch")
    step.env |= {"RUNNER_ENVIRONMENT": "self-hosted", "ASSAY_LASTING_RUNNER": "allow"}
    comment = said(step, pull, f"/experiment run sha={head}" if named else "/experiment run")
    done = obey(step, comment, allow_forks="sha")
    assert done.code == 0, done.log
    if named:
        assert [(one.head_sha, one.conclusion) for one in step.remote.checks.values()] == [(head, "success")]
        assert [run["trust"] for run in step.stored()] == ["fork"] * 2
    else:
        assert step.remote.checks == {}
        assert f"sha={head}" in replies(step)[0]


def test_help_is_answered_and_what_is_not_built_says_so(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    for word in ("help", "review"):
        assert obey(step, said(step, pull, f"/experiment {word}")).code == 0
    assert "run [BENCHMARK" in replies(step)[0]
    assert "not built yet" in replies(step)[1]


def test_cancel_ends_the_runs_of_this_pull_request_s_commands_and_check_alone(step: Step) -> None:
    head = step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    runs = [
        step.remote.add_workflow_run(name, event, branch, sha)
        for name, event, branch, sha in (
            ("Experiments", "issue_comment", "main", step.author.git("rev-parse", "main")),
            ("Experiments", "issue_comment", "main", step.author.git("rev-parse", "main")),
            ("Benchmarks", "pull_request", "faster", head),
            ("Lint", "pull_request", "faster", head),
        )
    ]
    step.env["GITHUB_RUN_ID"] = str(runs[0].id)
    assert obey(step, said(step, pull, "/experiment run")).code == 0
    step.remote.add_artifact(runs[2].id, "assay-plan", b"")
    step.remote.add_artifact(runs[3].id, "lint", b"")
    for run in runs:
        run.status, run.conclusion = "in_progress", None
    step.env["GITHUB_RUN_ID"] = "9999"
    step.token = step.hub.job_token(step.remote, {"contents": "write", "pull-requests": "write", "checks": "read", "actions": "write"})
    comment = said(step, pull, "/experiment cancel")
    done = obey(step, comment)
    assert done.code == 0, done.log
    assert [run.conclusion for run in runs] == ["cancelled", None, "cancelled", None]
    assert reactions(step, comment) == ["eyes", "rocket"]
    assert "2 runs" in replies(step)[-1]


def test_a_token_that_may_not_end_runs_says_what_it_needs(step: Step) -> None:
    head = step.branch("faster", BETTER)
    run = step.remote.add_workflow_run("Benchmarks", "pull_request", "faster", head)
    step.remote.add_artifact(run.id, "assay-plan", b"")
    run.status, run.conclusion = "in_progress", None
    done = obey(step, said(step, step.remote.open_pull("faster"), "/experiment cancel"))
    assert done.code == 4
    assert "may not end the run" in replies(step)[0]
    assert "permissions" in replies(step)[0]


def test_a_head_that_was_approved_runs_on_a_runner_of_one_s_own(step: Step) -> None:
    step.branch("main", {".github/assay.yml": CONFIG + "permissions: {forks: sha}\n"})
    theirs = step.hub.fork(step.remote, "mallory")
    step.author.git("checkout", "-q", "-B", "patch", "main")
    head = step.author.commit(dict(BETTER), "patch")
    step.push("patch", theirs)
    pull = step.remote.open_pull("mallory:patch")
    step.env |= {"RUNNER_ENVIRONMENT": "self-hosted", "ASSAY_LASTING_RUNNER": "allow"}
    for words in (f"approve {head}", "run"):
        done = obey(step, said(step, pull, f"/experiment {words}"), allow_forks="sha")
        assert done.code == 0, done.log
    assert [(one.head_sha, one.conclusion) for one in step.remote.checks.values()] == [(head, "success")]
    assert {run["trust"] for run in step.stored()} == {"fork"}


@pytest.mark.parametrize(
    ("settings", "code"), [('{"Ephemeral": true}', 0), ('{"ephemeral": "true"}', 0), ("{}", 2), (None, 2), ("no json", 2)]
)
def test_on_a_public_repository_only_a_runner_that_is_thrown_away_runs_code(step: Step, settings: str | None, code: int) -> None:
    step.branch("faster", BETTER)
    comment = said(step, step.remote.open_pull("faster"), "/experiment run")
    (step.folder / "runner" / "_work" / "_temp").mkdir(parents=True)
    if settings is not None:
        (step.folder / "runner" / ".runner").write_text(f"\ufeff{settings}", encoding="utf-8")
    step.env |= {"RUNNER_ENVIRONMENT": "self-hosted", "RUNNER_TEMP": str(step.folder / "runner" / "_work" / "_temp")}
    done = obey(step, comment)
    assert done.code == code, done.log
    assert bool(step.remote.checks) == (code == 0)
    assert ("--ephemeral" in done.log) == (code == 2)
