"""`min_effect: auto` follows the noise of the benchmark, within bounds, and says where it comes from."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.core.aa_evidence import AaPair
from assay.core.auto_effect import LARGEST, SMALLEST, WITHOUT_EVIDENCE, AutoEffect, auto_effect


def pair(error: float | None, change: float = 0.0, units: int = 10, *, inside: bool = True, metric: str = "loss") -> AaPair:
    return AaPair("bench", metric, change, error, units, same_session=inside, same_box=True)


def auto(*pairs: AaPair, units: int = 10, alpha: float = 0.05) -> AutoEffect:
    return auto_effect(pairs, "bench", "loss", units, alpha)


def test_it_is_what_a_whole_session_sees_four_times_in_five() -> None:
    expected = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) * 0.005
    found = auto(*[pair(0.005)] * 4)
    assert found.pairs == 4
    assert expected <= found.value <= expected * 1.1


@pytest.mark.parametrize("pairs", [[], [pair(0.02)] * 2, [pair(None)] * 9, [pair(0.02, metric="other")] * 9])
def test_without_evidence_it_is_one_percent_and_says_so(pairs: list[AaPair]) -> None:
    found = auto(*pairs)
    assert found == AutoEffect(WITHOUT_EVIDENCE)
    assert "1 %" in found.sentence
    assert "selftest" in found.sentence


def test_the_report_names_the_value_and_the_evidence() -> None:
    assert auto(*[pair(0.005)] * 4).sentence == "`min_effect: auto` is 1.5 %, from 4 pairs of runs of unchanged code."


def test_pairs_of_different_sessions_tell_of_the_error_but_not_of_its_excess() -> None:
    far = [pair(0.005, change=0.5, inside=False)] * 5
    assert auto(*far).value == auto(*[pair(0.005)] * 5).value


def test_sides_that_differ_by_more_than_their_errors_make_it_larger() -> None:
    calm, wild = [pair(0.002, change=0.001)] * 5, [pair(0.002, change=0.004)] * 5
    assert auto(*wild).value == pytest.approx(2.0 * auto(*calm).value, rel=0.1)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=20), st.integers(2, 100), st.floats(0.001, 0.2))
def test_it_stays_within_bounds_and_falls_with_more_units(errors: list[float], units: int, alpha: float) -> None:
    pairs = [pair(error) for error in errors]
    few, many = auto(*pairs, units=units, alpha=alpha).value, auto(*pairs, units=4 * units, alpha=alpha).value
    assert SMALLEST <= many <= few <= LARGEST
    digits = few / 10.0 ** (math.floor(math.log10(few)) - 1)
    assert digits == pytest.approx(round(digits))


def test_a_metric_that_does_not_vary_has_the_smallest() -> None:
    assert auto(*[pair(0.0)] * 3).value == SMALLEST
