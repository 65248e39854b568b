"""Regressions as the ledger tells them: opened by harm beyond both floors, held against the commit before it, closed when well again."""

from typing import Any

import pytest
from tests.fakes.runs import BASE, NOW
from tests.loops import HERE, HOUR, a_row, config_of

from assay.core.loop.ledger import LedgerRow
from assay.core.loop.regression import Standing, reference, standings, worst_first
from assay.core.loop.vocabulary import Result
from assay.core.model import Verdict

CONFIG = config_of("bench, alert: {relative: 5%, absolute: 2}")
KEY = (HERE.machine, "bench")
OTHER = "d" * 40


def row(n: int, verdict: Verdict, change: float, base: str = BASE, **changes: object) -> LedgerRow:
    number = 100.0 * (1 + change)
    facts: dict[str, Any] = {"base_number": 100.0, "number": number, **changes}
    return a_row(n, at=NOW + n * HOUR, verdict=verdict, change=change, base=base, **facts)


def standing(*rows: LedgerRow) -> Standing | None:
    return standings(rows, CONFIG).get(KEY)


def test_a_regression_opens_and_names_the_commit_before_it() -> None:
    found = standing(row(0, Verdict.REGRESSED, 0.2))
    assert found is not None
    assert (found.open, found.base, round(found.harm, 3)) == (True, BASE, 0.2)
    assert reference([row(0, Verdict.REGRESSED, 0.2)], CONFIG, *KEY) == BASE


@pytest.mark.parametrize(
    ("change", "numbers"),
    [(0.04, {}), (0.2, {"number": 1.2, "base_number": 1.0})],
)
def test_harm_below_either_floor_opens_nothing(change: float, numbers: dict[str, Any]) -> None:
    assert standing(row(0, Verdict.REGRESSED, change, **numbers)) is None


@pytest.mark.parametrize("verdict", [Verdict.IMPROVED, Verdict.UNCHANGED, Verdict.UNDECIDED])
def test_nothing_but_a_regression_opens_one(verdict: Verdict) -> None:
    assert standing(row(0, verdict, 0.2)) is None


def test_the_next_tick_against_the_harm_itself_does_not_count_as_well() -> None:
    found = standing(row(0, Verdict.REGRESSED, 0.2), row(1, Verdict.UNCHANGED, 0.0, OTHER))
    assert found is not None
    assert found.open


@pytest.mark.parametrize(("verdict", "is_open"), [(Verdict.UNCHANGED, False), (Verdict.IMPROVED, False), (Verdict.UNDECIDED, True)])
def test_it_closes_when_it_is_no_longer_worse_than_before_the_harm(verdict: Verdict, is_open: bool) -> None:
    rows = [row(0, Verdict.REGRESSED, 0.2), row(1, verdict, 0.01)]
    found = standing(*rows)
    assert found is not None
    assert found.open is is_open
    assert reference(rows, CONFIG, *KEY) == (BASE if is_open else None)


def test_after_it_has_closed_another_one_is_a_new_one() -> None:
    rows = [row(0, Verdict.REGRESSED, 0.2), row(1, Verdict.UNCHANGED, 0.0), row(2, Verdict.REGRESSED, 0.3, OTHER)]
    found = standing(*rows)
    assert found is not None
    assert (found.open, found.base, found.first.id) == (True, OTHER, rows[2].id)


def test_failed_attempts_say_nothing_and_machines_are_apart() -> None:
    failed = row(1, Verdict.UNCHANGED, 0.0, result=Result.DEGRADED)
    elsewhere = row(2, Verdict.UNCHANGED, 0.0, machine="linux-arm64-x-4c")
    found = standings([row(0, Verdict.REGRESSED, 0.2), failed, elsewhere], CONFIG)
    assert found[KEY].open
    assert list(found) == [KEY]


def test_the_worst_go_first() -> None:
    rows = [row(n, Verdict.REGRESSED, 0.1 + n / 10, task=f"b{n}") for n in range(3)]
    assert [one.key[1] for one in worst_first(standings(rows, CONFIG).values())] == ["b2", "b1", "b0"]
