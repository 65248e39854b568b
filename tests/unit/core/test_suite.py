"""A shift that at least three metrics share is the machine's; anything less is nobody's but their own."""

import pytest
from tests.build import comparison

from assay.core.comparison import Comparison, Undecided
from assay.core.model import Verdict
from assay.core.suite import overruled, shared_shift


def moved(*changes: float, better: str = "lower") -> list[Comparison]:
    return [comparison(f"m: 100 | {100 * (1 + change)}", better) for change in changes]


def test_what_all_share_is_the_machines() -> None:
    suite = moved(0.2, 0.22, 0.18)
    shift = shared_shift(suite)
    assert shift is not None
    found = overruled(suite, shift, 3)
    assert {(one.verdict, one.undecided) for one in found} == {(Verdict.UNDECIDED, Undecided.SUITE)}
    assert found[0].reason.startswith("all 3 of the suite are about 20 % worse, which speaks of the machine; ")


def test_faster_and_more_are_the_same_way() -> None:
    shift = shared_shift([*moved(-0.2, -0.2), *moved(0.25, better="higher")])
    assert shift is not None
    assert shift < 0


@pytest.mark.parametrize("changes", [(0.2, 0.2), (0.2, 0.2, -0.2), (0.2, 0.2, 0.005), (0.2, 0.2, 0.5), ()])
def test_fewer_than_three_or_a_mixed_lot_share_nothing(changes: tuple[float, ...]) -> None:
    assert shared_shift(moved(*changes)) is None


def test_what_has_no_numbers_shares_nothing() -> None:
    assert shared_shift([*moved(0.2, 0.2, 0.2), comparison("m: 100 |", "lower")]) is None


def test_what_is_no_alarm_stays_as_it_is() -> None:
    quiet = comparison("m: 100 | 100.2", "lower", interval=(0.001, 0.003))
    assert overruled([quiet], 0.002, 3) == (quiet,)
