"""Processes that push at once lose nothing, and one that is killed anywhere leaves a readable branch and an outbox to send."""

import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.fakes.runs import a_run
from tests.integration.store_branch.places import git, listed, open_store, waiting, writer

PROCESSES = 12
EACH = 20


def written(first: int, count: int = EACH) -> set[str]:
    return {f"{a_run(first + number).run_id}.json" for number in range(count)}


def run_all(remote: Path, clones: list[Path]) -> None:
    """One writer for each clone at the same time. All have to end well, with nothing left to say."""
    processes = [writer(remote, clone, str(number * 1000), str(EACH)) for number, clone in enumerate(clones)]
    for process in processes:
        out, err = process.communicate()
        assert (process.returncode, err.decode()) == (0, "")
        assert len(out.splitlines()) == EACH


@pytest.mark.parametrize("shared", [True, False], ids=["one clone", "a clone each"])
def test_twelve_processes_that_push_twenty_records_each_lose_none(remote: Path, tmp_path: Path, shared: bool) -> None:
    clones = [tmp_path / ("clone" if shared else f"clone{number}") for number in range(PROCESSES)]
    run_all(remote, clones)
    wanted = set[str]().union(*(written(number * 1000) for number in range(PROCESSES)))
    assert set(listed(remote)) == wanted
    assert all(waiting(clone) == [] for clone in clones)
    assert git(remote, "rev-list", "--merges", "--count", "assay-data") == "0"
    reader = open_store(remote, tmp_path / "reader").runs("bench")
    assert {f"{run.run_id}.json" for run in reader.runs} == wanted
    assert reader.unreadable == ()


def test_writers_of_the_same_records_agree(remote: Path, tmp_path: Path) -> None:
    processes = [writer(remote, tmp_path / f"clone{number}", "0", "5") for number in range(4)]
    for process in processes:
        assert process.communicate()[1] == b""
        assert process.returncode == 0
    assert listed(remote) == sorted(written(0, 5))


def test_a_writer_killed_at_any_moment_loses_nothing_that_it_called_safe(remote: Path, clone: Path) -> None:
    """Moments are drawn by chance: after so many bytes of output, and sometimes in the middle of the next write."""
    chance = random.Random(20)
    safe: set[str] = set()
    for attempt in range(12):
        with writer(remote, clone, str(attempt * 1000)) as process:
            assert process.stdout is not None
            for _ in range(chance.randint(0, 3)):
                safe.add(process.stdout.readline().decode().strip() + ".json")
            _wait_a_little(chance)
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read().decode().split("\n")
            safe |= {f"{line}.json" for line in rest[:-1]}
        _settle(remote)
        assert safe <= set(_listed(remote)) | set(waiting(clone))
    store = open_store(remote, clone)
    flushed = store.flush()
    assert flushed.clean, flushed
    assert safe <= set(listed(remote))
    assert waiting(clone) == []
    catalog = store.runs("bench")
    assert catalog.unreadable == ()
    assert {f"{run.run_id}.json" for run in catalog.runs} == set(listed(remote))


def _settle(remote: Path) -> None:
    """Wait until the remote is whole: git's own process at its end outlives the writer that was killed, and may be at work."""
    deadline = time.monotonic() + 30
    while not _is_whole(remote):
        assert time.monotonic() < deadline, git(remote, "fsck", "--strict")


def _is_whole(remote: Path) -> bool:
    done = subprocess.run(["git", "-C", str(remote), "fsck", "--strict"], capture_output=True, check=False)
    return done.returncode == 0


def _listed(remote: Path) -> list[str]:
    return listed(remote) if git(remote, "for-each-ref") else []


def _wait_a_little(chance: random.Random) -> None:
    """Let the writer get on by a random amount of our own work, which is no clock that it could be in step with."""
    for _ in range(chance.randint(0, 60)):
        a_run(1).to_json()
