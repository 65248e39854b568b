"""Where a user's repository keeps its data branch, and that this repository stays as it was, byte for byte."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes.runs import a_run
from tests.integration.store_branch.places import git
from tests.repositories import Sandbox

from assay.adapters.store_branch import Credentials, locate, token_for
from assay.errors import UsageError


@pytest.fixture
def repo(tmp_path: Path, remote: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "user's repo")
    sandbox.commit({"bench.py": "print('METRIC x=1')\n"})
    sandbox.git("remote", "add", "origin", str(remote))
    sandbox.git("push", "-q", "origin", "main")
    return sandbox


def without_ours(snapshot: dict[str, str]) -> dict[str, str]:
    """All of the repository but our own folder, and the time of the folder that it was made in."""
    return {path: facts for path, facts in snapshot.items() if not path.startswith(".git/assay") and path != ".git"}


def test_the_folders_lie_beside_git_s_own_and_the_remote_is_origin(repo: Sandbox, remote: Path) -> None:
    place = locate(str(repo.root))
    assert (place.remote, place.ref, place.object_format) == (str(remote), "refs/heads/assay-data", "sha1")
    assert place.outbox == repo.root / ".git" / "assay" / "outbox"


def test_the_user_s_repository_is_unchanged_by_all_that_a_store_does(repo: Sandbox) -> None:
    repo.git("config", "core.hooksPath", "hooks")
    repo.write({"hooks/pre-push": "#!/bin/sh\nexit 1\n", "untracked.txt": "mine"})
    repo.git("worktree", "add", "-q", "--detach", str(repo.root.parent / "other tree"))
    before = without_ours(repo.snapshot())
    store = locate(str(repo.root)).open()
    with store.batch():
        store.add_run(a_run())
        store.add_run(a_run(1))
    assert len(store.runs("bench").runs) == 2
    store.compact(a_year_later())
    store.flush()
    assert without_ours(repo.snapshot()) == before
    repo.git("gc", "-q", "--prune=now")
    assert len(store.runs("bench").runs) == 2


def a_year_later() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


def test_all_worktrees_share_one_outbox(repo: Sandbox) -> None:
    other = repo.root.parent / "other tree"
    repo.git("worktree", "add", "-q", "--detach", str(other))
    assert locate(str(other)).folder == locate(str(repo.root)).folder


@pytest.mark.parametrize("depth", ["", "deep/er"])
def test_a_remote_given_as_a_path_counts_from_the_top(repo: Sandbox, remote: Path, depth: str) -> None:
    repo.git("remote", "set-url", "origin", "../remote.git")
    folder = repo.root / depth
    folder.mkdir(parents=True, exist_ok=True)
    store = locate(str(folder)).open()
    store.add_run(a_run())
    assert git(remote, "rev-list", "--count", "assay-data") == "1"


@pytest.mark.parametrize("name", ["main", "refs/heads/main"])
def test_the_current_branch_is_refused(repo: Sandbox, name: str) -> None:
    with pytest.raises(UsageError, match="`main`: that branch holds your own work"):
        locate(str(repo.root), name)


def test_the_default_branch_is_refused_where_the_clone_knows_it(repo: Sandbox) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.git("remote", "set-head", "origin", "main")
    with pytest.raises(UsageError, match="your own work"):
        locate(str(repo.root), "main")


def test_without_origin_it_says_what_to_do(repo: Sandbox) -> None:
    repo.git("remote", "remove", "origin")
    with pytest.raises(UsageError, match="no remote `origin`") as caught:
        locate(str(repo.root))
    assert "--store dir:PATH" in caught.value.hint


def test_outside_of_any_repository_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No git repository"):
        locate(str(tmp_path))


GITHUB = "https://github.com/org/repo"


@pytest.mark.parametrize(
    ("remote", "environ", "token"),
    [
        (GITHUB, {"GITHUB_TOKEN": "a"}, "a"),
        (GITHUB, {"GH_TOKEN": "b", "INPUT_GITHUB-TOKEN": "c"}, "c"),
        (GITHUB, {"INPUT_PUSH-TOKEN": "app", "GITHUB_TOKEN": "a"}, "app"),
        ("https://ada:x@github.com/org/repo", {"GITHUB_TOKEN": "a"}, "a"),
        (GITHUB, {"GITHUB_TOKEN": "  "}, None),
        (GITHUB, {}, None),
        ("https://gitlab.com/org/repo", {"GITHUB_TOKEN": "a"}, None),
        ("https://github.com.evil.example/org/repo", {"GITHUB_TOKEN": "a"}, None),
        ("https://evil.example/github.com", {"GITHUB_TOKEN": "a"}, None),
        ("http://github.com/org/repo", {"GITHUB_TOKEN": "a"}, None),
        ("git@github.com:org/repo", {"GITHUB_TOKEN": "a"}, None),
        ("/srv/repo.git", {"GITHUB_TOKEN": "a"}, None),
        ("https://ghe.example:8443/org/repo", {"GITHUB_TOKEN": "a", "GITHUB_SERVER_URL": "https://GHE.example:8443"}, "a"),
        ("https://ghe.example/org/repo", {"GITHUB_TOKEN": "a", "GITHUB_SERVER_URL": "https://ghe.example:8443"}, None),
    ],
)
def test_a_token_goes_to_the_forge_that_it_belongs_to_and_to_no_other(remote: str, environ: dict[str, str], token: str | None) -> None:
    assert token_for(remote, environ) == (Credentials(token) if token else None)


@pytest.mark.parametrize("token", ["", "1 2", "1\n2", "tökén", "1\x00"])
def test_a_token_with_impossible_characters_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(UsageError) as caught:
        Credentials(token)
    assert not token or token not in caught.value.message
