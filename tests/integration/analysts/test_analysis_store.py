"""The files of an analysis on a real disk: whole, private, and nowhere else."""

import json
import stat
from pathlib import Path

import pytest
from tests.fakes.runs import an_id

from assay.adapters import analysis_store
from assay.adapters.analysis_store import KEPT, AnalysisFolders
from assay.core.fusion.failure import AnalysisError, Code
from assay.core.fusion.state import Manifest


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("durable", [True, False])
def test_folder_and_files_are_for_us_alone_and_nothing_else_is_left(tmp_path: Path, durable: bool) -> None:
    folder = AnalysisFolders(tmp_path / ".assay/analyses").create(an_id("ana"), durable=durable)
    artifact = folder.write("merged.md", "höre")
    folder.publish(Manifest(an_id("ana"), None, "bench", "now", "now", {}, 2))
    root = Path(folder.path)
    assert mode(root) == 0o700
    assert {path.name: mode(path) for path in root.iterdir()} == {"merged.md": 0o600, "manifest.json": 0o600}
    assert (root / "merged.md").read_bytes() == "höre".encode()
    assert artifact.byte_length == 5
    assert json.loads((root / "manifest.json").read_text())["state"] == "initializing"


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = AnalysisFolders(tmp_path / "analyses").create(an_id("ana"), durable=True)
    first = folder.write("a.txt", "long" * 100)
    second = folder.write("a.txt", "short")
    assert (Path(folder.path) / "a.txt").read_text() == "short"
    assert first.sha256 != second.sha256


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a\\b", ".hidden", ".."])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    folder = AnalysisFolders(tmp_path / "analyses").create(an_id("ana"), durable=False)
    with pytest.raises(AnalysisError) as caught:
        folder.write(name, "x")
    assert caught.value.code is Code.ARTIFACT_ERROR


@pytest.mark.parametrize("name", ["", "run-1", "../ana", an_id("run")])
def test_only_the_id_of_an_analysis_names_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(AnalysisError):
        AnalysisFolders(tmp_path / "analyses").create(name, durable=False)


def test_a_link_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "analyses").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AnalysisError):
        AnalysisFolders(tmp_path / "analyses").create(an_id("ana"), durable=False)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_same_analysis_twice_is_refused(tmp_path: Path) -> None:
    folders = AnalysisFolders(tmp_path / "analyses")
    folders.create(an_id("ana"), durable=False)
    with pytest.raises(AnalysisError):
        folders.create(an_id("ana"), durable=False)


def test_the_oldest_go_and_what_is_not_ours_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_store, "KEPT", 3)
    assert KEPT > 3
    root = tmp_path / "analyses"
    root.mkdir()
    (root / "notes").mkdir()
    folders = AnalysisFolders(root)
    for number in range(5):
        folders.create(an_id("ana", number), durable=False)
    assert {path.name for path in root.iterdir()} == {"notes", *(an_id("ana", number) for number in (2, 3, 4))}


def test_a_disk_that_refuses_is_an_artifact_error(tmp_path: Path) -> None:
    folder = AnalysisFolders(tmp_path / "analyses").create(an_id("ana"), durable=False)
    (Path(folder.path) / "merged.md").mkdir()
    with pytest.raises(AnalysisError) as caught:
        folder.write("merged.md", "x")
    assert caught.value.code is Code.ARTIFACT_ERROR
    assert caught.value.hint
