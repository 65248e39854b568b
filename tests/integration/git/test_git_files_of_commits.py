"""Files and ancestors of commits, asked of real repositories; and checkouts that another user owns or that keep a credential."""

import os
import stat
from pathlib import Path

import pytest
from tests.repositories import Sandbox

from assay.adapters.git import GitRepo
from assay.adapters.git.persisted import credential_files, out_of_reach
from assay.errors import InfrastructureError, UsageError


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "repo")


def test_a_file_is_read_from_its_commit_and_not_from_the_tree(sandbox: Sandbox) -> None:
    first = sandbox.commit({".github/assay.yml": "one\n"})
    sandbox.commit({".github/assay.yml": "two\n"})
    sandbox.write({".github/assay.yml": "three\n"})
    assert GitRepo.discover(str(sandbox.root)).read_file(first, ".github/assay.yml", 100) == b"one\n"


@pytest.mark.parametrize("path", ["absent.yml", ".github/absent.yml", "a.txt/b", "--help", ":(top)a.txt", "*.txt"])
def test_a_file_that_the_commit_lacks_is_none(sandbox: Sandbox, path: str) -> None:
    head = sandbox.commit({"a.txt": "x"})
    assert GitRepo.discover(str(sandbox.root)).read_file(head, path, 100) is None


def test_a_link_and_a_folder_are_refused(sandbox: Sandbox) -> None:
    sandbox.root.joinpath("link.yml").symlink_to("/etc/passwd")
    head = sandbox.commit({"folder/a.txt": "x"})
    for path in ("link.yml", "folder"):
        with pytest.raises(UsageError, match="not a regular file"):
            GitRepo.discover(str(sandbox.root)).read_file(head, path, 100)


def test_a_file_over_the_limit_is_refused_with_its_size(sandbox: Sandbox) -> None:
    head = sandbox.commit({"a.txt": "x" * 101})
    with pytest.raises(InfrastructureError, match="101 bytes"):
        GitRepo.discover(str(sandbox.root)).read_file(head, "a.txt", 100)


def test_no_filter_of_a_repository_changes_what_is_read(sandbox: Sandbox) -> None:
    head = sandbox.commit({"a.txt": "plain\n", ".gitattributes": "*.txt filter=x diff=x eol=crlf\n"})
    sandbox.git("config", "filter.x.smudge", "touch touched; cat")
    sandbox.git("config", "diff.x.textconv", "touch touched; cat")
    assert GitRepo.discover(str(sandbox.root)).read_file(head, "a.txt", 100) == b"plain\n"
    assert not (sandbox.root / "touched").exists()


def test_first_parents_go_back_past_merges_nearest_first(sandbox: Sandbox) -> None:
    first = sandbox.commit({"a": "1"})
    sandbox.git("checkout", "-q", "-b", "side")
    sandbox.commit({"b": "1"})
    sandbox.git("checkout", "-q", "main")
    second = sandbox.commit({"a": "2"})
    sandbox.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = sandbox.git("rev-parse", "HEAD")
    head = sandbox.commit({"a": "3"})
    repo = GitRepo.discover(str(sandbox.root))
    assert repo.first_parents(head, 10) == (merge, second, first)
    assert repo.first_parents(head, 2) == (merge, second)
    assert repo.first_parents(first, 10) == ()


def test_first_parents_end_where_a_shallow_clone_does(sandbox: Sandbox, tmp_path: Path) -> None:
    for number in range(4):
        sandbox.commit({"a": str(number)})
    sandbox.git("clone", "-q", "--depth=2", f"file://{sandbox.root}", str(tmp_path / "clone"))
    repo = GitRepo.discover(str(tmp_path / "clone"))
    assert repo.first_parents(repo.resolve("HEAD"), 10) == (sandbox.git("rev-parse", "HEAD~1"),)


def test_a_checkout_of_another_owner_is_read_where_it_is_trusted(sandbox: Sandbox) -> None:
    """Only root can make one; for anybody else git's own test switch stands in for the other owner."""
    head = sandbox.commit({"a": "1"})
    switch = pytest.MonkeyPatch()
    switch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    switch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    try:
        with pytest.raises(InfrastructureError, match="another user owns it"):
            GitRepo.discover(str(sandbox.root))
        repo = GitRepo.discover(str(sandbox.root), (str(sandbox.root),))
        assert repo.read_file(repo.resolve("HEAD"), "a", 10) == b"1"
        assert repo.resolve("HEAD") == head
    finally:
        switch.undo()


CREDENTIALS = {
    "a header of checkout": ("http.https://github.com/.extraheader", "AUTHORIZATION: basic eA=="),
    "a password in a remote": ("remote.origin.url", "https://x-access-token:s3cret@github.com/ada/lab"),
    "a token in place of a name": ("remote.origin.url", "https://ghp_0123456789abcdefghijABCDEFGHIJ@github.com/ada/lab"),
    "a password in a replacement": ("url.https://x:s3cret@github.com/.insteadOf", "https://github.com/"),
}


@pytest.mark.parametrize(("key", "value"), CREDENTIALS.values(), ids=CREDENTIALS)
def test_a_credential_in_the_checkout_s_configuration_is_found(sandbox: Sandbox, key: str, value: str) -> None:
    sandbox.git("config", key, value)
    assert credential_files(str(sandbox.root)) == (sandbox.root / ".git" / "config",)


def test_a_credential_in_an_included_file_is_found_there(sandbox: Sandbox, tmp_path: Path) -> None:
    kept = tmp_path / "git-credentials.config"
    sandbox.git("config", "--file", str(kept), "http.https://github.com/.extraheader", "AUTHORIZATION: basic eA==")
    sandbox.git("config", f"includeIf.gitdir:{sandbox.root}/.git.path", str(kept))
    assert credential_files(str(sandbox.root)) == (kept,)


def test_an_ordinary_checkout_keeps_none(sandbox: Sandbox) -> None:
    sandbox.git("remote", "add", "origin", "https://github.com/ada/lab")
    sandbox.git("remote", "add", "named", "https://ada@example.com/ada/lab")
    sandbox.git("remote", "add", "ssh", "ssh://git@github.com/ada/lab")
    assert credential_files(str(sandbox.root)) == ()


def test_a_file_out_of_reach_is_its_owner_s_alone_and_open_again_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("x")
    path.chmod(0o664)
    seen = []

    def use_and_fail() -> None:
        with out_of_reach((path,)):
            seen.append(stat.S_IMODE(path.stat().st_mode))
            raise KeyError

    with pytest.raises(KeyError):
        use_and_fail()
    assert seen == [0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_the_links_of_a_commit_are_known_by_their_text(sandbox: Sandbox) -> None:
    sandbox.commit({"a": "1\n"})
    repo = GitRepo.discover(str(sandbox.root))
    assert repo.links("HEAD") == {}
    texts = {"b": "a", "dir/new\nline": "../with\nbreak", "dir/é": "nowhere at all 12\n"}
    for path, text in texts.items():
        link = sandbox.root / path
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(text)
    assert repo.links(sandbox.commit({})) == texts


def test_links_whose_text_is_not_there_are_said_not_to_be_readable(sandbox: Sandbox) -> None:
    (sandbox.root / "b").symlink_to("a")
    commit = sandbox.commit({})
    blob = sandbox.git("rev-parse", "HEAD:b")
    (sandbox.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(InfrastructureError):
        GitRepo.discover(str(sandbox.root)).links(commit)
