"""Each way to write a METRIC line wrongly has a reason of its own that says what to write instead."""

import pytest

from assay.core.metric_lines import Dialect, MetricReader

HINT = " (or use --dialect wide)"


def reason_of(line: str, dialect: Dialect) -> str:
    reader = MetricReader(dialect)
    reader.feed(line.encode())
    (warning,) = reader.finish().warnings
    return warning.reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("METRIC", "METRIC stands alone: write METRIC name=value"),
        ("METRIC: a=1", 'a space must follow METRIC, not ":": write METRIC name=value'),
        ("METRIC\u00a0a=1", "a space must follow METRIC, not U+00A0: write METRIC name=value"),
        ("METRIC=1", 'a space must follow METRIC, not "=": write METRIC name=value'),
        ("METRIC a 5", 'no "=" and no value after "a 5": write METRIC name=value'),
        ("METRIC =5", 'no name before "="'),
        ("METRIC 1a=1", 'name "1a" starts with a digit'),
        ("METRIC .a=1", 'name ".a" starts with ".": a letter or _ must come first'),
        ("METRIC a:b=1", 'name "a:b" holds ":": names are made of A-Z a-z 0-9 _ . -'),
        ("METRIC a/b=1", 'name "a/b" holds "/": names are made of A-Z a-z 0-9 _ . -'),
        ("METRIC the loss=1", 'name "the loss" holds a blank: names are made of A-Z a-z 0-9 _ . -'),
        ("METRIC a\u200b=1", 'name "a\ufffd" holds U+200B: names are made of A-Z a-z 0-9 _ . -'),
        ("METRIC constructor=1", 'the name "constructor" is reserved'),
        ("METRIC a=", 'no value after "="'),
        ("METRIC a==1", 'two "=" after the name'),
        ("METRIC a=1=2", 'a second "=" after the value'),
        ("METRIC a = 1 = 2", 'a second "=" after the value'),
        ("METRIC a=NaN", 'value "NaN" is not finite'),
        ("METRIC a=-Infinity (s)", 'value "-Infinity" is not finite'),
        ("METRIC a=1e999", "the value is too large: not finite as a 64-bit number"),
        ("METRIC a=0x10", 'value "0x10" is not decimal'),
        ("METRIC a=-0b11", 'value "-0b11" is not decimal'),
        ("METRIC a=1,234", 'value "1,234" is not digits alone: leave out separators and write decimals with a point'),
        ("METRIC a=1_000.5", 'value "1_000.5" is not digits alone: leave out separators and write decimals with a point'),
        ("METRIC a=1e", 'value "1e" has an exponent without digits'),
        ("METRIC a=1e+ (s)", 'value "1e+" has an exponent without digits'),
        ('METRIC a="1"', 'value ""1"" stands in quotes: write it plainly'),
        ("METRIC a=１２", 'value "１２" is not written in ASCII digits'),
        ("METRIC a=true", 'value "true" is not a number'),
        ("METRIC a=--1", 'value "--1" is not a number'),
        ("METRIC a=(ms)", 'value "(ms)" is not a number'),
        ("METRIC a=1.2.3", 'value "1.2.3" is not a number'),
        ("METRIC a=1-2", 'value "1-2" is not a number'),
        ("METRIC a=1;", 'text after the value: ";"'),
        ("METRIC a=1 # best", 'text after the value: "# best"'),
        ("METRIC a=1 2", 'text after the value: "2"'),
        ("METRIC a=1\x00", "text after the value: U+0000"),
        ("METRIC a=1\u00a0", "text after the value: U+00A0"),
        ("METRIC a=12ms", "unit needs parentheses: 12 (ms)"),
        ("METRIC a=1%", "unit needs parentheses: 1 (%)"),
        ("METRIC a=12()", "the parentheses are empty: write a unit or leave them out"),
        ("METRIC a=12 (ms", 'the parenthesis of the unit is never closed: "(ms"'),
        ("METRIC a=1 (ms (p50))", 'the unit holds parentheses of its own: "(ms (p50))"'),
        ("METRIC a=12 (ms)x b=2", 'text after the unit: "x b=2"'),
    ],
)
@pytest.mark.parametrize("dialect", Dialect)
def test_a_fault_of_both_dialects_is_named_alike(line: str, reason: str, dialect: Dialect) -> None:
    assert reason_of(line, dialect) == reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("METRIC a=+5", 'value "+5" is not a plain decimal number: write 5'),
        ("METRIC a=-.5", 'value "-.5" is not a plain decimal number: write -0.5'),
        ("METRIC a=5.", 'value "5." is not a plain decimal number: write 5'),
        ("METRIC a=+1e999", 'value "+1e999" is not finite'),
        ("METRIC total_µs=5", 'name "total_µs" holds "µ": names are made of A-Z a-z 0-9 _ . -'),
        ("METRIC µs=5", 'name "µs" starts with "µ": a letter or _ must come first'),
        ("METRIC a=12 ms", "unit needs parentheses: 12 (ms)"),
        ("METRIC a=1 b=2", "two values on one line: write one METRIC line for each"),
        ("METRIC a=1 (s) b=2", "two values on one line: write one METRIC line for each"),
    ],
)
def test_strict_says_where_the_wide_dialect_would_help(line: str, reason: str) -> None:
    assert reason_of(line, Dialect.STRICT) == reason + HINT


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("METRIC a=1 b=x", 'value "x" is not a number'),
        ("METRIC a=1 1b=2", 'name "1b" starts with a digit'),
        ("METRIC a=12 ms twice", 'text after the value: "twice"'),
        ("METRIC a=1 b=2 (s", 'the parenthesis of the unit is never closed: "(s"'),
        ("METRIC a=1, b=2", 'text after the value: ", b=2"'),
    ],
)
def test_wide_names_the_fault_behind_the_pairs_that_were_good(line: str, reason: str) -> None:
    assert reason_of(line, Dialect.WIDE) == reason


def test_text_behind_a_unit_is_named() -> None:
    assert reason_of("METRIC a=12 (ms) x", Dialect.STRICT) == 'text after the unit: "x"'
    assert reason_of("METRIC a=12 (ms) x", Dialect.WIDE) == 'text after the value: "x"'


def test_strict_gives_no_hint_where_the_wide_dialect_would_refuse_as_well() -> None:
    assert reason_of("METRIC a=+5 # five", Dialect.STRICT) == 'value "+5" is not a plain decimal number: write 5'


def test_a_reason_quotes_no_more_than_an_excerpt() -> None:
    assert len(reason_of("METRIC " + "x y" * 10_000 + "=1", Dialect.STRICT)) < 120
    assert len(reason_of("METRIC a=" + "z" * 10_000, Dialect.STRICT)) < 120
    assert len(reason_of("METRIC a=" + "1" * 300 + "z" * 10_000, Dialect.STRICT)) < 140
