"""What commands spent, on the data branch and in a directory: written once, read by every clone, and what is damaged is counted."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.integration.store_branch.places import REF, git, open_store, put

from assay.adapters.store_directory import DirectoryStore
from assay.core.budget import Spend
from assay.core.ids import new_id
from assay.core.timestamp import stamp
from assay.ports import Store

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def a_spend(number: int = 0) -> Spend:
    at = NOON + timedelta(minutes=number)
    facts = {"schema": "assay.spend/1", "spend_id": new_id("spd", at, number.to_bytes(10)), "created_at": stamp(at), "kind": "runs"}
    return Spend.model_validate({**facts, "pull": 7, "by": "ada", "runs": 1, "gpu_minutes": 0.0})


def test_what_one_clone_spent_another_reads(remote: Path, clone: Path, tmp_path: Path) -> None:
    store: Store = open_store(remote, clone)
    for number in (1, 0):
        store.add_spend(a_spend(number))
    git(tmp_path, "clone", "-q", str(remote), str(tmp_path / "other"))
    found = open_store(remote, tmp_path / "other").spent()
    assert (found.records, found.unreadable) == ((a_spend(0), a_spend(1)), 0)
    assert git(remote, "log", "-1", "--format=%s", REF) == "Add 1 spend"


def test_what_could_not_be_sent_yet_counts_already(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with store.batch():
        store.add_spend(a_spend())
        assert store.spent().records == (a_spend(),)
    assert store.spent().records == (a_spend(),)


def test_a_damaged_record_is_counted_and_hides_no_other(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_spend(a_spend())
    put(remote, {"spend/2025/03/spd-00000000000000000000000000.json": b"{}"})
    found = open_store(remote, clone).spent()
    assert (found.records, found.unreadable) == ((a_spend(),), 1)


def test_a_directory_does_the_same(tmp_path: Path) -> None:
    store: Store = DirectoryStore(tmp_path)
    store.add_spend(a_spend(1))
    store.add_spend(a_spend(0))
    (tmp_path / "spend" / "2025" / "03" / "spd-x.json").write_text("no")
    found = store.spent()
    assert (found.records, found.unreadable) == ((a_spend(0), a_spend(1)), 1)
