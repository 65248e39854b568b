"""Archives of strangers: what is taken out of them, and what is not even begun."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.archive import HostileArchiveError, unpack


def archive(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members:
            made.writestr(name, data)
    return content.getvalue()


def special(mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("cell-a.json")
    info.external_attr = mode << 16
    return info


def test_plain_files_come_out_as_they_went_in() -> None:
    assert unpack(archive(("a.json", b"{}"), ("b.json", b"[]"))) == {"a.json": b"{}", "b.json": b"[]"}


@pytest.mark.parametrize("name", ["../a", "/a", "a/b", "a\\b", "C:a", ".hidden", "..", "a\x1b[0m", "a/"])
def test_a_name_that_leads_anywhere_else_is_refused(name: str) -> None:
    content = archive((name, b"x"))
    with pytest.raises(HostileArchiveError):
        unpack(content)


@pytest.mark.parametrize("mode", [0o120777, 0o020666, 0o060666, 0o010666, 0o140777, 0o040755])
def test_links_devices_pipes_and_folders_are_refused(mode: int) -> None:
    with pytest.raises(HostileArchiveError, match="no plain file"):
        unpack(archive((special(mode), b"/etc/passwd")))


def test_a_bomb_is_stopped_while_it_unpacks() -> None:
    bomb = archive(("a", b"\0" * 2**22))
    assert len(bomb) < 2**14
    with pytest.raises(HostileArchiveError, match="more than is taken"):
        unpack(bomb, max_bytes=2**20)


def test_many_small_files_count_together() -> None:
    with pytest.raises(HostileArchiveError, match="more than is taken"):
        unpack(archive(*((f"a{number}", b"x" * 100) for number in range(11))), max_bytes=1000)
    with pytest.raises(HostileArchiveError, match="members"):
        unpack(archive(*((f"a{number}", b"") for number in range(11))), max_members=10)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["a", "A"])
def test_two_members_of_one_name_are_refused(second: str) -> None:
    with pytest.raises(HostileArchiveError, match="one name"):
        unpack(archive(("a", b"1"), (second, b"2")))


@given(st.binary(max_size=300))
def test_bytes_that_are_no_zip_are_refused_by_name(content: bytes) -> None:
    with pytest.raises(HostileArchiveError):
        unpack(content)


@given(st.integers(0, 200), st.integers(0, 255))
def test_a_damaged_zip_is_refused_or_read_and_nothing_else(place: int, value: int) -> None:
    content = bytearray(archive(("a.json", b"{}" * 20)))
    content[place % len(content)] = value
    try:
        files = unpack(bytes(content))
    except HostileArchiveError:
        return
    assert len(files) <= 1
