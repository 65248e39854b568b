"""Packing on the branch: in one commit, beside other writers, and never past what cannot be read."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes.runs import a_decision, a_run
from tests.integration.store_branch.places import REF, git, hook, open_store, put

from assay.adapters.store_directory import DirectoryStore
from assay.core.store_layout import packed_path, tombstone_path
from assay.errors import InfrastructureError

LATER = datetime(2025, 5, 1, tzinfo=UTC)
MONTH = packed_path("2025-03")
RUNS = [a_run(number, age=timedelta(minutes=number)) for number in range(6)]


def names(remote: Path) -> list[str]:
    return git(remote, "ls-tree", "-r", "--name-only", REF).splitlines()


def test_a_closed_month_becomes_one_file_in_one_commit(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with store.batch():
        for run in RUNS:
            store.add_run(run)
        store.add_decision(a_decision())
    before = store.runs("bench")
    (packed,) = store.compact(LATER)
    assert len(packed.absorbed) == len(RUNS)
    assert names(remote) == ["README.md", a_decision().path, MONTH]
    assert git(remote, "log", "--format=%s", REF).splitlines()[0] == "Pack the runs of 2025-03"
    assert store.runs("bench") == before
    assert open_store(remote, clone.with_name("other")).runs("bench") == before
    assert [store.find_run(run.run_id) for run in RUNS] == RUNS


def test_packing_again_makes_no_commit_and_late_runs_are_packed_later(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.flush(tuple(RUNS[:3]))
    store.compact(LATER)
    tip = git(remote, "rev-parse", REF)
    assert store.compact(LATER) == ()
    assert git(remote, "rev-parse", REF) == tip
    store.flush(tuple(RUNS))
    assert len([name for name in names(remote) if name.endswith(".json")]) == 3
    (packed,) = store.compact(LATER)
    assert len(packed.absorbed) == 3
    assert len(store.runs("bench").runs) == 6


def test_this_month_stays_as_it_is(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_run(RUNS[0])
    assert store.compact(datetime(2025, 3, 31, 23, 59, tzinfo=UTC)) == ()
    assert RUNS[0].path in names(remote)


def test_a_run_that_comes_again_after_packing_is_known(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    noted = a_run(7, notes=(RUNS[0].run_id,))
    store.flush((RUNS[0], noted))
    store.compact(LATER)
    tip = git(remote, "rev-parse", REF)
    other = open_store(remote, clone.with_name("other"))
    assert other.flush((RUNS[0], noted)).landed
    assert git(remote, "rev-parse", REF) == tip
    with pytest.raises(InfrastructureError, match="another record"):
        other.add_run(a_run(0, age=timedelta(0), detail="different"))
    assert git(remote, "rev-parse", REF) == tip


def test_what_cannot_be_read_is_never_packed_away(remote: Path, clone: Path) -> None:
    link = git(remote, "hash-object", "-w", "--stdin", feed=b"/etc/passwd")
    broken, linked = RUNS[1].path, RUNS[2].path
    put(remote, {RUNS[0].path: f"{RUNS[0].to_json()}\n".encode(), broken: b'{"schema"', linked: ("120000", link)})
    (packed,) = open_store(remote, clone).compact(LATER)
    assert packed.absorbed == (RUNS[0].path,)
    assert {one.path for one in packed.left} == {broken, linked}
    assert git(remote, "cat-file", "blob", f"{REF}:{broken}") == '{"schema"'
    assert linked in names(remote)


@pytest.mark.parametrize("damage", [b"", b"{}\n", b'{"schema"'])
def test_a_damaged_packed_month_is_never_overwritten(remote: Path, clone: Path, damage: bytes) -> None:
    put(remote, {RUNS[0].path: f"{RUNS[0].to_json()}\n".encode(), MONTH: damage})
    tip = git(remote, "rev-parse", REF)
    (packed,) = open_store(remote, clone).compact(LATER)
    assert packed.left[0].path == MONTH
    assert git(remote, "rev-parse", REF) == tip


def test_tombstones_go_on_hiding(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.flush(tuple(RUNS))
    put(remote, {tombstone_path(RUNS[0].run_id): b"{}"})
    store = open_store(remote, clone)
    store.compact(LATER)
    assert RUNS[0].run_id not in {run.run_id for run in store.runs("bench").runs}
    assert tombstone_path(RUNS[0].run_id) in names(remote)


def test_a_run_that_is_added_while_a_month_is_packed_is_kept(remote: Path, clone: Path, tmp_path: Path) -> None:
    store = open_store(remote, clone)
    store.flush(tuple(RUNS[:3]))
    other = open_store(remote, clone.with_name("other"))
    other.add_run(RUNS[3])
    late = git(remote, "rev-parse", REF)
    git(remote, "update-ref", REF, f"{late}~1")
    store = open_store(remote, clone)
    store.runs("bench")
    hook(
        remote,
        "pre-receive",
        f"""unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
[ -e {tmp_path}/moved ] && exit 0
touch {tmp_path}/moved; git update-ref {REF} {late}""",
    )
    (packed,) = store.compact(LATER)
    assert (tmp_path / "moved").exists()
    assert len(packed.absorbed) == 4
    assert {run.run_id for run in store.runs("bench").runs} == {run.run_id for run in RUNS[:4]}


def test_a_branch_that_cannot_be_written_says_so(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.flush(tuple(RUNS))
    hook(remote, "pre-receive", "exit 1")
    with pytest.raises(InfrastructureError, match="was not compacted: a hook of the server declined it"):
        store.compact(LATER)
    assert len(store.runs("bench").runs) == 6


def test_both_places_pack_to_the_same_bytes(remote: Path, clone: Path, tmp_path: Path) -> None:
    store, directory = open_store(remote, clone), DirectoryStore(tmp_path / "dir")
    store.flush(tuple(RUNS))
    for run in RUNS:
        directory.add_run(run)
    store.compact(LATER)
    directory.compact(LATER)
    assert git(remote, "cat-file", "blob", f"{REF}:{MONTH}") + "\n" == (tmp_path / "dir" / MONTH).read_text()
