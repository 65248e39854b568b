"""The order of a session is fixed before its first process."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.houses import config

from assay.core.model import Side
from assay.core.schedule import fill, pair_order, plan_session


def test_pairs_alternate_so_that_neither_side_is_always_second() -> None:
    order = [side for pair in range(4) for side in pair_order(pair)]
    assert order == [Side.BASE, Side.HEAD, Side.HEAD, Side.BASE] * 2


def test_plain_repeats_are_looked_at_at_least_in_the_middle_and_at_most() -> None:
    plan = plan_session(config().benchmarks["bench"])
    assert (plan.looks, plan.warmups, plan.seeds, plan.repeats) == ((4, 6, 10), 1, (), 1)
    assert plan.at_most == 22


def test_a_list_of_seeds_is_one_look() -> None:
    plan = plan_session(config("run: ./bench {seed}", "seeds: [5, 1, 9]").benchmarks["bench"])
    assert (plan.looks, plan.seeds, plan.repeats) == ((3,), (5, 1, 9), 1)
    assert [plan.seed(unit) for unit in range(3)] == [5, 1, 9]


def test_a_range_of_seeds_grows_from_its_start() -> None:
    plan = plan_session(config("run: ./bench {seed}", "seeds: {start: 13, min: 4, max: 10}").benchmarks["bench"])
    assert (plan.looks, plan.seeds) == ((4, 6, 10), tuple(range(13, 23)))


def test_seeds_are_repeated_only_where_the_config_asks_for_repeats() -> None:
    given_repeats = config("run: ./bench {seed}", "seeds: [1, 2]", "repeats: {min: 3, max: 5}").benchmarks["bench"]
    assert plan_session(given_repeats).repeats == 3


@pytest.mark.parametrize(
    ("command", "seed", "batch", "filled"),
    [
        ("train --seed {seed}", 7, None, "train --seed 7"),
        ("train {seed} {seed} -b {batch}", 7, 64, "train 7 7 -b 64"),
        ("awk '{print $1}' ${HOME} {a,b}", 7, 64, "awk '{print $1}' ${HOME} {a,b}"),
        ("train {seed}", None, None, "train {seed}"),
    ],
)
def test_only_our_own_placeholders_are_filled(command: str, seed: int | None, batch: int | None, filled: str) -> None:
    assert fill(command, seed=seed, batch=batch) == filled


@given(st.text(), st.integers(0, 10**9))
def test_a_command_without_placeholders_is_never_changed(command: str, number: int) -> None:
    command = command.replace("{seed}", "").replace("{batch}", "")
    if "{seed}" not in command and "{batch}" not in command:
        assert fill(command, seed=number, batch=number) == command
