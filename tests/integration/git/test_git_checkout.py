"""A commit laid out on disk: whole, usable by git itself, and without a trace in the user's repository."""

import os
import stat
import subprocess
from pathlib import Path

import pytest
from tests.repositories import Sandbox

from assay.adapters.git import GitRepo
from assay.errors import InfrastructureError


def lay_out(sandbox: Sandbox, commit: str, *, root: Path | None = None) -> Path:
    tree = sandbox.root.parent / "tmp" / "slot" / "tree"
    GitRepo.discover(str(root or sandbox.root)).checkout(commit, str(tree))
    return tree


def files(tree: Path) -> dict[str, bytes]:
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.is_file() and path.name != ".git"}


def test_the_tree_is_that_of_the_commit_with_modes_and_links(sandbox: Sandbox) -> None:
    sandbox.write({"run.sh": "#!/bin/sh\n", "a/b": "deep", 'quo"te\nline': "odd"})
    (sandbox.root / "run.sh").chmod(0o755)
    (sandbox.root / "link").symlink_to("/etc/passwd")
    sha = sandbox.commit()
    sandbox.commit({"a/b": "newer"})
    tree = lay_out(sandbox, sha)
    assert files(tree) == {"run.sh": b"#!/bin/sh\n", "a/b": b"deep", 'quo"te\nline': b"odd", "link": Path("/etc/passwd").read_bytes()}
    assert (tree / "link").readlink() == Path("/etc/passwd")
    assert (tree / "run.sh").stat().st_mode & stat.S_IXUSR


def test_git_works_inside_and_sees_a_clean_detached_commit_with_its_history_and_tags(sandbox: Sandbox) -> None:
    sandbox.commit({"file": "1"}, "one")
    sandbox.git("tag", "-a", "v1.2", "-m", "release")
    sha = sandbox.commit({"file": "2"}, "two")
    tree = lay_out(sandbox, sha)
    assert sandbox.git("rev-parse", "HEAD", cwd=tree) == sha
    assert sandbox.git("rev-parse", "--show-toplevel", cwd=tree) == str(tree)
    assert sandbox.git("status", "--porcelain", "--branch", cwd=tree) == "## HEAD (no branch)"
    assert sandbox.git("log", "--format=%s", cwd=tree) == "two\none"
    assert sandbox.git("describe", "--dirty", cwd=tree) == f"v1.2-1-g{sha[:7]}"


def test_the_users_repository_keeps_every_byte(sandbox: Sandbox) -> None:
    base, head = sandbox.commit({"file": "1", "gone": "1", ".gitignore": "*.log\n"}), sandbox.commit({"file": "2", "gone": None})
    sandbox.write({"file": "stashed"})
    sandbox.git("stash", "-q")
    sandbox.git("worktree", "add", "-q", str(sandbox.root.parent / "mine"), "-b", "other")
    sandbox.write({"file": "unsaved", "new": "1", "run.log": "ignored"})
    before = sandbox.snapshot()
    repo = GitRepo.discover(str(sandbox.root))
    for side, commit in (("base", base), ("head", head)):
        repo.checkout(commit, str(sandbox.root.parent / "tmp" / side / "tree"))
    assert sandbox.snapshot() == before


def test_what_git_does_inside_stays_inside(sandbox: Sandbox) -> None:
    sha = sandbox.commit({"file": "1"})
    before = sandbox.snapshot()
    tree = lay_out(sandbox, sha)
    (tree / "file").write_text("2")
    sandbox.git("commit", "-qam", "inside", cwd=tree)
    sandbox.git("branch", "inside", cwd=tree)
    sandbox.git("gc", "-q", "--prune=now", cwd=tree)
    assert sandbox.snapshot() == before


def test_a_linked_worktree_can_be_checked_too(sandbox: Sandbox) -> None:
    sandbox.commit({"file": "1"})
    linked = sandbox.root.parent / "linked"
    sandbox.git("worktree", "add", "-q", str(linked), "-b", "other")
    sandbox.git("commit", "-q", "--allow-empty", "-m", "there", cwd=linked)
    sha = sandbox.git("rev-parse", "HEAD", cwd=linked)
    assert files(lay_out(sandbox, sha, root=linked)) == {"file": b"1"}


def test_a_repository_with_sha256_works(sandbox: Sandbox) -> None:
    other = Sandbox(sandbox.root.parent / "sha256", "--object-format=sha256")
    sha = other.commit({"file": "1"})
    repo = GitRepo.discover(str(other.root))
    assert repo.resolve("HEAD") == sha
    assert len(sha) == 64
    tree = lay_out(other, sha)
    assert sandbox.git("rev-parse", "HEAD", cwd=tree) == sha
    assert sandbox.git("status", "--porcelain", cwd=tree) == ""


def test_a_clone_that_borrows_objects_itself_works(sandbox: Sandbox) -> None:
    sha = sandbox.commit({"file": "1"})
    clone = sandbox.root.parent / "clone"
    sandbox.git("clone", "-q", "--shared", str(sandbox.root), str(clone))
    assert files(lay_out(sandbox, sha, root=clone)) == {"file": b"1"}


def test_a_shallow_clone_stays_shallow_inside(sandbox: Sandbox) -> None:
    sandbox.commit({"file": "1"}, "one")
    sha = sandbox.commit({"file": "2"}, "two")
    clone = sandbox.root.parent / "shallow"
    sandbox.git("clone", "-q", "--depth", "1", f"file://{sandbox.root}", str(clone))
    tree = lay_out(sandbox, sha, root=clone)
    assert sandbox.git("log", "--format=%s", cwd=tree) == "two"


def test_submodules_stay_empty_and_lfs_files_stay_pointers(sandbox: Sandbox) -> None:
    inner = Sandbox(sandbox.root.parent / "inner")
    inner.commit({"file": "1"})
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "vendor")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    tree = lay_out(sandbox, sandbox.commit({"model.bin": pointer, ".gitattributes": "*.bin filter=lfs -text\n"}))
    assert (tree / "model.bin").read_text() == pointer
    assert list((tree / "vendor").iterdir()) == []


def test_nothing_that_a_configuration_names_is_run(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha = sandbox.commit({".gitattributes": "* filter=evil diff=evil merge=evil\n", "file": "content\n"})
    script, pwned, everywhere = tmp_path / "pwn.sh", tmp_path / "pwned", tmp_path / "gitconfig"
    script.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{pwned}'\ncat\n")
    script.chmod(0o755)
    keys = ("core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "diff.evil.command")
    for key in keys:
        sandbox.git("config", key, str(script))
        sandbox.git("config", "-f", str(everywhere), key, str(script))
    hooks = tmp_path / "hooks"
    for folder in (hooks, sandbox.root / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("post-checkout", "reference-transaction", "post-index-change"):
            (folder / hook).symlink_to(script)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(everywhere))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "filter.evil.smudge")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(script))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.hooksPath'='{hooks}'")
    repo = GitRepo.discover(str(sandbox.root))
    pwned.unlink(missing_ok=True)
    tree = tmp_path / "tmp" / "slot" / "tree"
    repo.checkout(sha, str(tree))
    assert not pwned.exists()
    assert (tree / "file").read_text() == "content\n"
    sandbox.git("checkout-index", "--force", "--all")
    assert pwned.exists(), "the trap itself does not work"


def test_in_a_hook_it_writes_to_no_index_but_its_own(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    sha = sandbox.commit({"file": "1"})
    sandbox.write({"staged": "1"})
    sandbox.git("add", "staged")
    before = sandbox.snapshot()
    monkeypatch.setenv("GIT_DIR", str(sandbox.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(sandbox.root / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(sandbox.root))
    assert files(lay_out(sandbox, sha)) == {"file": b"1"}
    assert sandbox.snapshot() == before


def test_a_partial_clone_without_the_content_says_how_to_get_it(sandbox: Sandbox) -> None:
    base = sandbox.commit({"file": "1" * 100})
    sandbox.commit({"file": "2" * 100})
    sandbox.git("config", "uploadpack.allowFilter", "true")
    clone = sandbox.root.parent / "partial"
    sandbox.git("clone", "-q", "--filter=blob:none", f"file://{sandbox.root}", str(clone))
    with pytest.raises(InfrastructureError, match="Checking out") as caught:
        lay_out(sandbox, base, root=clone)
    assert "partial clone" in caught.value.hint
    assert "git fetch --refetch --no-filter" in caught.value.hint
    sandbox.git("-c", "protocol.file.allow=always", "fetch", "-q", "--refetch", "--no-filter", cwd=clone)
    GitRepo.discover(str(clone)).checkout(base, str(clone.parent / "tmp" / "again" / "tree"))
    assert (clone.parent / "tmp" / "again" / "tree" / "file").read_text() == "1" * 100


def test_a_missing_object_is_an_infrastructure_error_and_no_trace_is_left(sandbox: Sandbox) -> None:
    sha = sandbox.commit({"file": "1"})
    blob = sandbox.git("rev-parse", "HEAD:file")
    (sandbox.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    before = sandbox.snapshot()
    with pytest.raises(InfrastructureError, match=blob):
        lay_out(sandbox, sha)
    assert sandbox.snapshot() == before


def test_a_place_that_cannot_be_written_is_an_infrastructure_error(sandbox: Sandbox) -> None:
    sha = sandbox.commit({"file": "1"})
    (sandbox.root.parent / "tmp" / "slot").write_text("in the way")
    with pytest.raises(InfrastructureError, match="Checking out") as caught:
        lay_out(sandbox, sha)
    assert "TMPDIR" in caught.value.hint


def test_one_process_of_git_lays_out_a_side(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha = sandbox.commit({"file": "1"})
    git = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True, check=True).stdout.strip()
    wrapper, calls = tmp_path / "bin" / "git", tmp_path / "calls"
    wrapper.parent.mkdir()
    wrapper.write_text(f"#!/bin/sh\necho call >> '{calls}'\nexec '{git}' \"$@\"\n")
    wrapper.chmod(0o755)
    repo = GitRepo.discover(str(sandbox.root))
    repo.checkout(sha, str(tmp_path / "tmp" / "base" / "tree"))
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    repo.checkout(sha, str(tmp_path / "tmp" / "head" / "tree"))
    assert calls.read_text() == "call\n"
