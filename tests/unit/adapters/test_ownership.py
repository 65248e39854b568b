"""What root made in somebody's checkout becomes theirs, and nothing else does."""

import os
from pathlib import Path

import pytest

from assay.adapters.ownership import give_back

OWNER = (1001, 1002)


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, int]]:
    """The changes of owner that root would have made, by the name of the entry, whoever runs the test."""
    made: dict[str, tuple[int, int]] = {}

    def chown(name: str, uid: int, gid: int, *, dir_fd: int, follow_symlinks: bool) -> None:
        assert not follow_symlinks
        made[name] = uid, gid

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", chown)
    return made


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of another owner."""
    folder = tmp_path / "work"
    (folder / ".assay" / "report").mkdir(parents=True)
    (folder / ".assay" / "report" / "result.json").write_text("{}")
    real = Path.stat

    def stat(self: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        facts = real(self, follow_symlinks=follow_symlinks)
        return os.stat_result((*facts[:4], *OWNER, *facts[6:])) if self == folder else facts

    monkeypatch.setattr(Path, "stat", stat)
    return folder


def test_everything_in_the_folder_is_given_back(workspace: Path, changes: dict[str, tuple[int, int]]) -> None:
    assert give_back(workspace, workspace / ".assay") == 4
    assert changes == {".": OWNER, "report": OWNER, "result.json": OWNER}


def test_a_link_itself_is_given_back_and_not_what_it_leads_to(workspace: Path, changes: dict[str, tuple[int, int]], tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("x")
    (workspace / ".assay" / "link").symlink_to(tmp_path / "secret")
    give_back(workspace, workspace / ".assay")
    assert "link" in changes
    assert "key" not in changes


def test_a_file_with_a_second_name_is_left_alone(workspace: Path, changes: dict[str, tuple[int, int]], tmp_path: Path) -> None:
    (tmp_path / "shadow").write_text("x")
    (workspace / ".assay" / "copy").hardlink_to(tmp_path / "shadow")
    give_back(workspace, workspace / ".assay")
    assert "copy" not in changes


def test_a_link_in_the_place_of_the_folder_is_left_alone(workspace: Path, changes: dict[str, tuple[int, int]], tmp_path: Path) -> None:
    (workspace / "elsewhere").symlink_to(tmp_path)
    assert give_back(workspace, workspace / "elsewhere", workspace / "absent") == 0
    assert changes == {}


def test_what_leads_to_a_folder_that_was_made_deep_below_is_given_too(workspace: Path, changes: dict[str, tuple[int, int]]) -> None:
    (workspace / "out" / "hand" / "over").mkdir(parents=True)
    assert give_back(workspace, workspace / "out" / "hand" / "over") == 3
    assert changes == {str(workspace / "out"): OWNER, str(workspace / "out" / "hand"): OWNER, ".": OWNER}


def test_a_folder_behind_a_link_or_elsewhere_is_left_alone(workspace: Path, changes: dict[str, tuple[int, int]], tmp_path: Path) -> None:
    (tmp_path / "etc" / "over").mkdir(parents=True)
    (workspace / "out").symlink_to(tmp_path / "etc")
    assert give_back(workspace, workspace / "out" / "over", tmp_path / "etc") == 0
    assert changes == {}


def test_whoever_is_not_root_gives_nothing(workspace: Path, changes: dict[str, tuple[int, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert give_back(workspace, workspace / ".assay") == 0
