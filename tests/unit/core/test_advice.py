"""What a benchmark will take is told from its own past, and what cannot fit is refused with the reason."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import a_run

from assay.core.advice import Complexity, Estimate, advise, complexity, estimate, gpus_of, in_order
from assay.core.config import Benchmark, Config
from assay.core.config_text import parse_config
from assay.core.envelope import Run

COMMAND = "python bench.py"
MACHINES = """\
machines:
  small: {runs_on: [small], expect: {count: 0, memory: 8GiB}}
  big: {runner: slurm, slurm: {partition: gpu, gres: "gpu:a100:2", time: 1m, memory: 64GiB}}
"""


def config(*lines: str, machines: str = MACHINES) -> Config:
    own = "".join(f"    {line}\n" for line in (f"run: {COMMAND}", "metric: {name: loss, better: lower}", "warmup: 0", *lines))
    return parse_config(f"version: 1\nbenchmarks:\n  b:\n{own}{machines}")


def of(found: Config) -> Benchmark:
    return found.benchmarks["b"]


def past(seconds: float = 1.5, kilobytes: int = 2048) -> Run:
    run = a_run(values=(1.0, 2.0), command=COMMAND)
    processes = tuple(one.model_copy(update={"duration_s": seconds, "max_rss_kb": kilobytes}) for one in run.processes)
    return run.model_copy(update={"processes": processes})


def test_time_and_memory_are_those_of_past_runs() -> None:
    run = past()
    found = estimate(of(config("repeats: {min: 4, max: 10}")), [run])
    assert (found.least_s, found.most_s, found.runs) == (12.0, 30.0, 1)
    assert found.memory == 2048 * 1024 * 1.25


@pytest.mark.parametrize("changed", [{"model": "gpt2"}, {"precision": "bf16"}, {"command": "python other.py"}])
def test_runs_of_another_lineage_say_nothing(changed: dict[str, str]) -> None:
    assert estimate(of(config()), [past().model_copy(update=changed)]) == Estimate()


@pytest.mark.parametrize(
    ("lines", "most", "rank"),
    [
        ((), None, Complexity.LIGHT),
        ((), 1799.0, Complexity.LIGHT),
        ((), 1800.0, Complexity.MEDIUM),
        ((), 14_401.0, Complexity.HEAVY),
        (("gpus: 1",), 5.0, Complexity.MEDIUM),
        (("needs: [cuda]",), None, Complexity.MEDIUM),
        (("gpus: 2",), 5.0, Complexity.HEAVY),
        (("max_time: 5h",), None, Complexity.HEAVY),
    ],
)
def test_the_class_follows_from_gpus_and_time(lines: tuple[str, ...], most: float | None, rank: Complexity) -> None:
    found, why = complexity(of(config(*lines)), Estimate(most, most, None, 1 if most else 0))
    assert found is rank
    assert why


@pytest.mark.parametrize(
    ("lines", "run", "said"),
    [
        (("machine: small", "gpus: 1"), past(), "needs 1 GPU, and the machine has 0"),
        (("machine: small", "needs: [cuda]"), past(), "needs CUDA"),
        (("machine: small",), past(kilobytes=8 * 2**20), "of memory, and the machine has 8.59 GB"),
        (("machine: big", "gpus: 3"), past(), "needs 3 GPUs, and the machine has 2"),
        (("machine: big",), past(seconds=20.0), "a job may take 1 min"),
        (("gpus: 4",), past(), "no machine of the config fits"),
    ],
)
def test_what_cannot_fit_is_said(lines: tuple[str, ...], run: Run, said: str) -> None:
    found = config(*lines)
    assert said in advise(of(found), found.machines, [run]).problem


def test_the_smallest_machine_that_fits_is_recommended() -> None:
    light, gpu = config(), config("gpus: 1")
    assert advise(of(light), light.machines, []).machine == "small"
    advice = advise(of(gpu), gpu.machines, [])
    assert (advice.machine, advice.place, advice.problem) == ("big", "partition gpu of Slurm", "")


def test_without_machines_nothing_is_refused() -> None:
    found = config("gpus: 8", "machine: any", machines="")
    assert advise(of(found), found.machines, []).problem == ""


@pytest.mark.parametrize(
    ("gres", "count"), [("gpu", 1), ("gpu:2", 2), ("gpu:a100:4", 4), ("gpu:a100:1,gpu:h100:2", 3), ("gpu:2(S:0)", 2), ("tmpdisk:10", 0)]
)
def test_the_gpus_of_a_job_are_those_that_it_asks_for(gres: str, count: int) -> None:
    found = config(machines=f'machines:\n  m: {{runner: slurm, slurm: {{gres: "{gres}"}}}}\n')
    assert gpus_of(found.machines["m"]) == count


@given(st.lists(st.tuples(st.sampled_from(Complexity), st.none() | st.floats(0, 1e6)), max_size=8))
def test_the_longest_comes_first(rows: list[tuple[Complexity, float | None]]) -> None:
    one = advise(of(config()), {}, [])
    ordered = in_order([replace(one, complexity=rank, estimate=Estimate(most, most)) for rank, most in rows])
    keys = [(-tuple(Complexity).index(one.complexity), -(one.estimate.most_s or 0.0)) for one in ordered]
    assert keys == sorted(keys)
    assert len(ordered) == len(rows)
