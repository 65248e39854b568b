"""The command: what it prints where, and its exit code."""

import io
import json
from pathlib import Path

import pytest

from assay.cli.metrics_command import metrics
from assay.errors import UsageError


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "bench.log"
    file.write_bytes(b"start\nMETRIC warmup=9\nMETRIC loss=2.5 (nats)\nMETRIC loss=2.25 (nats)\nMETRIC bad=NaN\n")
    return file


def test_json_goes_to_stdout_alone_and_is_sorted(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert metrics(str(log), "loss", "strict", True) == 0
    out, err = capsys.readouterr()
    got = json.loads(out)
    assert list(got) == ["primary", "samples", "secondary", "warnings"]
    assert got["primary"] == {"name": "loss", "unit": "nats", "value": 2.25}
    assert got["samples"] == {"loss": [2.5, 2.25], "warmup": [9]}
    assert [warning["line"] for warning in got["warnings"]] == [5]
    assert err == ""


def test_people_get_a_table_with_the_primary_first_and_warnings_on_stderr(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert metrics(str(log), "loss", "strict", False) == 0
    out, err = capsys.readouterr()
    assert [line.split() for line in out.splitlines()] == [
        ["primary", "loss", "2.25", "nats", "2", "samples"],
        ["secondary", "warmup", "9", "1", "sample"],
    ]
    assert err == 'line 5: value "NaN" is not finite: METRIC bad=NaN\n'


@pytest.mark.parametrize("as_json", [True, False])
def test_a_named_primary_that_is_missing_is_nothing_measured_and_the_names_are_listed(
    log: Path, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    assert metrics(str(log), "accuracy", "strict", as_json) == 3
    out, err = capsys.readouterr()
    assert "no metric named accuracy in 5 lines. Found: warmup, loss.\n" in err
    assert "warmup" in out


def test_output_without_any_metric_is_nothing_measured_and_says_what_to_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert metrics(str(tmp_path / "empty"), None, "strict", True) == 3
    out, err = capsys.readouterr()
    assert json.loads(out) == {"primary": None, "secondary": [], "samples": {}, "warnings": []}
    assert err == "no METRIC line in 0 lines. Print a line such as: METRIC name=1.5\n"


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\r\nMETRIC a=+1 b=2 ms")))
    assert metrics("-", "b", "wide", True) == 0
    assert json.loads(capsys.readouterr().out)["primary"] == {"name": "b", "unit": "ms", "value": 2}


def test_a_named_primary_is_found_behind_a_flood_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flood = "".join(f"METRIC n{n}=1\n" for n in range(11_000))
    (tmp_path / "flood").write_text(f"{flood}METRIC loss=5\n")
    assert metrics(str(tmp_path / "flood"), "loss", "strict", False) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split()[:3] == ["primary", "loss", "5"]
    assert out[-1] == "… and 9,901 more (--json has all)"


def test_what_a_terminal_would_obey_is_not_printed_to_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hostile").write_bytes(b"METRIC a=1 (\x00\xe2\x80\xae)\nMETRIC b=\x07\n")
    assert metrics(str(tmp_path / "hostile"), None, "strict", False) == 0
    out, err = capsys.readouterr()
    assert all(line.isprintable() for line in (out + err).splitlines())


def test_what_the_log_of_a_step_would_obey_is_broken_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log").write_text("METRIC a=1 (##[error]no)\n")
    metrics(str(tmp_path / "log"), None, "strict", False)
    assert "##[" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_source_that_cannot_be_read_is_a_usage_error_that_names_it(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"cannot read .*{name}: (No such file|Is a directory)"):
        metrics(str(tmp_path / name), None, "strict", True)


def test_an_unknown_dialect_is_a_usage_error_that_lists_the_valid_ones(log: Path) -> None:
    with pytest.raises(UsageError, match="unknown dialect 'loose'") as caught:
        metrics(str(log), None, "loose", True)
    assert caught.value.hint == "Use --dialect strict or wide."
