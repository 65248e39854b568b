"""Analyses in a store: on the data branch in one commit, waiting where it cannot be reached, and in a folder."""

from pathlib import Path

import pytest
from tests.integration.store_branch.places import REF, bare, git, open_store, put

from assay.adapters.store_branch import Stored
from assay.adapters.store_directory import DirectoryStore
from assay.adapters.stored_records import OtherRecordError
from assay.core.analysis_file import AnalysisFile, analysis_files
from assay.ports import Store, Unreadable

NAMES = ("evaluation.json", "manifest.json", "merged.md")


def an_analysis(number: int = 1, merged: str = "## Verdict\n\nIt fell.\n") -> tuple[AnalysisFile, ...]:
    return analysis_files(f"ana-01JD{number:022d}", {"state": "completed"}, {"agreements": []}, merged)


def paths(*numbers: int) -> list[str]:
    return [f"analyses/ana-01JD{number:022d}/{name}" for number in numbers for name in NAMES]


def on_branch(remote: Path) -> list[str]:
    return git(remote, "ls-tree", "-r", "--name-only", REF, "analyses/").splitlines()


def waiting(clone: Path) -> list[Path]:
    return list((clone / "assay" / "outbox" / "analyses").rglob("*"))


def test_the_analyses_of_a_check_land_in_one_commit_and_leave_no_folder_behind(remote: Path, clone: Path) -> None:
    store: Store = open_store(remote, clone)
    store.add_analyses((*an_analysis(1), *an_analysis(2)))
    assert on_branch(remote) == paths(1, 2)
    assert git(remote, "log", "--format=%s", REF) == "Add 2 analyses"
    assert git(remote, "cat-file", "blob", f"{REF}:{paths(1)[2]}") == "## Verdict\n\nIt fell."
    assert waiting(clone) == []


def test_the_same_analysis_again_is_no_commit_and_another_text_replaces_none(remote: Path, clone: Path) -> None:
    said: list[str] = []
    store = open_store(remote, clone, warn=said.append)
    store.add_analyses(an_analysis())
    store.add_analyses(an_analysis())
    assert git(remote, "rev-list", "--count", REF) == "1"
    store.add_analyses(an_analysis(merged="## Verdict\n\nIt rose.\n"))
    assert "It fell." in git(remote, "cat-file", "blob", f"{REF}:{paths(1)[2]}")
    assert any("merged.md is stored already with another content" in text for text in said)


def test_what_cannot_be_sent_waits_for_the_next_command(remote: Path, clone: Path) -> None:
    said: list[str] = []
    remote.rename(remote.with_name("away.git"))
    open_store(remote, clone, warn=said.append).add_analyses(an_analysis())
    assert any("3 records wait" in text for text in said)
    remote.with_name("away.git").rename(remote)
    flushed = open_store(remote, clone).flush()
    assert (sorted(flushed.landed), flushed.clean) == (paths(1), True)
    assert on_branch(remote) == paths(1)


def test_an_outbox_of_elsewhere_is_taken_in_with_its_analyses(remote: Path, clone: Path, tmp_path: Path) -> None:
    DirectoryStore(tmp_path / "artifact").add_analyses(an_analysis())
    records = tuple(one for one in DirectoryStore(tmp_path / "artifact").records() if not isinstance(one, Unreadable))
    assert open_store(remote, clone).flush(records).clean
    assert on_branch(remote) == paths(1)


def test_reading_runs_is_not_disturbed_by_analyses_nor_by_what_else_stands_there(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    store.add_analyses(an_analysis())
    put(remote, {"analyses/notes.txt": b"mine", "analyses/ana-x/y/z": b"deep"})
    found = open_store(remote, clone).runs("bench")
    assert (found.runs, found.unreadable) == ((), ())


def test_a_folder_keeps_them_the_same_way_and_gives_them_back(tmp_path: Path) -> None:
    store: Store = DirectoryStore(tmp_path)
    store.add_analyses(an_analysis())
    store.add_analyses(an_analysis())
    assert sorted(path.relative_to(tmp_path).as_posix() for path in (tmp_path / "analyses").rglob("*.*")) == paths(1)
    kept: list[Stored | Unreadable] = list(DirectoryStore(tmp_path).records())
    assert sorted(kept, key=str) == sorted(an_analysis(), key=str)
    with pytest.raises(OtherRecordError):
        store.add_analyses(an_analysis(merged="other"))


@pytest.mark.parametrize(
    "name", ["notes.txt", "ana-01JD0000000000000000000001/prompt.txt", "ana-x/merged.md", "ana-01JD0000000000000000000001/merged.md/x"]
)
def test_what_is_no_file_of_an_analysis_is_named_and_not_sent(tmp_path: Path, name: str) -> None:
    file = tmp_path / "assay" / "outbox" / "analyses" / name
    file.parent.mkdir(parents=True)
    file.write_text("x")
    flushed = open_store(bare(tmp_path / "r.git"), tmp_path).flush()
    assert flushed.landed == ()
    assert [one.path for one in flushed.unreadable] == [f"{tmp_path}/assay/outbox/analyses/{'/'.join(name.split('/')[:2])}"]
