"""The glossary and the code name the same things: no member without an explanation, no explanation without a member."""

import re
from enum import StrEnum
from pathlib import Path

import pytest

from assay.core.comparison import Undecided
from assay.core.loop.vocabulary import Result
from assay.core.model import Cause, Conclusion, Direction, Outcome, Role, Rung, Side, Status, Trust, Verdict

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"

TABLES: dict[str, type[StrEnum]] = {
    "direction": Direction,
    "role": Role,
    "side": Side,
    "verdict": Verdict,
    "undecided because of": Undecided,
    "outcome": Outcome,
    "conclusion": Conclusion,
    "status": Status,
    "cause": Cause,
    "trust": Trust,
    "rung": Rung,
    "result": Result,
}


def rows_of(heading: str) -> list[list[str]]:
    """The cells of the one table whose first column has this heading."""
    text = GLOSSARY.read_text(encoding="utf-8")
    (table,) = re.findall(rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]


@pytest.mark.parametrize("heading", TABLES)
def test_every_member_is_explained_and_nothing_else(heading: str) -> None:
    named = [row[0].strip("`") for row in rows_of(heading)]
    assert sorted(named) == sorted(member.value for member in TABLES[heading])


@pytest.mark.parametrize("heading", ["word", *TABLES])
def test_every_row_says_something(heading: str) -> None:
    assert all(row[0] and row[1] for row in rows_of(heading))


def test_trust_stands_in_falling_order() -> None:
    assert [row[0].strip("`") for row in rows_of("trust")] == [member.value for member in reversed(Trust)]


def test_no_word_is_explained_twice() -> None:
    words = [row[0] for row in rows_of("word")]
    assert len(words) == len(set(words))


def test_links_inside_the_glossary_lead_somewhere() -> None:
    text = GLOSSARY.read_text(encoding="utf-8")
    anchors = {heading.lower().replace(" ", "-") for heading in re.findall(r"^##+ (.+)$", text, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors
    assert all((GLOSSARY.parent / target).is_file() for target in re.findall(r"\]\(([^#)][^)]*)\)", text))
