"""Cells of single seeds become one cell with every sample of theirs, or say why they cannot stand together."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import BASE, ENVIRONMENT, HEAD, MACHINE, a_run

from assay.core.config import Benchmark
from assay.core.config_text import parse_config
from assay.core.envelope import Run, RunStatus
from assay.core.handover import CellFile
from assay.core.lineage import config_facts
from assay.core.model import Cause
from assay.core.seed_merge import merged, seed_cell

SEEDS = (13, 42, 123)
CONFIG = "version: 1\nbenchmarks:\n  bench: {run: 'x {seed}', metric: {name: val_loss, better: lower}, seeds: SEEDS}\n"


def benchmark_of(seeds: tuple[int, ...]) -> Benchmark:
    return parse_config(CONFIG.replace("SEEDS", str(list(seeds)))).benchmarks["bench"]


def cell(number: int, seed: int, values: tuple[float, ...] = (1.0,), **changed: Any) -> CellFile:
    facts = config_facts(benchmark_of((seed,)), {})
    both = {"seeds": (seed,), "values": values, "config": facts, "session_id": f"ses-{number}", **changed}
    base = a_run(2 * number, commit=BASE, base=None, age=timedelta(hours=1, minutes=number), **both)
    head = a_run(2 * number + 1, age=timedelta(hours=1, minutes=number), **both)
    return CellFile(
        schema="assay.cell/1",
        benchmark="bench",
        base=BASE,
        head=HEAD,
        state="measured",
        reason="",
        base_run=base.run_id,
        head_run=head.run_id,
        runs=(base, head),
        warnings=(),
        tail=(),
    )


@given(st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=3), min_size=2, max_size=4))
def test_no_sample_is_lost_and_the_run_is_sound(values: list[list[float]]) -> None:
    seeds = tuple(range(len(values)))
    whole = merged(benchmark_of(seeds), [cell(seed, seed, tuple(values[seed])) for seed in seeds])
    assert isinstance(whole, CellFile)
    for run in whole.runs:
        assert Run.from_json(run.to_json()) == run
        assert [(one.seed, one.value) for one in run.samples_of("val_loss")] == [(seed, one) for seed in seeds for one in values[seed]]
        assert run.config == config_facts(benchmark_of(seeds), {})
        assert run.seeds == seeds
    assert len({run.session_id for run in whole.runs}) == 1


def test_one_failed_seed_is_the_end_of_the_run() -> None:
    bad = cell(1, 42, status=RunStatus.ERRORED, cause=Cause.EXIT, detail="exit code 1")
    whole = merged(benchmark_of((13, 42)), [cell(0, 13), bad])
    assert isinstance(whole, CellFile)
    assert [(run.status, run.detail) for run in whole.runs] == [(RunStatus.ERRORED, "exit code 1")] * 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"machine": MACHINE.model_copy(update={"machine_class": "other"})}, "machine class"),
        ({"environment": ENVIRONMENT.model_copy(update={"driver": "550"})}, "environment"),
    ],
)
def test_seeds_of_different_surroundings_do_not_stand_together(changed: dict[str, Any], said: str) -> None:
    assert said in str(merged(benchmark_of((13, 42)), [cell(0, 13), cell(1, 42, **changed)]))


def test_boxes_of_one_class_stand_together_and_are_told() -> None:
    other = MACHINE.model_copy(update={"box": "fedcba9876543210"})
    whole = merged(benchmark_of((13, 42)), [cell(0, 13), cell(1, 42, machine=other)])
    assert isinstance(whole, CellFile)
    assert "Its seeds were measured in 2 allocations on 2 boxes." in whole.runs[0].notes
    assert whole.runs[0].machine.box not in (MACHINE.box, other.box)


def test_a_stored_run_answers_where_it_answers_every_seed() -> None:
    reused = cell(0, 13).model_copy(update={"state": "reused", "runs": ()})
    assert merged(benchmark_of((13, 42)), [reused, reused]) == reused
    assert "different classes" in str(merged(benchmark_of((13, 42)), [reused, cell(1, 42)]))


def test_a_seed_that_could_not_be_measured_says_why() -> None:
    failed = cell(1, 42).model_copy(update={"state": "failed", "reason": "this is not the machine", "runs": ()})
    assert merged(benchmark_of((13, 42)), [cell(0, 13), failed]) == "this is not the machine"


def test_no_benchmark_can_be_called_as_the_cell_of_a_seed() -> None:
    with pytest.raises(Exception, match="no name for a benchmark"):
        parse_config(CONFIG.replace("bench:", f"{seed_cell('bench', 13)}:").replace("SEEDS", "[1]"))
