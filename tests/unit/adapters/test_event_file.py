"""The payload of an event is read from a small regular file, or refused in one sentence."""

import os
from pathlib import Path

import pytest

from assay.adapters.event_file import MAX_BYTES, read_event
from assay.errors import UsageError


def test_an_object_is_read(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text('{"number": 7, "title": "ä"}', encoding="utf-8")
    assert read_event(str(path)) == {"number": 7, "title": "ä"}


BAD = {
    "empty": b"",
    "no JSON": b"{",
    "a list": b"[]",
    "a text": b'"x"',
    "bytes": b"\xff\xfe\x00",
    "nested too deep": b"[" * 200_000,
    "a number too long": b"9" * 10_000,
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_what_is_no_object_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="JSON") as caught:
        read_event(str(path))
    assert "GITHUB_EVENT_PATH" in caught.value.hint


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.json cannot be read"):
        read_event(str(tmp_path / "nowhere.json"))


def test_a_folder_and_a_pipe_are_no_payload(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(UsageError):
            read_event(str(path))


def test_what_is_larger_than_any_payload_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(UsageError, match="larger"):
        read_event(str(path))
