"""Texts that say what the data say pass, texts that do not are caught: forty and more of each, written by hand."""

from pathlib import Path

import pytest
from tests.unit.core.fusion.scenes import digest

from assay.core.fusion.answer import Answer
from assay.core.fusion.claims import contradictions
from assay.core.fusion.grounding import Grounds

HERE = Path(__file__).parent
HURT_AT_MOST = 2


def corpus(name: str) -> list[tuple[str, str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [tuple(map(str.strip, line.split("|", 1))) for line in lines if line.strip() and not line.startswith("#")]  # type: ignore[misc]


GOOD, CORRUPTED = corpus("grounded.txt"), corpus("corrupted.txt")


def objections(scene: str, text: str) -> tuple[str, ...]:
    """The sentences that would not be shown, whether for a number or for a claim."""
    known = digest(scene)
    return (*Grounds.of(known).check(text).removed, *contradictions(text, known))


def test_the_corpus_is_large_enough() -> None:
    assert len(GOOD) >= 40
    assert len(CORRUPTED) >= 40
    assert {scene for scene, _ in GOOD} == {scene for scene, _ in CORRUPTED}


@pytest.mark.parametrize(("scene", "text"), CORRUPTED)
def test_a_corrupted_text_is_caught(scene: str, text: str) -> None:
    assert objections(scene, text)


def test_hardly_a_good_text_is_hurt() -> None:
    hurt = {text: found for scene, text in GOOD if (found := objections(scene, text))}
    assert len(hurt) <= HURT_AT_MOST, hurt


def test_only_the_sentence_that_does_not_hold_is_taken_out() -> None:
    grounds = Grounds.of(digest("improved"))
    answer = Answer(
        verdict=("`val_loss` improved by 3.04 %. It saves 900 GPU hours.",), why=("It took 77 nights.", "Each side has 6 values.")
    )
    held, removed = grounds.check_answer(answer)
    assert held == Answer(verdict=("`val_loss` improved by 3.04 %.",), why=("Each side has 6 values.",))
    assert removed == ("It saves 900 GPU hours.", "It took 77 nights.")


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("It fell by 3 %.", True),
        ("It fell by 3.0 %.", True),
        ("It fell by 3.1 %.", False),
        ("It fell by 3.037 percent.", True),
        ("The change is -3.04 %.", True),
        ("The change is +3.04 %.", False),
        ("The change is −3.04 %.", True),
        ("Head is at 97 % of base, 3.304 against 3.408.", True),
        ("Head is at 98 % of base, 3.304 against 3.408.", False),
        ("Six values were measured on each side.", True),
        ("Seven values were measured on each side.", False),
        ("The head took 38.7 seconds.", True),
        ("The head took 38700 ms.", True),
        ("The base took 38.7 seconds.", False),
        ("Commit a1b2c3d44444 is head.", True),
        ("Commit deadbeef1234 is head.", False),
        ("On 2025-02-28 the last run was stored.", True),
        ("On 2025-03-17 the last run was stored.", False),
        ("`val_loss` has a maximum of 3.421 on base.", True),
        ("`val_loss` has a maximum of 3.421 on head.", False),
        ("`peak_mem` has a median of 3.407.", False),
    ],
)
def test_a_number_holds_as_what_it_claims_to_be(sentence: str, holds: bool) -> None:
    assert Grounds.of(digest("improved")).holds(sentence) is holds
