"""METRIC reading: the bytes of a process in, its numbers and every refused line out."""

import json
import math

import pytest
from tests.metric_output import read, read_in_pieces, warned_lines

from assay.core.metric_lines import MAX_LINE, Dialect, MetricReader, reading_json, select_primary
from assay.core.model import Metric, MetricReading

# One line


@pytest.mark.parametrize(
    ("line", "metric"),
    [
        ("METRIC loss=0.125", Metric("loss", 0.125)),
        ("METRIC  loss=1", Metric("loss", 1)),
        ("METRIC\tloss=1", Metric("loss", 1)),
        (" \t METRIC loss=1 \t", Metric("loss", 1)),
        ("METRIC loss\t = \t1", Metric("loss", 1)),
        ("METRIC _x9.a-b=1", Metric("_x9.a-b", 1)),
        ("METRIC toString=1", Metric("toString", 1)),
        ("METRIC loss=-42", Metric("loss", -42)),
        ("METRIC loss=1.2e-3", Metric("loss", 0.0012)),
        ("METRIC loss=1E+3", Metric("loss", 1000)),
        ("METRIC loss=007", Metric("loss", 7)),
        ("METRIC loss=1e-999", Metric("loss", 0)),
        ("METRIC speed=5.5 (req/s)", Metric("speed", 5.5, "req/s")),
        ("METRIC share=50(%)", Metric("share", 50, "%")),
        ("METRIC time=5\t( µs )", Metric("time", 5, "µs")),
        ("METRIC time=5 ( \t )", Metric("time", 5)),
        ("METRIC time=5 ((s)", Metric("time", 5, "(s")),
        ("METRIC time=5 (b=2)", Metric("time", 5, "b=2")),
    ],
)
@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("before", ["", "log\nlog\n"], ids=["first line", "later line"])
def test_a_line_of_the_grammar_is_a_metric_in_both_dialects(line: str, metric: Metric, dialect: Dialect, before: str) -> None:
    reading = read(f"{before}{line}\n", dialect)
    assert reading.metrics == (metric,)
    assert reading.samples == {metric.name: (metric.value,)}
    assert not reading.warnings


def test_minus_zero_keeps_its_sign() -> None:
    assert math.copysign(1, read("METRIC a=-0").metrics[0].value) == -1


@pytest.mark.parametrize(
    "line",
    [
        "",
        "metric a=1",
        "METRICS a=1",
        "METRIC_A=1",
        "log METRIC a=1",
        "- METRIC a=1",
        "2026-01-01T00:00:00Z METRIC a=1",
        "\u00a0METRIC a=1",
        "METRI",
    ],
)
def test_a_line_that_does_not_begin_with_the_word_is_no_metric_and_no_warning(line: str) -> None:
    reading = read(f"log\n{line}\nlog\n")
    assert reading == MetricReading(lines=3)


@pytest.mark.parametrize(
    ("line", "metrics"),
    [
        ("METRIC a=+5", [Metric("a", 5)]),
        ("METRIC a=.5", [Metric("a", 0.5)]),
        ("METRIC a=-.5e1", [Metric("a", -5)]),
        ("METRIC a=5.", [Metric("a", 5)]),
        ("METRIC a=12 ms", [Metric("a", 12, "ms")]),
        ("METRIC a=12 %", [Metric("a", 12, "%")]),
        ("METRIC a=12 µs", [Metric("a", 12, "µs")]),
        ("METRIC a=12\ttokens/s", [Metric("a", 12, "tokens/s")]),
        ("METRIC total_µs=5", [Metric("total_µs", 5)]),
        ("METRIC μ=5", [Metric("μ", 5)]),
        ("METRIC a=1 b=2", [Metric("a", 1), Metric("b", 2)]),
        ("METRIC a=1 ms b = 2 (s)\tc=+3", [Metric("a", 1, "ms"), Metric("b", 2, "s"), Metric("c", 3)]),
        ("METRIC a=1 b =2", [Metric("a", 1), Metric("b", 2)]),
        ("METRIC a=1 a=2", [Metric("a", 2)]),
    ],
)
def test_the_wide_dialect_takes_what_the_strict_one_refuses_with_a_hint(line: str, metrics: list[Metric]) -> None:
    wide, strict = read(line, Dialect.WIDE), read(line)
    assert list(wide.metrics) == metrics
    assert not wide.warnings
    assert not strict.metrics
    assert [warning.reason.endswith("(or use --dialect wide)") for warning in strict.warnings] == [True]


def test_one_bad_pair_of_a_wide_line_is_dropped_alone_when_the_line_is_well_written() -> None:
    reading = read("METRIC a=1 constructor=2 b=1e999 c=3", Dialect.WIDE)
    assert [metric.name for metric in reading.metrics] == ["a", "c"]
    assert warned_lines(reading) == [1, 1]


# Many lines


def test_the_last_value_and_unit_win_and_the_first_position_stays() -> None:
    reading = read("METRIC a=1 (s)\nMETRIC b=2\nMETRIC a=3 (ms)\nMETRIC a=4\n")
    assert reading.metrics == (Metric("a", 4), Metric("b", 2))
    assert reading.samples == {"a": (1, 3, 4), "b": (2,)}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_line_end_separates_lines_and_counts_once(end: str) -> None:
    reading = read(end.join(["METRIC a=1", "log", "METRIC b=x", "METRIC c=3"]))
    assert [metric.name for metric in reading.metrics] == ["a", "c"]
    assert warned_lines(reading) == [3]
    assert reading.lines == 4


def test_a_metric_after_a_progress_bar_is_seen() -> None:
    assert read("  50%|###   |\r 100%|######|\rMETRIC a=1\r\n\r\nMETRIC b=").lines == 5


def test_a_cut_between_cr_and_lf_makes_no_line() -> None:
    reader = MetricReader()
    for chunk in (b"METRIC a=1\r", b"", b"\n", b"METRIC b=\r", b"\nMETRIC c="):
        reader.feed(chunk)
    assert warned_lines(reader.finish()) == [2, 3]


@pytest.mark.parametrize(("data", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("\n\r", 2), ("\r\r\n\n", 3)])
def test_lines_are_counted_with_or_without_a_last_end(data: str, lines: int) -> None:
    assert read(data).lines == lines


@pytest.mark.parametrize(
    "line",
    [
        b"\x1b[32mMETRIC a=1\x1b[0m",
        b"\x1b[1;38;5;196m METRIC\x1b[0m a=\x1b[4m1",
        b"M\x1b[31mE\x1b[32mT\x1b[mR\x1b[0mI\x1b[KC a=1",
        b"\x1b]0;a title\x07METRIC a=1",
        b"\x1b]8;;https://example.org\x1b\\METRIC a=1\x1b]8;;\x1b\\",
        b"\x1bPdevice\x1b\\METRIC a=1",
        b"\x1b(B\x1b7METRIC a=1\x1b8\x1bc",
        b"\x1b\x1b[0mMETRIC a=1",
        b"METRIC a=1\x1b",
        b"METRIC a=1\x1b[38;5",
        b"METRIC a=1\x1b]0;never closed",
        b"METRIC a=1\x1b[",
    ],
)
@pytest.mark.parametrize("before", [b"", b"log\n"], ids=["first line", "later line"])
@pytest.mark.parametrize("after", [b"", b"\nlog\n"], ids=["end of output", "line end"])
def test_escape_sequences_are_dropped_even_where_they_are_cut(line: bytes, before: bytes, after: bytes) -> None:
    data = before + line + after
    for reading in (read(data), read_in_pieces(data, list(range(len(data))))):
        assert (reading.metrics, reading.warnings) == ((Metric("a", 1),), ())


def test_a_sequence_that_is_never_closed_ends_with_its_line() -> None:
    assert read(b"\x1b]0;title METRIC x=1\nMETRIC a=1\n").metrics == (Metric("a", 1),)


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"\xef\xbb\xbfMETRIC a=1", ["a"]),
        (b"\xef\xbb\xbf\xef\xbb\xbfMETRIC a=1\nMETRIC b=1", ["b"]),
        (b"\n\xef\xbb\xbfMETRIC a=1", []),
        (b"\xef\xbbMETRIC a=1", []),
    ],
)
def test_one_byte_order_mark_is_dropped_at_the_very_start_only(data: bytes, names: list[str]) -> None:
    for reading in (read(data), read_in_pieces(data, list(range(len(data))))):
        assert [metric.name for metric in reading.metrics] == names


def test_invalid_utf8_becomes_the_replacement_character() -> None:
    assert read(b"METRIC a=1 (\xff)").metrics == (Metric("a", 1, "\ufffd"),)
    assert read(b"\nMETRIC a=1 (\xff)\n").metrics == (Metric("a", 1, "\ufffd"),)
    assert read(b"\nMETRIC a=1\xff\n").warnings[0].text == "METRIC a=1\ufffd"


def test_a_warning_carries_the_line_and_a_short_text_without_control_characters() -> None:
    (warning,) = read("log\nMETRIC a=1\x00\x08\u202e\t" + "x" * 5_000).warnings
    assert warning.line == 2
    assert warning.text == "METRIC a=1\ufffd\ufffd\ufffd " + "x" * 106 + "…"
    assert warning.text.isprintable()
    assert warning.reason.isprintable()


# Bounds


@pytest.mark.parametrize("before", ["", "\n"], ids=["first line", "later line"])
def test_a_line_over_the_limit_is_refused_aloud_and_one_at_the_limit_is_read(before: str) -> None:
    line = "METRIC a=1".ljust(MAX_LINE)
    assert read(f"{before}{line}\n").metrics == (Metric("a", 1),)
    data = f"{before}{line} \nMETRIC b=1\n".encode()
    too_long = read(data)
    assert read_in_pieces(data, [100, 70_000, MAX_LINE, MAX_LINE + 1]) == too_long
    assert too_long.metrics == (Metric("b", 1),)
    assert [warning.reason for warning in too_long.warnings] == ["the line is longer than 65,536 bytes"]


def test_an_endless_line_is_held_only_up_to_the_limit() -> None:
    reader = MetricReader()
    for _ in range(100):
        reader.feed(b"METRIC a=1 " + b"x" * 100_000)
    assert len(reader._open) == MAX_LINE + 1
    assert len(reader.finish().warnings) == 1


def test_a_flood_of_refused_lines_keeps_the_first_warnings_and_counts_the_rest() -> None:
    reading = read("METRIC\n" * 1_500)
    assert warned_lines(reading) == [*range(1, 1_001), 1_001]
    assert reading.warnings[-1].reason == "warnings are not kept (at most 1,000); from this line on: 500"


def test_a_flood_of_values_keeps_the_first_as_samples_and_the_last_as_value() -> None:
    reading = read("".join(f"METRIC a={n}\n" for n in range(100_010)) + "METRIC late=7\nMETRIC late=8\n")
    assert reading.metrics == (Metric("a", 100_009), Metric("late", 8))
    assert (len(reading.samples["a"]), reading.samples["a"][-1], reading.samples["late"]) == (100_000, 99_999, (7,))
    assert [(warning.line, warning.reason.rpartition(": ")[2]) for warning in reading.warnings] == [(100_001, "11")]


def test_a_flood_of_names_is_counted_and_a_name_that_is_asked_for_still_gets_in() -> None:
    flood = "".join(f"METRIC n{n}=1\n" for n in range(12_000)).encode()
    reader = MetricReader(keep=["wanted"])
    reader.feed(flood + b"METRIC wanted=5\n" + flood)
    reading = reader.finish()
    assert len(reading.metrics) == 10_001
    assert reading.get("wanted") == Metric("wanted", 5)
    assert [(warning.line, warning.reason.rpartition(": ")[2]) for warning in reading.warnings] == [(10_001, "4,000")]


def test_names_and_units_are_bounded_together() -> None:
    reading = read("".join(f"METRIC n{n}=1 ({'u' * 50_000})\n" for n in range(100)) + "METRIC n0=2\nMETRIC short=1\n")
    assert sum(len(metric.name) + len(metric.unit or "") for metric in reading.metrics) <= 4_000_000
    assert (reading.get("n0"), reading.get("short")) == (Metric("n0", 2), Metric("short", 1))
    assert [(warning.line, warning.reason.rpartition(": ")[2]) for warning in reading.warnings] == [(80, "21")]


# Primary and JSON


def test_the_first_metric_is_primary_unless_one_is_named() -> None:
    reading = read("METRIC bad=nan\nMETRIC warmup=9\nMETRIC loss=2 (nats)\n")
    assert select_primary(reading, None) == Metric("warmup", 9)
    assert select_primary(reading, "loss") == Metric("loss", 2, "nats")
    assert select_primary(reading, "bad") is None
    assert select_primary(read(""), None) is None


def test_the_json_form_names_primary_secondary_samples_and_warnings() -> None:
    got = reading_json(read("METRIC warmup=9\nMETRIC loss=2 (nats)\nMETRIC loss=1 (nats)\nMETRIC x"), "loss")
    assert got == {
        "primary": {"name": "loss", "value": 1.0, "unit": "nats"},
        "secondary": [{"name": "warmup", "value": 9.0, "unit": None}],
        "samples": {"warmup": [9.0], "loss": [2.0, 1.0]},
        "warnings": [{"line": 4, "reason": 'no "=" and no value after "x": write METRIC name=value', "text": "METRIC x"}],
    }
    json.dumps(got, allow_nan=False)


def test_a_named_primary_that_is_missing_is_null_and_all_others_are_secondary() -> None:
    got = reading_json(read("METRIC a=1\nMETRIC b=2"), "c")
    assert got["primary"] is None
    assert got["secondary"] == [{"name": "a", "value": 1.0, "unit": None}, {"name": "b", "value": 2.0, "unit": None}]
