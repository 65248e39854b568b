"""What the fake says of a repository, a pull request and their commits is what git has."""

import base64
import io
import zipfile

import pytest
from github import GithubException, UnknownObjectException
from github.Repository import Repository as Remote
from tests.contract.github.conftest import Connect, Lab


def test_a_repository_has_its_names_addresses_and_default_branch(lab: Lab, job: Remote) -> None:
    assert (job.full_name, job.default_branch, job.private, job.fork) == ("ada/lab", "main", False, False)
    assert job.clone_url == f"{lab.hub.server_url}/ada/lab.git"
    assert job.permissions.push
    assert not job.permissions.admin


def test_branches_are_listed_and_found_by_names_with_slashes(lab: Lab, job: Remote) -> None:
    assert [one.name for one in job.get_branches()] == ["feature/faster", "main"]
    found = job.get_branch("feature/faster")
    assert (found.commit.sha, found.protected) == (lab.pull.head_sha, False)
    with pytest.raises(GithubException, match="Branch not found"):
        job.get_branch("gone")


def test_a_protected_branch_says_so(lab: Lab, job: Remote) -> None:
    lab.repo.protect("main")
    assert job.get_branch("main").protected


def test_refs_are_found_by_name_and_by_prefix(lab: Lab, job: Remote) -> None:
    assert job.get_git_ref("heads/feature/faster").object.sha == lab.pull.head_sha
    assert job.get_git_ref(f"pull/{lab.pull.number}/head").object.sha == lab.pull.head_sha
    assert [one.ref for one in job.get_git_matching_refs("heads/feat")] == ["refs/heads/feature/faster"]
    with pytest.raises(UnknownObjectException):
        job.get_git_ref("heads/feature").object  # noqa: B018 - the request is made when the object is asked for


def test_a_commit_has_its_people_its_parents_and_its_files(lab: Lab, job: Remote) -> None:
    found = job.get_commit(lab.pull.head_sha)
    assert (found.commit.message, found.commit.author.name) == ("faster", "Ada")
    assert [parent.sha for parent in found.parents] == [lab.pull.base_sha]
    assert [(one.filename, one.status, one.additions, one.deletions) for one in found.files] == [("bench.py", "modified", 1, 1)]


def test_commits_are_listed_from_a_branch_and_by_path(lab: Lab, job: Remote) -> None:
    assert [one.sha for one in job.get_commits(sha="feature/faster")] == [lab.pull.head_sha, lab.pull.base_sha]
    assert [one.sha for one in job.get_commits(sha="feature/faster", path="docs")] == [lab.pull.base_sha]


def test_an_unknown_commit_is_said_to_be_one(lab: Lab, job: Remote) -> None:
    with pytest.raises(GithubException, match="No commit found for SHA") as caught:
        job.get_commit("f" * 40)
    assert caught.value.status == 422


def test_a_comparison_gives_the_merge_base_of_branches_that_went_apart(lab: Lab, job: Remote) -> None:
    lab.local.commit({"other.txt": "1"}, "meanwhile")
    lab.local.git("push", "-q", str(lab.repo.path), "main")
    found = job.compare("main", "feature/faster")
    assert (found.status, found.ahead_by, found.behind_by) == ("diverged", 1, 1)
    assert found.merge_base_commit.sha == lab.local.git("merge-base", "main", "feature/faster")
    assert [one.filename for one in found.files] == ["bench.py"]


def test_a_comparison_tells_which_side_is_ahead(lab: Lab, job: Remote) -> None:
    assert job.compare("main", "feature/faster").status == "ahead"
    assert job.compare("feature/faster", "main").status == "behind"
    assert job.compare(lab.pull.head_sha, "feature/faster").status == "identical"


def test_a_comparison_reaches_into_a_fork(lab: Lab, job: Remote) -> None:
    fork = lab.hub.fork(lab.repo, "mallory")
    lab.local.git("push", "-q", str(fork.path), "feature/faster:refs/heads/theirs")
    assert job.compare("main", "mallory:theirs").ahead_by == 1


def test_moved_and_new_and_removed_files_are_told_apart(lab: Lab, job: Remote) -> None:
    lab.local.git("checkout", "-q", "-b", "moves")
    lab.local.git("mv", "bench.py", "benchmarks.py")
    lab.local.commit({"docs/a.md": None, "new.txt": "1\n"}, "moves")
    lab.local.git("push", "-q", str(lab.repo.path), "moves")
    found = {one.filename: (one.status, one.previous_filename) for one in job.compare("main", "moves").files}
    assert found == {"benchmarks.py": ("renamed", "bench.py"), "docs/a.md": ("removed", None), "new.txt": ("added", None)}


def test_a_pull_request_follows_its_branch(lab: Lab, job: Remote) -> None:
    before = job.get_pull(lab.pull.number)
    lab.local.git("checkout", "-q", "feature/faster")
    pushed = lab.local.commit({"bench.py": "print(3)\n"}, "faster still")
    lab.local.git("push", "-q", str(lab.repo.path), "feature/faster")
    after = job.get_pull(lab.pull.number)
    assert (before.head.sha, after.head.sha) == (pushed_parent(lab, pushed), pushed)
    assert (after.commits, after.changed_files, after.mergeable) == (2, 1, True)
    assert after.merge_commit_sha != before.merge_commit_sha
    assert lab.repo.git.refs("refs/pull")["refs/pull/1/merge"] == after.merge_commit_sha


def pushed_parent(lab: Lab, sha: str) -> str:
    return lab.local.git("rev-parse", f"{sha}^")


def test_the_test_merge_has_the_base_and_the_head_as_parents(lab: Lab, job: Remote) -> None:
    merge = job.get_pull(1).merge_commit_sha
    assert merge
    assert [one.sha for one in job.get_commit(merge).parents] == [lab.pull.base_sha, lab.pull.head_sha]


def test_a_conflict_is_not_mergeable_and_leaves_the_last_merge(lab: Lab, job: Remote) -> None:
    merge = job.get_pull(1).merge_commit_sha
    lab.local.commit({"bench.py": "print('other')\n"}, "conflicting")
    lab.local.git("push", "-q", str(lab.repo.path), "main")
    found = job.get_pull(1)
    assert (found.mergeable, found.mergeable_state, found.merge_commit_sha) == (False, "dirty", merge)


def test_pull_requests_are_found_by_state_head_and_base(lab: Lab, job: Remote) -> None:
    lab.local.git("push", "-q", str(lab.repo.path), "main:refs/heads/second", "feature/faster:refs/heads/third")
    other = lab.repo.open_pull("third", "second")
    assert [one.number for one in job.get_pulls()] == [other.number, 1]
    assert [one.number for one in job.get_pulls(head="ada:feature/faster")] == [1]
    assert [one.number for one in job.get_pulls(base="second")] == [other.number]
    lab.repo.close_pull(lab.pull, merged_by=lab.repo.owner)
    assert [one.number for one in job.get_pulls(state="closed")] == [1]
    assert job.get_pull(1).merged
    assert lab.repo.git.branch("main") == job.get_pull(1).merge_commit_sha


def test_a_pull_request_gives_its_commits_and_files(lab: Lab, job: Remote) -> None:
    found = job.get_pull(1)
    assert [one.sha for one in found.get_commits()] == [lab.pull.head_sha]
    assert [one.filename for one in found.get_files()] == ["bench.py"]


def test_a_pull_request_from_a_fork_names_it_until_it_is_deleted(lab: Lab, job: Remote) -> None:
    fork = lab.hub.fork(lab.repo, "mallory")
    pull = lab.repo.open_pull("mallory:feature/faster", author=lab.hub.user("mallory"))
    before = job.get_pull(pull.number)
    assert (before.head.repo.full_name, before.head.repo.fork, before.user.login) == (fork.full_name, True, "mallory")
    assert before.raw_data["author_association"] == "NONE"
    lab.repo.delete_head(pull)
    after = job.get_pull(pull.number)
    assert after.head.repo is None
    assert (after.head.sha, after.head.label) == (before.head.sha, "mallory:feature/faster")


def test_a_commit_gives_the_pull_requests_it_belongs_to(lab: Lab, job: Remote) -> None:
    assert [one.number for one in job.get_commit(lab.pull.head_sha).get_pulls()] == [1]
    assert list(job.get_commit(lab.pull.base_sha).get_pulls()) == []


def test_a_pull_request_is_an_issue_with_a_pull_request_in_it(lab: Lab, job: Remote) -> None:
    plain = lab.repo.open_issue()
    assert job.get_issue(1).pull_request is not None
    assert job.get_issue(plain.number).pull_request is None


def test_files_and_folders_are_read_at_a_ref(lab: Lab, job: Remote) -> None:
    file = job.get_contents("bench.py", ref="feature/faster")
    assert not isinstance(file, list)
    assert file.decoded_content == b"print(2)\n"
    listing = job.get_contents("")
    assert isinstance(listing, list)
    assert [(one.path, one.type) for one in listing] == [("bench.py", "file"), ("docs", "dir")]
    raw = lab.ask("GET", "contents/docs/a.md", headers={"Accept": "application/vnd.github.raw"})
    assert raw.body == b"a\n"
    assert base64.b64decode(lab.ask("GET", "contents/docs/a.md").body["content"]) == b"a\n"


@pytest.mark.parametrize(
    ("login", "permission", "role"),
    [
        ("ada", "admin", "admin"),
        ("mia", "write", "maintain"),
        ("bob", "write", "write"),
        ("tim", "read", "triage"),
        ("mallory", "read", "read"),
    ],
)
def test_a_persons_permission_is_one_of_four_words(job: Remote, login: str, permission: str, role: str) -> None:
    assert (job.get_collaborator_permission(login), job.get_collaborator_role_name(login)) == (permission, role)


def test_a_permission_is_not_known_of_nobody(job: Remote) -> None:
    with pytest.raises(GithubException, match="nobody is not a user") as caught:
        job.get_collaborator_permission("nobody")
    assert caught.value.status == 404


def test_only_the_invited_are_collaborators(job: Remote) -> None:
    assert [job.has_in_collaborators(login) for login in ("ada", "bob", "mallory")] == [True, True, False]


def test_a_workflow_run_names_pull_requests_unless_it_is_of_a_fork(lab: Lab, connect: Connect) -> None:
    own = lab.repo.add_workflow_run("Assay", "pull_request", "feature/faster", lab.pull.head_sha)
    theirs = lab.repo.add_workflow_run("Assay", "pull_request", "x", lab.pull.head_sha, head_repository="mallory/lab")
    remote = connect(lab.hub.job_token(lab.repo, {"actions": "read"}))
    assert [one.number for one in remote.get_workflow_run(own.id).pull_requests] == [1]
    assert remote.get_workflow_run(theirs.id).pull_requests == []
    assert remote.get_workflow_run(own.id).head_sha == lab.pull.head_sha


def test_runs_are_listed_by_event_status_and_head_and_cancelled_once(lab: Lab) -> None:
    waiting = lab.repo.add_workflow_run("Assay", "pull_request", "feature/faster", lab.pull.head_sha)
    waiting.status, waiting.conclusion = "queued", None
    lab.repo.add_workflow_run("Assay", "push", "main", lab.pull.base_sha)
    token = lab.hub.job_token(lab.repo, {"actions": "write"})
    for query in ("status=queued", "event=pull_request", f"head_sha={lab.pull.head_sha}"):
        assert [one["id"] for one in lab.ask("GET", f"actions/runs?{query}", token).body["workflow_runs"]] == [waiting.id]
    assert lab.ask("POST", f"actions/runs/{waiting.id}/cancel", lab.hub.job_token(lab.repo, {"actions": "read"})).status == 403
    assert [lab.ask("POST", f"actions/runs/{waiting.id}/cancel", token).status for _ in range(2)] == [202, 409]
    assert lab.ask("POST", "actions/runs/1/cancel", token).status == 404


def test_an_artifact_is_listed_and_its_download_needs_no_token(lab: Lab) -> None:
    run = lab.repo.add_workflow_run("Assay", "pull_request", "feature/faster", lab.pull.head_sha)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("result.json", "{}")
    made = lab.repo.add_artifact(run.id, "assay", content.getvalue())
    token = lab.hub.job_token(lab.repo, {"actions": "read"})
    listed = lab.ask("GET", f"actions/runs/{run.id}/artifacts?name=assay", token).body
    assert [one["id"] for one in listed["artifacts"]] == [made.id]
    assert lab.ask("GET", "actions/artifacts", token).body["total_count"] == 1
    sent = lab.ask("GET", f"actions/artifacts/{made.id}/zip", token)
    assert sent.status == 302
    assert lab.ask("GET", sent.headers["location"].removeprefix(lab.hub.server_url)).body == content.getvalue()


def test_addresses_of_answers_lead_back_to_the_fake(lab: Lab) -> None:
    found = lab.ask("GET", "pulls/1").body
    assert lab.ask("GET", found["url"].removeprefix(lab.hub.url)).body["number"] == 1
    assert found["head"]["repo"]["url"] == f"{lab.hub.url}/repos/ada/lab"
