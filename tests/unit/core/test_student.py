"""The distributions agree with SciPy and keep the laws that every distribution has."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats  # type: ignore[import-untyped]

from assay.core.student import normal_cdf, normal_quantile, t_quantile, t_sf

DFS = [0.5, 1, 1.5, 2, 2.7, 3, 4, 5, 7.3, 10, 18, 30, 59.5, 118, 500, 1000, 5000, 9999, 10_001, 20_000, 1e6]
POINTS = [1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1.2, 1.5, 1.73, 1.8, 2, 2.5, 3, 5, 8, 12, 20, 35, 100, 1e3, 1e6]
LEVELS = [1e-30, 1e-15, 1e-10, 1e-6, 1e-4, 0.001, 0.00194, 0.01, 0.025, 0.05, 0.1, 0.2, 0.2499, 0.2501, 0.3, 0.4, 0.49]

lawful = settings(deadline=None, max_examples=100)
dfs = st.floats(1, 1e6)
ts = st.floats(-1e6, 1e6)
levels = st.floats(1e-12, 1 - 1e-12)


@pytest.mark.parametrize("df", DFS)
def test_tail_agrees_with_scipy_into_the_far_tail(df: float) -> None:
    for t in POINTS:
        expected = float(stats.t.sf(t, df))
        if expected > 1e-280:
            assert t_sf(t, df) == pytest.approx(expected, rel=2e-10)
            assert t_sf(-t, df) == pytest.approx(1 - expected, rel=2e-10)


@pytest.mark.parametrize("df", [df for df in DFS if df >= 1])
def test_quantile_agrees_with_scipy(df: float) -> None:
    for p in LEVELS[1:]:
        assert t_quantile(p, df) == pytest.approx(float(stats.t.ppf(p, df)), rel=1e-9)


@pytest.mark.parametrize("df", [1, 2, 3.3, 9, 118, 5000, 12_000, 1e6])
def test_quantile_is_the_inverse_of_the_tail_where_scipy_has_lost_it(df: float) -> None:
    for p in [1e-200, 1e-100, *LEVELS]:
        assert t_sf(-t_quantile(p, df), df) == pytest.approx(p, rel=1e-10)


def test_one_and_two_degrees_of_freedom_are_their_closed_forms() -> None:
    for t in (0.3, 1.0, 4.0, 1e5, 1e12):
        assert t_sf(t, 1) == pytest.approx(math.atan(1 / t) / math.pi, rel=1e-12)
        assert t_sf(t, 2) == pytest.approx(1 / (2 + t * t + t * math.sqrt(2 + t * t)), rel=1e-12)


def test_an_enormous_t_has_a_tail_and_no_overflow() -> None:
    assert t_sf(1e200, 1) == pytest.approx(1e-200 / math.pi, rel=1e-10)
    assert t_sf(1e300, 50) == 0.0
    assert t_sf(math.inf, 5) == 0.0
    assert t_sf(-math.inf, 5) == 1.0


def test_a_quantile_beyond_all_floats_is_capped() -> None:
    assert t_quantile(1e-200, 0.3) == -1e300


@pytest.mark.parametrize("p", [5e-324, 1e-320, 1e-300, 1e-100, 1e-10, 0.001, 0.025, 0.3, 0.499999, 0.5, 0.7, 0.975, 1 - 1e-12])
def test_normal_quantile_agrees_with_scipy(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(float(special.ndtri(p)), rel=1e-10, abs=1e-15)


def test_normal_cdf_agrees_with_scipy() -> None:
    for z in (-37.0, -20.0, -5.0, -1.0, 0.0, 0.5, 3.0, 9.0):
        assert normal_cdf(z) == pytest.approx(float(special.ndtr(z)), rel=1e-13)


@lawful
@given(ts, ts, dfs)
def test_the_tail_falls(a: float, b: float, df: float) -> None:
    low, high = sorted((a, b))
    assert t_sf(high, df) <= t_sf(low, df) + 1e-11


@lawful
@given(ts, dfs)
def test_distribution_is_symmetric(t: float, df: float) -> None:
    assert t_sf(-t, df) + t_sf(t, df) == pytest.approx(1.0, rel=1e-12)


@lawful
@given(levels, dfs)
def test_below_the_quantile_lies_the_level(p: float, df: float) -> None:
    assert t_sf(-t_quantile(p, df), df) == pytest.approx(p, rel=1e-9)


@lawful
@given(levels, levels, dfs)
def test_quantile_rises_and_fewer_degrees_of_freedom_are_wider(p: float, q: float, df: float) -> None:
    low, high = sorted((p, q))
    assert t_quantile(low, df) <= t_quantile(high, df) + 1e-9 * abs(t_quantile(high, df))
    assert abs(t_quantile(p, df)) <= abs(t_quantile(p, df / 2)) * (1 + 1e-9)
    assert abs(normal_quantile(p)) <= abs(t_quantile(p, df)) * (1 + 1e-9)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_no_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        t_quantile(p, 5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_quantile(p)


@pytest.mark.parametrize("df", [0.0, -1.0, math.nan, math.inf])
def test_no_degrees_of_freedom_are_refused(df: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_sf(1.0, df)
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_quantile(0.1, df)
