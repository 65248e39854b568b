"""A report says at which level it speaks, raw and adjusted, what was saved, and how many false alarms to expect."""

from dataclasses import replace

from tests.build import benchmark, check, comparison, guard, reused

from assay.core.method_facts import method_facts
from assay.core.result import BenchmarkResult

PRIMARY = comparison(
    "val_loss: 120 121 119 120.5 118 122 | 90 91 89 90.5 92 88", alpha=0.01, p_adjusted=0.0016, raw_interval=(-0.255, -0.245)
)
GUARD = guard("latency: 100 101 99 100 98 102 | 100 100 101 99 98 102", alpha=0.01, p=0.8, p_adjusted=0.9)


def facts(one: BenchmarkResult, *others: BenchmarkResult) -> str:
    return "\n".join(method_facts(one, check(one, *others)))


def test_levels_and_p_values_are_said_raw_and_adjusted() -> None:
    said = facts(benchmark(PRIMARY, GUARD, alpha=0.05, most_units=10))
    assert "Confidence of the intervals: 99 %" in said
    assert "At 95 % without correction: `val_loss` -25.5 % to -24.5 %" in said
    assert (
        "adjusted by Holm's method for 2 metrics and for the looks): `val_loss` 0.0004, adjusted 0.0016; `latency` 0.8, adjusted 0.9"
        in said
    )
    assert "Mann–Whitney: p = 0.0022; Cohen's d: -" in said


def test_what_sampling_saved_is_said_only_where_it_saved_something() -> None:
    one = benchmark(PRIMARY, alpha=0.05, most_units=10)
    assert "Sampling ended after 6 of at most 10 pairs: 4 pairs fewer than a fixed design takes" in facts(one)
    assert "6 of at most 7 seeds: 1 seed fewer" in facts(benchmark(replace(PRIMARY, paired=True), alpha=0.05, most_units=7))
    assert "Sampling ended" not in facts(replace(one, most_units=6))
    assert "Sampling ended" not in facts(reused(PRIMARY, alpha=0.05, most_units=10))


def test_the_false_alarms_of_the_whole_check_are_stated() -> None:
    one = benchmark(PRIMARY, alpha=0.05)
    assert "at most 5 % of benchmarks" in facts(one)
    assert "0.15 to be expected of the 3 of this check" in facts(one, benchmark(GUARD), benchmark(PRIMARY))


def test_of_what_was_not_compared_nothing_is_said() -> None:
    assert method_facts(benchmark(), check(benchmark())) == ()
