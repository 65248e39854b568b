"""What is otherwise than an envelope says is told fact by fact, and what is not known is no equality."""

from dataclasses import replace

import pytest
from pydantic import JsonValue
from tests.configs import FULL
from tests.fakes.runs import ENVIRONMENT, MACHINE, a_run

from assay.core.canonical import digest, sha256
from assay.core.comparison import Comparison
from assay.core.config_text import parse_config
from assay.core.envelope import ConfigFacts
from assay.core.facts import Gpu, PythonFacts
from assay.core.lineage import config_facts
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.reproduction import (
    Answer,
    Difference,
    Present,
    answer_of,
    benchmark_then,
    config_differences,
    differences,
    python_differences,
)
from assay.errors import UsageError

NOW = Present(MACHINE, ENVIRONMENT, {}, {}, "0.1.0")
PYTHON = PythonFacts(implementation="CPython", version="3.11.7", dependencies={"numpy": "2.0.0", "torch": "2.5.0"})
TRAIN = parse_config(FULL).benchmarks["train-small"]


def test_the_snapshot_of_an_envelope_is_the_benchmark_again() -> None:
    run = a_run(
        benchmark="train-small",
        command=TRAIN.run,
        config=config_facts(TRAIN, {}),
        seeds=(13, 42, 123),
        model=TRAIN.model,
        precision=TRAIN.precision,
    )
    again = benchmark_then(run, TRAIN)
    assert config_facts(again, {}) == config_facts(TRAIN, {})
    assert (again.metric, again.guards) == (TRAIN.metric, TRAIN.guards)
    assert list(config_differences(run, TRAIN)) == []


def test_a_run_is_sampled_as_often_as_it_was() -> None:
    again = benchmark_then(a_run(values=(1.0, 2.0, 3.0, 4.0, 5.0)), None)
    assert (again.repeats.min, again.repeats.max, again.metric) == (5, 5, None)


def test_a_snapshot_that_this_version_cannot_measure_is_told() -> None:
    parameters: dict[str, JsonValue] = {"command": "python bench.py", "warmup": -1}
    with pytest.raises(UsageError, match="cannot be measured by this version"):
        benchmark_then(a_run(config=ConfigFacts(hash=digest(parameters), parameters=parameters)), None)


def test_equal_surroundings_have_no_difference() -> None:
    assert list(differences(a_run(), NOW)) == []
    assert list(python_differences(PYTHON, PYTHON)) == []


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (
            replace(NOW, machine=MACHINE.model_copy(update={"kernel": "6.9"})),
            Difference("machine", "kernel", "6.1.0", "6.9"),
        ),
        (
            replace(NOW, machine=MACHINE.model_copy(update={"gpu": Gpu(model="A100", count=2)})),
            Difference("machine", "gpu", "none", "2 × A100"),
        ),
        (
            replace(NOW, environment=ENVIRONMENT.model_copy(update={"driver": "550"})),
            Difference("environment", "driver", "none", "550"),
        ),
        (replace(NOW, environment=ENVIRONMENT.with_lockfiles({"uv.lock": "1"})), Difference("lockfile", "uv.lock", "none", "1")),
        (replace(NOW, inputs={"data": "sha256:2"}), Difference("input", "data", "none", "sha256:2")),
        (replace(NOW, tool_version="0.2.0"), Difference("tool", "assay", "0.1.0", "0.2.0")),
        (
            replace(NOW, machine=MACHINE.model_copy(update={"cpu": "unknown"})),
            Difference("machine", "cpu", "Test CPU", "unknown"),
        ),
    ],
)
def test_what_is_otherwise_is_told(now: Present, found: Difference) -> None:
    assert list(differences(a_run(), now)) == [found]


@pytest.mark.parametrize(("value", "told"), [("x", None), ("y", "another value"), (None, "not set")])
def test_a_variable_is_told_to_differ_and_never_what_it_holds(value: str | None, told: str | None) -> None:
    parameters: dict[str, JsonValue] = {"command": "python bench.py", "env_pass": {"HF_HOME": sha256("x")[:16]}}
    run = a_run(config=ConfigFacts(hash=digest(parameters), parameters=parameters))
    variables = {} if value is None else {"HF_HOME": value}
    found = list(differences(run, replace(NOW, variables=variables)))
    assert found == ([] if told is None else [Difference("variable", "HF_HOME", "set", told)])


def test_each_package_that_is_otherwise_is_told() -> None:
    now = PythonFacts(implementation="CPython", version="3.12.1", dependencies={"numpy": "2.1.0", "jax": "0.5"})
    assert list(python_differences(PYTHON, now)) == [
        Difference("python", "version", "3.11.7", "3.12.1"),
        Difference("package", "jax", "none", "0.5"),
        Difference("package", "numpy", "2.0.0", "2.1.0"),
        Difference("package", "torch", "2.5.0", "none"),
    ]


def test_packages_that_cannot_be_listed_are_no_equality() -> None:
    blind = PythonFacts(implementation="CPython", version="3.11.7", dependencies="unknown")
    assert list(python_differences(PYTHON, blind)) == [Difference("python", "packages", "a list", "unknown")]


def compared(verdict: Verdict, base: tuple[float, ...] = (1.0, 2.0), head: tuple[float, ...] = (1.0, 2.1)) -> tuple[Comparison, ...]:
    return (Comparison(MetricSpec("loss", Role.PRIMARY, Direction.LOWER), verdict, base, head, "too few samples"),)


@pytest.mark.parametrize(
    ("comparisons", "answer"),
    [
        ((), Answer.FAILED),
        (compared(Verdict.UNDECIDED, (1.0, 2.0), (2.0, 1.0)), Answer.REPRODUCED),
        (compared(Verdict.UNCHANGED), Answer.REPRODUCED),
        (compared(Verdict.IMPROVED), Answer.DIFFERS),
        (compared(Verdict.REGRESSED), Answer.DIFFERS),
        (compared(Verdict.UNDECIDED), Answer.UNDECIDED),
    ],
)
def test_the_answer_follows_from_the_primary_metric(comparisons: tuple[Comparison, ...], answer: Answer) -> None:
    assert answer_of(comparisons)[0] is answer
