"""From processes to values: what counts, what failed, what is said of it."""

import pytest
from tests.fakes.runner import completed

from assay.core.evidence import (
    WALL_TIME,
    ProcessRecord,
    Stage,
    equal_within_units,
    failure_of,
    printed_names,
    reading_warnings,
    tail_of,
    unit_of,
    unit_values,
    value_of,
)
from assay.core.model import Cause, Side


def record(stdout: str, unit: int | None = 0, *, side: Side = Side.HEAD, order: int = 0, duration_s: float = 1.0) -> ProcessRecord:
    return ProcessRecord(side, order, unit, None, completed(stdout, duration_s=duration_s))


def test_a_process_contributes_the_last_value_it_printed() -> None:
    assert value_of(record("METRIC a=1\nMETRIC a=3\n"), "a") == 3


def test_the_wall_time_is_the_duration_unless_the_process_prints_a_metric_of_that_name() -> None:
    assert value_of(record("", duration_s=2.5), WALL_TIME) == 2.5
    assert value_of(record("METRIC wall_time=9\n", duration_s=2.5), WALL_TIME) == 9


def test_a_metric_that_was_not_printed_has_no_value() -> None:
    assert value_of(record("METRIC a=1\n"), "b") is None


def test_repeats_of_a_unit_count_as_their_mean_and_warm_ups_not_at_all() -> None:
    records = [record("METRIC a=100\n", None), record("METRIC a=1\n", 0), record("METRIC a=3\n", 0), record("METRIC a=7\n", 1)]
    assert unit_values(records, "a") == {0: 2.0, 1: 7.0}


def test_a_clean_process_with_its_metric_is_no_failure() -> None:
    assert failure_of(completed("METRIC a=1\n"), Stage.BENCHMARK, "a") is None


def test_a_clean_setup_needs_no_metric() -> None:
    assert failure_of(completed("done\n"), Stage.SETUP) is None


@pytest.mark.parametrize("primary", [None, "a"])
def test_a_command_that_failed_is_a_failure_whatever_it_printed(primary: str | None) -> None:
    found = failure_of(completed("METRIC a=1\n", exit_code=3), Stage.BENCHMARK, primary)
    assert found is not None
    assert (found.cause, found.detail) == (Cause.EXIT, "exit status 3")


def test_a_missing_metric_names_the_line_to_add_and_what_was_printed_instead() -> None:
    found = failure_of(completed("METRIC b=1\nMETRIC c=2\n"), Stage.BENCHMARK, "a")
    assert found is not None
    assert found.cause is Cause.NO_METRIC
    assert "printed b, c" in found.detail
    assert "METRIC a=<number>" in found.detail


def test_a_missing_metric_whose_line_was_refused_says_why() -> None:
    found = failure_of(completed("METRIC a=nan\n"), Stage.BENCHMARK, "a")
    assert found is not None
    assert "line 1 was refused" in found.detail


def test_the_tail_is_the_last_twenty_lines_and_errors_come_last() -> None:
    tail = tail_of(completed("".join(f"out {n}\n" for n in range(30)), stderr="boom\n"))
    assert len(tail) == 20
    assert tail[-2:] == ("out 29", "boom")


def test_a_very_long_line_is_cut_in_the_tail() -> None:
    assert len(tail_of(completed("x" * 10_000))[0]) == 500


def test_names_stand_in_the_order_of_first_sight_and_units_are_the_last_printed() -> None:
    records = [record("METRIC b=1 (s)\nMETRIC a=1\n"), record("METRIC c=1\nMETRIC b=2 (ms)\n")]
    assert printed_names(records) == ("b", "a", "c")
    assert unit_of(records, "b") == "ms"
    assert unit_of(records, "a") is None


def test_repeats_are_equal_only_where_every_metric_of_every_side_is() -> None:
    base = [record("METRIC a=1\nMETRIC g=5\n", 0, side=Side.BASE) for _ in range(2)]
    head = [record("METRIC a=2\nMETRIC g=6\n", 0), record("METRIC a=2\nMETRIC g=7\n", 0)]
    assert equal_within_units([*base, *head], ["a"])
    assert not equal_within_units([*base, *head], ["a", "g"])


def test_a_warm_up_that_differs_does_not_make_repeats_unequal() -> None:
    records = [record("METRIC a=9\n", None), record("METRIC a=1\n", 0), record("METRIC a=1\n", 0)]
    assert equal_within_units(records, ["a"])


def test_each_kind_of_refused_line_is_told_once_and_the_rest_is_counted() -> None:
    same = [record("METRIC a=nan\n") for _ in range(5)]
    assert len(reading_warnings(same)) == 1
    many = [record("".join(f"METRIC a{n}=nan\n" for n in range(30)))]
    told = reading_warnings(many, limit=10)
    assert len(told) == 11
    assert told[-1].startswith("20 further")
