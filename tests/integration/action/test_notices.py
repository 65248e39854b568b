"""Issues and the pull request for a file on the fake GitHub: ours alone, once, and never by force."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.github import faults
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.hub import Hub
from tests.fakes.github.repository import Repository
from tests.repositories import Sandbox

from assay.adapters.github.client import Patience, Time
from assay.adapters.github.notices import GitHubNotices
from assay.core.effects import EditIssue, OpenIssue, ProposeFile
from assay.errors import ForgeError

MARKER = "<!-- assay:regression key=1 "
OPEN = OpenIssue("A regression", f"{MARKER}first=x -->\nIt is slow.")
WRITE = {"issues": "write", "contents": "write", "pull-requests": "write"}
QUICK = Patience(between_writes_s=0.0)
Connect = Callable[..., GitHubNotices]


@pytest.fixture
def repo(hub: Hub, tmp_path: Path) -> Repository:
    local = Sandbox(tmp_path / "local")
    local.commit({"docs/results.md": "old\n", "bench.py": "x\n"}, "first")
    return hub.create_repository("ada/lab", local.root)


@pytest.fixture
def connect(hub: Hub, repo: Repository) -> Callable[..., GitHubNotices]:
    def connected(permissions: dict[str, str] | None = None) -> GitHubNotices:
        token = hub.job_token(repo, permissions or WRITE)
        return GitHubNotices(
            token, "ada/lab", api_url=hub.url, bot_login="github-actions[bot]", patience=QUICK, clock=Time(sleep=lambda _: None)
        )

    return connected


def proposal(repo: Repository, text: str = "new\n", path: str = "docs/results.md") -> ProposeFile:
    start = repo.git.branch("main") or ""
    return ProposeFile(path, text, "main", start, "Bring it up to date", "<!-- assay:publish -->\nNews.", "<!-- assay:publish -->")


def test_an_issue_is_opened_listed_edited_and_closed(connect: Connect, repo: Repository) -> None:
    notices = connect()
    assert notices.issues() == ()
    posted = notices.open_issue(OPEN, MARKER)
    (one,) = notices.issues()
    assert (one.number, one.title, one.body, one.open) == (posted.id, OPEN.title, OPEN.body, True)
    notices.edit_issue(EditIssue(one.number, "Better", one.body))
    notices.edit_issue(EditIssue(one.number, "Well", one.body, closed=True))
    (closed,) = notices.issues()
    assert (closed.title, closed.open) == ("Well", False)
    assert (repo.issues[one.number].state, repo.issues[one.number].state_reason) == ("closed", "completed")


def test_an_issue_of_anybody_else_is_never_ours(connect: Connect, hub: Hub, repo: Repository) -> None:
    forged = repo.open_issue("A regression", author=hub.user("mallory"))
    forged.body, forged.labels = OPEN.body, ["assay"]
    notices = connect()
    assert notices.issues() == ()
    assert notices.open_issue(OPEN, MARKER).id != forged.number


def test_an_answer_that_is_lost_makes_no_second_issue(connect: Connect, hub: Hub, repo: Repository) -> None:
    hub.faults.add("POST", "*/issues", faults.DROPPED_AFTER_COMMIT)
    connect().open_issue(OPEN, MARKER)
    assert len(repo.issues) == 1


def test_a_token_without_the_right_is_told_as_such(connect: Connect) -> None:
    with pytest.raises(ForgeError) as found:
        connect({"issues": "read"}).open_issue(OPEN, MARKER)
    assert found.value.denied


def test_one_pull_request_brings_the_file_and_is_brought_up_to_date(connect: Connect, hub: Hub, repo: Repository) -> None:
    notices, main = connect(), repo.git.branch("main")
    first = notices.propose(proposal(repo))
    (pull,) = repo.pulls.values()
    assert (pull.number, pull.base_ref, pull.issue.body) == (first.id, "main", "<!-- assay:publish -->\nNews.")
    assert repo.git.read(pull.head_ref, "docs/results.md")[2] == b"new\n"  # type: ignore[index]
    hub.log.clear()
    assert notices.propose(proposal(repo)).id == first.id
    assert [one.method for one in hub.log] == ["GET", "GET"]
    assert notices.propose(proposal(repo, "newer\n")).id == first.id
    assert repo.git.read(pull.head_ref, "docs/results.md")[2] == b"newer\n"  # type: ignore[index]
    assert (len(repo.pulls), repo.git.branch("main")) == (1, main)
    assert repo.git.count(f"main..{pull.head_ref}") == 2


def test_after_a_merge_the_next_news_get_a_pull_request_of_their_own(connect: Connect, hub: Hub, repo: Repository) -> None:
    notices = connect()
    notices.propose(proposal(repo))
    (pull,) = repo.pulls.values()
    repo.close_pull(pull, merged_by=hub.user("ada"))
    second = notices.propose(proposal(repo, "newer\n"))
    assert second.id != pull.number
    assert repo.pulls[second.id].head_ref != pull.head_ref


def test_a_try_that_was_cut_off_is_taken_up_again(connect: Connect, hub: Hub, repo: Repository) -> None:
    notices = connect()
    hub.faults.add("POST", "*/pulls", faults.status(422))
    with pytest.raises(ForgeError):
        notices.propose(proposal(repo))
    notices.propose(proposal(repo))
    branches = [name for name in repo.git.refs("refs/heads") if "assay/results" in name]
    assert (len(repo.pulls), len(branches)) == (1, 1)


def test_a_pull_request_of_anybody_else_is_left_alone(connect: Connect, hub: Hub, repo: Repository) -> None:
    repo.git.set_ref("refs/heads/theirs", repo.git.branch("main") or "")
    theirs = repo.open_pull("theirs", author=hub.user("mallory"))
    theirs.issue.body = "<!-- assay:publish -->\nMine now."
    posted = connect().propose(proposal(repo))
    assert posted.id != theirs.number
    assert repo.git.branch("theirs") == repo.git.branch("main")


def test_a_document_that_is_not_there_yet_is_made(connect: Connect, repo: Repository) -> None:
    connect().propose(proposal(repo, path="docs/a new #1.md"))
    (pull,) = repo.pulls.values()
    assert repo.git.read(pull.head_ref, "docs/a new #1.md")[2] == b"new\n"  # type: ignore[index]


def test_ours_are_found_behind_a_hundred_others_with_the_label(connect: Connect, hub: Hub, repo: Repository) -> None:
    notices = connect()
    posted = notices.open_issue(OPEN, MARKER)
    for number in range(101):
        theirs = repo.open_issue(f"Theirs {number}", author=hub.user("mallory"))
        theirs.labels = ["assay"]
    assert [one.number for one in notices.issues()] == [posted.id]
