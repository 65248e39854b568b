"""Steps are found and told apart from outliers, from two modes, and from a change of the noise."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.change_points import find_changes

SEEDS = st.integers(0, 10**6)
FACTORS = st.sampled_from([0.5, 0.8, 1.3, 2.0])


def noisy(seed: int, length: int = 40, spread: float = 0.02) -> list[float]:
    chance = random.Random(seed)
    return [100.0 * math.exp(chance.gauss(0.0, spread)) for _ in range(length)]


def stepped(seed: int, at: int = 20, factor: float = 1.3) -> list[float]:
    return [value * (factor if index >= at else 1.0) for index, value in enumerate(noisy(seed))]


def indexes(values: list[float]) -> list[int]:
    return [point.index for point in find_changes(values).change_points]


@given(SEEDS, st.integers(8, 32), FACTORS)
@settings(max_examples=60, deadline=None)
def test_a_step_far_beyond_the_noise_is_found_where_it_is(seed: int, at: int, factor: float) -> None:
    assert at in indexes(stepped(seed, at, factor))


def test_a_first_value_that_strays_still_belongs_to_its_level() -> None:
    assert indexes(stepped(124801, 14, 0.5)) == [14]


@given(SEEDS, FACTORS, st.sampled_from([2.0**-40, 0.125, 8.0, 2.0**60]))
@settings(max_examples=40, deadline=None)
def test_the_unit_of_the_values_changes_nothing(seed: int, factor: float, unit: float) -> None:
    values = stepped(seed, 20, factor)
    scaled = find_changes([value * unit for value in values])
    plain = find_changes(values)
    assert [point.index for point in scaled.change_points] == [point.index for point in plain.change_points]
    assert (scaled.outliers, scaled.modes) == (plain.outliers, plain.modes)


@given(SEEDS, FACTORS)
@settings(max_examples=40, deadline=None)
def test_a_mirrored_series_has_mirrored_steps(seed: int, factor: float) -> None:
    values = stepped(seed, 20, factor)
    upside_down = find_changes([1.0 / value for value in values])
    assert 20 in [point.index for point in upside_down.change_points]
    assert 20 in indexes(values[::-1])
    sizes = {point.index: point.relative_change for point in upside_down.change_points}
    assert (sizes[20] or 0.0) * (factor - 1.0) < 0.0


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 60))
def test_a_constant_series_holds_nothing(value: float, length: int) -> None:
    found = find_changes([value] * length)
    assert (found.change_points, found.noise_changes, found.outliers, found.modes) == ((), (), (), 1)


@given(SEEDS, st.permutations([3, 9, 30, 36]))
@settings(max_examples=40, deadline=None)
def test_outliers_are_no_steps_in_whatever_order_they_come(seed: int, places: list[int]) -> None:
    values = stepped(seed)
    for place, factor in zip(places, (3.0, 0.2, 50.0, 4.0), strict=True):
        values[place] *= factor
    found = find_changes(values)
    assert [point.index for point in found.change_points] == [20]
    assert set(places) <= set(found.outliers)


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_repeating_every_value_keeps_the_step(seed: int) -> None:
    doubled = [value for value in stepped(seed) for _ in range(2)]
    assert 40 in indexes(doubled)


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_values_of_the_same_level_at_the_end_keep_the_step(seed: int) -> None:
    values = stepped(seed)
    assert 20 in indexes([*values, *(value * 1.3 for value in noisy(seed + 1, 20))])


@pytest.mark.parametrize("spread", [0.001, 0.05, 0.3])
def test_equal_code_rarely_has_a_false_point(spread: float) -> None:
    false = sum(bool(indexes(noisy(seed, 60, spread))) for seed in range(200))
    assert false <= 20  # about 5 % of such series have one, and the seeds are fixed


def test_a_level_has_at_least_four_values() -> None:
    values = [100.0, 100.5, 99.5, 100.2, 99.8] * 4
    values[9:12] = [150.0, 150.2, 149.9]
    assert find_changes(values).change_points == ()
    assert find_changes(values).outliers == (9, 10, 11)


def test_the_spike_before_a_step_is_no_step() -> None:
    assert indexes([100.0, 100.1, 99.9, 100.0, 100.2, 99.9, 130.0, 150.0, 150.1, 149.9, 150.0, 150.2]) in ([6], [7])


def test_two_modes_in_turn_are_no_steps() -> None:
    found = find_changes([22.6, 22.5, 25.4, 22.7, 25.5, 22.6])
    assert (found.change_points, found.outliers, found.modes) == ((), (), 2)
    chance = random.Random(4)
    flapping = find_changes([chance.choice((22.6, 25.4)) + chance.gauss(0.0, 0.05) for _ in range(80)])
    assert (flapping.change_points, flapping.modes) == ((), 2)


def test_a_machine_that_keeps_changing_between_two_levels_has_two_modes() -> None:
    found = find_changes([value * (1.2 if index // 10 % 2 else 1.0) for index, value in enumerate(noisy(1, 60, 0.005))])
    assert (found.change_points, found.modes) == ((), 2)


def test_there_and_back_again_is_two_steps() -> None:
    values = [value * (1.2 if 20 <= index < 40 else 1.0) for index, value in enumerate(noisy(2, 60, 0.005))]
    assert indexes(values) == [20, 40]


def test_a_step_is_found_although_there_are_two_modes() -> None:
    chance = random.Random(9)
    values = [chance.choice((20.0, 24.0)) * (1.3 if index >= 30 else 1.0) + chance.gauss(0.0, 0.05) for index in range(60)]
    found = find_changes(values)
    assert [point.index for point in found.change_points] == [30]


def test_a_step_onto_a_much_quieter_level_is_laid_to_the_machine() -> None:
    chance = random.Random(3)
    noise = [100.0 * math.exp(chance.choice((0.0, 0.1, 0.2)) + chance.gauss(0.0, 0.02)) for _ in range(40)]
    quiet = [90.0 * math.exp(chance.gauss(0.0, 0.001)) for _ in range(30)]
    found = find_changes([*noise, *quiet])
    assert found.change_points == ()
    assert [point.index for point in found.noise_changes] == [40]


def test_a_step_far_outside_the_noise_counts_whatever_the_noise_does() -> None:
    quiet = [value / 50.0 for value in noisy(5, 30, 0.001)]
    assert indexes([*noisy(4, 40, 0.05), *quiet]) == [40]


def test_rounding_is_neither_a_mode_nor_an_outlier() -> None:
    found = find_changes([9, 10, 9, 10, 9, 10, 10, 9, 10, 11, 9, 10])
    assert (found.outliers, found.modes) == ((), 1)


@pytest.mark.parametrize("level", [0.0, -5.0])
def test_values_that_are_not_positive_are_compared_as_they_are(level: float) -> None:
    chance = random.Random(6)
    values = [level + (3.0 if index >= 15 else 0.0) + chance.gauss(0.0, 0.1) for index in range(30)]
    (point,) = find_changes(values).change_points
    assert point.index == 15
    assert point.after - point.before == pytest.approx(3.0, abs=0.3)


def test_a_change_from_zero_has_no_relative_size() -> None:
    (point,) = find_changes([0.0] * 10 + [4.0] * 10).change_points
    assert (point.index, point.before, point.after, point.relative_change) == (10, 0.0, 4.0, None)


def test_the_levels_are_medians_and_the_change_is_theirs() -> None:
    (point,) = find_changes([10.0] * 10 + [12.5] * 10).change_points
    assert (point.before, point.after, point.relative_change) == (10.0, 12.5, 0.25)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_value_that_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        find_changes([1.0, bad])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_finite_series_has_an_answer_in_order(values: list[float]) -> None:
    found = find_changes(values)
    borders = sorted(point.index for point in (*found.change_points, *found.noise_changes))
    assert all(after - before >= 4 for before, after in zip([0, *borders], [*borders, len(values)], strict=True) if borders)
    assert list(found.outliers) == sorted(set(found.outliers))
    assert all(point.relative_change is None or math.isfinite(point.relative_change) for point in found.change_points)
