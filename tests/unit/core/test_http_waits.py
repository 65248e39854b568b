"""When a failed request is sent again: never before GitHub allows it, never beyond the limits, never a POST that may have been done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.http_waits import Limits, Nature, Trouble, wait_s

NOW = 1_800_000_000.0
LIMITS = Limits()
STATUSES = st.one_of(st.none(), st.sampled_from([401, 403, 404, 409, 422, 429, 500, 502, 503, 504]))
METHODS = st.sampled_from(["GET", "POST", "PATCH", "PUT", "DELETE"])
TEXTS = st.one_of(st.text(max_size=20), st.integers(-10, 10**6).map(str), st.just("Wed, 21 Oct 2037 07:28:00 GMT"))
HEADERS = st.dictionaries(st.sampled_from(["retry-after", "x-ratelimit-remaining", "x-ratelimit-reset"]), TEXTS)
TROUBLES = st.builds(Trouble, METHODS, STATUSES, HEADERS, st.sampled_from(["", "API rate limit exceeded", "Not Found"]), st.booleans())
CHANCES = st.floats(0, 1)


@given(TROUBLES, st.integers(1, 8), CHANCES, st.floats(0, 400))
def test_no_wait_is_negative_or_beyond_the_limits(trouble: Trouble, turn: int, chance: float, waited: float) -> None:
    seconds = wait_s(trouble, turn, NOW, chance, LIMITS, waited)
    if seconds is not None:
        assert 0 < seconds <= LIMITS.longest_s * 1.25
        assert waited + seconds <= LIMITS.budget_s


@given(TROUBLES, st.integers(1, 8), CHANCES)
def test_what_may_have_been_done_is_not_posted_again(trouble: Trouble, turn: int, chance: float) -> None:
    if trouble.method == "POST" and trouble.nature is Nature.OUTAGE:
        assert wait_s(trouble, turn, NOW, chance, LIMITS, 0.0) is None


@given(TROUBLES, st.integers(1, 8), CHANCES)
def test_github_s_own_wait_is_never_cut_short(trouble: Trouble, turn: int, chance: float) -> None:
    seconds, asked = wait_s(trouble, turn, NOW, chance, LIMITS, 0.0), trouble.asked_s(NOW)
    if seconds is not None and asked is not None and trouble.nature is Nature.LIMIT:
        assert seconds >= asked


@given(METHODS, st.integers(1, 4), CHANCES)
def test_a_refusal_is_an_answer(method: str, turn: int, chance: float) -> None:
    for status in (401, 403, 404, 409, 422):
        assert wait_s(Trouble(method, status, {}, "Resource not accessible by integration"), turn, NOW, chance, LIMITS, 0.0) is None


@given(TROUBLES, CHANCES)
def test_one_try_is_one_try(trouble: Trouble, chance: float) -> None:
    assert wait_s(trouble, 1, NOW, chance, Limits(tries=1), 0.0) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": " 30 "}, 30.0),
        ({"retry-after": "0"}, 1.0),
        ({"retry-after": "Fri, 15 Jan 2027 08:01:00 GMT"}, 60.0),
        ({"retry-after": "soon"}, 60.0),
        ({"retry-after": "５"}, 60.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 40)}, 41.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) - 40)}, 1.0),
        ({"x-ratelimit-remaining": "4771", "x-ratelimit-reset": str(int(NOW) + 40)}, 60.0),
        ({"x-ratelimit-remaining": "0"}, 60.0),
        ({}, 60.0),
    ],
)
def test_how_long_a_limit_lasts(headers: dict[str, str], seconds: float) -> None:
    assert wait_s(Trouble("POST", 429, headers), 1, NOW, 0.0, LIMITS, 0.0) == seconds


def test_without_a_word_the_wait_doubles_until_it_is_too_long() -> None:
    trouble = Trouble("GET", 403, {}, "You have exceeded a secondary rate limit.")
    assert [wait_s(trouble, turn, NOW, 0.0, LIMITS, 0.0) for turn in (1, 2, 3)] == [60.0, 120.0, None]


def test_those_who_were_refused_together_do_not_come_back_together() -> None:
    trouble = Trouble("GET", 429, {"retry-after": "60"})
    assert {wait_s(trouble, 1, NOW, chance, LIMITS, 0.0) for chance in (0.0, 0.5, 1.0)} == {60.0, 67.5, 75.0}
