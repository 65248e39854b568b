"""The control loop on the fake GitHub: a tick, the check run of the status, issues, the pull request for the table, answers to comments."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.fakes.github import payloads
from tests.fakes.github.hub import JOB_PERMISSIONS
from tests.fakes.github.repository import Repository
from tests.integration.action.conftest import CONFIG, Done, Step
from tests.integration.action.test_comment_commands import obey, replies, said

PUBLISHED = CONFIG + "publish: {file: docs/results.md}\nloop: {status: issue}\n"
WORSE, BETTER = {"metrics.txt": "loss=200\n"}, {"metrics.txt": "loss=110\n"}


@pytest.fixture
def loop(step: Step) -> Step:
    """The same step with a token that may do all that a loop does."""
    step.token = step.hub.job_token(step.remote, JOB_PERMISSIONS)
    return step


def main(step: Step, files: Mapping[str, str | None]) -> str:
    """One commit more on the default branch; its sha."""
    sha = step.branch("main", files)
    step.checkout("refs/heads/main")
    return sha


def tick(step: Step, event: str = "schedule", payload: Any = None, **inputs: str) -> Done:
    found = payload if payload is not None else payloads.schedule(step.remote)
    found = {**found, "repository": {**found.get("repository", {}), "private": True}}
    return step.run(event, found, **inputs)


def by_hand(step: Step) -> Done:
    """Somebody wants the benchmark measured now, due or not."""
    return tick(step, "workflow_dispatch", payloads.workflow_dispatch(step.remote, {"benchmark": "bench"}), benchmark="bench", minutes="5")


def rows(step: Step) -> list[dict[str, Any]]:
    where = f"--git-dir={step.remote.path}"
    names = step.author.git(where, "ls-tree", "-r", "--name-only", "assay-data", "ledger/").splitlines()
    texts = [step.author.git(where, "show", f"assay-data:{name}") for name in names if name.endswith(".jsonl")]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def issues(remote: Repository, marker: str) -> list[Any]:
    return [one for one in remote.issues.values() if (one.body or "").startswith(f"<!-- assay:{marker}")]


def test_a_tick_measures_what_is_due_and_a_second_one_has_nothing_to_do(loop: Step) -> None:
    head = main(loop, {"README.md": "more\n"})
    done = tick(loop)
    assert done.code == 0, done.log
    assert [(one["task"], one["result"], one["commit"]) for one in rows(loop)] == [("bench", "collected", head)]
    assert {run["trust"] for run in loop.stored()} == {"default"}
    (check,) = loop.remote.checks.values()
    assert (check.name, check.head_sha, check.conclusion) == ("assay: status", head, "skipped")
    assert check.title is not None
    assert check.title.startswith("review_status")
    assert (done.outputs["conclusion"], done.outputs["check-run-url"] != "") == ("skipped", True)
    assert "bench: collected" in done.summary
    idle = tick(loop)
    assert (idle.code, len(rows(loop)), len(loop.remote.checks)) == (0, 1, 1), idle.log
    assert loop.remote.issues == {}


def test_a_regression_gets_an_issue_until_it_is_over_and_table_and_status_are_edited_in_place(loop: Step) -> None:
    main(loop, {".github/assay.yml": PUBLISHED, **WORSE})
    assert tick(loop).code == 0
    (issue,) = issues(loop.remote, "regression")
    (pull,), (status,) = loop.remote.pulls.values(), issues(loop.remote, "status")
    assert (issue.state, issue.labels, "bench" in issue.title) == ("open", ["assay"], True)
    main(loop, BETTER)
    done = by_hand(loop)
    assert done.code == 0, done.log
    assert (issues(loop.remote, "regression"), issue.state, "It is over" in issue.body) == ([issue], "closed", True)
    assert [one["verdict"] for one in rows(loop)] == ["regressed", "improved"]
    assert len({one["base"] for one in rows(loop)}) == 1
    assert (list(loop.remote.pulls.values()), issues(loop.remote, "status")) == ([pull], [status])
    table = loop.remote.git.read(pull.head_ref, "docs/results.md")
    assert table is not None
    assert b"| bench | loss | 110 |" in table[2]
    assert "publish_authority" in status.body
    assert pull.issue.user.login == "github-actions[bot]"


def test_a_token_that_may_not_speak_costs_no_measurement_and_no_exit_code(step: Step) -> None:
    step.token = step.hub.job_token(step.remote, {"contents": "write"})
    main(step, {".github/assay.yml": PUBLISHED})
    done = tick(step)
    assert done.code == 0, done.log
    assert len(rows(step)) == 1
    assert "Not done" in done.summary
    assert step.remote.checks == {}


def test_a_failed_attempt_is_1_and_a_damaged_ledger_stops_the_next_and_says_so(loop: Step) -> None:
    main(loop, {"extra.sh": "exit 5\n"})
    failed = tick(loop)
    assert failed.code == 1, failed.log
    (row,) = rows(loop)
    month = f"ledger/{row['created_at'][:7]}.jsonl"
    loop.remote.git.write("assay-data", month, b'{"schema": "assay.ledger/1"}\n', "Damage it")
    damaged = tick(loop)
    assert damaged.code == 2, damaged.log
    (check,) = loop.remote.checks.values()
    assert (check.conclusion, month in (check.summary or "")) == ("action_required", True)
    assert len(loop.stored()) == 2


def test_the_mode_status_runs_nothing(loop: Step) -> None:
    main(loop, {"README.md": "more\n"})
    bare = {"schedule": "17 3 * * *"}
    done = tick(loop, payload=bare, mode="status")
    assert done.code == 0, done.log
    (check,) = loop.remote.checks.values()
    assert (check.conclusion, loop.stored()) == ("action_required", [])
    wrong = tick(loop, minutes="soon")
    assert wrong.code == 2
    assert "minutes" in wrong.log


def test_status_and_next_are_answered_in_a_comment_with_the_same_report(loop: Step) -> None:
    loop.branch("faster", {"metrics.txt": "loss=90\n"})
    pull = loop.remote.open_pull("faster")
    for word in ("status", "next"):
        done = obey(loop, said(loop, pull, f"/experiment {word}"))
        assert done.code == 0, done.log
    report, following = replies(loop)
    assert "populate_catalog" in report
    assert "registry:" in report
    assert "populate_catalog" in following
    assert "registry:" not in following
    assert loop.remote.checks == {}
