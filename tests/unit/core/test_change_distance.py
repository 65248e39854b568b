"""The distances agree with SciPy's, and the shift is the one that was made."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.core.change_distance import RANK_WEIGHT, best_shift, difference, distance, rank_score, ranks_of, scaled
from assay.core.change_scan import best_split

SAMPLES = st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=30)


@given(SAMPLES, SAMPLES)
@settings(deadline=None)
def test_the_distance_is_that_of_kolmogorov_and_smirnov(one: list[float], other: list[float]) -> None:
    assert distance(one, other) == pytest.approx(stats.ks_2samp(one, other).statistic)


@given(SAMPLES)
def test_ranks_are_shared_between_ties(values: list[float]) -> None:
    assert ranks_of(values) == list(stats.rankdata(values))


@given(SAMPLES, SAMPLES)
@settings(deadline=None)
def test_the_rank_score_is_that_of_mann_and_whitney(one: list[float], other: list[float]) -> None:
    found = rank_score(one, other)
    if len({*one, *other}) == 1:
        assert found == 0.0
        return
    p = stats.mannwhitneyu(one, other, method="asymptotic", use_continuity=False).pvalue
    assert 2.0 * stats.norm.sf(found) == pytest.approx(p, rel=1e-6, abs=1e-12)


@given(SAMPLES, SAMPLES)
@settings(deadline=None)
def test_a_difference_has_no_direction(one: list[float], other: list[float]) -> None:
    assert difference(one, other) == pytest.approx(difference(other, one))
    assert difference(one, other) >= RANK_WEIGHT * rank_score(one, other)


@given(
    st.lists(st.integers(-50, 50).map(lambda value: value / 8), min_size=5, max_size=40), st.integers(-40, 40).map(lambda value: value / 4)
)
@settings(deadline=None)
def test_a_pure_shift_is_found_and_leaves_nothing(values: list[float], size: float) -> None:
    found = best_shift(values, [value + size for value in values])
    assert found.left == 0.0
    assert distance(values, [value + size - found.size for value in values]) == 0.0


def test_a_long_stretch_is_thinned_and_its_shift_stays() -> None:
    chance = random.Random(2)
    values = [chance.gauss(0.0, 1.0) for _ in range(3000)]
    found = best_shift(values, [value + 5.0 for value in values])
    assert found.size == pytest.approx(5.0, abs=0.05)


def test_a_scaled_distance_is_that_of_stephens() -> None:
    assert scaled(0.5, 8, 8) == pytest.approx(0.5 * (2.0 + 0.12 + 0.055))


def test_the_best_split_is_where_the_distributions_part() -> None:
    split = best_split([1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 8.0, 9.0, 8.0, 9.0, 8.0])
    assert split is not None
    assert split[1] == 6


def test_a_stretch_that_cannot_be_split_has_no_best_split() -> None:
    assert best_split([1.0] * 30) is None
    assert best_split([1.0, 2.0, 3.0, 4.0, 9.0, 9.0, 9.0]) is None
