"""`assay compare` streams: a line in, a line out, the bad line named."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.cli.compare_command import compare
from assay.errors import UsageError

GOOD = {"id": "a", "direction": "lower", "base": [100] * 4, "head": [150] * 4}


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_answers_come_in_order_and_regressions_are_no_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, lines(GOOD, {**GOOD, "id": "µ\u2028", "head": [100] * 4}, {**GOOD, "id": 7, "head": []}))
    assert compare("-", 0.05, True) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["id"], one["verdict"]) for one in found] == [("a", "regressed"), ("µ\u2028", "unchanged"), (7, "undecided")]


def test_a_bad_line_ends_it_after_the_answers_before_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, lines(GOOD) + b"\n" + lines(GOOD)[:-4] + b"\n" + lines(GOOD))
    with pytest.raises(UsageError, match=r"^<stdin>:3: not a JSON object"):
        compare("-", 0.05, True)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_file_is_read_and_named_in_its_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + lines(GOOD).replace(b"\n", b"\r\n"))
    assert compare(str(file), 0.05, True) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "regressed"
    file.write_bytes(lines(GOOD) + b'{"id": "\xff"}\n')
    with pytest.raises(UsageError) as caught:
        compare(str(file), 0.05, True)
    assert caught.value.message == f"{file}:2: byte 9 is not UTF-8"


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        compare(str(tmp_path / name), 0.05, True)
    assert str(tmp_path) in caught.value.message
    assert "JSON lines" in caught.value.hint


@pytest.mark.parametrize("alpha", [0.0, -1.0, 0.7, float("nan")])
def test_an_impossible_level_is_refused(alpha: float) -> None:
    with pytest.raises(UsageError, match="--alpha"):
        compare("-", alpha, True)


def test_people_get_a_table_in_which_nothing_foreign_can_act(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(
        monkeypatch,
        lines({**GOOD, "id": "\x1b[31mred\r\u202e" + "x" * 50, "head": [120, 121, 119, 120]}, {**GOOD, "base": [1], "head": [2]}),
    )
    assert compare("-", 0.05, False) == 0
    header, first, second = capsys.readouterr().out.splitlines()
    assert header.split() == ["id", "verdict", "change", "interval", "p", "n", "why"]
    assert first.isprintable()
    assert "?[31mred??" in first
    assert "regressed" in first
    assert "+20 %" in first
    assert second.split()[:6] == ["a", "undecided", "+100", "%", "–", "–"]
    assert "1+1" in second


def test_no_rows_are_no_answers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, b"\n  \n")
    assert compare("-", 0.05, True) == 0
    assert capsys.readouterr().out == ""


def test_a_suite_that_moved_together_raises_no_alarm(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**GOOD, "id": k, "head": [150 + k] * 4} for k in range(3)]
    feed(monkeypatch, lines(*rows, {**GOOD, "id": "pairs", "paired": True}))
    assert compare("-", 0.05, True, suite=True) == 0
    found = {one["id"]: one for one in map(json.loads, capsys.readouterr().out.splitlines())}
    assert [found[k]["verdict"] for k in (0, 1, 2, "pairs")] == ["undecided"] * 3 + ["regressed"]
    assert "all 3 of the suite are about 51 % worse" in found[0]["reason"]
    feed(monkeypatch, lines(*rows[:2], {**GOOD, "head": [100] * 4}))
    assert compare("-", 0.05, True, suite=True) == 0
    assert [json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()] == ["regressed", "regressed", "unchanged"]


def test_other_tests_come_with_the_answer_on_request(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    row = {**GOOD, "base": [100, 101, 102, 99], "head": [150, 151, 149, 152]}
    feed(monkeypatch, lines(row))
    compare("-", 0.05, True, tests=True)
    tests = {one["name"]: one for one in json.loads(capsys.readouterr().out)["tests"]}
    assert tests["Mann–Whitney"]["p"] == pytest.approx(2 / 70)
    assert tests["Cliff's delta"] == {"name": "Cliff's delta", "value": 1.0, "p": None, "interval": None, "band": "large", "refusal": None}
    feed(monkeypatch, lines(row))
    compare("-", 0.05, False, tests=True)
    assert "\n  Cliff's delta: 1.00 (large)\n" in capsys.readouterr().out
