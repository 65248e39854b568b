"""Inputs and caches: linked where the commit lets them be, refused where it does not, and known again."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.environments import benchmark, run
from tests.repositories import Sandbox

from assay.adapters.git import GitRepo
from assay.adapters.worktrees.caches import Caches
from assay.adapters.worktrees.identity import Identities, identity
from assay.adapters.worktrees.inputs import link_inputs
from assay.adapters.worktrees.local import LocalWorktrees
from assay.core.config import Benchmark
from assay.core.model import Side
from assay.errors import UsageError
from assay.worktree_ports import Worktree

IGNORE = {".gitignore": "data/*\n!data/.gitkeep\nckpt/\n"}


def prepare(worktrees: LocalWorktrees, sandbox: Sandbox, wanted: Benchmark) -> Worktree:
    return worktrees.prepare(Side.HEAD, sandbox.git("rev-parse", "HEAD"), wanted)


@pytest.fixture
def worktrees(sandbox: Sandbox) -> LocalWorktrees:
    sandbox.commit({**IGNORE, "src/code": "1"})
    home = sandbox.root.parent / "home"
    home.mkdir()
    checkout = GitRepo.discover(str(sandbox.root)).checkout
    return LocalWorktrees(checkout, str(sandbox.root), parent_environment={"PATH": os.environ["PATH"]}, home=str(home))


def caches(root: Path) -> Caches:
    return Caches(root / ".assay", root.parent, lambda _: True)


def test_inputs_are_found_at_their_own_paths(sandbox: Sandbox, worktrees: LocalWorktrees) -> None:
    sandbox.write({"data/train.csv": "rows", "ckpt/deep/base.pt": "weights"})
    with worktrees:
        side = prepare(worktrees, sandbox, benchmark(inputs=["data/", "ckpt/deep/base.pt"]))
        assert run(side, "cat data/train.csv ckpt/deep/base.pt") == "rowsweights"
        assert run(side, "git status --porcelain --untracked-files=no") == ""


def test_a_missing_input_is_named(sandbox: Sandbox, worktrees: LocalWorktrees) -> None:
    with worktrees, pytest.raises(UsageError, match=r"data/train\.csv does not exist") as caught:
        prepare(worktrees, sandbox, benchmark(inputs=["data/train.csv"]))
    assert "inputs" in caught.value.hint


def test_an_input_that_the_commit_has_is_refused(sandbox: Sandbox, worktrees: LocalWorktrees) -> None:
    with worktrees, pytest.raises(UsageError, match="src/code is tracked in the head commit"):
        prepare(worktrees, sandbox, benchmark(inputs=["src/code"]))


def test_of_a_folder_tracked_in_part_the_rest_is_suggested(sandbox: Sandbox, worktrees: LocalWorktrees) -> None:
    sandbox.write({"data/.gitkeep": "", "data/train.csv": "rows"})
    sandbox.git("add", "-f", "data/.gitkeep")
    sandbox.commit()
    with worktrees:
        with pytest.raises(UsageError) as caught:
            prepare(worktrees, sandbox, benchmark(inputs=["data/"]))
        assert "data/train.csv" in caught.value.hint
        assert run(prepare(worktrees, sandbox, benchmark(inputs=["data/train.csv"])), "cat data/train.csv") == "rows"


def test_a_link_in_the_commit_cannot_lead_an_input_out_of_the_tree(sandbox: Sandbox, worktrees: LocalWorktrees, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (sandbox.root / "assets").symlink_to(outside)
    sandbox.commit()
    (sandbox.root / "assets").unlink()
    sandbox.write({"assets/big": "1"})
    with worktrees, pytest.raises(UsageError, match="assets is a link"):
        prepare(worktrees, sandbox, benchmark(inputs=["assets/big"]))
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", ".", ".git/config", "sub/.GIT/hooks", "~/x", "a\0b"])
def test_a_path_that_is_not_inside_the_tree_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "tree").mkdir()
    with pytest.raises(UsageError):
        link_inputs(tmp_path / "tree", tmp_path, (path,), "the head commit")
    if not path.startswith("~/"):
        with pytest.raises(UsageError):
            caches(tmp_path).link(tmp_path / "tree", tmp_path, (path,))


def test_caches_are_kept_between_checks(sandbox: Sandbox, worktrees: LocalWorktrees) -> None:
    wanted = benchmark(cache=["~/.cache/lab", "build/warm", "~/.cache/lab/nested", "build/warm/nested"])
    home = sandbox.root.parent / "home"
    with worktrees:
        side = prepare(worktrees, sandbox, wanted)
        run(side, "echo 1 > $HOME/.cache/lab/file; echo 2 > build/warm/file")
    assert (home / ".cache/lab/file").read_text() == "1\n"
    assert (sandbox.root / ".assay/cache/build/warm/file").read_text() == "2\n"
    assert sandbox.git("status", "--porcelain", "--untracked-files=all") == ""


def test_a_cache_cannot_be_led_out_of_its_folder(sandbox: Sandbox, worktrees: LocalWorktrees, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for link in (sandbox.root / ".assay", sandbox.root / ".assay/cache/warm"):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(outside)
        with worktrees, pytest.raises(UsageError):
            caches(sandbox.root).link(tmp_path, tmp_path, ("warm",))
        link.unlink()
    assert list(outside.iterdir()) == []


def test_a_cache_that_the_commit_has_is_refused(sandbox: Sandbox, worktrees: LocalWorktrees) -> None:
    with worktrees, pytest.raises(UsageError, match="cache src is tracked"):
        prepare(worktrees, sandbox, benchmark(cache=["src"]))


# identities


def test_an_identity_is_that_of_the_content(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep/file").write_text("same")
        (tmp_path / name / "link").symlink_to("deep")
    os.utime(tmp_path / "two/deep/file", (1, 1))
    assert identity(tmp_path / "one") == identity(tmp_path / "two")
    assert identity(tmp_path / "one").startswith("sha256:")


def change_content(root: Path) -> None:
    (root / "file").write_text("tame")


def rename(root: Path) -> None:
    (root / "file").rename(root / "other")


def add(root: Path) -> None:
    (root / "more").write_text("")


def retarget(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").symlink_to("elsewhere")


@pytest.mark.parametrize("change", [change_content, rename, add, retarget])
def test_every_change_changes_the_identity(tmp_path: Path, change: Callable[[Path], None]) -> None:
    (tmp_path / "file").write_text("same")
    (tmp_path / "link").symlink_to("file")
    before = identity(tmp_path)
    change(tmp_path)
    assert identity(tmp_path) != before


def test_a_large_input_is_known_by_sizes_and_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.adapters.worktrees.identity.READ_LIMIT", 3)
    (tmp_path / "file").write_text("four")
    before = identity(tmp_path)
    assert before.startswith("stat:")
    os.utime(tmp_path / "file", (1, 1))
    assert identity(tmp_path) != before


def test_a_large_input_that_was_written_anew_is_another_whatever_its_times_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.adapters.worktrees.identity.READ_LIMIT", 3)
    file = tmp_path / "file"
    file.write_text("four")
    before, facts = identity(tmp_path), file.stat()
    file.write_text("FOUR")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (facts.st_size, facts.st_mtime_ns)
    assert identity(tmp_path) != before


def test_what_was_read_is_remembered_until_it_is_touched(tmp_path: Path) -> None:
    file, told = tmp_path / "file", Identities()
    file.write_text("four")
    before, facts = told.of(tmp_path), file.stat()
    assert told.of(tmp_path) == before
    file.write_text("FOUR")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert told.of(tmp_path) == identity(tmp_path) != before


@pytest.mark.parametrize("target", ["far/file", "far"])
def test_what_a_link_inside_an_input_leads_to_belongs_to_it(tmp_path: Path, target: str) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/file").write_text("same")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/link").symlink_to(tmp_path / target)
    before = identity(tmp_path / "data")
    (tmp_path / "far/file").write_text("tame")
    assert identity(tmp_path / "data") != before


def test_links_in_circles_and_into_nothing_have_an_end(tmp_path: Path) -> None:
    (tmp_path / "data/deep").mkdir(parents=True)
    (tmp_path / "data/deep/up").symlink_to("..")
    (tmp_path / "data/deep/self").symlink_to("self")
    (tmp_path / "data/nowhere").symlink_to("gone")
    (tmp_path / "data/out").symlink_to(tmp_path)
    before = identity(tmp_path / "data")
    assert before.startswith("sha256:")
    (tmp_path / "beside").write_text("1")
    assert identity(tmp_path / "data") != before


def test_of_an_input_with_too_many_files_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.adapters.worktrees.identity.ENTRY_LIMIT", 2)
    for name in ("a", "b"):
        (tmp_path / name).touch()
    assert identity(tmp_path).startswith("sha256:")
    (tmp_path / "c").touch()
    assert identity(tmp_path) == "unknown"


def test_an_input_may_itself_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("content")
    (tmp_path / "link").symlink_to("real")
    assert identity(tmp_path / "link") == identity(tmp_path / "real")


def test_devices_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "endless").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    assert identity(tmp_path / "endless").startswith("sha256:")
    assert identity(tmp_path).startswith("sha256:")


def test_identities_are_asked_by_the_paths_of_the_config(sandbox: Sandbox, worktrees: LocalWorktrees) -> None:
    sandbox.write({"data/train.csv": "rows"})
    found = worktrees.input_identities(benchmark(inputs=["data/", "ckpt"]))
    assert found == {"data/": identity(sandbox.root / "data"), "ckpt": "missing"}


def test_what_is_told_of_inputs_can_be_shared(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check plans with worktrees of its own, and measures with others."""
    sandbox.write({"data/train.csv": "rows"})
    told, checkout = Identities(), GitRepo.discover(str(sandbox.root)).checkout

    def ask() -> object:
        with LocalWorktrees(checkout, str(sandbox.root), parent_environment={}, home=None, identities=told) as own:
            return own.input_identities(benchmark(inputs=["data/"]))

    first = ask()
    monkeypatch.setattr("hashlib.file_digest", lambda *_: pytest.fail("it is read again"))
    assert ask() == first
