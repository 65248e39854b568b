"""The action from event to comment, against the fake GitHub."""

import json
from typing import Any

import pytest
from tests.fakes.github.hub import FORK_PERMISSIONS
from tests.fakes.github.model import CheckRun, User, UserType
from tests.integration.action.conftest import CONFIG, Step

MARKER = "<!-- assay:report -->"
BETTER, WORSE = ({"metrics.txt": f"loss={value}\n"} for value in (90, 150))


def checks(step: Step, sha: str) -> list[CheckRun]:
    return [one for one in step.remote.checks.values() if one.head_sha == sha]


def posted(step: Step) -> list[str]:
    return [one.body for one in step.remote.comments.values() if one.user.login == "github-actions[bot]"]


def test_a_better_pull_request_gets_one_comment_and_one_completed_check_run(step: Step) -> None:
    head = step.branch("faster", BETTER)
    done = step.on_pull(step.remote.open_pull("faster"))
    assert done.code == 0, done.log
    (check,) = checks(step, head)
    (comment,) = posted(step)
    assert (check.name, check.status, check.conclusion, check.external_id) == (
        "assay / bench",
        "completed",
        "success",
        done.outputs["run-id"],
    )
    assert comment.startswith(f"{MARKER}\n### Improved")
    assert "Improved" in done.summary
    assert (done.outputs["conclusion"], done.outputs["outcome"], done.outputs["reused"]) == ("success", "keep", "false")
    assert json.loads((step.workspace / done.outputs["result"]).read_text())["head"] == head
    assert done.outputs["comment-url"].startswith(step.hub.server_url)
    assert done.outputs["check-run-url"] == f"{step.hub.server_url}/ada/lab/runs/{check.id}"
    made, completed = (step.hub.requests(method, "*/check-runs*")[0] for method in ("POST", "PATCH"))
    assert (made.body["status"], completed.body["status"]) == ("in_progress", "completed")
    assert made.body["details_url"] == f"{step.hub.server_url}/ada/lab/actions/runs/4711"


def test_on_the_tenth_push_there_is_still_one_comment_and_one_check_run_a_head(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    for number in range(10):
        head = step.branch("faster", {"metrics.txt": f"loss={90 - number}\n"})
        done = step.on_pull(pull)
        assert done.code == 0, done.log
        (check,) = checks(step, head)
        assert (check.status, check.conclusion) == ("completed", "success")
    (comment,) = posted(step)
    assert "81" in comment
    assert len(step.remote.checks) == 10


def test_a_worse_pull_request_fails_and_the_job_s_page_says_why(step: Step) -> None:
    head = step.branch("slower", WORSE)
    done = step.on_pull(step.remote.open_pull("slower"))
    assert done.code == 1
    assert checks(step, head)[0].conclusion == "failure"
    assert [line for line in done.out.splitlines() if line.startswith("::error title=assay / bench::")]


def test_a_rerun_is_reused_and_completes_the_same_check_run_again(step: Step) -> None:
    head = step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    first, second = step.on_pull(pull), step.on_pull(pull)
    assert second.outputs["reused"] == "true"
    assert second.outputs["run-id"] == first.outputs["run-id"]
    (check,) = checks(step, head)
    assert "measured" not in (check.title or "")
    assert len(posted(step)) == 1


def test_a_change_of_documents_is_skipped_as_a_success(step: Step) -> None:
    head = step.branch("words", {"README.md": "better\n"})
    done = step.on_pull(step.remote.open_pull("words"))
    assert done.code == 0, done.log
    (check,) = checks(step, head)
    (decision,) = step.stored("decisions")
    assert (check.conclusion, check.external_id) == ("success", decision["decision_id"])
    assert (done.outputs["outcome"], done.outputs["run-id"]) == ("", "")


def test_a_read_only_token_leaves_the_verdict_in_the_summary_and_the_exit_code(step: Step) -> None:
    step.token = step.hub.job_token(step.remote, {"contents": "read"})
    step.branch("slower", WORSE)
    done = step.on_pull(step.remote.open_pull("slower"))
    assert done.code == 1
    assert "Regressed" in done.summary
    assert done.log.count("checks: write, pull-requests: write") == 1
    assert posted(step) == []
    assert step.remote.checks == {}


def test_somebody_s_comment_with_the_marker_is_left_alone(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    for author in (step.hub.user("mallory"), User("dependabot[bot]", 49699333, UserType.BOT)):
        step.remote.comment(pull.number, f"{MARKER}\nAll is well.", author)
    for _ in range(3):
        step.remote.comment(pull.number, "Hm.", step.hub.user("mallory"))
    assert step.on_pull(pull).code == 0
    assert len(posted(step)) == 1
    assert len(step.remote.comments) == 6


def fork(step: Step, files: dict[str, str]) -> Any:
    """A pull request from mallory's fork, in a job whose token can only read."""
    theirs = step.hub.fork(step.remote, "mallory")
    step.author.git("checkout", "-q", "-B", "patch", "main")
    step.author.commit(dict(files), "patch")
    step.push("patch", theirs)
    step.token = step.hub.job_token(step.remote, FORK_PERMISSIONS)
    return step.remote.open_pull("mallory:patch")


def test_a_fork_on_a_hosted_runner_is_measured_under_base_s_config(step: Step) -> None:
    config = CONFIG.replace("sh bench.sh", "echo METRIC loss=1; sh bench.sh")
    done = step.on_pull(fork(step, {**BETTER, ".github/assay.yml": config}))
    assert done.code == 0, done.log
    assert {(run["trust"], run["command"]) for run in step.stored()} == {("fork", "sh bench.sh")}
    assert "can only read" in done.log


def test_a_fork_on_a_runner_of_ones_own_is_not_run(step: Step) -> None:
    step.env["RUNNER_ENVIRONMENT"] = "self-hosted"
    mark = step.folder / "mark"
    done = step.on_pull(fork(step, {**BETTER, "extra.sh": f"touch {mark}\n"}), allow_forks="allow")
    assert done.code == 0, done.log
    assert not mark.exists()
    assert (done.outputs["conclusion"], done.outputs["outcome"]) == ("neutral", "")
    assert "maintainer" in done.summary
    assert step.stored() == []


def test_a_change_of_the_harness_asks_for_a_review(step: Step) -> None:
    head = step.branch("harness", {"bench.sh": "echo METRIC loss=1\n"})
    done = step.on_pull(step.remote.open_pull("harness"))
    assert done.code == 0, done.log
    assert (done.outputs["conclusion"], done.outputs["outcome"]) == ("neutral", "pending")
    assert checks(step, head)[0].conclusion == "neutral"
    assert "review" in posted(step)[0]
    assert [line for line in done.out.splitlines() if line.startswith("::notice title=assay / bench::")]


def test_a_head_that_moved_meanwhile_is_superseded(step: Step) -> None:
    old = step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    step.branch("faster", {"metrics.txt": "loss=80\n"}, start="faster")
    done = step.run("pull_request", payload)
    assert done.code == 0, done.log
    assert (done.outputs["conclusion"], done.outputs["outcome"]) == ("neutral", "pending")
    assert checks(step, old)[0].conclusion == "neutral"
    assert "uperseded" in done.summary


def push(step: Step, ref: str, after: str) -> dict[str, Any]:
    return {"ref": ref, "after": after, "repository": {"default_branch": "main"}, "sender": {"login": "ada"}}


def test_a_push_to_the_default_branch_covers_what_no_job_has_judged(step: Step) -> None:
    shas = []
    for loss in (110, 100, 90):
        shas.append(step.author.commit({"metrics.txt": f"loss={loss}\n"}))
        step.push("main")
        if loss != 100:  # the job of the second push never came to run
            step.checkout("refs/heads/main")
            done = step.run("push", push(step, "refs/heads/main", shas[-1]))
            assert done.code == 0, done.log
    assert [run["commit"] for run in step.stored() if run["trust"] == "default"].count(shas[0]) == 2
    assert [(one["base"], one["head"]) for one in step.stored("decisions")][-1] == (shas[0], shas[2])
    assert posted(step) == []
    assert checks(step, shas[2])[0].conclusion == "success"


def test_a_merge_group_is_checked_on_its_head(step: Step) -> None:
    base = step.author.git("rev-parse", "main")
    head = step.branch("gh-readonly-queue/main/pr-1", BETTER)
    step.checkout("refs/heads/gh-readonly-queue/main/pr-1")
    group = {"head_sha": head, "base_sha": base, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_ref": "refs/heads/main"}
    done = step.run("merge_group", {"action": "checks_requested", "merge_group": group})
    assert done.code == 0, done.log
    assert [(one.name, one.conclusion) for one in checks(step, head)] == [("assay / bench", "success")]


@pytest.mark.parametrize("event", ["closed", "deleted"])
def test_some_events_leave_nothing_to_do(step: Step, event: str) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    if event == "closed":
        done = step.on_pull(pull, "closed")
    else:
        step.checkout("refs/heads/main")
        done = step.run("push", push(step, "refs/heads/faster", "0" * 40))
    assert done.code == 0, done.log
    assert "nothing to check" in done.out
    assert set(done.outputs.values()) == {""}
    assert not (step.workspace / ".assay").exists()
    assert step.hub.requests("POST") == []
