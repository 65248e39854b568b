"""A comparison is sound: it agrees with the textbook, keeps its symmetries, and says what it does not know."""

import math
import random
import re
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.core.compare import Pairing, compare, no_comparison, with_undecided
from assay.core.comparison import Comparison, Undecided
from assay.core.estimate import MARGIN
from assay.core.model import Direction, MetricSpec, Role, Verdict

LOWER = MetricSpec("m", Role.PRIMARY, Direction.LOWER)
HIGHER = MetricSpec("m", Role.PRIMARY, Direction.HIGHER)
GUARD = MetricSpec("m", Role.GUARD, Direction.LOWER, max_regression=0.05)
UNDIRECTED = MetricSpec("m", Role.SECONDARY, None)

RANK = {Verdict.REGRESSED: 0, Verdict.UNDECIDED: 1, Verdict.UNCHANGED: 1, Verdict.IMPROVED: 2}
ALARMS = (Verdict.IMPROVED, Verdict.REGRESSED)

lawful = settings(deadline=None, max_examples=150)
anything = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8)
positive = st.lists(st.floats(0.5, 200), min_size=2, max_size=12)
specs = st.sampled_from([LOWER, HIGHER, GUARD, UNDIRECTED, MetricSpec("m", Role.GUARD, Direction.HIGHER, max_regression=0.3)])


def noisy(seed: int, n: int, centre: float = 100.0, spread: float = 0.02) -> list[float]:
    rng = random.Random(seed)
    return [centre * rng.lognormvariate(0, spread) for _ in range(n)]


def numbers_of(found: Comparison) -> list[float]:
    single = (found.relative_change, found.p, found.alpha, found.harm_excluded, found.more_pairs)
    return [float(one) for one in (*single, *(found.interval or ())) if one is not None]


# the textbook


def widened(test: Any, level: float) -> tuple[float, tuple[float, float]]:
    """The p-value and the interval of a t test of SciPy's once its standard error is widened by the margin."""
    change = float(test.statistic * test._standard_error)
    error, df = float(test._standard_error) * MARGIN, float(test.df)
    reach = float(stats.t.ppf(1 - (1 - level) / 2, df)) * error
    return float(2 * stats.t.sf(abs(change) / error, df)), (math.expm1(change - reach), math.expm1(change + reach))


@pytest.mark.parametrize(("n", "m", "shift"), [(4, 4, 1.0), (5, 12, 1.01), (7, 7, 0.97), (3, 30, 1.2)])
def test_interval_and_p_are_those_of_welch_on_logarithms_with_a_margin(n: int, m: int, shift: float) -> None:
    base, head = noisy(n, n), noisy(m + 100, m, 100 * shift, 0.05)
    p, interval = widened(stats.ttest_ind([math.log(x) for x in head], [math.log(x) for x in base], equal_var=False), 0.97)
    found = compare(LOWER, base, head, alpha=0.03)
    assert found.p == pytest.approx(p, rel=1e-8)
    assert found.interval == pytest.approx(interval, rel=1e-7)
    assert found.relative_change == pytest.approx(stats.gmean(head) / stats.gmean(base) - 1, rel=1e-9)


def test_interval_and_p_are_those_of_the_paired_test_on_logarithms() -> None:
    weather = noisy(1, 7, 100, 0.3)
    base, head = (
        [x * y for x, y in zip(weather, noisy(2, 7, 1), strict=True)],
        [x * y for x, y in zip(weather, noisy(3, 7, 1.06), strict=True)],
    )
    p, interval = widened(stats.ttest_rel([math.log(x) for x in head], [math.log(x) for x in base]), 0.95)
    found = compare(LOWER, base, head, pairing=Pairing.PAIRED)
    assert found.p == pytest.approx(p, rel=1e-8)
    assert found.interval == pytest.approx(interval, rel=1e-7)
    assert (found.verdict, compare(LOWER, base, head).verdict) == (Verdict.REGRESSED, Verdict.UNDECIDED)


@pytest.mark.parametrize("seed", range(12))
def test_unchanged_is_two_one_sided_tests(seed: int) -> None:
    base, head = noisy(seed, 7, spread=0.007), noisy(seed + 50, 7, 100.2, 0.007)
    test = stats.ttest_ind([math.log(x) for x in head], [math.log(x) for x in base], equal_var=False)
    change, error, limit = float(test.statistic * test._standard_error), MARGIN * float(test._standard_error), math.log1p(0.01)
    harm, gain = (float(stats.t.sf((limit - sign * change) / error, test.df)) for sign in (1, -1))
    found = compare(LOWER, base, head)
    assert (found.verdict is Verdict.UNCHANGED) == (max(harm, gain) < 0.05)
    assert found.harm_excluded is not None
    if found.verdict not in ALARMS:
        assert (found.harm_excluded < 0.01) == (harm < 0.05)


def test_both_answers_of_the_equivalence_tests_are_seen() -> None:
    verdicts = {compare(LOWER, noisy(seed, 7, spread=0.007), noisy(seed + 50, 7, 100.2, 0.007)).verdict for seed in range(12)}
    assert {Verdict.UNCHANGED, Verdict.UNDECIDED} <= verdicts


def test_values_that_are_not_all_positive_are_compared_as_shares_of_the_base() -> None:
    base, head = [-100.0, -101.0, -99.0, -100.5], [-90.0, -91.0, -90.5, -89.0]
    expected = stats.ttest_ind(head, base, equal_var=False)
    for spec, verdict in ((HIGHER, Verdict.IMPROVED), (LOWER, Verdict.REGRESSED)):
        found = compare(spec, base, head)
        assert found.verdict is verdict
        assert found.p == pytest.approx(float(2 * stats.t.sf(abs(expected.statistic) / MARGIN, expected.df)), rel=1e-8)
        assert found.relative_change == pytest.approx(10 / 100.125, rel=1e-9)


def test_a_block_is_one_value_its_median_and_its_last_one_may_be_short() -> None:
    base, head = [99, 101, 102, 104, 98], [120, 122, 118, 121, 119, 123]
    whole = compare(LOWER, base, head, block=2)
    assert whole.p == compare(LOWER, [100, 103, 98], [121, 119.5, 121]).p
    assert (whole.base, whole.head) == (tuple(base), tuple(head))


# symmetries


@lawful
@given(positive, positive)
def test_changing_sides_mirrors_the_answer(base: list[float], head: list[float]) -> None:
    there, back = compare(LOWER, base, head), compare(LOWER, head, base)
    mirror = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    assert back.verdict is mirror.get(there.verdict, there.verdict)
    assert there.p == back.p
    assert there.relative_change is not None
    assert back.relative_change is not None
    assert (1 + there.relative_change) * (1 + back.relative_change) == pytest.approx(1.0, rel=1e-9)


@lawful
@given(positive, positive)
def test_the_other_direction_turns_the_answer(base: list[float], head: list[float]) -> None:
    lower, higher = compare(LOWER, base, head), compare(HIGHER, base, head)
    mirror = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    assert higher.verdict is mirror.get(lower.verdict, lower.verdict)
    assert (lower.interval, lower.p) == (higher.interval, higher.p)


@lawful
@given(positive, positive, st.sampled_from([2.0**-60, 0.25, 8.0, 2.0**200]))
def test_units_change_nothing(base: list[float], head: list[float], unit: float) -> None:
    plain, scaled = compare(LOWER, base, head), compare(LOWER, [x * unit for x in base], [x * unit for x in head])
    assert scaled.verdict is plain.verdict
    assert scaled.reason == plain.reason
    assert scaled.interval == plain.interval


@lawful
@given(st.lists(st.floats(-100, 100), min_size=3, max_size=8), st.lists(st.floats(-100, 100), min_size=3, max_size=8))
def test_units_change_nothing_on_the_linear_scale_either(base: list[float], head: list[float]) -> None:
    assume(min(*base, *head) <= 0 and all(x == 0 or abs(x) > 1e-100 for x in (*base, *head)))
    plain, scaled = compare(LOWER, base, head), compare(LOWER, [x * 1024 for x in base], [x * 1024 for x in head])
    assert (scaled.verdict, scaled.interval, scaled.reason) == (plain.verdict, plain.interval, plain.reason)


@lawful
@given(positive, positive, st.randoms(use_true_random=False))
def test_the_order_of_independent_samples_changes_nothing(base: list[float], head: list[float], rng: random.Random) -> None:
    """Of sides that took turns, and of short ones; else it tells a drift, and how alike neighbours are."""
    pairing = Pairing.INTERLEAVED if min(len(base), len(head)) >= 5 else Pairing.NONE
    found = compare(LOWER, base, head, pairing=pairing)
    shuffled = compare(LOWER, rng.sample(base, len(base)), rng.sample(head, len(head)), pairing=pairing)
    assert (shuffled.verdict, shuffled.interval, shuffled.p, shuffled.reason) == (found.verdict, found.interval, found.p, found.reason)


@lawful
@given(positive, positive, st.floats(1.0, 3.0), st.sampled_from([LOWER, GUARD]))
def test_a_worse_head_never_gets_a_better_answer(base: list[float], head: list[float], factor: float, spec: MetricSpec) -> None:
    before, after = compare(spec, base, head), compare(spec, base, [x * factor for x in head])
    assert RANK[after.verdict] <= RANK[before.verdict]
    if before.harm_excluded is not None and after.harm_excluded is not None:
        assert after.harm_excluded >= before.harm_excluded - 1e-9


@lawful
@given(st.lists(st.integers(-50, 50), min_size=3, max_size=8), st.lists(st.integers(-50, 50), min_size=3, max_size=8), st.integers(0, 40))
def test_a_worse_head_never_gets_a_better_answer_on_the_linear_scale(base: list[int], head: list[int], shift: int) -> None:
    assume(min(*base, *head) <= 0 and min(*base, *head) + shift <= 0)
    before, after = compare(LOWER, base, head), compare(LOWER, base, [x + shift for x in head])
    assume(min(*base, *(x + shift for x in head)) <= 0)
    assert RANK[after.verdict] <= RANK[before.verdict]


@lawful
@given(positive, st.integers(1, 5), st.randoms(use_true_random=False))
def test_more_equal_evidence_never_raises_an_alarm(values: list[float], times: int, rng: random.Random) -> None:
    found = compare(LOWER, values * times, rng.sample(values * times, len(values) * times))
    assert found.verdict not in ALARMS
    assert found.relative_change == pytest.approx(0.0, abs=1e-12)


@lawful
@given(positive, positive)
def test_a_stricter_level_never_turns_no_answer_into_an_alarm(base: list[float], head: list[float]) -> None:
    loose, strict = compare(LOWER, base, head, alpha=0.05), compare(LOWER, base, head, alpha=0.001)
    assert strict.verdict not in ALARMS or strict.verdict is loose.verdict


# whatever comes


@settings(deadline=None, max_examples=300)
@given(specs, anything, anything, st.integers(1, 3), st.sampled_from(Pairing), st.sampled_from([1e-13, 0.002, 0.05, 0.5]))
def test_no_finite_input_crashes_or_yields_what_json_has_not(
    spec: MetricSpec, base: list[float], head: list[float], block: int, pairing: Pairing, alpha: float
) -> None:
    found = compare(spec, base, head, alpha=alpha, block=block, pairing=pairing)
    assert all(map(math.isfinite, numbers_of(found)))
    assert found.reason
    assert len(found.reason) < 300
    assert (found.verdict is Verdict.UNDECIDED) == (found.undecided is not None)
    if found.interval and found.relative_change is not None:
        assert found.interval[0] <= found.relative_change <= found.interval[1]


@pytest.mark.parametrize("tiny", [5e-324, sys.float_info.min])
@pytest.mark.parametrize("block", [1, 2])
def test_the_largest_ratio_of_all_is_a_finite_regression(tiny: float, block: int) -> None:
    found = compare(LOWER, [tiny] * 6, [sys.float_info.max] * 6, block=block)
    assert found.verdict is Verdict.REGRESSED
    assert found.reason == "more than 1000000 % worse in every sample"
    assert compare(HIGHER, [sys.float_info.max] * 6, [tiny] * 6, block=block).relative_change == -1.0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        compare(LOWER, [1, 2, bad], [1, 2, 3])


@pytest.mark.parametrize("alpha", [0.0, -0.1, 0.6, 1.0, math.nan])
def test_an_impossible_level_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        compare(LOWER, [1, 2, 3], [1, 2, 3], alpha=alpha)


def test_an_empty_block_is_refused() -> None:
    with pytest.raises(ValueError, match="block"):
        compare(LOWER, [1, 2, 3], [1, 2, 3], block=0)


# too little, and nothing that varies


@pytest.mark.parametrize(
    ("base", "head", "change"), [([], [], None), ([1.0], [], None), ([2.0], [3.0], 0.5), ([2.0], [3.0, 3.0, 3.0], 0.5)]
)
def test_too_few_samples_are_undecided_and_say_so(base: list[float], head: list[float], change: float | None) -> None:
    found = compare(LOWER, base, head)
    assert (found.verdict, found.undecided) == (Verdict.UNDECIDED, Undecided.SAMPLES)
    assert (found.interval, found.p, found.harm_excluded) == (None, None, None)
    assert found.relative_change == (None if change is None else pytest.approx(change))
    assert "no regression is excluded" in found.reason
    assert "settle" in found.reason


@pytest.mark.parametrize(
    ("base", "head", "verdict"),
    [
        (100, 150, Verdict.REGRESSED),
        (100, 101, Verdict.REGRESSED),
        (1e-7, 1.01e-7, Verdict.REGRESSED),
        (100, 100.9, Verdict.UNCHANGED),
        (100, 100, Verdict.UNCHANGED),
        (100, 99.5, Verdict.UNCHANGED),
        (100, 90, Verdict.IMPROVED),
        (0, 0, Verdict.UNCHANGED),
        (-3, -2, Verdict.REGRESSED),
        (-3, -3, Verdict.UNCHANGED),
    ],
)
@pytest.mark.parametrize("n", [3, 7])
def test_constants_are_decided_exactly(base: float, head: float, verdict: Verdict, n: int) -> None:
    found = compare(LOWER, [base] * n, [head] * n, alpha=0.001)
    assert found.verdict is verdict
    assert found.p == (1.0 if base == head else 0.0)
    assert found.interval is not None
    assert found.interval[0] == found.interval[1] == found.relative_change


def test_equal_constants_are_unchanged_also_where_any_effect_counts() -> None:
    spec = MetricSpec("m", Role.PRIMARY, Direction.LOWER, min_effect=0.0)
    assert compare(spec, [0.1] * 7, [0.1] * 7).verdict is Verdict.UNCHANGED
    assert compare(spec, [0.1] * 7, [0.1 + 1e-9] * 7).verdict is Verdict.REGRESSED


def test_two_constants_a_side_are_too_few_to_say_anything() -> None:
    differ = compare(LOWER, [100, 100], [150, 150])
    assert (differ.verdict, differ.undecided, differ.more_pairs) == (Verdict.UNDECIDED, Undecided.SAMPLES, 1)
    assert (differ.interval, differ.harm_excluded) == (None, None)
    equal = compare(LOWER, [100, 100], [100, 100])
    assert (equal.verdict, equal.undecided) == (Verdict.UNDECIDED, Undecided.SAMPLES)


def test_rounding_is_no_variance() -> None:
    base = [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2]
    assert compare(MetricSpec("m", Role.PRIMARY, Direction.LOWER, min_effect=0.0), base, [0.3] * 4).verdict is not Verdict.IMPROVED


def test_one_side_that_does_not_vary_is_no_obstacle() -> None:
    assert compare(LOWER, [100] * 6, [120, 121, 119, 120, 122, 118]).verdict is Verdict.REGRESSED


@pytest.mark.parametrize(
    ("base", "head", "words"),
    [
        ([0, 0, 0], [1, 1, 1], "the base is zero"),
        ([1, -1, 1, -1], [1, 2, 3, 4], "next to nothing"),
        ([-0.1, -0.2, 0.3], [1, 2, 3], "next to nothing"),
        ([-1e-300] * 3, [1e300] * 3, "next to nothing"),
    ],
)
def test_a_base_of_nothing_makes_a_relative_change_undefined(base: list[float], head: list[float], words: str) -> None:
    found = compare(LOWER, base, head)
    assert (found.verdict, found.undecided, found.relative_change) == (Verdict.UNDECIDED, Undecided.NOT_COMPARABLE, None)
    assert words in found.reason
    assert "relative change is undefined" in found.reason


# what is asked


def test_an_improvement_below_the_least_effect_is_none() -> None:
    base, head = noisy(1, 40, 100, 0.001), noisy(2, 40, 99.5, 0.001)
    found = compare(LOWER, base, head)
    assert found.p is not None
    assert found.p < 1e-6
    assert found.verdict is Verdict.UNCHANGED


@pytest.mark.parametrize(
    ("head", "verdict"),
    [(80, Verdict.IMPROVED), (97, Verdict.UNCHANGED), (100, Verdict.UNCHANGED), (104, Verdict.UNCHANGED), (106, Verdict.REGRESSED)],
)
def test_a_guard_passes_until_its_limit_is_reached(head: float, verdict: Verdict) -> None:
    found = compare(GUARD, noisy(1, 20, 100, 0.002), noisy(2, 20, head, 0.002))
    assert found.verdict is verdict
    if verdict is not Verdict.IMPROVED:
        assert "the limit is 5 %" in found.reason


def test_a_noisy_guard_is_undecided_until_its_limit_is_excluded() -> None:
    found = compare(GUARD, noisy(1, 4, 100, 0.05), noisy(2, 4, 102, 0.05))
    assert (found.verdict, found.undecided) == (Verdict.UNDECIDED, Undecided.SAMPLES)
    assert found.harm_excluded is not None
    assert found.harm_excluded > 0.05
    assert "would settle 5 %" in found.reason


@pytest.mark.parametrize(("head", "verdict"), [(52, Verdict.UNCHANGED), (48, Verdict.REGRESSED), (160, Verdict.IMPROVED)])
def test_a_guards_limit_is_a_share_of_the_base_whichever_way_is_better(head: float, verdict: Verdict) -> None:
    spec = MetricSpec("m", Role.GUARD, Direction.HIGHER, max_regression=0.5)
    assert compare(spec, [100] * 4, [head] * 4).verdict is verdict


def test_a_guard_that_may_lose_everything_always_passes() -> None:
    spec = MetricSpec("m", Role.GUARD, Direction.HIGHER, max_regression=1.0)
    assert compare(spec, noisy(1, 4), noisy(2, 4, 1)).verdict is Verdict.UNCHANGED


@pytest.mark.parametrize("n", [1, 2, 6])
def test_without_a_direction_there_are_numbers_and_no_judgement(n: int) -> None:
    found = compare(UNDIRECTED, noisy(1, n), noisy(2, n, 150))
    assert (found.verdict, found.undecided, found.harm_excluded) == (Verdict.UNDECIDED, Undecided.NO_DIRECTION, None)
    assert found.reason.startswith("no direction declared")
    assert "worse" not in found.reason
    assert found.relative_change == pytest.approx(0.5, abs=0.1)
    assert (found.interval is None) == (n == 1)


def test_paired_sides_of_unequal_length_are_compared_as_independent() -> None:
    base, head = noisy(1, 5), noisy(2, 4)
    assert compare(LOWER, base, head, pairing=Pairing.PAIRED).interval == compare(LOWER, base, head).interval


# what is said


def test_an_undecided_answer_says_which_harm_is_excluded_and_what_would_settle_it() -> None:
    found = compare(LOWER, [100, 101, 102, 99], [101, 100, 99, 102])
    assert found.undecided is Undecided.SAMPLES
    assert found.harm_excluded == pytest.approx(0.0187, abs=1e-4)
    assert "regressions above 1.87 % are excluded" in found.reason
    assert f"about {found.more_pairs} more pairs would settle 1 %" in found.reason


@pytest.mark.parametrize("spec", [LOWER, GUARD])
def test_the_estimated_pairs_do_settle_it(spec: MetricSpec) -> None:
    spread = 0.015 if spec is LOWER else 0.06
    ladder = [100 * math.exp(spread * step / math.sqrt(2.5)) for step in (-2, -1, 0, 1, 2)]
    found = compare(spec, ladder, ladder)
    assert found.more_pairs is not None
    n = 5 + found.more_pairs
    settled = [compare(spec, noisy(seed, n, 100, spread), noisy(seed + 1000, n, 100, spread)).verdict for seed in range(40)]
    assert settled.count(Verdict.UNCHANGED) >= 32


def test_a_harm_that_is_excluded_altogether_is_said_to_be() -> None:
    found = compare(LOWER, noisy(1, 6, 100, 0.01), noisy(2, 6, 98.4, 0.01), alpha=0.01)
    assert (found.verdict, found.harm_excluded) == (Verdict.UNDECIDED, 0.0)
    assert "regressions of any size are excluded" in found.reason


def test_no_harm_excluded_is_said_too() -> None:
    found = compare(HIGHER, [1, 9000, 3], [2, 5000, 1])
    assert found.undecided is Undecided.SAMPLES
    assert "no regression is excluded" in found.reason


@pytest.mark.parametrize(
    ("spec", "base", "head", "reason"),
    [
        (LOWER, [100] * 5, [75] * 5, "25 % better in every sample"),
        (HIGHER, [100] * 5, [75] * 5, "25 % worse in every sample"),
        (GUARD, [100] * 5, [140] * 5, "40 % worse in every sample; the limit is 5 %"),
        (LOWER, [100] * 5, [100.5] * 5, "0.5 % worse in every sample; the limit is 1 %"),
        (LOWER, [100] * 5, [100] * 5, "base and head are equal"),
        (UNDIRECTED, [100] * 5, [140] * 5, "no direction declared: 40 % more"),
        (LOWER, [100, 101, 102, 99], [120, 121, 122, 119], "19.9 % worse, between 17.3 % and 22.5 %"),
    ],
)
def test_reasons_read_well(spec: MetricSpec, base: Sequence[float], head: Sequence[float], reason: str) -> None:
    assert compare(spec, base, head).reason == reason


def test_reasons_hold_no_name() -> None:
    spec = MetricSpec("@everyone<script>", Role.PRIMARY, Direction.LOWER, unit="**x**")
    for base, head in (([1], [2]), ([1, 2, 3], [2, 3, 4]), ([1] * 3, [2] * 3), ([0] * 3, [1] * 3)):
        assert not re.search(r"[@<*]", compare(spec, base, head).reason)


# noise much larger than what counts


LOUD = [
    ([88, 121, 97, 134, 79, 110, 92, 127, 103, 84, 118, 95, 130, 106], [119, 86, 125, 99, 96, 81, 131, 107, 90, 122, 83, 128, 101, 112]),
    ([70, 133, 90, 128, 104, 82, 115, 98, 126, 77, 109, 120, 93, 111], [131, 74, 122, 86, 93, 127, 80, 118, 99, 110, 84, 105, 125, 96]),
]


@pytest.mark.parametrize("n", range(3, 15))
@pytest.mark.parametrize(("base", "head"), LOUD)
def test_loud_noise_is_undecided_at_every_length(base: list[int], head: list[int], n: int) -> None:
    found = compare(LOWER, base[:n], head[:n])
    assert (found.verdict, found.undecided) == (Verdict.UNDECIDED, Undecided.SAMPLES)
    assert found.harm_excluded is not None
    assert found.harm_excluded > 0.01


# answers from elsewhere


def test_no_comparison_has_its_cause_and_the_samples_there_are() -> None:
    found = no_comparison(GUARD, [1.0, 2.0], [], Undecided.NOT_MEASURED, "not measured")
    assert (found.verdict, found.undecided, found.reason) == (Verdict.UNDECIDED, Undecided.NOT_MEASURED, "not measured")
    assert (found.base, found.head, found.interval, found.relative_change) == ((1.0, 2.0), (), None, None)


def test_an_answer_can_be_overruled_and_keeps_its_numbers() -> None:
    found = compare(LOWER, [100] * 4, [150] * 4)
    overruled = with_undecided(found, Undecided.NOT_ISOLATED, "sides not isolated")
    assert (overruled.verdict, overruled.undecided, overruled.reason) == (Verdict.UNDECIDED, Undecided.NOT_ISOLATED, "sides not isolated")
    assert (overruled.relative_change, overruled.interval, overruled.p) == (found.relative_change, found.interval, found.p)
