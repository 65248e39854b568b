"""Numbers are written short, without losing what was measured."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import numbers

finite = st.floats(-1e300, 1e300)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (120, "120"),
        (90.0, "90"),
        (0, "0"),
        (-0.0, "0"),
        (-3.2, "-3.2"),
        (101.23748, "101.24"),
        (12345.7, "12345.7"),
        (12345.678, "12346"),
        (1234567.8, "1234568"),
        (0.000123, "0.000123"),
        (0.00001, "1e-05"),
        (1e12, "1e+12"),
        (100.00000000000001, "100"),
        (0.1 + 0.2, "0.3"),
        (float("inf"), "none"),
        (float("nan"), "none"),
    ],
)
def test_a_value_has_five_digits_and_no_needless_zeros(value: float, text: str) -> None:
    assert numbers.number(value) == text


@given(finite)
def test_a_written_value_is_within_five_digits_of_the_true_one(value: float) -> None:
    assert math.isclose(float(numbers.number(value)), value, rel_tol=6e-5)


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.25, "25 %"),
        (0.031, "3.1 %"),
        (0.2512, "25.1 %"),
        (0.24998, "25 %"),
        (0.0012, "0.12 %"),
        (-0.00496, "-0.5 %"),
        (0.000012, "0.001 %"),
        (0, "0 %"),
        (-0.0000001, "0 %"),
        (15, "1500 %"),
    ],
)
def test_a_share_is_a_percentage(fraction: float, text: str) -> None:
    assert numbers.percent(fraction) == text


def test_a_change_has_a_sign_unless_there_is_none() -> None:
    assert [numbers.change(value) for value in (0.5, -0.25, 0.0, 1e-9)] == ["+50 %", "-25 %", "0 %", "0 %"]
    assert numbers.interval((-0.26, 0.0112)) == "-26 % to +1.12 %"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.25, "250 ms"),
        (0.9996, "1 s"),
        (1.5, "1.5 s"),
        (12.0, "12 s"),
        (59.97, "1 min"),
        (72, "1 min 12 s"),
        (3600, "1 h"),
        (3900, "1 h 5 min"),
        (3599.9, "1 h"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: float, text: str) -> None:
    assert numbers.duration(seconds) == text


def test_the_centre_is_the_geometric_mean_where_all_are_positive() -> None:
    assert numbers.centre([1.0, 100.0]) == pytest.approx(10.0)
    assert numbers.centre([-1.0, 3.0]) == pytest.approx(1.0)
    assert numbers.centre([]) is None


@given(st.lists(finite, min_size=1, max_size=6))
def test_the_centre_lies_within_the_samples(samples: list[float]) -> None:
    middle = numbers.centre(samples)
    assert middle is not None
    slack = 1e-9 * max(abs(value) for value in samples)
    assert min(samples) - slack <= middle <= max(samples) + slack


def test_a_count_agrees_with_its_word() -> None:
    assert [numbers.count(n, "process", "processes") for n in (0, 1, 2)] == ["0 processes", "1 process", "2 processes"]
    assert numbers.count(2, "pair") == "2 pairs"
