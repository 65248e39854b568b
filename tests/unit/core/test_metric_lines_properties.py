"""METRIC reading: what must hold of any output, against the grammar as one plain regular expression."""

import math
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metric_output import read, read_in_pieces, warned_lines

from assay.core.metric_lines import Dialect
from assay.core.model import Metric

ORACLE = re.compile(
    r"METRIC[ \t]+([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)[ \t]*(?:\(([^)]+)\))?[ \t]*"
)
PIECES = [
    "METRIC",
    "METRIC ",
    "METRIC a=1",
    " ",
    "\t",
    "a",
    "b.c",
    "µ",
    "=",
    "1",
    "-",
    "+",
    ".",
    "1e5",
    "e",
    "9",
    "(",
    ")",
    "ms",
    ",",
    "x",
    "\x00",
    "\u00a0",
    "__proto__",
]
ENDS = ["\n", "\r\n", "\r"]
RAW = [
    b"\x1b",
    b"\x1b[0m",
    b"\x1b]0;t\x07",
    b"\x1b]",
    b"\x1b[3",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc2",
    b"\n",
    b"\r",
    b"\r\n",
    b"METRIC a=1\n",
    b"\nMETRIC b=2 (ms)\r",
]

texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
outputs = st.lists(st.sampled_from([*RAW, *(piece.encode() for piece in PIECES)]) | st.binary(max_size=4), max_size=40).map(b"".join)


def oracle(lines: list[str]) -> tuple[dict[str, list[float]], dict[str, str | None], list[int]]:
    samples: dict[str, list[float]] = {}
    units: dict[str, str | None] = {}
    warned: list[int] = []
    for number, line in enumerate(lines, 1):
        text = line.strip(" \t")
        found = ORACLE.fullmatch(text)
        if found and found[1] != "__proto__" and math.isfinite(float(found[2])):
            samples.setdefault(found[1], []).append(float(found[2]))
            units[found[1]] = (found[3] or "").strip() or None
        elif re.match(r"METRIC\b", text):
            warned.append(number)
    return samples, units, warned


@given(st.lists(texts, max_size=8), st.sampled_from(ENDS))
@settings(max_examples=300, deadline=None)
def test_strict_agrees_with_the_grammar_and_passes_over_nothing(lines: list[str], end: str) -> None:
    reading = read("".join(line + end for line in lines))
    samples, units, warned = oracle(lines)
    assert {name: list(values) for name, values in reading.samples.items()} == samples
    assert {metric.name: metric.unit for metric in reading.metrics} == units
    assert warned_lines(reading) == warned
    assert all(warning.reason.isprintable() and warning.text.isprintable() for warning in reading.warnings)


@given(outputs, st.lists(st.integers(0, 500), max_size=12), st.sampled_from(Dialect))
@settings(max_examples=500, deadline=None)
def test_where_the_output_is_cut_changes_nothing(data: bytes, cuts: list[int], dialect: Dialect) -> None:
    whole = read(data, dialect)
    assert read_in_pieces(data, cuts, dialect) == whole
    assert read_in_pieces(data, list(range(len(data))), dialect) == whole


@given(outputs)
@settings(deadline=None)
def test_each_line_stands_for_itself(data: bytes) -> None:
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    alone = [read(b"\n" + line) for line in lines[1:]]
    reading = read(b"log\n" + b"\n".join(lines[1:]))
    assert [warning.text for warning in reading.warnings] == [warning.text for one in alone for warning in one.warnings]
    assert sum(map(len, reading.samples.values())) == sum(len(values) for one in alone for values in one.samples.values())


@given(st.binary(max_size=300), st.sampled_from(Dialect))
@settings(deadline=None)
def test_arbitrary_bytes_never_raise(data: bytes, dialect: Dialect) -> None:
    reading = read(data, dialect)
    assert reading.lines >= data.count(b"\n")


@given(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,20}", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(Dialect),
)
@settings(deadline=None)
def test_any_finite_value_comes_back_as_it_was_printed(name: str, value: float, dialect: Dialect) -> None:
    if name in {"constructor", "prototype", "__proto__"}:
        assert not read(f"METRIC {name}={value!r}", dialect).metrics
    else:
        assert read(f"METRIC {name}={value!r} (s)", dialect).metrics == (Metric(name, value, "s"),)


@given(st.lists(texts, max_size=4))
@settings(deadline=None)
def test_what_strict_takes_wide_takes_alike(lines: list[str]) -> None:
    for line in lines:
        strict = read(line)
        if strict.metrics:
            assert read(line, Dialect.WIDE) == strict
