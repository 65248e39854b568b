"""A location is the mean of few values, and of many one that outliers do not own; its variance is an honest one."""

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.location import LIMIT, locations, mean, median

values = st.lists(st.floats(-1e6, 1e6), min_size=8, max_size=20)


def test_few_values_have_their_mean_whatever_lies_far_out() -> None:
    side = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 700.0]
    (found,) = locations(side)
    assert found.centre == mean(side)
    assert found.variance == pytest.approx(statistics.variance(side) / 7)


def test_one_huge_outlier_hardly_moves_eight_values_and_hardly_widens_them() -> None:
    side = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8]
    (calm,), (upset,), (worse,) = (locations([*side, last]) for last in (100.1, 1e3, 1e9))
    assert upset == worse
    assert abs(upset.centre - calm.centre) < 0.5
    assert math.sqrt(upset.variance) < 2.5 * math.sqrt(calm.variance)
    assert statistics.fmean([*side, 1e3]) - 100 > 100


def test_without_outliers_it_is_the_mean() -> None:
    side = [float(k) for k in range(-5, 6)]
    (found,) = locations(side)
    assert found.centre == pytest.approx(0.0)
    assert LIMIT * 1.4826 * 3 > 5
    assert found.variance == pytest.approx(statistics.variance(side) / 11)


def test_where_most_values_are_equal_there_is_no_scale_to_tell_outliers_by() -> None:
    side = [5.0] * 9 + [50.0]
    (found,) = locations(side)
    assert found.centre == mean(side)


def test_two_modes_far_apart_beside_a_calm_side_have_their_mean() -> None:
    calm, modes = locations([1.0, 1.01] * 8, [0.0, 9.0] * 4)
    assert modes.centre == pytest.approx(4.5)
    assert math.sqrt(modes.variance) > 1
    assert math.sqrt(calm.variance) < 0.01


@given(st.lists(st.integers(-1000, 1000).map(float), min_size=8, max_size=20), st.integers(-100, 100).map(float))
def test_shifting_and_turning_the_values_shifts_and_turns_the_centre(side: list[float], shift: float) -> None:
    (plain,) = locations(side)
    (moved,), (turned,) = locations([value + shift for value in side]), locations([-value for value in side])
    tolerance = 1e-9 * (1 + max(map(abs, side)) + abs(shift))
    assert moved.centre == pytest.approx(plain.centre + shift, abs=tolerance)
    assert turned.centre == pytest.approx(-plain.centre, abs=tolerance)
    assert min(side) - tolerance <= plain.centre <= max(side) + tolerance


@given(values, st.integers(0, 7), st.floats(0, 1e6))
def test_raising_one_value_never_lowers_the_centre_when_the_scale_stays(side: list[float], index: int, rise: float) -> None:
    """Of few values; with a scale of its own a raised value may change what counts as an outlier."""
    few = side[:7]
    raised = [value + rise * (at == index % 7) for at, value in enumerate(few)]
    assert locations(raised)[0].centre >= locations(few)[0].centre - 1e-9


@pytest.mark.parametrize("draw", ["normal", "heavy"])
@pytest.mark.parametrize("n", [8, 10, 20])
def test_the_variance_holds_its_level(draw: str, n: int) -> None:
    """t intervals from it miss the truth about as often as they may: 400 samples, 5 %, three standard errors allowed."""
    rng = random.Random(n)
    critical = {8: 2.365, 10: 2.262, 20: 2.093}[n]
    missed = 0
    for _ in range(400):
        widths = [1.0 if draw == "normal" else math.sqrt(rng.gammavariate(1.5, 2 / 3)) for _ in range(n)]
        (found,) = locations([rng.gauss(0, 1) / width for width in widths])
        missed += abs(found.centre) > critical * math.sqrt(found.variance)
    assert missed / 400 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_a_median_is_a_middle(side: list[float]) -> None:
    assert sum(value < median(side) for value in side) <= len(side) / 2
    assert sum(value > median(side) for value in side) <= len(side) / 2
