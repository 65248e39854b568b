"""Packing in a directory: nothing is lost, whoever reads, writes or packs at the same time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes.runs import a_run

from assay.adapters import atomic_file
from assay.adapters.store_directory import DirectoryStore
from assay.core.store_layout import packed_path
from assay.errors import InfrastructureError

LATER = datetime(2025, 5, 1, tzinfo=UTC)
MONTH = packed_path("2025-03")
RUNS = [a_run(number, age=timedelta(minutes=number)) for number in range(8)]


@pytest.fixture
def store(tmp_path: Path) -> DirectoryStore:
    store = DirectoryStore(tmp_path)
    for run in RUNS:
        store.add_run(run)
    return store


def test_a_closed_month_becomes_one_file_and_both_forms_read_alike(store: DirectoryStore, tmp_path: Path) -> None:
    before = store.runs("bench")
    (packed,) = store.compact(LATER)
    assert len(packed.absorbed) == len(RUNS)
    assert sorted(path.name for path in tmp_path.rglob("*.json*")) == ["2025-03.jsonl"]
    assert store.runs("bench") == before
    assert [store.find_run(run.run_id) for run in RUNS] == RUNS
    content = (tmp_path / MONTH).read_bytes()
    assert store.compact(LATER) == ()
    assert (tmp_path / MONTH).read_bytes() == content


def test_an_absent_store_is_not_made_by_packing(tmp_path: Path) -> None:
    assert DirectoryStore(tmp_path / "none").compact(LATER) == ()
    assert not (tmp_path / "none").exists()


def test_a_packer_that_dies_between_writing_and_removing_leaves_each_run_once(
    store: DirectoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = store.runs("bench")

    def die(path: Path, data: bytes) -> None:
        real(path, data)
        raise OSError(5, "the disk went away")

    real = atomic_file.replace
    with monkeypatch.context() as patched:
        patched.setattr(atomic_file, "replace", die)
        with pytest.raises(InfrastructureError, match="could not be compacted"):
            store.compact(LATER)
    assert (tmp_path / MONTH).exists()
    assert store.runs("bench") == before
    store.compact(LATER)
    assert store.runs("bench") == before


def test_what_cannot_be_read_stays_where_it_is(store: DirectoryStore, tmp_path: Path) -> None:
    broken, linked = tmp_path / RUNS[0].path, tmp_path / RUNS[1].path
    broken.write_bytes(b"{")
    linked.unlink()
    linked.symlink_to("/etc/passwd")
    (packed,) = store.compact(LATER)
    assert {one.path for one in packed.left} >= {RUNS[0].path}
    assert broken.read_bytes() == b"{"
    assert linked.is_symlink()
    assert len(packed.absorbed) == len(RUNS) - 2


@pytest.mark.parametrize("damage", [b"", b"{}\n", b'{"schema"'])
def test_a_damaged_packed_month_is_never_overwritten(store: DirectoryStore, tmp_path: Path, damage: bytes) -> None:
    (tmp_path / MONTH).write_bytes(damage)
    (packed,) = store.compact(LATER)
    assert (packed.absorbed, packed.left[0].path) == ((), MONTH)
    assert (tmp_path / MONTH).read_bytes() == damage
    catalog = store.runs("bench")
    assert len(catalog.runs) == len(RUNS)
    assert catalog.unreadable[0].path.startswith(MONTH)


def test_readers_never_miss_a_run_while_others_write_and_pack(store: DirectoryStore, tmp_path: Path) -> None:
    wanted = {run.run_id for run in RUNS}

    def pack(number: int) -> None:
        DirectoryStore(tmp_path).add_run(a_run(100 + number, age=timedelta(minutes=number)))
        DirectoryStore(tmp_path).compact(LATER)

    with ThreadPoolExecutor(3) as pool:
        packing = [pool.submit(pack, number) for number in range(20)]
        while not all(one.done() for one in packing):
            catalog = DirectoryStore(tmp_path).runs("bench")
            assert wanted <= {run.run_id for run in catalog.runs}
            assert catalog.unreadable == ()
        for one in packing:
            one.result()
    assert len(store.runs("bench").runs) == len(RUNS) + 20
