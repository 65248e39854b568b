"""What a terminal shows fits it, and what matters is never left out."""

import pytest
from tests.build import benchmark, check, comparison, guard, secondary

from assay.core.plain_report import plain_report
from assay.core.result import CheckResult

LONG = "a warning of very many words " * 6


def wide() -> CheckResult:
    """A check with more to say than eighty columns hold."""
    guards = [guard(f"tokens_per_second_of_model_{number}: 100 | 140", reason="It is worse. " * 9) for number in range(3)]
    others = [secondary(f"layer_{number}_gradient_norm: 100 | 140") for number in range(30)]
    tail = ("x" * 200,)
    return check(benchmark(comparison("validation_loss: 120 | 90"), *guards, *others, warnings=(LONG,), output_tail=tail))


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_no_line_is_wider_than_the_terminal_but_what_is_quoted_or_copied(columns: int) -> None:
    lines = plain_report(wide(), columns).splitlines()
    assert [line for line in lines if len(line) > columns and not line.startswith(("  | ", "Reproduce: "))] == []
    assert any(line.startswith("  | ") and len(line) > columns for line in lines)


@pytest.mark.parametrize("columns", [None, 40, 100])
def test_whatever_its_width_every_metric_that_decides_is_in_it_and_the_rest_is_counted(columns: int | None) -> None:
    text = plain_report(wide(), columns)
    assert all(f"tokens_per_second_of_model_{number}" in text for number in range(3))
    assert "… and 20 more secondary metrics, see summary.md" in " ".join(text.split())
    assert "layer_9" in text
    assert "layer_10" not in text


def test_a_table_that_fits_is_a_table_and_nothing_is_folded() -> None:
    result = check(benchmark(comparison("loss: 120 | 90")))
    assert plain_report(result, 200) == plain_report(result)
    assert "  metric  role" in plain_report(result)
    assert "  metric  role" not in plain_report(result, 40)
