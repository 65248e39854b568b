"""What is written through the API is there afterwards, in GitHub's order and by its rules."""

from urllib.parse import parse_qs, urlsplit

import pytest
from github import GithubException
from github.Repository import Repository as Remote
from tests.contract.github.conftest import Connect, Lab

COMPLETED = {"title": "t", "summary": "s"}


def note(text: str) -> dict[str, str | int]:
    return {"path": "bench.py", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": text}


def test_a_ref_is_made_moved_and_removed(lab: Lab, job: Remote) -> None:
    made = job.create_git_ref("refs/heads/exp/1", lab.pull.base_sha)
    made.edit(lab.pull.head_sha)
    assert lab.repo.git.branch("exp/1") == lab.pull.head_sha
    made.delete()
    assert lab.repo.git.branch("exp/1") is None


def test_a_ref_that_is_there_is_not_made_again(lab: Lab, job: Remote) -> None:
    with pytest.raises(GithubException, match="Reference already exists"):
        job.create_git_ref("refs/heads/main", lab.pull.base_sha)


def test_a_ref_goes_back_only_by_force(lab: Lab, job: Remote) -> None:
    ref = job.get_git_ref("heads/feature/faster")
    with pytest.raises(GithubException, match="not a fast forward") as caught:
        ref.edit(lab.pull.base_sha)
    assert caught.value.status == 422
    ref.edit(lab.pull.base_sha, force=True)
    assert lab.repo.git.branch("feature/faster") == lab.pull.base_sha


def test_a_ref_to_nothing_is_refused(lab: Lab, job: Remote) -> None:
    ref = job.create_git_ref("refs/heads/brief", lab.pull.base_sha)
    ref.delete()
    with pytest.raises(GithubException, match="Object does not exist"):
        job.create_git_ref("refs/heads/void", "f" * 40)
    with pytest.raises(GithubException, match="Reference does not exist"):
        ref.edit(lab.pull.base_sha)


def test_a_protected_ref_is_refused_by_the_api_too(lab: Lab, job: Remote) -> None:
    lab.repo.protect("main")
    with pytest.raises(GithubException, match="through a pull request"):
        job.get_git_ref("heads/main").edit(lab.pull.head_sha)
    assert lab.repo.git.branch("main") == lab.pull.base_sha


def test_comments_of_a_job_are_by_the_bot(lab: Lab, job: Remote) -> None:
    made = job.get_pull(1).create_issue_comment("<!-- assay -->")
    assert (made.user.login, made.user.type, made.user.id) == ("github-actions[bot]", "Bot", 41898282)
    assert made.raw_data["performed_via_github_app"]["slug"] == "github-actions"


def test_comments_of_a_person_are_by_a_user(lab: Lab, connect: Connect) -> None:
    made = connect(lab.hub.personal_token("mallory")).get_issue(1).create_comment("hello")
    assert (made.user.login, made.user.type, made.raw_data["author_association"]) == ("mallory", "User", "NONE")


def test_a_comment_is_changed_and_removed(lab: Lab, job: Remote) -> None:
    made = job.get_pull(1).create_issue_comment("one")
    made.edit("two")
    assert [one.body for one in job.get_pull(1).get_issue_comments()] == ["two"]
    made.delete()
    assert list(job.get_issues_comments()) == []


def test_comments_come_in_pages_of_ascending_ids(lab: Lab, job: Remote) -> None:
    for number in range(35):
        lab.repo.comment(1, f"c{number}", lab.repo.owner)
    found = list(job.get_pull(1).get_issue_comments())
    assert [one.body for one in found] == [f"c{number}" for number in range(35)]
    assert [one.id for one in found] == sorted(one.id for one in found)
    assert len(lab.hub.requests("GET", "*/issues/1/comments")) == 2


def test_a_page_says_where_the_others_are(lab: Lab) -> None:
    for number in range(250):
        lab.repo.comment(1, f"c{number}", lab.repo.owner)
    first = lab.ask("GET", "issues/1/comments?per_page=1000")
    assert len(first.body) == 100
    middle = lab.ask("GET", "issues/1/comments?per_page=100&page=2")
    links = {relation: page_in(link) for link, relation in (part.split("; rel=") for part in middle.headers["link"].split(", "))}
    assert links == {'"prev"': 1, '"first"': 1, '"next"': 3, '"last"': 3}
    assert "next" not in lab.ask("GET", "issues/1/comments?per_page=100&page=3").headers["link"]
    assert lab.ask("GET", "issues/1/comments?page=99").body == []


def page_in(link: str) -> int:
    return int(parse_qs(urlsplit(link.strip("<>")).query)["page"][0])


def test_comments_are_found_by_their_last_change(lab: Lab) -> None:
    lab.repo.comment(1, "old", lab.repo.owner)
    assert len(lab.ask("GET", "issues/1/comments?since=2001-01-01T00:00:00Z").body) == 1
    assert lab.ask("GET", "issues/1/comments?since=2999-01-01T00:00:00Z").body == []


def test_the_same_reaction_is_one(lab: Lab, job: Remote) -> None:
    comment = job.get_issue(1).create_comment("/experiment run")
    first = comment.create_reaction("eyes")
    assert comment.create_reaction("eyes").id == first.id
    comment.create_reaction("rocket")
    assert [one.content for one in comment.get_reactions()] == ["eyes", "rocket"]
    assert comment.delete_reaction(first.id)
    assert [one.content for one in comment.get_reactions()] == ["rocket"]


def test_a_check_run_goes_from_in_progress_to_completed(lab: Lab, job: Remote) -> None:
    made = job.create_check_run("bench", lab.pull.head_sha, status="in_progress", external_id="run-1")
    raw = made.raw_data
    assert (raw["status"], raw["conclusion"], raw["app"]["slug"]) == ("in_progress", None, "github-actions")
    made.edit(conclusion="success", output=COMPLETED)
    found = job.get_check_run(made.id)
    assert (found.status, found.conclusion, found.external_id, found.output.title) == ("completed", "success", "run-1", "t")
    assert found.completed_at


def test_annotations_add_up_over_updates(lab: Lab, job: Remote) -> None:
    made = job.create_check_run("bench", lab.pull.head_sha, output={**COMPLETED, "annotations": [note("one")]})
    made.edit(output={**COMPLETED, "annotations": [note("two")]})
    assert [one.message for one in made.get_annotations()] == ["one", "two"]
    assert job.get_check_run(made.id).output.annotations_count == 2


def test_check_runs_of_a_commit_are_the_latest_of_each_name_unless_all_are_asked_for(lab: Lab, job: Remote) -> None:
    ids = [job.create_check_run(name, lab.pull.head_sha, external_id=str(n)).id for n, name in enumerate(("a", "b", "a"))]
    commit = job.get_commit(lab.pull.head_sha)
    assert [one.id for one in commit.get_check_runs()] == [ids[2], ids[1]]
    assert [one.id for one in commit.get_check_runs(check_name="a", filter="all")] == [ids[2], ids[0]]
    assert list(commit.get_check_runs(check_name="c")) == []
    assert commit.get_check_runs(status="queued").totalCount == 2
    assert list(job.get_commit(lab.pull.base_sha).get_check_runs()) == []


def test_check_runs_are_found_by_a_branch_with_slashes(lab: Lab, job: Remote) -> None:
    made = job.create_check_run("bench", lab.pull.head_sha)
    assert [one["id"] for one in lab.ask("GET", "commits/feature/faster/check-runs").body["check_runs"]] == [made.id]


def test_a_check_run_needs_a_commit(lab: Lab, job: Remote) -> None:
    with pytest.raises(GithubException, match="No commit found for SHA"):
        job.create_check_run("bench", "f" * 40)


def test_statuses_are_combined_by_their_latest(lab: Lab, job: Remote) -> None:
    commit = job.get_commit(lab.pull.head_sha)
    assert commit.get_combined_status().state == "pending"
    for state, context in (("failure", "a"), ("success", "a"), ("success", "b")):
        commit.create_status(state, context=context, description="d")
    assert commit.get_combined_status().state == "success"
    assert [one["state"] for one in lab.ask("GET", f"commits/{lab.pull.head_sha}/statuses").body] == ["success", "success", "failure"]


def test_a_pull_request_is_opened_and_edited(lab: Lab, job: Remote) -> None:
    job.create_git_ref("refs/heads/exp", lab.pull.head_sha)
    made = job.create_pull(base="main", head="exp", title="Try", body="b")
    made.edit(title="Tried", state="closed")
    found = job.get_pull(made.number)
    assert (found.title, found.state, found.user.login) == ("Tried", "closed", "github-actions[bot]")


def test_a_second_pull_request_of_a_branch_is_refused(lab: Lab, job: Remote) -> None:
    with pytest.raises(GithubException, match="already exists"):
        job.create_pull(base="main", head="feature/faster", title="Again")
    with pytest.raises(GithubException, match="Validation Failed"):
        job.create_pull(base="main", head="gone", title="Nothing")
