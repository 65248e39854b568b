"""Report files are written whole, replace what was there, and cannot leave their folder."""

from pathlib import Path

import pytest
from tests.fakes.reports import FakeReports

from assay.adapters.reports_folder import ReportsFolder
from assay.errors import InfrastructureError
from assay.ports import Reports


def test_a_report_is_written_and_replaced(tmp_path: Path) -> None:
    reports: Reports = ReportsFolder(tmp_path / ".assay" / "report")
    path = Path(reports.write("comment.md", "first – é\n"))
    assert path.read_text() == "first – é\n"
    assert reports.write("comment.md", "second\n") == str(path)
    assert path.read_text() == "second\n"
    assert [one.name for one in path.parent.iterdir()] == ["comment.md"]
    assert (tmp_path / ".assay" / ".gitignore").read_text() == "*\n"


def test_the_fake_keeps_what_the_folder_would(tmp_path: Path) -> None:
    folder, fake = ReportsFolder(tmp_path / "out"), FakeReports()
    ports: tuple[Reports, ...] = (folder, fake)
    for name, text in (("a.md", "1"), ("b.md", "2"), ("a.md", "3")):
        assert {Path(reports.write(name, text)).name for reports in ports} == {name}
    assert fake.written == {one.name: one.read_text() for one in (tmp_path / "out").iterdir()}


def test_a_folder_elsewhere_is_the_users_own(tmp_path: Path) -> None:
    ReportsFolder(tmp_path / "out").write("check.json", "{}")
    assert [one.name for one in tmp_path.rglob("*")] == ["out", "check.json"]


def test_a_link_in_the_place_of_a_report_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "comment.md").symlink_to(tmp_path / "precious")
    ReportsFolder(tmp_path / "out").write("comment.md", "report")
    assert (tmp_path / "precious").read_text() == "mine"
    assert (tmp_path / "out" / "comment.md").read_text() == "report"


@pytest.mark.parametrize("name", ["../x", "a/b", "/etc/x", "..", ".", "", ".hidden"])
def test_a_report_has_a_plain_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a report"):
        ReportsFolder(tmp_path).write(name, "x")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_says_where_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match=r"file/out/comment\.md could not be written") as caught:
        ReportsFolder(tmp_path / "file" / "out").write("comment.md", "x")
    assert "--out" in caught.value.hint
