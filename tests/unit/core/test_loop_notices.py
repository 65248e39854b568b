"""Issues for regressions and the status: opened once, edited in place, closed when over, at most five new ones a run."""

from dataclasses import replace

import pytest
from tests.fakes.runs import BASE, NOW
from tests.loops import HERE, HOUR, a_row, config_of, parts_of

from assay.core.effects import EditIssue, OpenIssue
from assay.core.forge_facts import Notice
from assay.core.loop.notices import STATUS_MARKER, Said, of_regressions, of_status, regression_marker
from assay.core.loop.regression import AT_MOST, Standing, standings
from assay.core.loop.status import status_of
from assay.core.model import Verdict

CONFIG = config_of("bench")
FIRST = a_row(0, verdict=Verdict.REGRESSED, change=0.2, base=BASE, number=120.0)
AGAIN = a_row(1, at=NOW + HOUR, verdict=Verdict.REGRESSED, change=0.25, base=BASE, number=125.0)
WELL = a_row(2, at=NOW + 2 * HOUR, verdict=Verdict.UNCHANGED, change=0.0, base=BASE, number=100.0)


def said(*rows: object, issues: tuple[Notice, ...] = ()) -> list[Said]:
    return list(of_regressions(standings(rows, CONFIG).values(), issues))  # type: ignore[arg-type]


def issue_of(one: Said, number: int = 5, *, is_open: bool = True) -> Notice:
    return Notice(number, "https://forge.example", one.effect.title, one.effect.body, is_open)


def test_a_regression_opens_one_issue_with_a_marker_and_the_facts() -> None:
    (one,) = said(FIRST)
    assert isinstance(one.effect, OpenIssue)
    assert one.effect.body.startswith(one.marker)
    for fact in ("bench", HERE.machine, BASE[:12], "120", "+20 %", "assay check --base"):
        assert fact in one.effect.title + one.effect.body


def test_the_same_regression_is_not_said_twice() -> None:
    (one,) = said(FIRST)
    assert said(FIRST, issues=(issue_of(one),)) == []


def test_new_numbers_edit_the_issue_in_place() -> None:
    (one,) = said(FIRST)
    (edit,) = said(FIRST, AGAIN, issues=(issue_of(one),))
    assert isinstance(edit.effect, EditIssue)
    assert (edit.effect.number, edit.effect.closed) == (5, False)
    assert "125" in edit.effect.body


def test_it_is_closed_when_it_is_over_and_opened_anew_for_another() -> None:
    (one,) = said(FIRST)
    (edit,) = said(FIRST, WELL, issues=(issue_of(one),))
    assert isinstance(edit.effect, EditIssue)
    assert edit.effect.closed
    assert "over" in edit.effect.body
    closed = issue_of(edit, is_open=False)
    assert said(FIRST, WELL, issues=(closed,)) == []
    other = a_row(3, at=NOW + 3 * HOUR, verdict=Verdict.REGRESSED, change=0.5, base="d" * 40)
    (fresh,) = said(FIRST, WELL, other, issues=(closed,))
    assert isinstance(fresh.effect, OpenIssue)


def test_what_a_person_has_closed_stays_closed_while_it_goes_on() -> None:
    (one,) = said(FIRST)
    assert said(FIRST, AGAIN, issues=(issue_of(one, is_open=False),)) == []


def test_a_regression_that_nobody_heard_of_and_is_over_is_not_mentioned() -> None:
    assert said(FIRST, WELL) == []


def test_at_most_five_are_opened_and_the_worst_first() -> None:
    rows = [a_row(n, task=f"b{n}", verdict=Verdict.REGRESSED, change=0.1 + n / 100, base=BASE) for n in range(9)]
    found = said(*rows)
    assert len(found) == AT_MOST
    assert ["b8" in found[0].effect.title, "b4" in found[-1].effect.title] == [True, True]
    rest = said(*rows, issues=tuple(issue_of(one, number) for number, one in enumerate(found)))
    assert [one.effect.title.split()[1] for one in rest] == ["b3", "b2", "b1", "b0"]


def test_a_marker_that_stands_anywhere_but_at_the_start_is_nobody_s() -> None:
    (one,) = said(FIRST)
    forged = replace(issue_of(one), body=f"Look: {one.effect.body}")
    assert len(said(FIRST, issues=(forged,))) == 1


@pytest.mark.parametrize("name", ["<!-- assay:status -->", "@everybody", "a|b`c"])
def test_foreign_names_do_no_harm(name: str) -> None:
    row = FIRST.model_copy(update={"unit": name, "metric": name})
    (one,) = said(row)
    assert STATUS_MARKER not in one.effect.body
    assert "@everybody" not in one.effect.body
    assert one.effect.body.count("\n| ") == 7


def test_cells_have_markers_of_their_own() -> None:
    one, other = (Standing(row, row, open=True) for row in (FIRST, FIRST.model_copy(update={"machine": "other"})))
    assert regression_marker(one) != regression_marker(other)


def test_the_status_issue_rolls() -> None:
    status = status_of(parts_of(CONFIG))
    (first,) = of_status(status, ())
    assert isinstance(first.effect, OpenIssue)
    assert first.effect.body.startswith(STATUS_MARKER)
    there = issue_of(first)
    assert list(of_status(status, (there,))) == []
    later = status_of(parts_of(CONFIG, now=NOW + HOUR))
    (edit,) = of_status(later, (there,))
    assert isinstance(edit.effect, EditIssue)
    assert isinstance(next(iter(of_status(later, (replace(there, open=False),)))).effect, OpenIssue)
