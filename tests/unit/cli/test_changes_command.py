"""`assay changes` streams: a history in, its changes out, the bad line named."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.cli.changes_command import changes
from assay.errors import UsageError

STEP = {"id": "a", "direction": "lower", "values": [10.0] * 10 + [12.0] * 10}


def feed(monkeypatch: pytest.MonkeyPatch, *rows: Any) -> None:
    data = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_answers_come_in_order_and_changes_are_no_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, STEP, "", {**STEP, "id": 7, "values": [1, 1, 1]})
    assert changes("-", True) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["id"], len(one["change_points"])) for one in found] == [("a", 1), (7, 0)]


def test_a_bad_line_ends_it_after_the_answers_before_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, STEP, "{", STEP)
    with pytest.raises(UsageError, match=r"^<stdin>:2: not a JSON object"):
        changes("-", True)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_people_get_a_table_in_which_nothing_foreign_can_act(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "histories.jsonl"
    modes = [22.6, 22.5, 25.4, 22.7, 25.5, 22.6]
    stray = [10.0, 10.1, 9.9, 10.0, 10.1, 10.0, 55.0, 10.0, 9.9]
    rows = ({**STEP, "id": "\x1b[31mred"}, {**STEP, "values": modes}, {**STEP, "values": stray}, {**STEP, "values": []})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert changes(str(file), False) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["id", "what", "at", "before", "after", "change", "meaning"]
    assert lines[0].split() == ["?[31mred", "step", "10", "10", "12", "+20", "%", "regressed"]
    assert "two modes" in lines[1]
    assert "at 6: no level of their own" in lines[2]
    assert "one level throughout" in lines[3]
    assert all(line.isprintable() for line in lines)
