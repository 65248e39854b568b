"""Many jobs of one order."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.queues import at

from assay.core.config import Benchmark
from assay.core.config_text import parse_config
from assay.core.queue.fan_out import Order, fan_out, filled, parameters_of
from assay.core.queue.model import Job, JobKind
from assay.core.queue.refusals import FanOutError

TRAIN = """
  train:
    run: ./train --seed {seed} --lr {lr} --batch {batch}
    metric: {name: loss, better: lower}
    seeds: [1, 2, 3]
    batch: {size: 64, min: 8, retries: 2}
"""
PLAIN = "\n  plain: {run: ./plain, metric: {name: t, better: lower}}\n"
PILOTED = "\n  piloted: {run: './p {scale}', metric: {name: t, better: lower}, pilot: {scale: 10%}}\n"


def benchmarks(*texts: str) -> tuple[Benchmark, ...]:
    return tuple(parse_config("version: 1\nbenchmarks:" + "".join(texts)).benchmarks.values())


def jobs(order: Order) -> tuple[Job, ...]:
    numbers = count()
    return fan_out(order, lambda: f"job-{next(numbers)}", at(0))


def test_seeds_baselines_and_parameters_multiply_and_no_id_is_there_twice() -> None:
    order = Order(benchmarks(TRAIN), ("a" * 40, "b" * 40), parameters={"lr": ("0.1", "0.2")})
    made = jobs(order)
    assert len(made) == 2 * 2 * 3
    assert len({(one.commit, one.parameters["lr"], one.seed) for one in made}) == 12
    assert len({one.job_id for one in made}) == 12
    assert {(one.batch_size, one.min_batch, one.oom_retries, one.enqueued_at) for one in made} == {(64, 8, 2, at(0))}


def test_seeds_of_the_order_go_before_those_of_the_config_and_together_they_are_one_job() -> None:
    assert [one.seed for one in jobs(Order(benchmarks(TRAIN), seeds=(7, 9)))] == [7, 9]
    assert [one.seed for one in jobs(Order(benchmarks(TRAIN), together=True))] == [None]
    assert [one.seed for one in jobs(Order(benchmarks(PLAIN)))] == [None]


def test_a_pilot_stands_before_the_runs_that_wait_for_it() -> None:
    pilot, full = jobs(Order(benchmarks(PILOTED)))
    assert (pilot.kind, pilot.after, full.kind, full.after) == (JobKind.PILOT, None, JobKind.RUN, pilot.job_id)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (Order(benchmarks(PLAIN), seeds=(1,)), "has no {seed}"),
        (Order(benchmarks(PLAIN), parameters={"lr": ("1",)}), "has no {lr}"),
        (Order(benchmarks(TRAIN), parameters={"seed": ("1",)}), "no name for a parameter"),
        (Order(benchmarks(TRAIN), parameters={"LR": ("1",)}), "no name for a parameter"),
        (Order(benchmarks(TRAIN), parameters={"lr": ("1", "1")}), "twice"),
        (Order(benchmarks(TRAIN), parameters={"lr": ("",)}), "no value"),
        (Order(benchmarks(TRAIN), seeds=tuple(range(1001))), "More than 1000"),
    ],
)
def test_what_cannot_be_queued_is_refused(order: Order, said: str) -> None:
    with pytest.raises(FanOutError, match=said.replace("{", r"\{")):
        jobs(order)


@given(st.text(min_size=1, max_size=5))
def test_no_value_of_a_parameter_is_more_than_a_word_to_a_shell(value: str) -> None:
    try:
        jobs(Order(benchmarks(TRAIN), parameters={"lr": (value,)}))
    except FanOutError:
        return
    assert all(one.isascii() and (one.isalnum() or one in "_./:+=-") for one in value)


def test_parameters_are_read_and_filled_in() -> None:
    assert parameters_of(("lr=0.1,0.2", "opt=sgd")) == {"lr": ("0.1", "0.2"), "opt": ("sgd",)}
    assert filled("./t {lr} ${lr} {x}", {"lr": "0.1"}) == "./t 0.1 $0.1 {x}"
    for wrong in (("lr",), ("lr=1", "lr=2")):
        with pytest.raises(FanOutError):
            parameters_of(wrong)
