"""Numbers that have an answer lose it where two modes or a drift explain them as well."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.core.compare import Pairing, compare
from assay.core.comparison import Undecided
from assay.core.drift import variance_factor
from assay.core.estimate import on_one_scale
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.modes import Modes, two_modes
from assay.core.noise import Noise

LOWER = MetricSpec("m", Role.PRIMARY, Direction.LOWER, min_effect=0.01)
GUARD = MetricSpec("m", Role.GUARD, Direction.LOWER, max_regression=0.5)


def noisy(n: int, centre: float, seed: int) -> list[float]:
    rng = random.Random(seed)
    return [centre * rng.lognormvariate(0, 0.003) for _ in range(n)]


def test_two_modes_that_both_sides_meet_take_an_alarm_away() -> None:
    base = [*noisy(9, 100, 1), *noisy(1, 115, 2)]
    head = [*noisy(4, 100, 3), *noisy(6, 115, 4)]
    rare = compare(LOWER, base, head, alpha=0.01)
    assert (rare.verdict, rare.undecided) == (Verdict.UNDECIDED, Undecided.MODES)
    assert "two modes, 15 % apart" in rare.reason
    assert "1 of 10 of the base, 6 of 10 of the head are in the upper one" in rare.reason


def test_modes_that_chance_does_not_choose_leave_the_alarm() -> None:
    found = compare(LOWER, [*noisy(29, 100, 1), *noisy(1, 115, 2)], [*noisy(2, 100, 3), *noisy(28, 115, 4)])
    assert found.verdict is Verdict.REGRESSED


def test_two_sides_far_apart_are_no_two_modes() -> None:
    assert two_modes(noisy(6, 100, 1), noisy(6, 120, 2)) is None
    assert compare(LOWER, noisy(6, 100, 1), noisy(6, 120, 2)).verdict is Verdict.REGRESSED


def test_a_guard_whose_harm_is_excluded_passes_in_spite_of_two_modes() -> None:
    base, head = [*noisy(5, 100, 1), *noisy(3, 115, 2)], [*noisy(4, 100, 3), *noisy(4, 115, 4)]
    assert compare(GUARD, base, head).verdict is Verdict.UNCHANGED
    assert compare(LOWER, base, head).undecided is Undecided.MODES


def test_a_lonely_outlier_is_no_mode() -> None:
    assert two_modes([*noisy(7, 100, 1), 150], [*noisy(7, 100, 2), 150]) is None


@given(st.tuples(st.integers(0, 12), st.integers(0, 12)), st.tuples(st.integers(0, 12), st.integers(0, 12)))
def test_the_p_of_modes_is_fishers(base: tuple[int, int], head: tuple[int, int]) -> None:
    expected = float(stats.fisher_exact([base, head]).pvalue) if sum(base) and sum(head) else 1.0
    assert Modes(base, head, (0, 1)).p == pytest.approx(expected, rel=1e-6)


def test_a_history_of_two_levels_takes_an_alarm_away_and_one_of_a_step_does_not() -> None:
    switching = tuple(value for k in range(6) for value in noisy(3, 100 if k % 2 else 115, k))
    step = (*noisy(9, 115, 1), *noisy(9, 100, 2))
    base, head = noisy(5, 100, 3), noisy(5, 115, 4)
    found = compare(LOWER, base, head, noise=Noise(history=switching))
    assert found.undecided is Undecided.MODES
    assert "switches between two levels" in found.reason
    assert compare(LOWER, base, head, noise=Noise(history=step)).verdict is Verdict.REGRESSED
    assert compare(LOWER, base, noisy(5, 140, 4), noise=Noise(history=switching)).verdict is Verdict.REGRESSED


def test_a_drift_that_explains_the_change_takes_the_answer_away_save_where_the_sides_took_turns() -> None:
    warming = [value * (1 + 0.004 * k) for k, value in enumerate(noisy(20, 100, 5))]
    found = compare(LOWER, warming[:10], warming[10:])
    assert (found.verdict, found.undecided) == (Verdict.UNDECIDED, Undecided.DRIFT)
    assert compare(LOWER, warming[:10], warming[10:], pairing=Pairing.INTERLEAVED).verdict is Verdict.REGRESSED


def test_a_change_much_larger_than_the_drift_stands() -> None:
    warming = [value * (1 + 0.001 * k) for k, value in enumerate(noisy(20, 100, 5))]
    assert compare(LOWER, warming[:10], [value * 1.3 for value in warming[10:]]).verdict is Verdict.REGRESSED


def test_a_trend_of_few_values_is_none() -> None:
    assert compare(LOWER, [100, 101, 102, 103], [104, 105, 106, 107]).verdict is Verdict.REGRESSED


def test_values_that_follow_each_other_know_less_than_as_many_independent_ones() -> None:
    rng = random.Random(4)
    walk, value = [], 0.0
    for _ in range(24):
        value = 0.7 * value + rng.gauss(0, 1)
        walk.append(100 + value)
    mixed = rng.sample(walk[:12], 12), rng.sample(walk[12:], 12)
    widths = []
    for base, head in ((walk[:12], walk[12:]), mixed):
        found = compare(LOWER, base, head)
        assert found.interval is not None
        widths.append(found.interval[1] - found.interval[0])
    assert widths[0] > 1.3 * widths[1]


def test_neighbours_that_are_unlike_and_few_values_change_nothing() -> None:
    zigzag = on_one_scale((1.0, 2.0) * 6, (1.0, 2.0) * 6)
    few = on_one_scale((1.0, 1.1, 1.2, 1.3), (1.0, 1.1, 1.2, 1.3))
    equal = on_one_scale((2.0,) * 9, (2.0,) * 9)
    assert zigzag is not None
    assert few is not None
    assert equal is not None
    assert [variance_factor(sides) for sides in (zigzag, few, equal)] == [1.0, 1.0, 1.0]


def test_evidence_of_other_sessions_stands_in_for_what_neighbours_tell() -> None:
    rising = [100 + 0.1 * k for k in range(10)]
    calm = Noise(own=((0.001, 0.01), (-0.001, 0.01), (0.001, 0.01)))
    alone, known = compare(LOWER, rising, rising), compare(LOWER, rising, rising, noise=calm)
    assert alone.interval is not None
    assert known.interval is not None
    assert alone.interval[1] > 1.5 * known.interval[1]
