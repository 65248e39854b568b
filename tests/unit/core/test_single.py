"""One value a side is judged by earlier changes, and only where there are enough of them for the level."""

import random

import pytest

from assay.core.compare import compare
from assay.core.comparison import Undecided
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.noise import Noise
from assay.core.single import changes_needed

LOWER = MetricSpec("m", Role.PRIMARY, Direction.LOWER, min_effect=0.01)


def history(n: int, size: float = 0.02, seed: int = 1) -> tuple[float, ...]:
    rng = random.Random(seed)
    return tuple(100 * rng.lognormvariate(0, size) for _ in range(n))


@pytest.mark.parametrize(("alpha", "needed"), [(0.05, 19), (0.01, 99), (0.5, 1), (0.3, 3)])
def test_a_level_needs_its_number_of_changes(alpha: float, needed: int) -> None:
    assert changes_needed(alpha) == needed
    enough, short = (Noise(history=history(n)) for n in (needed, needed - 1))
    assert compare(LOWER, [100], [300], alpha=alpha, noise=enough).verdict is Verdict.REGRESSED
    found = compare(LOWER, [100], [300], alpha=alpha, noise=short)
    assert (found.verdict, found.undecided, found.p) == (Verdict.UNDECIDED, Undecided.SAMPLES, None)


def test_p_counts_the_changes_that_were_as_large_and_the_new_one() -> None:
    noise = Noise(history=tuple(100.0 + (k % 2) * 3 for k in range(30)))
    assert compare(LOWER, [100], [101], noise=noise).p == 1.0
    assert compare(LOWER, [100], [110], noise=noise).p == pytest.approx(1 / 31)
    assert compare(LOWER, [100], [90], noise=noise).verdict is Verdict.IMPROVED


def test_a_change_of_nothing_in_a_metric_that_never_changes_is_unchanged() -> None:
    noise = Noise(history=(7.0,) * 25)
    assert compare(LOWER, [7], [7], noise=noise).verdict is Verdict.UNCHANGED
    assert compare(LOWER, [7], [8], noise=noise).verdict is Verdict.REGRESSED


def test_changes_of_equal_code_count_too() -> None:
    own = tuple((0.01 * (-1) ** k, None) for k in range(10))
    found = compare(LOWER, [100], [120], noise=Noise(own=own, history=history(9)))
    assert found.verdict is Verdict.REGRESSED
    assert compare(LOWER, [100], [120], noise=Noise(own=own, history=history(8))).verdict is Verdict.UNDECIDED


def test_a_history_counts_from_where_it_stays_on_the_scale() -> None:
    broken = (*history(15), 0.0, *history(15, seed=2))
    assert compare(LOWER, [100], [300], noise=Noise(history=broken)).verdict is Verdict.UNDECIDED
    assert compare(LOWER, [100], [300], noise=Noise(history=(0.0, *history(19)))).verdict is Verdict.REGRESSED
    negative = tuple(-value for value in history(19))
    assert compare(LOWER, [-100], [-10], noise=Noise(history=negative)).verdict is Verdict.REGRESSED


def test_what_is_missing_is_said() -> None:
    found = compare(LOWER, [100], [120], noise=Noise(history=history(12)))
    assert "or 19 earlier changes to hold it against, of which there are 12" in found.reason
    undecided = compare(LOWER, [100], [101], noise=Noise(history=history(19)))
    assert "several samples a side would settle 1 %" in undecided.reason
    assert undecided.more_pairs is None


def test_false_alarms_of_single_values_keep_their_level() -> None:
    rng = random.Random(3)
    alarms = 0
    for seed in range(400):
        noise = Noise(history=history(24, seed=seed))
        values = [100 * rng.lognormvariate(0, 0.02) for _ in range(2)]
        alarms += compare(LOWER, values[:1], values[1:], noise=noise).verdict in (Verdict.IMPROVED, Verdict.REGRESSED)
    assert alarms / 400 < 0.06
