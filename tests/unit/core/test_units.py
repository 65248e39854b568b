"""Quantities as people write them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.units import (
    LARGEST,
    LONGEST_S,
    format_duration,
    format_fraction,
    format_size,
    parse_duration,
    parse_fraction,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("250ms", 0.25),
        ("90s", 90.0),
        ("10m", 600.0),
        ("1h30m", 5400.0),
        ("14d", 1_209_600.0),
        ("2w", 1_209_600.0),
        ("1.5h", 5400.0),
        ("0.7s", 0.7),
        ("1m0.1s", 60.1),
        (90, 90.0),
        (0.5, 0.5),
    ],
)
def test_a_duration_is_seconds(text: object, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "10", "10 m", "10min", "1m1h", "1h1h", "m", "1:30", "٣s", "1e3s", "10M", "1h 30m", True, None, ["1s"]]
)
def test_what_is_no_duration_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is not a duration such as 90s, 10m or 1h30m"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["-1s", "-10m", -3, "-0.5h"])
def test_a_negative_duration_is_called_negative(text: object) -> None:
    with pytest.raises(ValueError, match="is negative"):
        parse_duration(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_quantity_is_finite(value: float) -> None:
    for parse in (parse_duration, parse_size, parse_fraction):
        with pytest.raises(ValueError, match="is not a finite number"):
            parse(value)


@pytest.mark.parametrize("value", ["999999d", LONGEST_S + 1, "9" * 15 + "w"])
def test_no_duration_is_longer_than_a_century(value: object) -> None:
    with pytest.raises(ValueError, match="longer than a century"):
        parse_duration(value)


@given(st.integers(min_value=0, max_value=int(LONGEST_S) * 1000))
def test_a_duration_is_read_back_as_it_was_spelled(milliseconds: int) -> None:
    seconds = milliseconds / 1000
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0s"), (0.25, "250ms"), (90.0, "1m30s"), (5400.0, "1h30m"), (2_592_000.0, "30d")])
def test_a_duration_is_spelled_shortly(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "size"),
    [("64KB", 64_000), ("64kB", 64_000), ("64KiB", 65_536), ("1GB", 10**9), ("1.5 MB", 1_500_000), ("10B", 10), (4096, 4096)],
)
def test_a_size_is_bytes(text: object, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "64", "64K", "1gb", "KB", "1e3B", "64KB2", None, False])
def test_what_is_no_size_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is not a size such as 64KB or 1GB"):
        parse_size(text)


def test_no_size_is_above_a_petabyte() -> None:
    with pytest.raises(ValueError, match="larger than"):
        parse_size("1001TB")


@given(st.integers(min_value=0, max_value=LARGEST))
def test_a_size_is_read_back_as_it_was_spelled(size: int) -> None:
    assert parse_size(format_size(size)) == size


@pytest.mark.parametrize(
    ("text", "fraction"), [("1%", 0.01), ("2.3%", 0.023), ("150%", 1.5), ("0.01", 0.01), (0.05, 0.05), ("0%", 0.0), (0, 0.0)]
)
def test_a_fraction_is_exactly_what_it_looks_like(text: object, fraction: float) -> None:
    assert parse_fraction(text) == fraction


@pytest.mark.parametrize(("value", "either"), [(1, "1% or as 100%"), (5, "5% or as 500%"), ("2.5", r"2\.5% or as 250%")])
def test_a_bare_number_that_may_be_a_percentage_is_asked_about(value: object, either: str) -> None:
    with pytest.raises(ValueError, match=either):
        parse_fraction(value)


@pytest.mark.parametrize("text", ["", "one", "1%%", "1e-2", "%", "1,5%", True])
def test_what_is_no_fraction_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is not a percentage such as 1% or a fraction such as"):
        parse_fraction(text)


@given(st.integers(min_value=0, max_value=10**7))
def test_a_fraction_is_read_back_as_it_was_spelled(millionths: int) -> None:
    fraction = millionths / 10**6
    assert parse_fraction(format_fraction(fraction)) == pytest.approx(fraction, rel=1e-12)


@given(st.text(max_size=40))
def test_no_text_breaks_a_reader_of_quantities(text: str) -> None:
    for parse in (parse_duration, parse_size, parse_fraction):
        try:
            value = parse(text)
        except ValueError:
            continue
        assert math.isfinite(value)
        assert value >= 0
