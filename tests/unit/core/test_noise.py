"""What equal code has shown between sessions is charged to sides of different sessions, and to no others."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.compare import Pairing, compare
from assay.core.estimate import MARGIN, Estimate, Scale
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.noise import SIMILAR_WORTH, Noise, Pairs, charged
from assay.core.similar import TAIL_DF, learn

LOWER = MetricSpec("m", Role.PRIMARY, Direction.LOWER, min_effect=0.0)
ALARMS = (Verdict.IMPROVED, Verdict.REGRESSED)
ERROR = 0.01


def estimate(change: float = 0.05, error: float = ERROR, df: float = 8.0) -> Estimate:
    variance = (MARGIN * error) ** 2
    return Estimate(Scale.LOG, change, variance, df, 5 * variance, df)


def similar(ratio: float, n: int = 60, seed: int = 1, spread: float = 0.3, power: float = 1.0) -> Pairs:
    """Metrics whose changes are normal with `ratio` times their standard errors, or with a power of them."""
    rng = random.Random(seed)
    errors = [ERROR * math.exp(rng.gauss(0, spread)) for _ in range(n)]
    return tuple((math.expm1(rng.gauss(0, ratio * ERROR * (error / ERROR) ** power)), error) for error in errors)


def test_without_evidence_nothing_is_charged() -> None:
    assert charged(estimate(), Noise()) == estimate()
    assert charged(estimate(), Noise(own=((0.5, 0.01),) * 2, similar=((0.5, 0.01),) * 7)) == estimate()


def test_the_ratio_of_similar_metrics_inflates_the_standard_error() -> None:
    calm, wild = (charged(estimate(), Noise(similar=similar(ratio))) for ratio in (0.5, 4.0))
    assert calm.error == pytest.approx(MARGIN * ERROR, rel=0.1)
    assert calm.df > 8
    assert 2.5 * ERROR < wild.error < 6 * ERROR
    assert TAIL_DF <= wild.df < 4
    assert wild.pair_variance == pytest.approx(calm.pair_variance)


def test_where_changes_do_not_grow_with_their_errors_the_spread_is_that_of_the_others() -> None:
    noise = Noise(similar=similar(4.0, spread=1.0, power=0.0))
    small, large = (charged(estimate(error=error), noise).error for error in (ERROR / 4, ERROR * 2))
    assert large / small < 2


def test_a_small_sample_is_steadied_by_the_variances_of_others() -> None:
    learned = learn(tuple((0.0, ERROR) for _ in range(20)), 4.0)
    assert learned is not None
    assert learned.prior_df == 2.0
    assert learned.steadied((3 * ERROR) ** 2) < (3 * ERROR) ** 2
    assert learned.steadied((ERROR / 3) ** 2) > (ERROR / 3) ** 2


def test_with_growing_evidence_a_metric_is_judged_by_itself() -> None:
    others = similar(1.0)
    few, many = (charged(estimate(), Noise(((0.06, ERROR), (-0.06, ERROR)) * n, others)).error for n in (1, 40))
    assert ERROR < few < many
    assert many == pytest.approx(0.06 * MARGIN, rel=0.25)


def test_one_wild_session_of_its_own_counts_for_little() -> None:
    others, own = similar(1.0), ((0.01, ERROR),) * 9
    calm, upset, worse = (charged(estimate(), Noise((*own, (last, ERROR)), others)).variance for last in (0.01, 0.5, 50.0))
    assert upset == worse
    assert upset < calm * (SIMILAR_WORTH + 20 + 9) / SIMILAR_WORTH


def test_without_similar_metrics_the_own_excess_is_added() -> None:
    found = charged(estimate(), Noise(((0.03, 0.01), (-0.03, 0.01), (0.03, None))))
    excess = (2 * math.log(1.03) ** 2 + math.log(0.97) ** 2 - 2 * 0.01**2) / 3
    assert found.variance == pytest.approx(MARGIN**2 * (ERROR**2 + excess))
    assert 3 < found.df < 8
    assert charged(estimate(), Noise(((0.01, 0.02),) * 5)) == estimate()


def test_a_count_that_never_varies_is_exact_and_charged_only_what_it_has_shown_itself() -> None:
    exact = Estimate(Scale.LOG, 0.05, 0.0, 4.0, 0.0, 4.0)
    assert charged(exact, Noise(similar=similar(4.0))) == exact
    assert charged(exact, Noise(own=((0.03, 0.0), (-0.02, 0.0), (0.03, 0.0)))).error == pytest.approx(0.0282, abs=1e-3)


def test_pairs_share_their_session_and_are_charged_nothing() -> None:
    base, head = [100.0, 101, 102, 99], [105.0, 106, 107, 104]
    noise = Noise(((0.2, 0.01), (-0.2, 0.01), (0.2, 0.01)), similar(9.0))
    assert compare(LOWER, base, head, pairing=Pairing.PAIRED, noise=noise) == compare(LOWER, base, head, pairing=Pairing.PAIRED)
    assert compare(LOWER, base, head).verdict is Verdict.REGRESSED
    assert compare(LOWER, base, head, noise=noise).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("ratio", [1.0, 3.0])
def test_false_alarms_stay_below_the_level_where_the_metric_is_one_of_its_kind(ratio: float) -> None:
    alarms = 0
    for seed in range(300):
        (change, error), *others = similar(ratio, 61, seed)
        found = charged(estimate(math.log1p(change), error or 0.0), Noise(similar=tuple(others)))
        alarms += abs(found.change) > 2.3 * found.error
    assert alarms / 300 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 300)


positive = st.lists(st.floats(0.5, 200), min_size=2, max_size=10)
evidence = st.lists(st.tuples(st.floats(-0.5, 1.0), st.one_of(st.none(), st.floats(0, 0.5))), max_size=12).map(tuple)


@settings(deadline=None, max_examples=150)
@given(positive, positive, evidence, evidence)
def test_changing_sides_mirrors_the_answer_whatever_the_evidence(base: list[float], head: list[float], own: Pairs, others: Pairs) -> None:
    noise = Noise(own, others)
    there, back = compare(LOWER, base, head, noise=noise), compare(LOWER, head, base, noise=noise)
    mirror = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    assert back.verdict is mirror.get(there.verdict, there.verdict)


@settings(deadline=None, max_examples=150)
@given(positive, positive, st.floats(1.0, 3.0), evidence, evidence)
def test_a_worse_head_never_gets_a_better_answer(base: list[float], head: list[float], factor: float, own: Pairs, others: Pairs) -> None:
    noise = Noise(own, others)
    rank = {Verdict.REGRESSED: 0, Verdict.UNDECIDED: 1, Verdict.UNCHANGED: 1, Verdict.IMPROVED: 2}
    before, after = compare(LOWER, base, head, noise=noise), compare(LOWER, base, [x * factor for x in head], noise=noise)
    assert rank[after.verdict] <= rank[before.verdict]


@settings(deadline=None, max_examples=200)
@given(positive, positive, evidence, st.booleans(), st.floats(1.0, 2.0))
def test_equal_code_that_moved_as_far_never_raises_an_alarm(
    base: list[float], head: list[float], own: Pairs, alike: bool, beyond: float
) -> None:
    """One more session of equal code that differed by at least as much, relative to its error, as what is judged now."""
    others = similar(1.0, 20) if alike else ()
    before = compare(LOWER, base, head, noise=Noise(own, others))
    if before.verdict in ALARMS or before.relative_change is None or before.interval is None:
        return
    largest = max([abs(math.log1p(before.relative_change)), *(abs(math.log1p(change)) for change, _ in own)]) * beyond
    least = min([1e-6, *(error for _, error in own if error)])
    after = compare(LOWER, base, head, noise=Noise((*own, (math.expm1(largest), least)), others))
    assert after.verdict not in ALARMS
