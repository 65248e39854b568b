"""The other statistics agree with SciPy, and refuse to speak where they cannot."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.core import bootstrap
from assay.core.effect_size import band, cliffs_delta, cohens_d
from assay.core.further import further
from assay.core.rank_tests import mann_whitney, mann_whitney_least, wilcoxon, wilcoxon_least

distinct = st.lists(st.integers(-500, 500), min_size=4, max_size=24, unique=True)
any_values = st.lists(st.integers(-6, 6).map(float), min_size=2, max_size=20)


def noisy(n: int, centre: float, seed: int) -> list[float]:
    rng = random.Random(seed)
    return [centre * rng.lognormvariate(0, 0.02) for _ in range(n)]


@settings(deadline=None)
@given(distinct, st.integers(2, 22))
def test_mann_whitney_is_scipys(values: list[int], cut: int) -> None:
    base, head = values[: min(cut, len(values) - 2)], values[min(cut, len(values) - 2) :]
    assert mann_whitney(base, head) == pytest.approx(float(stats.mannwhitneyu(base, head, method="exact").pvalue), rel=1e-9)


@settings(deadline=None)
@given(any_values, any_values)
def test_mann_whitney_with_ties_is_scipys_normal_one(base: list[float], head: list[float]) -> None:
    if len(set(base + head)) < len(base + head) and len(set(base + head)) > 1:
        expected = float(stats.mannwhitneyu(base, head, method="asymptotic").pvalue)
        assert mann_whitney(base, head) == pytest.approx(expected, rel=1e-9)


@settings(deadline=None)
@given(st.lists(st.integers(1, 500), min_size=2, max_size=20, unique=True), st.randoms(use_true_random=False))
def test_wilcoxon_is_scipys(sizes: list[int], rng: random.Random) -> None:
    signed = [float(size * rng.choice((-1, 1))) for size in sizes]
    assert wilcoxon(signed) == pytest.approx(float(stats.wilcoxon(signed, method="exact").pvalue), rel=1e-9)


def test_wilcoxon_with_ties_is_scipys_normal_one() -> None:
    signed = [1.0, 1, -1, 2, 2, 3, -3, 4, 5, 5, 0, 6]
    expected = stats.wilcoxon(signed, zero_method="wilcox", correction=True, method="asymptotic")
    assert wilcoxon(signed) == pytest.approx(float(expected.pvalue), rel=1e-9)
    assert wilcoxon([0.0, 0.0]) == 1.0
    assert mann_whitney([1.0, 1.0], [1.0, 1.0]) == 1.0


@pytest.mark.parametrize("n", range(2, 9))
def test_the_least_p_is_reached_by_what_is_clearest(n: int) -> None:
    low, high = [float(k) for k in range(n)], [100.0 + k for k in range(n)]
    assert mann_whitney(low, high) == pytest.approx(mann_whitney_least(n, n))
    assert wilcoxon([k + 1.0 for k in range(n)]) == pytest.approx(wilcoxon_least(n))


def test_three_pairs_never_reach_a_level_below_a_quarter() -> None:
    assert wilcoxon_least(3) == 0.25
    (refused, *_) = further([1, 2, 3], [10, 20, 30], 0.05, paired=True)
    assert refused.refusal is not None
    assert "p is never below 0.25" in refused.refusal
    assert refused.p is None


@pytest.mark.parametrize(("size", "name"), [(0.1, "negligible"), (-0.2, "small"), (0.4, "medium"), (-0.474, "large"), (1.0, "large")])
def test_bands_of_cliffs_delta(size: float, name: str) -> None:
    assert band(size) == name


@given(any_values, any_values)
def test_cliffs_delta_counts_who_exceeds_whom(base: list[float], head: list[float]) -> None:
    counted = sum((y > x) - (y < x) for x in base for y in head) / (len(base) * len(head))
    assert cliffs_delta(base, head) == pytest.approx(counted)
    assert cliffs_delta(head, base) == pytest.approx(-counted)


def test_cohens_d_is_in_pooled_standard_deviations() -> None:
    assert cohens_d([1, 2, 3], [4, 5, 6]) == pytest.approx(3.0)
    assert cohens_d([1, 1], [2, 2]) is None
    assert cohens_d([1], [2, 3]) is None


def test_a_bootstrap_interval_is_the_same_every_time_and_covers_about_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(60):
        base, head = noisy(12, 100, seed), noisy(12, 100, seed + 1000)
        low, high = bootstrap.interval(base, head, 0.05)
        assert (low, high) == bootstrap.interval(base, head, 0.05)
        covered += low <= 0 <= high
    assert 48 <= covered <= 60


@pytest.mark.parametrize(("n", "alpha", "so"), [(1, 0.5, False), (2, 0.05, False), (3, 0.05, False), (4, 0.05, True), (4, 0.001, False)])
def test_a_bootstrap_needs_enough_values_for_its_level(n: int, alpha: float, so: bool) -> None:
    assert bootstrap.attainable(n, alpha) is so


def test_all_of_them_say_what_they_can() -> None:
    base, head = noisy(8, 100, 1), noisy(8, 104, 2)
    said = [str(one) for one in further(base, head, 0.05, paired=False)]
    assert [text.partition(":")[0] for text in said] == ["Mann–Whitney", "Cohen's d", "Cliff's delta", "bootstrap 95 % interval"]
    assert said[2].endswith("(large)")
    pairs = {one.name: one for one in further(base, head, 0.05, paired=True)}
    expected = stats.ttest_rel([math.log(x) for x in head], [math.log(x) for x in base])
    assert pairs["paired t"].p == pytest.approx(float(expected.pvalue))
    few = [one for one in further([1, 2], [3, 4], 0.05, paired=False) if one.refusal]
    assert {one.name for one in few} == {"Mann–Whitney", "bootstrap 95 % interval"}
    assert further([0, 0], [1, 1], 0.05, paired=False) == ()
    assert further([], [1], 0.05, paired=False) == ()
    assert str(further([5, 5, 5], [5, 5, 5], 0.05, paired=True)[1]) == "paired t: the differences do not vary"
