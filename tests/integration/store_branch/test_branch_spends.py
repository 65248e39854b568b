"""What commands spent, on the data branch and in a directory: written once, read by every clone, and what is damaged is counted."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.integration.store_branch.places import REF, git, open_store, put

from assay.adapters.store_directory import DirectoryStore
from assay.core.budget import Judge, Refusal, Spend, Spent
from assay.core.ids import new_id
from assay.core.timestamp import stamp
from assay.errors import InfrastructureError
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


def at_most(runs: int) -> Judge:
    return lambda spent: ("Nothing is left.", "Wait.") if len(spent.records) >= runs else None


def test_two_who_want_the_last_run_at_the_same_moment_do_not_both_get_it(remote: Path, clone: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(remote), str(tmp_path / "other"))
    rival, asked = open_store(remote, tmp_path / "other"), []

    def judge(spent: Spent) -> Refusal | None:
        asked.append(len(spent.records))
        if len(asked) == 1:  # the other one is faster, once we have looked and before we have written
            assert rival.reserve(a_spend(1), at_most(1)) is None
        return at_most(1)(spent)

    assert open_store(remote, clone).reserve(a_spend(0), judge) == ("Nothing is left.", "Wait.")
    assert asked == [0, 1]
    assert open_store(remote, clone).spent().records == (a_spend(1),)


def test_what_is_reserved_is_on_the_branch_or_nothing_is_had(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    assert store.reserve(a_spend(0), at_most(2)) is None
    assert store.reserve(a_spend(0), at_most(1)) is None, "the answer to the first was lost, and it is asked again"
    assert store.reserve(a_spend(1), at_most(1)) is not None
    remote.rename(remote.with_name("gone"))
    with pytest.raises(InfrastructureError, match="could not be written"):
        open_store(remote, clone).reserve(a_spend(2), at_most(9))
    assert [one.spend_id for one in store.spent().records] == [a_spend(0).spend_id]


def test_a_directory_does_the_same(tmp_path: Path) -> None:
    store: Store = DirectoryStore(tmp_path)
    store.add_spend(a_spend(1))
    store.add_spend(a_spend(0))
    (tmp_path / "spend" / "2025" / "03" / "spd-x.json").write_text("no")
    found = store.spent()
    assert (found.records, found.unreadable) == ((a_spend(0), a_spend(1)), 1)
