"""A regression that a fresh session does not show again is not confirmed; everything else stays as it was."""

from tests.build import comparison, guard, secondary

from assay.core.comparison import Undecided
from assay.core.confirm import confirmed, regressions, sentence
from assay.core.model import Verdict

WORSE, SLOW, BIG = comparison("loss: 100 | 120"), guard("latency: 100 | 140"), secondary("memory: 100 | 150")
CALM = comparison("loss: 100 | 100")


def test_only_what_decides_has_to_be_confirmed() -> None:
    assert regressions([WORSE, SLOW, BIG]) == (WORSE, SLOW)
    assert regressions([CALM, BIG]) == ()


def test_what_comes_again_stays_and_what_does_not_is_undecided() -> None:
    loss, latency, memory = confirmed([WORSE, SLOW, BIG], [WORSE, guard("latency: 100 | 100.5")])
    assert (loss, memory) == (WORSE, BIG)
    assert (latency.verdict, latency.undecided) == (Verdict.UNDECIDED, Undecided.UNCONFIRMED)
    assert latency.reason == f"{SLOW.reason}; a fresh session did not show it again (unchanged, +0.5 %)"
    assert latency.relative_change == SLOW.relative_change


def test_a_session_that_could_not_be_confirms_nothing() -> None:
    (one,) = confirmed([WORSE], [])
    assert one.undecided is Undecided.UNCONFIRMED
    assert "(not measured)" in one.reason


def test_what_the_fresh_session_found_is_said() -> None:
    assert sentence([WORSE, SLOW], [CALM]) == "A fresh session measured the regression again: loss: unchanged, 0 %; latency: not measured."
