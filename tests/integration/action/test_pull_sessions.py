"""A pull request × benchmark is a session: each push a run, the branch taken back where that follows, the merge its end."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.fakes.github import payloads
from tests.fakes.github.protection import Rule, Style
from tests.fakes.github.repository import Pull
from tests.integration.action.conftest import CONFIG, Done, Step
from tests.integration.action.test_comment_commands import obey, reactions, replies, said
from tests.integration.action.test_split import run_cell

from assay.core.experiment import Journal
from assay.core.experiment_state import SessionState

BRANCH = "experiment/try"
BETTER, WORSE = ({"metrics.txt": f"loss={value}\n"} for value in (90, 150))
NOTES = {"autoresearch.md": "tried wider tiles\n"}


def sessions(step: Step) -> list[SessionState]:
    """The sessions on the data branch of the forge, oldest first."""
    where = f"--git-dir={step.remote.path}"
    names = step.author.git(where, "ls-tree", "-r", "--name-only", "assay-data", "sessions/").splitlines()
    return [SessionState(Journal.from_text(step.author.git(where, "show", f"assay-data:{name}") + "\n")) for name in names]


def session(step: Step) -> SessionState:
    (found,) = sessions(step)
    return found


def tip(step: Step, branch: str = BRANCH) -> str:
    return step.remote.git.branch(branch) or ""


def files_at(step: Step, commit: str) -> dict[str, str]:
    rows = step.author.git(f"--git-dir={step.remote.path}", "ls-tree", "-r", commit).splitlines()
    return {name: facts.split()[2] for facts, _, name in (row.partition("\t") for row in rows)}


def opened(step: Step, files: Mapping[str, str | None], branch: str = BRANCH) -> tuple[str, Pull]:
    """A pull request whose head has one commit more than main."""
    head = step.branch(branch, files)
    return head, step.remote.open_pull(branch)


def pushed(step: Step, files: Mapping[str, str | None], branch: str = BRANCH) -> str:
    """One more commit on the branch, wherever that is on the forge by now."""
    step.author.git("fetch", "-q", str(step.remote.path), f"+refs/heads/{branch}:refs/remotes/forge/{branch}")
    return step.branch(branch, files, f"refs/remotes/forge/{branch}")


def comments(step: Step) -> str:
    return "\n".join(one.body for one in step.remote.comments.values())


def test_each_push_is_a_run_and_a_discarded_one_goes_back_to_what_was_kept(step: Step) -> None:
    first, pull = opened(step, BETTER)
    assert step.on_pull(pull).outputs["outcome"] == "keep"
    assert (tip(step), session(step).kept[0].newest.commit) == (first, first)
    second = pushed(step, {**WORSE, **NOTES})
    done = step.on_pull(pull)
    assert (done.code, done.outputs["outcome"]) == (0, "discard"), done.log
    restored = tip(step)
    assert step.author.git(f"--git-dir={step.remote.path}", "rev-parse", f"{restored}^") == second
    kept, now = files_at(step, first), files_at(step, restored)
    assert now.pop("autoresearch.md") == files_at(step, second)["autoresearch.md"]
    assert now == kept
    assert f"git revert {restored[:12]}" in comments(step)
    state = session(step)
    assert [(one.stored.head, one.newest.status.value) for one in state.trials] == [(first, "keep"), (second, "discard")]
    assert (state.trials[1].newest.reverted_to, state.trials[1].newest.discarded) == (first, second)
    assert [one.value for one in state.trials] == [90, 150]
    assert (state.journal.header.name, state.journal.header.project) == ("bench", f"pull request {pull.number}")
    # our commit does not start a check of itself, and yet a check that is required has its answer
    runs = len(step.stored())
    done = step.on_pull(pull)
    assert (done.code, done.outputs["conclusion"]) == (0, "success"), done.log
    assert "by which Assay brought the branch back" in done.summary
    assert (len(step.stored()), len(session(step).trials), tip(step)) == (runs, 2, restored)
    step.checkout(f"refs/heads/{BRANCH}")
    done = step.run("push", payloads.push(step.remote, BRANCH, second))
    assert (done.code, len(step.stored())) == (0, runs), done.log


def test_a_check_of_the_same_head_again_adds_nothing(step: Step) -> None:
    _, pull = opened(step, BETTER)
    for _ in range(2):
        assert step.on_pull(pull).code == 0
    assert len(session(step).journal.records) == 3


def test_what_only_says_that_it_is_our_commit_is_measured(step: Step) -> None:
    base = step.author.git("rev-parse", "main")
    step.branch(BRANCH, {})
    head = step.author.commit(dict(BETTER), f"assay: back to {base} after run-01M8RFEMYBJS6BWM439CS6MEGM")
    step.push(BRANCH)
    done = step.on_pull(step.remote.open_pull(BRANCH))
    assert done.outputs["outcome"] == "keep", done.log
    assert session(step).kept[0].stored.head == head


def test_elsewhere_runs_are_recorded_and_the_branch_is_left_alone(step: Step) -> None:
    head, pull = opened(step, WORSE, "slower")
    assert step.on_pull(pull).code == 1
    assert tip(step, "slower") == head
    (trial,) = session(step).trials
    assert (trial.newest.status.value, trial.newest.reverted_to, trial.newest.commit) == ("discard", None, None)


@pytest.mark.parametrize(
    ("git", "why"),
    [("{on_discard: report}", ""), ('{experiment_branches: ["lab/**"], on_discard: restore}', "no experiment branch")],
)
def test_the_config_of_the_base_says_whether_a_branch_goes_back(step: Step, git: str, why: str) -> None:
    step.branch("main", {".github/assay.yml": f"{CONFIG}git: {git}\n"})
    head, pull = opened(step, WORSE)
    assert step.on_pull(pull).outputs["outcome"] == "discard"
    assert tip(step) == head
    assert why in comments(step)
    assert ("stays as it is" in comments(step)) is bool(why)


@pytest.mark.parametrize("token", [False, True])
def test_where_checks_are_required_a_branch_goes_back_by_a_token_of_its_own_alone(step: Step, token: bool) -> None:
    step.remote.required_checks["main"] = ("ci",)
    head, pull = opened(step, WORSE)
    if token:
        step.env["INPUT_PUSH-TOKEN"] = step.hub.installation_token("lab-bot", step.remote)
    done = step.on_pull(pull)
    assert done.outputs["outcome"] == "discard", done.log
    assert (tip(step) != head) is token
    assert ("give a push-token" in comments(step)) is not token


def test_a_protected_branch_is_never_written_to(step: Step) -> None:
    head, pull = opened(step, WORSE)
    step.remote.protect(BRANCH, Rule.SIGNATURES, style=Style.RULESET)
    step.env["INPUT_PUSH-TOKEN"] = step.hub.installation_token("lab-bot", step.remote)
    assert step.on_pull(pull).outputs["outcome"] == "discard"
    assert tip(step) == head
    assert "is protected" in comments(step)


def test_another_limit_is_another_segment_and_a_merge_the_end(step: Step) -> None:
    _, pull = opened(step, BETTER, "faster")
    assert step.on_pull(pull).code == 0
    step.branch("main", {".github/assay.yml": CONFIG.replace("better: lower}", "better: lower, min_effect: 2%}")})
    pushed(step, {"metrics.txt": "loss=80\n"}, "faster")
    assert step.on_pull(pull).code == 0
    assert [one.segment for one in session(step).trials] == [1, 2]
    closed = step.on_pull(pull, "closed")
    assert (closed.code, session(step).journal.header.status.value) == (0, "active")
    payload: dict[str, Any] = {**step.pull_request(pull, "closed")}
    payload["pull_request"] = {**payload["pull_request"], "merged": True}
    for mode in ("report", "auto"):  # as templates/workflows/merged.yml and pull-request.yml have it
        done = step.run("pull_request", payload, mode=mode)
        assert done.code == 0, done.log
    state = session(step)
    assert state.journal.header.status.value == "finalized"
    (record,) = [one for one in state.journal.records if one.type == "finalize"]
    assert (len(record.payload.kept), record.payload.branches) == (2, ())


def test_a_run_that_needs_review_is_kept_by_a_writer_who_names_the_commit(step: Step) -> None:
    head, pull = opened(step, {**BETTER, "bench.sh": 'sed "s/^/METRIC /" metrics.txt\n'})
    assert step.on_pull(pull).outputs["outcome"] == "pending"
    assert obey(step, said(step, pull, "/experiment keep")).code == 0
    assert f"sha={head}" in replies(step)[0]
    assert not session(step).kept
    comment = said(step, pull, f"/experiment keep sha={head}")
    assert obey(step, comment).code == 0
    assert reactions(step, comment) == ["eyes", "rocket"]
    (kept,) = session(step).kept
    assert (kept.newest.commit, kept.newest.asi["by"]) == (head, "bob")
    assert [one.conclusion for one in step.remote.checks.values()][-1] == "success"
    again = said(step, pull, f"/experiment discard sha={head}")
    assert obey(step, again).code == 0
    assert "have their outcome" in replies(step)[2]
    # what a writer has kept is not asked about again
    assert step.on_pull(pull).outputs["outcome"] == "keep"


def test_a_writer_discards_what_is_open_and_the_branch_goes_back(step: Step) -> None:
    head, pull = opened(step, {**BETTER, "bench.sh": 'sed "s/^/METRIC /" metrics.txt\n'})
    assert step.on_pull(pull).outputs["outcome"] == "pending"
    stranger = said(step, pull, "/experiment discard", step.hub.user("mallory"))
    assert (obey(step, stranger).code, tip(step)) == (0, head)
    assert obey(step, said(step, pull, "/experiment discard")).code == 0
    assert files_at(step, tip(step)) == files_at(step, tip(step, "main"))
    assert session(step).trials[0].newest.reverted_to == tip(step, "main")
    assert "is discarded" in replies(step)[0]
    assert obey(step, said(step, pull, "/experiment finalize")).code == 0
    assert session(step).journal.header.status.value == "finalized"
    assert obey(step, said(step, pull, "/experiment finalize")).code == 0
    assert "no session" in replies(step)[2]


def test_the_report_of_three_jobs_writes_the_session(step: Step) -> None:
    head, pull = opened(step, WORSE)
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    jobs: list[Done] = [step.run("pull_request", payload, mode="plan"), run_cell(step, "pull_request", payload)]
    assert tip(step) == head
    jobs.append(step.run("pull_request", payload, mode="report"))
    assert [one.code for one in jobs] == [0, 0, 0], "".join(one.log for one in jobs)
    assert [one.newest.status.value for one in session(step).trials] == ["discard"]
    assert files_at(step, tip(step)) == files_at(step, tip(step, "main"))
    planned = step.on_pull(pull, mode="plan")
    assert '{"include": []}' in planned.outputs["matrix"], planned.log
