"""What is added lands on the branch, once and unchanged, in commits of data only; what cannot land yet is safe in the outbox."""

import os
import stat
from pathlib import Path

import pytest
from tests.fakes.runs import a_decision, a_run, an_id
from tests.integration.store_branch.places import REF, bare, git, hook, listed, open_store, put, waiting

from assay.adapters.store_branch import BranchStore
from assay.adapters.store_directory import DirectoryStore
from assay.core.envelope import Run
from assay.errors import CancelledError, InfrastructureError
from assay.ports import Store


def test_a_run_lands_where_the_layout_says_with_the_bytes_of_a_directory_store(remote: Path, clone: Path, tmp_path: Path) -> None:
    store: Store = open_store(remote, clone)
    run = a_run()
    assert store.add_run(run) == f"assay-data:{run.path}"
    elsewhere = Path(DirectoryStore(tmp_path / "dir").add_run(run))
    assert git(remote, "cat-file", "blob", f"{REF}:{run.path}") + "\n" == elsewhere.read_text()
    assert waiting(clone) == []
    assert store.runs("bench").runs == (run,)
    assert store.find_run(run.run_id) == run


def test_the_first_commit_has_no_parent_and_explains_the_branch(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_run(a_run())
    store.add_run(a_run(1))
    assert git(remote, "rev-list", "--count", REF) == "2"
    assert git(remote, "ls-tree", "--name-only", REF).splitlines() == ["README.md", "runs"]
    assert "never merged" in git(remote, "cat-file", "blob", f"{REF}:README.md")
    assert git(remote, "log", "-1", "--format=%an <%ae> %cn%n%B", REF).splitlines()[:2] == [
        "Assay <assay@assay.invalid> Assay",
        "Add 1 run",
    ]
    assert "[skip ci]" in git(remote, "log", "-1", "--format=%b", REF)
    assert git(remote, "fsck", "--strict") == ""


def test_a_batch_is_one_commit_and_each_record_is_safe_before_it_is_sent(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with store.batch():
        kept = [Path(store.add_run(a_run(number))) for number in (1, 2)] + [Path(store.add_decision(a_decision()))]
        assert all(path.is_file() for path in kept)
        assert Run.from_json(kept[0].read_text()) == a_run(1)
        assert git(remote, "for-each-ref") == ""
    assert git(remote, "log", "--format=%s", REF) == "Add 2 runs and 1 decision"
    assert waiting(clone) == []
    assert store.decisions(an_id("run")) == (a_decision(),)


def test_an_empty_batch_and_an_empty_outbox_touch_nothing(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with store.batch():
        pass
    assert store.flush().clean
    assert git(remote, "for-each-ref") == ""
    assert not clone.exists()


def add_and_be_cancelled(store: BranchStore) -> None:
    with store.batch():
        store.add_run(a_run())
        raise CancelledError("Cancelled.")


def test_a_batch_that_is_cancelled_still_sends_what_it_has(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with pytest.raises(CancelledError):
        add_and_be_cancelled(store)
    assert listed(remote) == [f"{a_run().run_id}.json"]


def test_a_batch_that_fails_where_nothing_can_be_sent_keeps_it_and_its_own_error(clone: Path, tmp_path: Path) -> None:
    said: list[str] = []
    store = open_store(tmp_path / "nowhere.git", clone, warn=said.append)
    with pytest.raises(CancelledError):
        add_and_be_cancelled(store)
    assert waiting(clone) == [f"{a_run().run_id}.json"]
    assert "1 record waits" in said[0]


@pytest.mark.parametrize("ref", ["refs/heads/assay-data", "refs/heads/team/perf/data", "refs/assay/data", "refs/notes/assay"])
def test_the_branch_may_be_any_ref(remote: Path, clone: Path, ref: str) -> None:
    store = open_store(remote, clone, ref)
    store.add_run(a_run())
    store.add_run(a_run(1))
    assert git(remote, "for-each-ref", "--format=%(refname)") == ref
    assert len(open_store(remote, clone.with_name("other"), ref).runs("bench").runs) == 2


def test_a_repository_of_the_other_hash_works_alike(tmp_path: Path, clone: Path) -> None:
    remote = bare(tmp_path / "sha256.git", "--object-format=sha256")
    store = open_store(remote, clone, object_format="sha256")
    store.add_run(a_run())
    assert store.add_run(a_run()) == f"assay-data:{a_run().path}"
    assert len(git(remote, "rev-parse", REF)) == 64
    assert store.runs("bench").runs == (a_run(),)


def test_the_same_record_twice_makes_no_second_commit(remote: Path, clone: Path) -> None:
    open_store(remote, clone).add_run(a_run())
    before = git(remote, "rev-parse", REF)
    assert open_store(remote, clone.with_name("other")).add_run(a_run()) == f"assay-data:{a_run().path}"
    assert git(remote, "rev-parse", REF) == before
    assert waiting(clone.with_name("other")) == []


def test_the_same_record_written_another_way_is_still_the_same(remote: Path, clone: Path) -> None:
    put(remote, {a_run().path: a_run().to_json().replace("\n", " ").encode()})
    before = git(remote, "rev-parse", REF)
    open_store(remote, clone).add_run(a_run())
    assert git(remote, "rev-parse", REF) == before


def test_another_record_under_the_same_id_is_an_error_that_names_it_and_nothing_is_overwritten(remote: Path, clone: Path) -> None:
    open_store(remote, clone).add_run(a_run())
    before = git(remote, "rev-parse", REF)
    other = open_store(remote, clone.with_name("other"))
    with pytest.raises(InfrastructureError, match=f"another record at assay-data:{a_run().path}"):
        other.add_run(a_run(detail="different"))
    assert git(remote, "rev-parse", REF) == before
    assert other.flush().conflicts == (a_run().path,)
    assert other.add_run(a_run(1)) == f"assay-data:{a_run(1).path}"
    assert waiting(clone.with_name("other")) == [f"{a_run().run_id}.json"]


def test_a_second_record_of_an_id_that_waits_is_refused_at_once(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with store.batch():
        store.add_run(a_run())
        with pytest.raises(InfrastructureError, match="another record"):
            store.add_run(a_run(detail="different"))
    assert store.find_run(a_run().run_id) == a_run()


@pytest.mark.parametrize("damage", [b"", b"{", a_run().to_json().encode()[:-40]])
def test_a_damaged_file_on_the_branch_is_never_overwritten(remote: Path, clone: Path, damage: bytes) -> None:
    put(remote, {a_run().path: damage})
    before = git(remote, "rev-parse", REF)
    with pytest.raises(InfrastructureError, match="another record"):
        open_store(remote, clone).add_run(a_run())
    assert git(remote, "rev-parse", REF) == before


def test_a_branch_that_holds_something_else_is_left_alone(remote: Path, clone: Path) -> None:
    put(remote, {"src/main.py": b"print()\n", "runs/2025/01/x.csv": b""})
    before = git(remote, "rev-parse", REF)
    said: list[str] = []
    open_store(remote, clone, warn=said.append).add_run(a_run())
    assert git(remote, "rev-parse", REF) == before
    assert "holds files that are no store's, such as src" in said[0]
    assert waiting(clone) == [f"{a_run().run_id}.json"]


def test_a_store_s_branch_with_a_file_of_a_later_release_is_still_ours(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_run(a_run())
    put(remote, {"later/thing.json": b"{}"})
    store = open_store(remote, clone)
    store.add_run(a_run(1))
    assert "later/thing.json" in git(remote, "ls-tree", "-r", "--name-only", REF)
    assert len(store.runs("bench").runs) == 2


def test_an_empty_branch_that_somebody_made_is_taken(remote: Path, clone: Path) -> None:
    put(remote, {})
    open_store(remote, clone).add_run(a_run())
    assert git(remote, "rev-list", "--count", REF) == "2"


def test_the_default_branch_of_the_remote_is_never_written(remote: Path, clone: Path) -> None:
    put(remote, {"queue.json": b"{}"}, "refs/heads/main")
    said: list[str] = []
    open_store(remote, clone, "refs/heads/main", warn=said.append).add_run(a_run())
    assert "it is the default branch of the remote" in said[0]
    assert git(remote, "rev-list", "--count", "main") == "1"


def test_a_deleted_branch_is_begun_anew(remote: Path, clone: Path) -> None:
    open_store(remote, clone).add_run(a_run())
    git(remote, "update-ref", "-d", REF)
    store = open_store(remote, clone)
    assert store.runs("bench").runs == ()
    store.add_run(a_run(1))
    assert git(remote, "rev-list", "--count", REF) == "1"
    assert store.runs("bench").runs == (a_run(1),)


def test_a_rewritten_branch_is_followed(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_run(a_run())
    first = git(remote, "rev-parse", REF)
    store.add_run(a_run(1))
    git(remote, "update-ref", REF, first)
    store = open_store(remote, clone)
    assert store.runs("bench").runs == (a_run(),)
    store.add_run(a_run(2))
    assert {run.run_id for run in store.runs("bench").runs} == {a_run().run_id, a_run(2).run_id}


def test_our_copy_may_vanish_or_be_damaged_at_any_time(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_run(a_run())
    objects = clone / "assay" / "store.git" / "objects"
    for file in objects.rglob("*"):
        if file.is_file():
            file.chmod(0o644)
            file.write_bytes(b"")
    store = open_store(remote, clone)
    store.add_run(a_run(1))
    assert len(store.runs("bench").runs) == 2
    for file in objects.rglob("*"):
        if file.is_file():
            file.unlink()
    assert len(open_store(remote, clone).runs("bench").runs) == 2


def test_a_lock_that_a_killed_git_left_is_swept(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_run(a_run())
    tip = next((clone / "assay" / "store.git" / "refs" / "assay" / "tips").iterdir())
    for lock in (tip.with_name(f"{tip.name}.lock"), clone / "assay" / "store.git" / "shallow.lock"):
        lock.touch()
        os.utime(lock, (0, 0))
    open_store(remote, clone.with_name("other")).add_run(a_run(1))
    assert len(open_store(remote, clone).runs("bench").runs) == 2


def test_nothing_that_foreign_code_puts_into_our_copy_is_obeyed(remote: Path, clone: Path, tmp_path: Path) -> None:
    store = open_store(remote, clone)
    store.add_run(a_run())
    git_dir = clone / "assay" / "store.git"
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n")
    trap.chmod(0o755)
    (git_dir / "hooks").mkdir()
    for name in ("pre-push", "reference-transaction", "post-rewrite", "pre-auto-gc"):
        (git_dir / "hooks" / name).symlink_to(trap)
    (git_dir / "config").write_text(
        f"[core]\nbare = true\nfsmonitor = {trap}\nsshCommand = {trap}\nhooksPath = {git_dir}/hooks\n"
        f'[url "ext::{trap}"]\ninsteadOf = {remote}\n[remote "store"]\nuploadpack = {trap}\nreceivepack = {trap}\n'
        f"[credential]\nhelper = {trap}\n[include]\npath = {tmp_path}/more\n"
    )
    (git_dir / "config.worktree").write_text(f"[core]\nfsmonitor = {trap}\n")
    (git_dir / "commondir").write_text(str(tmp_path / "elsewhere"))
    (git_dir / "objects" / "info" / "alternates").write_text(str(tmp_path / "elsewhere"))
    store = open_store(remote, clone)
    store.add_run(a_run(1))
    assert len(store.runs("bench").runs) == 2
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("name", ["store.git", "outbox", "store.git.lock"])
def test_a_link_in_the_place_of_a_folder_of_ours_is_not_followed(remote: Path, clone: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (clone / "assay").mkdir(parents=True)
    (clone / "assay" / name).symlink_to(target)
    with pytest.raises(InfrastructureError):
        open_store(remote, clone).add_run(a_run())
    assert list(target.iterdir()) == []


def test_hooks_and_filters_of_the_user_s_configuration_do_not_run(
    remote: Path, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "hooks" / "pre-push"
    trap.parent.mkdir()
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n")
    trap.chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\nhooksPath = {trap.parent}\n[push]\ngpgSign = true\n[commit]\ngpgSign = true\n[fetch]\nprune = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(trap.parent))
    open_store(remote, clone).add_run(a_run())
    assert listed(remote) == [f"{a_run().run_id}.json"]
    assert not (tmp_path / "sprung").exists()


def test_a_writer_that_is_overtaken_between_fetch_and_push_tries_again(remote: Path, clone: Path, tmp_path: Path) -> None:
    put(remote, {a_run(5).path: a_run(5).to_json().encode()})
    # the hook moves the branch once, after the client has compared and before the server updates
    hook(
        remote,
        "pre-receive",
        f"""unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
[ -e {tmp_path}/moved ] && exit 0
touch {tmp_path}/moved
new=$(git commit-tree -p {REF} -m overtaking {REF}^{{tree}}) && git update-ref {REF} $new""",
    )
    store = open_store(remote, clone)
    store.add_run(a_run())
    assert git(remote, "log", "--format=%s", REF).splitlines() == ["Add 1 run", "overtaking", "by hand"]
    assert (tmp_path / "moved").exists()


def test_files_of_ours_are_not_open_to_others(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_run(a_run())
    store.runs("bench")
    for file in (clone / "assay").rglob("*"):
        assert not stat.S_IMODE(file.lstat().st_mode) & stat.S_IWOTH
