"""Keeping and restoring in every kind of working tree that git knows, and refusing where something would be lost."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.integration.experiment.lab import Bench, bench, laboratory
from tests.repositories import Sandbox

from assay.adapters.clock import SystemClock
from assay.adapters.process.runner import LocalRunner
from assay.core.experiment_errors import GitNotConfiguredError, RestoreConflictError, TreeBusyError, TreeMovedError


def kept_and_restored(one: Bench) -> None:
    """A keep, then a discard: the whole of what the loop does to a tree."""
    one.begin()
    base = one.head
    kept = one.tried(90, "keep", {"src/new.py": "NEW = 1\n"}).kept
    assert kept is not None
    assert kept.commit == one.head
    assert one.repo.git("rev-parse", "HEAD^") == base
    assert one.changed() == []
    result = one.tried(500, "discard", {"src/model.py": "BAD\n", "src/bad.py": "BAD\n", "src/kernel.py": None}, baseline=one.head)
    assert one.changed() == []
    assert one.read("src/model.py") == b"WIDTH = 8\n"
    assert result.restored is not None
    assert one.repo.git("show", f"{result.restored.discarded}:src/bad.py") == "BAD"
    one.tried(500, "errored", baseline=base)
    assert (one.head, one.read("src/new.py")) == (base, None)


def test_a_plain_repository(bench: Bench) -> None:
    kept_and_restored(bench)


def test_the_reflog_tells_what_was_done(bench: Bench) -> None:
    kept_and_restored(bench)
    said = bench.repo.git("reflog", "--format=%gs", "HEAD").split("\n")
    assert [line.split(" run-")[0] for line in said[:2]] == ["assay: restore after", "assay: keep"]
    assert said[:2] == bench.repo.git("reflog", "--format=%gs", "experiment/try").split("\n")[:2]


def test_a_repository_whose_objects_have_long_names(tmp_path: Path, sandbox: Sandbox) -> None:
    with bench(Sandbox(tmp_path / "long", "--object-format=sha256")) as one:
        kept_and_restored(one)


def test_a_linked_worktree(tmp_path: Path, bench: Bench) -> None:
    bench.repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "experiment/linked")
    main = bench.repo.git("status", "--porcelain"), bench.head
    linked = Sandbox.__new__(Sandbox)
    linked.root = tmp_path / "linked"
    kept_and_restored(Bench(linked, laboratory(linked.root, bench.lab.runner, tmp_path / "locks")))  # type: ignore[arg-type]
    assert (bench.repo.git("status", "--porcelain"), bench.head) == main


def test_a_submodule_as_the_tree_itself(tmp_path: Path, bench: Bench) -> None:
    outer = Sandbox(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(bench.repo.root), "inner")
    inner = Sandbox.__new__(Sandbox)
    inner.root = outer.root / "inner"
    inner.git("checkout", "-q", "-b", "experiment/inner")
    with LocalRunner(str(tmp_path / "locks"), clock=SystemClock()) as runner:
        kept_and_restored(Bench(inner, laboratory(inner.root, runner, tmp_path / "locks")))


def test_a_detached_head(bench: Bench) -> None:
    bench.repo.git("checkout", "-q", "--detach")
    kept_and_restored(bench.with_git(keep="branch", on_discard="restore"))
    assert bench.repo.git("rev-parse", "--abbrev-ref", "HEAD") == "HEAD"


def test_refs_that_are_packed(bench: Bench) -> None:
    bench.repo.git("pack-refs", "--all")
    kept_and_restored(bench)


def test_a_split_index(bench: Bench) -> None:
    bench.repo.git("update-index", "--split-index")
    kept_and_restored(bench)


def test_objects_that_another_repository_lends(tmp_path: Path, bench: Bench) -> None:
    bench.repo.git("clone", "-q", "--shared", str(bench.repo.root), str(tmp_path / "shared"))
    shared = Sandbox.__new__(Sandbox)
    shared.root = tmp_path / "shared"
    shared.git("checkout", "-q", "-b", "experiment/shared")
    kept_and_restored(Bench(shared, laboratory(shared.root, bench.lab.runner, tmp_path / "locks")))  # type: ignore[arg-type]


def test_a_shallow_clone(tmp_path: Path, bench: Bench) -> None:
    bench.repo.commit({"docs/a.md": "a\n"})
    bench.repo.git("clone", "-q", "--depth=1", f"file://{bench.repo.root}", str(tmp_path / "shallow"))
    shallow = Sandbox.__new__(Sandbox)
    shallow.root = tmp_path / "shallow"
    shallow.git("checkout", "-q", "-b", "experiment/shallow")
    kept_and_restored(Bench(shallow, laboratory(shallow.root, bench.lab.runner, tmp_path / "locks")))  # type: ignore[arg-type]


def test_a_folder_below_the_top(bench: Bench) -> None:
    below = laboratory(bench.repo.root / "src", bench.lab.runner, bench.repo.root.parent / "locks")  # type: ignore[arg-type]
    assert below.tree is not None
    assert below.tree.root == str(bench.repo.root)


def test_line_ends_are_stored_as_the_user_stores_them_and_saved_as_they_are(bench: Bench) -> None:
    bench.repo.git("config", "core.autocrlf", "true")
    bench.repo.commit({".gitattributes": "*.txt text\n", "notes.txt": "a\r\nb\r\n"})
    bench.begin()
    bench.tried(90, "keep", {"notes.txt": "a\r\nb\r\nc\r\n"})
    assert bench.repo.git("cat-file", "blob", "HEAD:notes.txt") == "a\nb\nc"
    assert bench.changed() == []
    result = bench.tried(500, "discard", {"notes.txt": "x\r\ny\n"}, baseline=bench.head)
    assert bench.read("notes.txt") == b"a\r\nb\r\nc\r\n"
    assert result.restored is not None
    blob = subprocess.run(
        ["git", "cat-file", "blob", f"{result.restored.discarded}:notes.txt"], cwd=bench.repo.root, capture_output=True, check=True
    )
    assert blob.stdout == b"x\r\ny\n"


def test_links_and_modes(bench: Bench) -> None:
    (bench.repo.root / "link").symlink_to("src/model.py")
    bench.repo.commit({"tool.sh": "#!/bin/sh\n"})
    bench.begin()
    (bench.repo.root / "tool.sh").chmod(0o755)
    (bench.repo.root / "link").unlink()
    (bench.repo.root / "link").symlink_to("src/kernel.py")
    (bench.repo.root / "dangling").symlink_to("nowhere")
    bench.tried(500, "discard", baseline=bench.head)
    assert os.readlink(bench.repo.root / "link") == "src/model.py"  # noqa: PTH115
    assert not os.access(bench.repo.root / "tool.sh", os.X_OK)
    assert not os.path.lexists(bench.repo.root / "dangling")
    assert bench.changed() == []


def test_a_user_without_a_name_is_no_obstacle(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))]:
        monkeypatch.delenv(name)
    bench.begin()
    bench.tried(90, "keep")
    assert bench.repo.git("log", "-1", "--format=%an <%ae>") == "Assay <assay@assay.invalid>"
    bench.repo.git("config", "user.name", "Ada in the config")
    bench.tried(80, "keep")
    assert bench.repo.git("log", "-1", "--format=%an") == "Ada in the config"


def test_a_file_behind_a_filter_is_neither_kept_nor_restored(bench: Bench) -> None:
    base = bench.repo.commit({".gitattributes": "*.bin filter=lfs\n", "model.bin": "pointer\n"})
    bench.begin()
    bench.tried(90, "keep", {"model.bin": "weights\n"})
    assert bench.repo.git("show", "--format=", "--name-only", "HEAD") == "metrics.txt"
    bench.write({"src/model.py": "BAD\n"})
    run = bench.run().run
    with pytest.raises(RestoreConflictError, match=r"model\.bin goes through a filter"):
        bench.log(run, "discard", baseline=base)
    assert (bench.read("model.bin"), bench.read("src/model.py")) == (b"weights\n", b"BAD\n")


def test_a_repository_inside_the_tree_is_never_touched(bench: Bench) -> None:
    bench.begin()
    nested = Sandbox(bench.repo.root / "vendor")
    nested.commit({"a.py": "A = 1\n"})
    bench.tried(90, "keep")
    assert bench.repo.git("show", "--format=", "--name-only", "HEAD") == "metrics.txt"
    bench.tried(500, "discard", baseline=bench.head)
    assert (nested.root / "a.py").exists()
    assert nested.git("rev-parse", "HEAD")


def test_a_submodule_of_the_tree_is_left_where_it_is(bench: Bench, tmp_path: Path) -> None:
    other = Sandbox(tmp_path / "other")
    other.commit({"a.py": "A = 1\n"})
    bench.repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.root), "lib")
    bench.repo.commit()
    bench.begin()
    bench.tried(500, "discard", {"lib/a.py": "CHANGED\n", "lib/new.py": "N\n"}, baseline=bench.head)
    assert (bench.read("lib/a.py"), bench.read("lib/new.py")) == (b"CHANGED\n", b"N\n")


def test_new_files_that_were_there_before_are_spared_and_those_of_the_run_are_not(bench: Bench) -> None:
    bench.write({"todo.txt": "mine\n"})
    bench.begin()
    bench.write({"between.txt": "the run's\n"})
    bench.tried(500, "discard", baseline=bench.head)
    assert (bench.read("todo.txt"), bench.read("between.txt")) == (b"mine\n", None)
    bench.tried(90, "pending", {"noticed.txt": "there at the last log\n"})
    bench.tried(500, "discard", baseline=bench.head)
    assert bench.read("noticed.txt") == b"there at the last log\n"


def test_where_nobody_has_looked_before_nothing_new_is_removed(bench: Bench, tmp_path: Path) -> None:
    bench.begin()
    bench.repo.git("clone", "-q", str(bench.repo.root), str(tmp_path / "clone"))
    clone = Sandbox.__new__(Sandbox)
    clone.root = tmp_path / "clone"
    clone.write({"todo.txt": "mine\n"})
    lab = laboratory(clone.root, bench.lab.runner, tmp_path / "locks")  # type: ignore[arg-type]
    elsewhere = Bench(clone, lab)
    elsewhere.lab.sessions.change(lambda _: bench.journal)
    elsewhere.session = bench.session
    elsewhere.tried(500, "discard", baseline=elsewhere.head)
    assert elsewhere.read("todo.txt") == b"mine\n"


def test_a_secret_that_appeared_stays_and_is_saved_nowhere(bench: Bench) -> None:
    bench.begin()
    result = bench.tried(500, "discard", {".env": "KEY=1\n"}, baseline=bench.head)
    assert bench.read(".env") == b"KEY=1\n"
    assert result.restored is not None
    assert ".env" not in bench.repo.git("ls-tree", "-r", "--name-only", result.restored.discarded or "")
    assert any(".env" in note for note in result.notes)


def test_a_lock_of_another_git_is_respected_and_named(bench: Bench) -> None:
    bench.begin()
    run = bench.run().run
    lock = bench.repo.root / ".git/index.lock"
    lock.write_bytes(b"DIRC")
    for outcome, words in (("keep", {}), ("discard", {"baseline": bench.head})):
        with pytest.raises(TreeBusyError, match=r"index\.lock"):
            bench.log(run, outcome, **words)
    assert lock.read_bytes() == b"DIRC"
    assert not bench.state.find(run).settled  # type: ignore[union-attr]


def test_a_conflict_that_is_not_solved_is_a_refusal(bench: Bench) -> None:
    bench.begin()
    run = bench.run().run
    bench.repo.git("checkout", "-q", "-b", "other")
    bench.repo.commit({"src/model.py": "OTHER\n"})
    bench.repo.git("checkout", "-q", "experiment/try")
    base = bench.repo.commit({"src/model.py": "MINE\n"})
    subprocess.run(["git", "merge", "-q", "other"], cwd=bench.repo.root, check=False, capture_output=True)
    (bench.repo.root / ".git/MERGE_HEAD").unlink()
    with pytest.raises(TreeBusyError, match="unsolved conflict"):
        bench.log(run, "discard", baseline=base)


def test_a_keep_needs_the_branch_and_the_commit_of_its_run(bench: Bench) -> None:
    bench.begin()
    bench.write({"metrics.txt": "METRIC loss=90\n"})
    run = bench.run().run
    bench.repo.git("checkout", "-q", "-b", "experiment/other")
    for outcome in ("keep", "discard"):
        with pytest.raises(TreeMovedError, match="experiment/try"):
            bench.log(run, outcome, baseline=bench.head)
    bench.repo.git("checkout", "-q", "experiment/try")
    bench.repo.commit({"docs/a.md": "a\n"})
    with pytest.raises(TreeMovedError, match="cannot be committed"):
        bench.log(run, "keep")


@pytest.mark.parametrize("baseline", ["nowhere", "main~0^{tree}", "other", "--help"])
def test_a_baseline_that_lies_not_behind_head_is_refused(bench: Bench, baseline: str) -> None:
    bench.begin()
    run = bench.run().run
    bench.repo.git("branch", "other", bench.repo.git("commit-tree", "-m", "alone", "HEAD^{tree}"))
    with pytest.raises(RestoreConflictError):
        bench.log(run, "discard", baseline=baseline)
    assert not bench.state.find(run).settled  # type: ignore[union-attr]


def test_a_sparse_checkout_is_refused_with_the_reason(bench: Bench) -> None:
    bench.repo.git("sparse-checkout", "set", "src")
    with pytest.raises(GitNotConfiguredError, match="sparse"):
        bench.begin()


def test_what_the_user_ignores_for_himself_is_ignored(bench: Bench, tmp_path: Path) -> None:
    (bench.repo.root / ".git/info/exclude").write_text("scratch/\n")
    (tmp_path / "ignore").write_text("*.swp\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {tmp_path}/ignore\n")
    os.environ["GIT_CONFIG_GLOBAL"] = str(tmp_path / "config")
    bench.begin()
    bench.tried(500, "discard", {"scratch/a": "a\n", "src/.a.swp": "a\n"}, baseline=bench.head)
    assert (bench.read("scratch/a"), bench.read("src/.a.swp")) == (b"a\n", b"a\n")


def test_the_store_is_never_committed_even_where_its_gitignore_is_gone(bench: Bench) -> None:
    bench.begin()
    (bench.repo.root / ".assay/.gitignore").unlink()
    bench.tried(90, "keep")
    assert bench.repo.git("show", "--format=", "--name-only", "HEAD") == "metrics.txt"
    bench.tried(500, "discard", baseline=bench.head)
    assert bench.journal
