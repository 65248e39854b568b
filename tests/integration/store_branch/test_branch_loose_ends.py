"""Loose ends on a real branch: out of this machine before what they speak of, gone when it is done, safe when nothing can be sent."""

from pathlib import Path

import pytest
from tests.fakes.runs import a_run, an_id
from tests.integration.store_branch.places import REF, git, listed, open_store, waiting

from assay.adapters.store_branch import BranchStore
from assay.core.loose_ends import OPENED_SCHEMA, OWED_SCHEMA, JobMark, LooseEnds, Opened, Owed, OwedComment
from assay.errors import CancelledError

MARKER = "<!-- assay:report -->"
AT = "2026-12-01T10:00:00.000Z"


def opened(number: int = 0) -> Opened:
    job = JobMark(run=1, attempt=1, hosted=True)
    return Opened(schema=OPENED_SCHEMA, run_id=an_id("run", number), created_at=AT, check="bench", commit="a" * 40, job=job)


def owed(word: str = "Worse", pull: int = 7) -> Owed:
    comment = OwedComment(pull=pull, marker=MARKER, body=f"{MARKER}\n{word}.", always=True)
    return Owed(schema=OWED_SCHEMA, created_at=AT, check=None, comment=comment)


def gone(remote: Path) -> Path:
    """The remote under a name at which nobody looks for it."""
    return remote.rename(remote.with_name("away.git"))


def test_what_begins_is_sent_at_once_also_inside_a_batch(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with store.batch():
        store.ends.begin(opened())
        assert listed(remote) == [f"{an_id('run')}.json"]
        store.add_run(a_run())
        store.ends.settle(opened())
    assert git(remote, "ls-tree", "-r", "--name-only", REF).splitlines() == ["README.md", a_run().path]
    assert git(remote, "log", "-1", "--format=%s", REF) == "Add 1 run, tie up 1 loose end"
    assert waiting(clone) == []


def test_another_clone_finds_it_and_ties_it_up(remote: Path, clone: Path, tmp_path: Path) -> None:
    open_store(remote, clone).ends.begin(opened())
    open_store(remote, clone).ends.owe(owed())
    other = open_store(remote, tmp_path / "other")
    assert other.ends.found() == LooseEnds((opened(),), (owed(),))
    other.ends.settle(opened())
    other.ends.settle(owed())
    for store in (other, open_store(remote, clone)):
        assert store.ends.found() == LooseEnds()


def test_to_tie_it_up_twice_makes_no_commit(remote: Path, clone: Path, tmp_path: Path) -> None:
    stores = open_store(remote, clone), open_store(remote, tmp_path / "other")
    stores[0].ends.begin(opened())
    for store in stores:
        store.ends.settle(opened())
    assert git(remote, "rev-list", "--count", REF) == "2"
    assert waiting(clone) == []


def test_a_newer_report_takes_the_place_of_an_older_one_and_outlives_its_end(remote: Path, clone: Path, tmp_path: Path) -> None:
    store, other = open_store(remote, clone), open_store(remote, tmp_path / "other")
    store.ends.owe(owed("Worse"))
    other.ends.owe(owed("Better"))
    store.ends.settle(owed("Worse"))
    assert store.ends.found().owed == (owed("Better"),)
    assert waiting(clone) == []


def test_what_cannot_be_sent_waits_here_and_is_known_here(remote: Path, clone: Path) -> None:
    away = gone(remote)
    store = open_store(remote, clone)
    store.ends.begin(opened())
    store.ends.begin(opened(1))
    store.ends.owe(owed())
    store.ends.settle(opened(1))
    assert store.ends.found() == LooseEnds((opened(),), (owed(),))
    away.rename(remote)
    store = open_store(remote, clone)
    store.flush()
    assert store.ends.found() == LooseEnds((opened(),), (owed(),))
    assert waiting(clone) == []
    assert len(listed(remote)) == 2


def test_an_end_that_cannot_be_sent_holds_here_and_is_sent_later(remote: Path, clone: Path, tmp_path: Path) -> None:
    store, other = open_store(remote, clone), open_store(remote, tmp_path / "other")
    store.ends.begin(opened())
    away = gone(remote)
    store.ends.settle(opened())
    assert store.ends.found() == LooseEnds()
    away.rename(remote)
    assert other.ends.found() == LooseEnds((opened(),))
    store.flush()
    assert other.ends.found() == LooseEnds()


def test_after_an_error_the_end_goes_out_in_haste(remote: Path, clone: Path) -> None:
    store: BranchStore = open_store(remote, clone)

    def work() -> None:
        with store.batch():
            store.ends.begin(opened())
            store.ends.settle(opened())
            raise CancelledError("Cancelled by SIGTERM.")

    with pytest.raises(CancelledError):
        work()
    assert listed(remote) == []


def test_a_damaged_one_is_passed_over(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.ends.begin(opened())
    blob = git(remote, "hash-object", "-w", "--stdin", feed=b"{}")
    git(remote, "read-tree", REF)
    git(remote, "update-index", "--add", "--cacheinfo", f"100644,{blob},open/{an_id('run', 5)}.json")
    tree = git(remote, "write-tree")
    git(remote, "update-ref", REF, git(remote, "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", tree, "-p", REF, "-m", "x"))
    assert store.ends.found().opened == (opened(),)
