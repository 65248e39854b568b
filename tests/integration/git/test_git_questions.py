"""What the git adapter answers about a real repository, and that asking changes nothing."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.repositories import Sandbox

from assay.adapters.git import LOCAL_VARIABLES, GitRepo, scrub_environment
from assay.core.tree import Change, Lines
from assay.errors import InfrastructureError, UsageError


def repo_of(sandbox: Sandbox) -> GitRepo:
    return GitRepo.discover(str(sandbox.root))


# finding the repository


def test_it_is_found_from_a_folder_inside(sandbox: Sandbox) -> None:
    sandbox.commit({"src/deep/file": "1"})
    assert GitRepo.discover(str(sandbox.root / "src" / "deep")).root == str(sandbox.root)


def test_a_linked_worktree_is_a_root_of_its_own(sandbox: Sandbox) -> None:
    sandbox.commit({"file": "1"})
    linked = sandbox.root.parent / "linked"
    sandbox.git("worktree", "add", "-q", str(linked), "-b", "other")
    repo = GitRepo.discover(str(linked))
    assert (repo.root, repo.branch_of("HEAD")) == (str(linked), "other")


def test_outside_a_repository_the_error_says_what_to_do(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No git repository") as caught:
        GitRepo.discover(str(tmp_path))
    assert "git init" in caught.value.hint


def test_a_missing_folder_is_explained(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        GitRepo.discover(str(tmp_path / "nowhere"))


def test_a_bare_repository_is_explained(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    with pytest.raises(UsageError, match="bare") as caught:
        GitRepo.discover(str(tmp_path / "bare.git"))
    assert "cd " in caught.value.hint


def test_the_git_folder_itself_is_explained(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match=r"\.git"):
        GitRepo.discover(str(sandbox.root / ".git"))


def test_without_git_the_error_says_so(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InfrastructureError, match="git") as caught:
        repo_of(sandbox)
    assert "Install git" in caught.value.hint


def test_a_repository_of_another_user_is_explained(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(InfrastructureError) as caught:
        repo_of(sandbox)
    assert f"safe.directory {sandbox.root}" in caught.value.hint


def test_the_users_word_that_a_repository_is_safe_is_heard(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    for name, value in {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}.items():
        monkeypatch.setenv(name, value)
    assert repo_of(sandbox).root == str(sandbox.root)


# refs


def test_every_kind_of_name_resolves_to_the_full_sha_of_a_commit(sandbox: Sandbox) -> None:
    first = sandbox.commit({"file": "1"})
    second = sandbox.commit({"file": "2"})
    sandbox.git("tag", "-a", "-m", "tag", "v1", first)
    repo = repo_of(sandbox)
    assert {repo.resolve(name) for name in ("v1", first, first[:8], "HEAD~1", "main^")} == {first}
    assert {repo.resolve(name) for name in ("HEAD", "@", "main", "refs/heads/main")} == {second}


@pytest.mark.parametrize("branch", ["-x", "--upload-pack=x", "--all"])
def test_a_branch_named_like_an_option_is_a_branch(sandbox: Sandbox, branch: str) -> None:
    sha = sandbox.commit({"file": "1"})
    sandbox.git("update-ref", f"refs/heads/{branch}", sha)
    repo = repo_of(sandbox)
    assert repo.resolve(branch) == sha
    assert repo.branch_of(branch) == branch
    assert repo.merge_base(branch, "HEAD") == sha
    assert repo.tree(branch) == sandbox.git("rev-parse", "HEAD^{tree}")
    assert repo.changes(branch, "HEAD") == ()


@pytest.mark.parametrize(
    "ref",
    [
        "no-such-ref",
        "",
        "--all",
        "-h",
        "^HEAD",
        "HEAD..HEAD",
        "HEAD:file",
        "v1^{blob}",
        "a\0b",
        "HEAD\nHEAD",
        "x commit",
        "0" * 40,
        "\x1b[31m",
    ],
)
def test_what_names_no_commit_is_a_usage_error(sandbox: Sandbox, ref: str) -> None:
    sandbox.commit({"file": "1"})
    with pytest.raises(UsageError) as caught:
        repo_of(sandbox).resolve(ref)
    assert caught.value.message.isprintable()
    assert caught.value.hint


def test_an_unknown_ref_is_named(sandbox: Sandbox) -> None:
    sandbox.commit({"file": "1"})
    with pytest.raises(UsageError, match="no-such-ref") as caught:
        repo_of(sandbox).resolve("no-such-ref")
    assert "git fetch" in caught.value.hint


def test_a_branch_that_only_a_remote_has_is_suggested(sandbox: Sandbox) -> None:
    sha = sandbox.commit({"file": "1"})
    sandbox.git("update-ref", "refs/remotes/upstream/feature/x", sha)
    with pytest.raises(UsageError) as caught:
        repo_of(sandbox).resolve("feature/x")
    assert "upstream/feature/x" in caught.value.hint


def test_an_unborn_head_is_explained(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match="no commit yet") as caught:
        repo_of(sandbox).resolve("HEAD")
    assert "git commit" in caught.value.hint


def test_a_branch_is_told_from_what_is_none(sandbox: Sandbox) -> None:
    sha = sandbox.commit({"file": "1"})
    sandbox.git("tag", "v1")
    sandbox.git("branch", "feature/x")
    sandbox.git("update-ref", "refs/remotes/origin/main", sha)
    repo = repo_of(sandbox)
    names = ("HEAD", "main", "refs/heads/main", "feature/x", "v1", sha, "origin/main", "nothing")
    assert [repo.branch_of(name) for name in names] == ["main", "main", "main", "feature/x", None, None, None, None]
    sandbox.git("checkout", "-q", "--detach")
    assert repo.branch_of("HEAD") is None


def test_a_full_sha_is_a_commit_also_where_a_branch_has_such_a_name(sandbox: Sandbox) -> None:
    first = sandbox.commit({"file": "1"})
    sandbox.git("update-ref", f"refs/heads/{first}", sandbox.commit({"file": "2"}))
    repo = repo_of(sandbox)
    assert (repo.resolve(first), repo.branch_of(first)) == (first, None)


def test_the_default_branch_is_the_first_of_the_usual_ones(sandbox: Sandbox) -> None:
    sha = sandbox.commit({"file": "1"})
    repo = repo_of(sandbox)
    assert repo.default_branch() == "main"
    sandbox.git("update-ref", "refs/remotes/origin/master", sha)
    assert repo.default_branch() == "origin/master"
    sandbox.git("update-ref", "refs/remotes/origin/trunk", sha)
    sandbox.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert repo.default_branch() == "origin/trunk"


def test_without_any_of_the_usual_ones_there_is_no_default_branch(sandbox: Sandbox) -> None:
    sandbox.commit({"file": "1"})
    sandbox.git("branch", "-m", "work")
    sandbox.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert repo_of(sandbox).default_branch() is None


# history


def test_the_merge_base_is_where_the_branches_part(sandbox: Sandbox) -> None:
    base = sandbox.commit({"file": "1"})
    main = sandbox.commit({"file": "2"})
    sandbox.git("checkout", "-q", "-b", "topic", base)
    topic = sandbox.commit({"other": "3"})
    repo = repo_of(sandbox)
    assert repo.merge_base(main, topic) == base
    assert repo.merge_base(topic, topic) == topic


def test_unrelated_histories_have_no_merge_base(sandbox: Sandbox) -> None:
    one = sandbox.commit({"file": "1"})
    sandbox.git("checkout", "-q", "--orphan", "island")
    other = sandbox.commit({"file": "2"})
    with pytest.raises(InfrastructureError, match="unrelated"):
        repo_of(sandbox).merge_base(one, other)


def shallow_clone(sandbox: Sandbox) -> Path:
    clone = sandbox.root.parent / "shallow"
    sandbox.git("clone", "-q", "--depth", "1", "--no-single-branch", f"file://{sandbox.root}", str(clone))
    return clone


def test_a_shallow_clone_without_merge_base_says_how_to_get_one(sandbox: Sandbox) -> None:
    base = sandbox.commit({"file": "1"})
    main = sandbox.commit({"file": "2"})
    sandbox.git("checkout", "-q", "-b", "topic", base)
    topic = sandbox.commit({"other": "3"})
    repo = GitRepo.discover(str(shallow_clone(sandbox)))
    with pytest.raises(InfrastructureError, match="shallow") as caught:
        repo.merge_base(main, topic)
    assert "--unshallow" in caught.value.hint
    assert "fetch-depth: 0" in caught.value.hint


def test_the_end_of_a_shallow_clone_is_no_root_commit(sandbox: Sandbox) -> None:
    sandbox.commit({"file": "1"})
    head = sandbox.commit({"file": "2"})
    repo = GitRepo.discover(str(shallow_clone(sandbox)))
    with pytest.raises(InfrastructureError, match="shallow") as caught:
        repo.first_parent(head)
    assert "fetch-depth: 0" in caught.value.hint


def test_a_commit_cut_off_by_a_shallow_clone_is_unknown_with_the_reason(sandbox: Sandbox) -> None:
    base = sandbox.commit({"file": "1"})
    sandbox.commit({"file": "2"})
    with pytest.raises(UsageError, match="shallow") as caught:
        GitRepo.discover(str(shallow_clone(sandbox))).resolve(base)
    assert "--unshallow" in caught.value.hint


def test_the_first_parent_of_a_merge_is_the_branch_merged_into(sandbox: Sandbox) -> None:
    root = sandbox.commit({"file": "1"})
    main = sandbox.commit({"file": "2"})
    sandbox.git("checkout", "-q", "-b", "topic", root)
    sandbox.commit({"other": "3"})
    sandbox.git("checkout", "-q", "main")
    sandbox.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    repo = repo_of(sandbox)
    assert repo.first_parent(repo.resolve("HEAD")) == main
    assert repo.first_parent(root) is None


def test_a_subject_is_the_first_line_in_its_own_encoding(sandbox: Sandbox) -> None:
    plain = sandbox.commit({"file": "1"}, "Make it fast\n\nparent 0000\nencoding x")
    sandbox.git("config", "i18n.commitEncoding", "ISO-8859-1")
    sandbox.git("commit", "-q", "--allow-empty", "-m", b"Gr\xfc\xdfe".decode("utf-8", "surrogateescape"))
    latin = sandbox.git("rev-parse", "HEAD")
    sandbox.git("config", "--unset", "i18n.commitEncoding")
    empty = sandbox.commit(message="")
    repo = repo_of(sandbox)
    assert [repo.subject(sha) for sha in (plain, latin, empty)] == ["Make it fast", "Grüße", ""]


def test_a_replaced_commit_is_still_the_commit_of_its_sha(sandbox: Sandbox) -> None:
    one = sandbox.commit({"file": "1"})
    tree = sandbox.git("rev-parse", "HEAD^{tree}")
    other = sandbox.commit({"file": "2"})
    sandbox.git("replace", one, other)
    repo = repo_of(sandbox)
    assert repo.tree(one) == tree
    assert repo.changes(one, other) == (Change("file"),)


# content


def test_changes_hold_both_sides_of_a_move_and_strange_names(sandbox: Sandbox) -> None:
    names = {"old name": "same", "z/b": "1", "z-a": "1"}
    base = sandbox.commit(names)
    odd = {'quo"te': "1", "new\nline": "1", "sn\u00f6w": "1", os.fsdecode(b"b\xffd"): "1"}
    sandbox.git("mv", "old name", "new name")
    head = sandbox.commit({**odd, "z/b": None, "z-a": "2"})
    paths = [change.path for change in repo_of(sandbox).changes(base, head)]
    assert set(paths) == {"old name", "new name", "z/b", "z-a", 'quo"te', "new\nline", "sn\u00f6w", "b\\xffd"}
    assert json.loads(json.dumps(paths)) == paths
    assert [path.encode() for path in paths if "\\" not in path] == sorted(path.encode() for path in paths if "\\" not in path)


def submodule(sandbox: Sandbox) -> None:
    inner = Sandbox(sandbox.root.parent / "inner")
    inner.commit({"file": "1"})
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "vendor/inner")


def test_lines_are_counted_by_path_and_what_is_no_text_has_none(sandbox: Sandbox) -> None:
    base = sandbox.commit({"a.txt": "1\n2\n3\n", "old.txt": "x\n", "b.bin": b"\0\1"})
    head = sandbox.commit({"a.txt": "1\n2\n4\n5\n", "old.txt": None, "new\nname.txt": "x\n", "b.bin": b"\0\2", "caf\udce9.txt": "y\ny\n"})
    found = repo_of(sandbox).line_counts(base, head)
    assert dict(found) == {
        "a.txt": Lines(2, 1),
        "old.txt": Lines(0, 1),
        "new\nname.txt": Lines(1, 0),
        "b.bin": None,
        "caf\\xe9.txt": Lines(2, 0),
    }


def test_a_repository_s_own_diff_programs_count_nothing(sandbox: Sandbox) -> None:
    base = sandbox.commit({"a.txt": "1\n", ".gitattributes": "*.txt diff=own\n"})
    head = sandbox.commit({"a.txt": "1\n2\n"})
    sandbox.git("config", "diff.own.textconv", "touch planted;cat")
    sandbox.git("config", "diff.own.command", "touch planted")
    sandbox.git("config", "diff.external", "touch planted")
    assert dict(repo_of(sandbox).line_counts(base, head)) == {"a.txt": Lines(1, 0)}
    assert not list(sandbox.root.rglob("planted"))


def test_lines_of_a_commit_that_is_not_here_are_an_error(sandbox: Sandbox) -> None:
    head = sandbox.commit({"a.txt": "1\n"})
    with pytest.raises(InfrastructureError):
        repo_of(sandbox).line_counts("d" * 40, head)


def test_a_moved_submodule_cannot_hide_from_changes(sandbox: Sandbox) -> None:
    submodule(sandbox)
    sandbox.git("config", "-f", ".gitmodules", "submodule.vendor/inner.ignore", "all")
    base = sandbox.commit()
    sandbox.git("update-index", "--cacheinfo", f"160000,{base},vendor/inner")
    sandbox.git("commit", "-q", "-m", "move")
    sandbox.git("config", "diff.ignoreSubmodules", "all")
    assert repo_of(sandbox).changes(base, "HEAD") == (Change("vendor/inner", "160000", "160000"),)


def test_blobs_are_those_at_the_top_that_match(sandbox: Sandbox) -> None:
    files = {"uv.lock": "1", "requirements.txt": "2", "requirements-dev.txt": "3", "sub/uv.lock": "4", "README": "5"}
    sha = sandbox.commit(files)
    blobs = repo_of(sandbox).blobs(sha, ("*.lock", "requirements*.txt"))
    assert blobs == {name: sandbox.git("rev-parse", f"HEAD:{name}") for name in ("requirements-dev.txt", "requirements.txt", "uv.lock")}


def test_submodules_are_listed(sandbox: Sandbox) -> None:
    without = sandbox.commit({"file": "1"})
    submodule(sandbox)
    repo = repo_of(sandbox)
    assert (repo.submodules(without), repo.submodules(sandbox.commit())) == ((), ("vendor/inner",))


def test_lfs_is_seen_in_attribute_files_at_any_depth(sandbox: Sandbox) -> None:
    none = sandbox.commit({".gitattributes": "*.txt text\n", "notes": "filter=lfs"})
    deep = sandbox.commit({"data/.gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    repo = repo_of(sandbox)
    assert (repo.lfs_pointers(none), repo.lfs_pointers(deep)) == (False, True)


def test_dirty_means_tracked_changes_or_new_files_that_are_not_ignored(sandbox: Sandbox) -> None:
    sandbox.commit({"file": "1", ".gitignore": "*.log\n"})
    assert not repo_of(sandbox).is_dirty()
    sandbox.write({"run.log": "ignored"})
    assert not repo_of(sandbox).is_dirty()
    sandbox.git("config", "status.showUntrackedFiles", "no")
    sandbox.write({"new": "1"})
    assert repo_of(sandbox).is_dirty()
    sandbox.write({"new": None, "file": "2"})
    assert repo_of(sandbox).is_dirty()
    sandbox.git("add", "file")
    assert repo_of(sandbox).is_dirty()


def test_a_filter_planted_by_foreign_code_is_not_run_by_asking_again(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.commit({"file": "1", ".gitattributes": "* filter=evil\n"})
    repo, pwned = repo_of(sandbox), tmp_path / "pwned"
    assert not repo.is_dirty()
    sandbox.git("config", "filter.evil.clean", f"touch '{pwned}'; cat")
    sandbox.write({"file": "2"})
    assert not repo.is_dirty()
    assert not pwned.exists()


# leaving everything alone


def ask_everything(repo: GitRepo, base: str, head: str) -> None:
    for ref in ("HEAD", "main", "nothing"):
        repo.branch_of(ref)
    repo.default_branch()
    repo.merge_base(base, head)
    repo.first_parent(head)
    repo.subject(head)
    repo.changes(base, head)
    repo.blobs(head, ("*",))
    repo.submodules(head)
    repo.lfs_pointers(head)
    repo.is_dirty()
    with pytest.raises(UsageError):
        repo.resolve("nothing")


def test_questions_leave_every_byte_of_the_repository_alone(sandbox: Sandbox) -> None:
    base = sandbox.commit({"file": "1", "other": "1", ".gitattributes": "*.x filter=lfs\n"})
    head = sandbox.commit({"file": "2"})
    sandbox.write({"file": "3"})
    sandbox.git("stash", "-q")
    os.utime(sandbox.root / "other", (1, 1))  # git would refresh the index for it
    before = sandbox.snapshot()
    ask_everything(repo_of(sandbox), base, head)
    assert sandbox.snapshot() == before


def test_no_hook_and_no_monitor_of_the_repository_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    base, head = sandbox.commit({"file": "1"}), sandbox.commit({"file": "2"})
    pwned = plant(sandbox, tmp_path)
    ask_everything(repo_of(sandbox), base, head)
    assert not pwned.exists()


def plant(sandbox: Sandbox, tmp_path: Path) -> Path:
    """Put a program wherever a repository can name one that questions might start; the file that it would leave."""
    pwned, script = tmp_path / "pwned", tmp_path / "pwn.sh"
    script.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{pwned}'\nexit 0\n")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "diff.x.textconv", "diff.x.command", "diff.external", "gpg.program", "core.sshCommand", "core.pager"):
        sandbox.git("config", name, str(script))
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        (sandbox.root / ".git" / "hooks").mkdir(exist_ok=True)
        (sandbox.root / ".git" / "hooks" / hook).symlink_to(script)
    (sandbox.root / ".git" / "info" / "attributes").write_text("* diff=x\n")
    return pwned


def in_a_hook_of(other: Sandbox) -> dict[str, str]:
    folder = other.root / ".git"
    return {"GIT_DIR": str(folder), "GIT_WORK_TREE": str(other.root), "GIT_INDEX_FILE": str(folder / "index.lock"), "GIT_PREFIX": "x/"}


def test_in_a_hook_of_another_repository_the_right_one_is_asked(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    sha = sandbox.commit({"file": "1"})
    other = Sandbox(sandbox.root.parent / "other")
    other.commit({"different": "1"})
    for name, value in in_a_hook_of(other).items():
        monkeypatch.setenv(name, value)
    repo = repo_of(sandbox)
    assert (repo.root, repo.resolve("HEAD"), repo.is_dirty()) == (str(sandbox.root), sha, False)


def test_scrubbing_takes_out_what_binds_git_to_a_hooks_repository(sandbox: Sandbox) -> None:
    environ = {**in_a_hook_of(sandbox), "GIT_CONFIG_COUNT": "0", "PATH": "x"}
    scrub_environment(environ)
    assert environ == {"GIT_CONFIG_COUNT": "0", "PATH": "x"}


def test_every_variable_that_git_calls_local_is_known(sandbox: Sandbox) -> None:
    done = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {*LOCAL_VARIABLES, "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"}


def test_a_damaged_repository_gives_an_error_with_what_git_said(sandbox: Sandbox) -> None:
    sha = sandbox.commit({"file": "1"})
    tree = sandbox.git("rev-parse", "HEAD^{tree}")
    (sandbox.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(InfrastructureError, match="ls-tree") as caught:
        repo_of(sandbox).submodules(sha)
    assert "git fsck" in caught.value.hint
    assert len(caught.value.message) < 600
