"""Attempts, on the data branch and in a directory: written once, read by every clone, and what is damaged lets nothing go on."""

from pathlib import Path

import pytest
from tests.integration.store_branch.places import REF, git, open_store, put
from tests.unit.core.attempts.test_attempt_standing import entry

from assay.adapters.store_directory import DirectoryStore
from assay.errors import InfrastructureError
from assay.ports import Store


def test_what_one_clone_wrote_another_reads(remote: Path, clone: Path, tmp_path: Path) -> None:
    store: Store = open_store(remote, clone)
    for number in (1, 0):
        store.add_attempt(entry(number))
    assert open_store(remote, tmp_path / "other").attempts() == (entry(0), entry(1))
    assert git(remote, "log", "-1", "--format=%s", REF) == "Add 1 attempt"


def test_what_could_not_be_sent_yet_counts_already(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with store.batch():
        store.add_attempt(entry(0))
        assert store.attempts() == (entry(0),)


def test_a_damaged_record_is_no_record_that_is_not_there(remote: Path, clone: Path, tmp_path: Path) -> None:
    branch, folder = open_store(remote, clone), DirectoryStore(tmp_path / "store")
    for store in (branch, folder):
        store.add_attempt(entry(0))
    (tmp_path / "store/attempts/2025/03/att-x.json").write_text("no")
    put(remote, {"attempts/2025/03/att-00000000000000000000000000.json": b"{}"})
    for store in (open_store(remote, clone), folder):
        with pytest.raises(InfrastructureError, match="cannot be counted"):
            store.attempts()
