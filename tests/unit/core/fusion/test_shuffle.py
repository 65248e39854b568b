"""Who is A: dealt without bias, from chance that a test can hand in."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.fusion.failure import AnalysisError, Code
from assay.core.fusion.shuffle import WORD, blind


def words(*drawn: int) -> list[bytes]:
    return [one.to_bytes(WORD, "big") for one in drawn]


def dealt(slots: list[int], *drawn: int) -> dict[str, int]:
    rest = words(*drawn)
    return dict(blind(slots, lambda _: rest.pop(0)))


def test_bytes_of_zero_give_the_known_deal() -> None:
    assert blind([1, 2, 3], bytes) == {"A": 2, "B": 3, "C": 1}


def test_every_deal_comes_equally_often() -> None:
    found = Counter(tuple(dealt([1, 2, 3], one, other).values()) for one in range(3 * 60) for other in range(2 * 60))
    assert set(found) == set(permutations([1, 2, 3]))
    assert set(found.values()) == {180 * 120 // 6}


def test_a_word_of_the_incomplete_last_multiple_is_drawn_again() -> None:
    assert dealt([1, 2, 3], 2**32 - 1, 2, 1) == dealt([1, 2, 3], 2, 1)


def test_the_largest_fair_word_is_taken() -> None:
    last_fair = 2**32 - 2**32 % 3 - 1
    assert dealt([1, 2, 3], last_fair, 1) == dealt([1, 2, 3], 2, 1)


@given(st.lists(st.integers(1, 99), min_size=1, max_size=16, unique=True), st.randoms(use_true_random=False))
def test_every_slot_gets_one_letter(slots: list[int], chance: Random) -> None:
    found = blind(slots, chance.randbytes)
    assert sorted(found.values()) == sorted(slots)
    assert "".join(found) == "ABCDEFGHIJKLMNOP"[: len(slots)]


@pytest.mark.parametrize("given", [b"", b"\0\0\0"])
def test_too_few_bytes_are_an_error(given: bytes) -> None:
    with pytest.raises(AnalysisError) as caught:
        blind([1, 2, 3], lambda _: given)
    assert caught.value.code is Code.ORCHESTRATION_FAILED
