"""Looks are fixed before the first, and together they spend no more than alpha."""

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.core.compare import compare
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.sampling import looks, spend, units_needed

ranges = st.tuples(st.integers(1, 500), st.integers(1, 500)).map(lambda pair: (min(pair), max(pair)))


@pytest.mark.parametrize(
    ("minimum", "maximum", "expected"),
    [
        (4, 10, (4, 6, 10)),
        (5, 12, (5, 8, 12)),
        (3, 10, (3, 5, 10)),
        (2, 8, (2, 4, 8)),
        (5, 5, (5,)),
        (1, 1, (1,)),
        (2, 3, (2, 3)),
        (3, 4, (3, 4)),
        (4, 16, (4, 8, 16)),
        (4, 17, (4, 6, 10, 17)),
        (4, 64, (4, 10, 25, 64)),
        (4, 65, (4, 8, 16, 32, 65)),
        (2, 128, (2, 6, 16, 45, 128)),
    ],
)
def test_looks_are_spread_geometrically(minimum: int, maximum: int, expected: tuple[int, ...]) -> None:
    assert looks(minimum, maximum) == expected


@settings(deadline=None)
@given(ranges)
def test_looks_rise_from_the_least_to_the_most(ends: tuple[int, int]) -> None:
    planned = looks(*ends)
    assert (planned[0], planned[-1]) == ends
    assert all(before < after for before, after in pairwise(planned))


@pytest.mark.parametrize(("minimum", "maximum"), [(0, 4), (-1, 4), (5, 4)])
def test_impossible_looks_are_refused(minimum: int, maximum: int) -> None:
    with pytest.raises(ValueError, match="minimum"):
        looks(minimum, maximum)


@settings(deadline=None)
@given(ranges, st.floats(1e-6, 0.5))
def test_what_is_spent_adds_up_to_alpha_and_every_look_gets_some(ends: tuple[int, int], alpha: float) -> None:
    levels = spend(looks(*ends), alpha)
    assert all(level > 0 for level in levels)
    assert math.fsum(levels) == pytest.approx(alpha, rel=1e-12)
    assert math.fsum(levels) <= alpha * (1 + 1e-15)


def test_spending_is_the_function_of_lan_and_demets() -> None:
    levels = spend((4, 6, 10), 0.05)
    z = stats.norm.isf(0.025)
    cumulative = [2 * stats.norm.sf(z / math.sqrt(n / 10)) for n in (4, 6, 10)]
    assert [math.fsum(levels[: k + 1]) for k in range(3)] == pytest.approx(cumulative, rel=1e-9)
    assert levels[0] < levels[1] < levels[2]


def test_one_look_spends_everything() -> None:
    assert spend((7,), 0.05) == (0.05,)


@pytest.mark.parametrize("planned", [(), (0, 3), (3, 3), (5, 4)])
def test_looks_that_do_not_rise_are_refused(planned: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="rise"):
        spend(planned, 0.05)


def test_units_needed_resolve_the_margin() -> None:
    needed = units_needed(0.01, 0.025, pair_variance=2 * 0.02**2)
    assert needed is not None
    half_width = stats.t.isf(0.025, 2 * (needed - 1)) * math.sqrt(2 * 0.02**2 / needed)
    assert half_width == pytest.approx(0.01, rel=0.03)


@settings(deadline=None)
@given(st.floats(1e-4, 1), st.floats(1e-4, 0.4), st.floats(1e-8, 1))
def test_more_spread_never_needs_fewer_units(margin: float, level: float, variance: float) -> None:
    few, many = units_needed(margin, level, pair_variance=variance), units_needed(margin, level, pair_variance=2 * variance)
    assert many is None or (few is not None and 2 <= few <= many <= 10_100)


def test_variance_that_units_do_not_divide_may_be_too_much_for_any_number() -> None:
    assert units_needed(0.01, 0.025, pair_variance=1e-6, fixed_variance=0.01) is None
    assert units_needed(1e-6, 0.025, pair_variance=1.0) is None
    assert units_needed(0.0, 0.025, pair_variance=1.0) is None


def alarm(rng: random.Random, spec: MetricSpec, planned: tuple[int, ...], levels: tuple[float, ...]) -> bool:
    """Whether a session of equal code ends in an alarm at any of its looks."""
    base, head = ([rng.lognormvariate(0, 0.05) for _ in range(planned[-1])] for _ in range(2))
    verdicts = (compare(spec, base[:n], head[:n], alpha=level).verdict for n, level in zip(planned, levels, strict=True))
    return any(verdict in (Verdict.IMPROVED, Verdict.REGRESSED) for verdict in verdicts)


@pytest.mark.parametrize(("minimum", "maximum"), [(3, 9), (4, 10)])
def test_looking_often_raises_no_more_false_alarms_than_alpha(minimum: int, maximum: int) -> None:
    spec = MetricSpec("m", Role.PRIMARY, Direction.LOWER, min_effect=0.0)
    rng, sessions = random.Random(20), 2000
    planned = looks(minimum, maximum)
    levels = spend(planned, 0.05)
    alarms = sum(alarm(rng, spec, planned, levels) for _ in range(sessions))
    assert alarms / sessions <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / sessions)


def test_equivalence_that_is_looked_for_often_is_found_wrongly_no_more_than_alpha() -> None:
    """Head is worse by exactly `min_effect`: to call it unchanged is the error that the spending bounds."""
    spec = MetricSpec("m", Role.PRIMARY, Direction.LOWER, min_effect=0.05)
    rng, sessions, planned = random.Random(21), 2000, looks(4, 10)
    levels = spend(planned, 0.05)
    wrong = 0
    for _ in range(sessions):
        base, head = [rng.lognormvariate(0, 0.03) for _ in range(10)], [1.05 * rng.lognormvariate(0, 0.03) for _ in range(10)]
        answers = (compare(spec, base[:n], head[:n], alpha=level).verdict for n, level in zip(planned, levels, strict=True))
        wrong += Verdict.UNCHANGED in answers
    assert wrong / sessions <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / sessions)
