"""A gate's false alarms and its power are those of the gate: known noise gives known rates."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]
from tests.houses import config

from assay.core.config_text import adhoc_config
from assay.core.model import Direction, Verdict
from assay.core.selftest import NAMINGS, AaSession, Gate, false_alarms, share_interval, smallest_visible

TIME = "metric: {name: time, better: lower}"
SPEED = "metric: {name: speed, better: higher}"


def gate(metric: str = TIME, *lines: str, better: Direction | None = None, looks: tuple[int, ...] = (4, 6, 10)) -> Gate:
    """The gate of a benchmark with these lines, at a level of 5 %; without a metric that of a bare command that prints `time`."""
    given = config(metric, *lines) if metric else adhoc_config("./bench")
    (benchmark,) = given.benchmarks.values()
    return Gate(benchmark, benchmark.metric.name if benchmark.metric else "time", better, looks, 0.05)


def session(seed: int, spread: float, units: int = 10, metrics: int = 1) -> AaSession:
    chance = random.Random(seed)

    def side() -> tuple[float, ...]:
        return tuple(math.exp(chance.gauss(0.0, spread)) for _ in range(units))

    return AaSession(tuple((side(), side()) for _ in range(metrics)))


def test_equal_code_is_seldom_called_anything_else() -> None:
    found = false_alarms(gate(), [session(seed, 0.02) for seed in range(6)])
    assert found.sessions == 6
    assert found.namings == 6 * NAMINGS
    assert found.worse + found.better <= 0.05
    assert found.interval == pytest.approx(share_interval(found.observed, 6))


def test_a_side_that_is_always_slower_raises_the_alarm_as_it_was_measured() -> None:
    slow = AaSession(((tuple([1.0, 1.01] * 5), tuple([1.2, 1.21] * 5)),))
    found = false_alarms(gate(), [slow])
    assert found.observed == 1
    assert found.interval == pytest.approx((0.025, 1.0))


def test_a_guard_raises_alarms_too() -> None:
    values = session(1, 0.001).values[0]
    wild = tuple([1.0] * 10), tuple([2.0] * 10)
    found = false_alarms(gate(TIME, "guards: {memory: {better: lower, max_regression: 5%}}"), [AaSession((values, wild))])
    assert found.observed == 1


def test_a_session_of_few_pairs_has_every_naming_once() -> None:
    assert false_alarms(gate(), [session(1, 0.02, units=4)]).namings == 16


def test_secondary_metrics_do_not_judge() -> None:
    assert [spec.name for spec in gate(TIME, "secondary: {other: {better: lower}}").specs] == ["time"]


@pytest.mark.parametrize("metric", [TIME, SPEED])
def test_what_is_seen_follows_the_noise(metric: str) -> None:
    quiet, loud = ([session(seed, spread) for seed in range(3)] for spread in (0.005, 0.04))
    fine, coarse = (smallest_visible(gate(metric), sessions) for sessions in (quiet, loud))
    assert fine is not None
    assert coarse is not None
    assert 0.01 <= fine < 0.02
    assert 0.03 < coarse < 0.15


def test_what_it_says_is_seen_is_seen_in_fresh_sessions() -> None:
    visible = smallest_visible(gate(), [session(seed, 0.02) for seed in range(8)]) or 0.0
    fresh = [session(1000 + seed, 0.02).values[0] for seed in range(200)]
    worse = [AaSession(((base, tuple(value * (1.0 + visible) for value in head)),)) for base, head in fresh]
    seen = sum(gate().verdicts(one)[0] is Verdict.REGRESSED for one in worse)
    assert 120 <= seen <= 195


def test_nothing_is_seen_without_a_direction_and_in_mere_noise() -> None:
    assert smallest_visible(gate(""), [session(1, 0.01)]) is None
    assert smallest_visible(gate(), [session(1, 5.0)]) is None


def test_a_bare_command_is_judged_by_its_time_where_it_prints_nothing() -> None:
    timed = replace(gate(""), primary="wall_time")
    assert [spec.name for spec in timed.specs] == ["wall_time"]
    assert smallest_visible(timed, [session(1, 0.005)]) == pytest.approx(0.011, abs=0.003)


def test_a_metric_that_does_not_vary_is_seen_from_its_min_effect_on() -> None:
    constant = AaSession(((tuple([3.0] * 10), tuple([3.0] * 10)),))
    assert smallest_visible(gate(), [constant]) == pytest.approx(0.01, rel=0.02)


def test_values_around_zero_are_worsened_by_an_amount() -> None:
    chance = random.Random(3)
    base, head = (tuple(-5.0 + chance.gauss(0.0, 0.05) for _ in range(10)) for _ in range(2))
    found = smallest_visible(gate(), [AaSession(((base, head),))])
    assert found is not None
    assert 0.01 <= found < 0.05


@given(st.integers(0, 40), st.integers(1, 40))
@settings(deadline=None)
def test_the_interval_of_a_share_is_that_of_clopper_and_pearson(count: int, total: int) -> None:
    count = min(count, total)
    expected = stats.binomtest(count, total).proportion_ci(0.95, method="exact")
    assert share_interval(count, total) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_same_sessions_always_tell_the_same() -> None:
    sessions = [session(seed, 0.02, units=30) for seed in range(2)]
    wide = gate(looks=(8, 30))
    assert false_alarms(wide, sessions) == false_alarms(wide, sessions)
