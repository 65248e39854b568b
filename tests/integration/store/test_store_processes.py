"""Processes that write at once, or are killed at any moment, leave only whole files."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes.runs import a_run

import assay
from assay.adapters.store_directory import DirectoryStore

HERE = Path(__file__).parent
SOURCES = str(Path(assay.__file__).parents[1])
CHECKOUT = str(HERE.parents[2])


def writer(store: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(HERE / "write_runs.py"), str(store), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": f"{SOURCES}:{CHECKOUT}"})


@pytest.mark.parametrize("written", [1, 2, 5, 13])
def test_a_writer_that_is_killed_leaves_only_whole_files(tmp_path: Path, written: int) -> None:
    with writer(tmp_path / "store", "0") as process:
        assert process.stdout is not None
        process.stdout.read(written)
        process.kill()
    catalog = DirectoryStore(tmp_path / "store").runs("bench")
    assert catalog.unreadable == ()
    assert len(catalog.runs) >= written
    assert all(run.notes == ("x" * 20_000,) for run in catalog.runs)


def test_a_store_works_on_after_a_writer_was_killed(tmp_path: Path) -> None:
    with writer(tmp_path / "store", "0") as process:
        assert process.stdout is not None
        process.stdout.read(3)
        process.kill()
    store = DirectoryStore(tmp_path / "store")
    run = a_run(2**70)
    store.add_run(run)
    assert store.find_run(run.run_id) == run


def test_four_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    processes = [writer(tmp_path / "store", str(first * 1000), "15") for first in range(4)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    catalog = DirectoryStore(tmp_path / "store").runs("bench")
    assert catalog.unreadable == ()
    assert {run.run_id for run in catalog.runs} == {a_run(first * 1000 + number).run_id for first in range(4) for number in range(15)}


def test_four_writers_of_the_same_run_agree(tmp_path: Path) -> None:
    processes = [writer(tmp_path / "store", "0", "10") for _ in range(4)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert len(DirectoryStore(tmp_path / "store").runs("bench").runs) == 10
