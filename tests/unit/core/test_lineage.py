"""Every way in which a stored run can fail to answer has its reason, and unknown never matches."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import BASE, ENVIRONMENT, HEAD, MACHINE, NOW, PARAMETERS, a_run, processes_of, samples_of

from assay.core.config import Benchmark
from assay.core.envelope import MetricFacts, Run, RunStatus
from assay.core.facts import EnvironmentFacts
from assay.core.ids import is_id
from assay.core.lineage import (
    Needed,
    ReuseQuestion,
    config_facts,
    config_hash,
    key_differences,
    lineage_key,
    needed_samples,
    objections,
    same_fact,
)
from assay.core.model import Rung, Trust
from assay.core.result import LineageKey

DAY = timedelta(days=1)
KEY = LineageKey(HEAD, MACHINE.machine_class, "none", "none")
QUESTION = ReuseQuestion(
    benchmark="bench",
    key=KEY,
    config_hash=a_run().config.hash,
    environment=ENVIRONMENT,
    needed=Needed("val_loss", 4),
    now=NOW,
    max_age_s=30 * DAY.total_seconds(),
    trust=Trust.MEMBER,
)


def surroundings(**changes: str) -> EnvironmentFacts:
    return ENVIRONMENT.model_copy(update=changes)


def on(machine_class: str) -> Any:
    return MACHINE.model_copy(update={"machine_class": machine_class})


def test_a_clean_run_of_the_same_kind_meets_no_objection() -> None:
    assert list(objections(QUESTION, a_run())) == []


OTHER_CONFIG = config_facts(Benchmark.model_validate({"name": "b", "run": "x"}), {})
NO_MACHINE = replace(QUESTION, key=replace(KEY, machine="unknown"))
NO_IMAGE = surroundings(image_digest="unknown")
NO_PACKAGES = surroundings(packages="unknown")
FOUR_SEEDS = replace(QUESTION, needed=Needed("val_loss", 4, (1, 2, 5, 9)))
NEW_DATA = replace(QUESTION, inputs={"data/": "2"})

OF_EVIDENCE: list[tuple[Run, ReuseQuestion, str]] = [
    (a_run(machine=on("linux-arm64-x-8c")), QUESTION, "another machine: linux-arm64-x-8c, now linux-x86_64-test-cpu-2c"),
    (a_run(machine=on("unknown")), NO_MACHINE, "another machine: unknown, now unknown"),
    (a_run(age=31 * DAY), QUESTION, "too old: 31.0 days, where reuse.max_age is 30.0"),
    (a_run(age=-DAY), QUESTION, "dated in the future"),
    (a_run(trust=Trust.FORK), QUESTION, "less trust: fork, where member is needed"),
    (a_run(values=(1.0, 2.0, 3.0)), QUESTION, "fewer samples: val_loss from 3 of 4 processes"),
    (a_run(), replace(QUESTION, needed=Needed("tok_s", 4)), "fewer samples: tok_s from 0 of 4 processes"),
    (a_run(seeds=(1, 2)), FOUR_SEEDS, "fewer samples: no val_loss for seed 5, 9"),
    (a_run(dirty=True), QUESTION, "not clean, its own processes changed tracked files"),
    (a_run(status=RunStatus.PARTIAL), QUESTION, "not clean, its status is partial"),
    (a_run(status=RunStatus.DEGRADED), QUESTION, "not clean, its status is degraded"),
    (a_run(status=RunStatus.ERRORED), QUESTION, "not clean, its status is errored"),
    (a_run(status=RunStatus.TIMED_OUT), QUESTION, "not clean, its status is timed_out"),
    (a_run(status=RunStatus.CANCELLED), QUESTION, "not clean, its status is cancelled"),
    (a_run(status=RunStatus.PENDING), QUESTION, "not clean, its status is pending"),
]
OF_CONFIG: list[tuple[Run, ReuseQuestion, str]] = [
    (a_run(config=OTHER_CONFIG), QUESTION, f"config hash is {OTHER_CONFIG.hash[:12]}, now {QUESTION.config_hash[:12]}"),
]
OF_MODEL: list[tuple[Run, ReuseQuestion, str]] = [
    (a_run(model="large"), QUESTION, "another model: large, now none"),
    (a_run(model="unknown"), replace(QUESTION, key=replace(KEY, model="unknown")), "another model: unknown, now unknown"),
    (a_run(precision="fp32"), QUESTION, "another precision: fp32, now none"),
]
OF_ENVIRONMENT: list[tuple[Run, ReuseQuestion, str]] = [
    (a_run(environment=surroundings(driver="535.1")), QUESTION, "driver is 535.1, now none"),
    (a_run(), replace(QUESTION, environment=surroundings(cuda="12.4")), "cuda is none, now 12.4"),
    (a_run(environment=NO_IMAGE), QUESTION, "image_digest is unknown, now none"),
    (a_run(environment=NO_IMAGE), replace(QUESTION, environment=NO_IMAGE), "image_digest is unknown, now unknown"),
    (a_run(environment=surroundings(python="cpython 3.12.1")), QUESTION, "python is cpython 3.12.1, now cpython 3.11.7"),
    (a_run(), replace(QUESTION, environment=surroundings(packages="sha256:2")), "packages is sha256:1, now sha256:2"),
    (a_run(environment=NO_PACKAGES), replace(QUESTION, environment=NO_PACKAGES), "packages is unknown, now unknown"),
    (a_run(inputs={"data/": "1"}), NEW_DATA, "input data/ is 1, now 2"),
    (a_run(), NEW_DATA, "input data/ is none, now 2"),
    (a_run(inputs={"data/": "1"}), QUESTION, "input data/ is 1, now none"),
]
OBJECTIONS = [
    pytest.param(rung, *one, id=f"{rung}: {one[2]}")
    for rung, table in ((Rung.EVIDENCE, OF_EVIDENCE), (Rung.MODEL, OF_MODEL), (Rung.CONFIG, OF_CONFIG), (Rung.ENVIRONMENT, OF_ENVIRONMENT))
    for one in table
]


@pytest.mark.parametrize(("rung", "run", "question", "detail"), OBJECTIONS)
def test_each_objection_is_the_only_one_and_names_the_run(rung: Rung, run: Run, question: ReuseQuestion, detail: str) -> None:
    (reason,) = objections(question, run)
    assert reason.rung is rung
    assert detail in reason.detail
    assert run.run_id in reason.detail


def test_all_objections_are_given() -> None:
    run = a_run(1, status=RunStatus.ERRORED, trust=Trust.FORK, environment=surroundings(driver="535.1", cuda="12.4"), values=())
    rungs = [reason.rung for reason in objections(QUESTION, run)]
    assert rungs == [Rung.EVIDENCE, Rung.EVIDENCE, Rung.EVIDENCE, Rung.ENVIRONMENT, Rung.ENVIRONMENT]


def meets_none(question: ReuseQuestion, run: Run) -> bool:
    return not any(objections(question, run))


def test_at_exactly_the_greatest_age_a_run_still_counts() -> None:
    assert meets_none(QUESTION, a_run(age=30 * DAY))
    assert not meets_none(QUESTION, a_run(age=30 * DAY + timedelta(milliseconds=1)))


def test_a_clock_that_is_a_little_ahead_does_no_harm() -> None:
    assert meets_none(QUESTION, a_run(age=timedelta(seconds=-200)))


def test_more_trust_than_asked_is_enough() -> None:
    for trust in (Trust.MEMBER, Trust.DEFAULT):
        assert meets_none(QUESTION, a_run(trust=trust))


def test_a_member_s_run_may_do_for_the_default_branch_and_a_fork_s_never() -> None:
    of_default = replace(QUESTION, trust=Trust.DEFAULT)
    assert meets_none(of_default, a_run(trust=Trust.DEFAULT))
    assert meets_none(of_default, a_run(trust=Trust.MEMBER)), "whether its change left harness and config alone is asked elsewhere"
    assert not meets_none(of_default, a_run(trust=Trust.FORK))


def test_without_a_declared_metric_the_first_printed_one_counts() -> None:
    question = replace(QUESTION, needed=Needed("", 4))
    assert meets_none(question, a_run())
    processes = processes_of(4)
    timed = a_run(metrics=(), processes=processes, samples=samples_of("wall_time", (1.0, 2.0, 3.0, 4.0), processes))
    assert meets_none(question, timed)
    assert not meets_none(question, a_run(metrics=(MetricFacts(name="other", unit=None),)))


def answers(record: LineageKey, question: LineageKey) -> bool:
    return not any(key_differences(record, question))


def test_any_is_a_wildcard_of_the_question() -> None:
    record = LineageKey(HEAD, "m", "gpt2", "bf16")
    assert answers(record, LineageKey(HEAD, "any", "any", "any"))
    assert not answers(replace(record, model="any"), record)


AXES = st.sampled_from(["unknown", "none", "any", "a100", "gpt2"])
KEYS = st.builds(LineageKey, st.sampled_from([HEAD, BASE]), AXES, AXES, AXES)


@given(KEYS, KEYS)
def test_unknown_in_a_record_never_answers(record: LineageKey, question: LineageKey) -> None:
    if "unknown" in (record.machine, record.model, record.precision):
        assert not answers(record, question)


@given(KEYS, KEYS)
def test_unknown_in_a_question_is_never_answered(record: LineageKey, question: LineageKey) -> None:
    if "unknown" in (question.machine, question.model, question.precision):
        assert not answers(record, question)


@given(KEYS)
def test_a_known_key_answers_itself(key: LineageKey) -> None:
    assert answers(key, key) == ("unknown" not in (key.machine, key.model, key.precision))


@given(AXES, AXES)
def test_two_facts_are_the_same_only_when_known_and_equal(one: str, other: str) -> None:
    assert same_fact(one, other) == (one == other and one != "unknown")


@given(AXES, AXES, AXES)
def test_an_unknown_environment_is_never_reused(driver: str, cuda: str, image: str) -> None:
    here = surroundings(driver=driver, cuda=cuda, image_digest=image)
    same = meets_none(replace(QUESTION, environment=here), a_run(environment=here))
    assert same == ("unknown" not in (driver, cuda, image))


BENCHMARK: dict[str, Any] = {"name": "bench", "run": "python bench.py", "metric": {"name": "val_loss", "better": "lower"}}

IN_THE_HASH: list[dict[str, Any]] = [
    {"run": "python other.py"},
    {"dialect": "wide"},
    {"setup": "pip install ."},
    {"isolate": "none"},
    {"checks": "pytest"},
    {"inputs": ["data"]},
    {"env": {"set": {"A": "1"}}},
    {"env": {"pass": ["A"]}},
    {"workdir": "bench"},
    {"warmup": 3},
    {"run": "python bench.py --seed {seed}", "seeds": [1, 2]},
    {"run": "python bench.py --seed {seed}", "seeds": {"start": 1, "min": 2, "max": 4}},
    {"run": "python bench.py --batch {batch}", "batch": {"size": 8, "min": 4}},
    {"gpus": 1},
]

NOT_IN_THE_HASH: list[dict[str, Any]] = [
    {"name": "renamed"},
    {"metric": {"name": "acc", "better": "higher", "min_effect": "5%"}},
    {"guards": {"tok_s": {"better": "higher", "max_regression": "5%"}}},
    {"repeats": {"min": 6, "max": 12}},
    {"timeout": "1h"},
    {"max_time": "1h"},
    {"recheck": "1d"},
    {"model": "gpt2"},
    {"precision": "bf16"},
]


def hash_of(changes: dict[str, Any]) -> str:
    return config_hash(Benchmark.model_validate(BENCHMARK | changes), {})


@pytest.mark.parametrize("changes", IN_THE_HASH, ids=str)
def test_what_changes_the_samples_changes_the_hash(changes: dict[str, Any]) -> None:
    assert hash_of(changes) != hash_of({})


def test_each_such_change_has_a_hash_of_its_own() -> None:
    assert len({hash_of(changes) for changes in IN_THE_HASH}) == len(IN_THE_HASH)


@pytest.mark.parametrize("changes", NOT_IN_THE_HASH, ids=str)
def test_what_only_decides_anew_does_not_change_the_hash(changes: dict[str, Any]) -> None:
    assert hash_of(changes) == hash_of({})


def test_the_values_of_passed_variables_are_not_held() -> None:
    parameters = config_facts(Benchmark.model_validate(BENCHMARK | {"env": {"pass": ["B", "A"]}}), {"A": "private"}).parameters
    assert isinstance(parameters["env_pass"], dict)
    assert list(parameters["env_pass"]) == ["A", "B"]
    assert parameters["env_pass"]["B"] is None
    assert "private" not in str(parameters)


def test_the_key_has_the_models_of_the_config() -> None:
    benchmark = Benchmark.model_validate(BENCHMARK | {"model": "gpt2", "precision": "bf16"})
    assert lineage_key(benchmark, HEAD, "m") == LineageKey(HEAD, "m", "gpt2", "bf16")
    assert lineage_key(Benchmark.model_validate(BENCHMARK), HEAD, "m") == LineageKey(HEAD, "m", "none", "none")


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, Needed("val_loss", 4)),
        ({"repeats": {"min": 6, "max": 12}}, Needed("val_loss", 6)),
        ({"run": "x {seed}", "seeds": [13, 42, 123]}, Needed("val_loss", 3, (13, 42, 123))),
        ({"run": "x {seed}", "seeds": {"start": 5, "min": 3, "max": 10}}, Needed("val_loss", 3, (5, 6, 7))),
    ],
)
def test_a_run_must_have_what_the_first_look_would_have(changes: dict[str, Any], wanted: Needed) -> None:
    assert needed_samples(Benchmark.model_validate(BENCHMARK | changes), "val_loss") == wanted


def test_the_factory_makes_runs_that_differ_by_number() -> None:
    assert a_run(1).run_id != a_run(2).run_id
    assert is_id("run", a_run(3).run_id)
    assert a_run().config.parameters == PARAMETERS


def test_what_every_process_has_of_the_job_is_a_part_of_its_config() -> None:
    """Locale, loader and GPU libraries change numbers, and a child has them whether or not the config names them."""
    benchmark = Benchmark.model_validate(BENCHMARK)
    plain = config_hash(benchmark, {"PATH": "/bin", "HOME": "/h"})
    assert (
        plain == config_hash(benchmark, {"CUDA_VISIBLE_DEVICES": "1", "PATH": "/usr/bin", "GITHUB_SHA": "x"}) == config_hash(benchmark, {})
    )
    for name in ("LD_PRELOAD", "CUDA_LAUNCH_BLOCKING", "NVIDIA_TF32_OVERRIDE", "LC_ALL", "LD_LIBRARY_PATH"):
        assert len({plain, config_hash(benchmark, {name: "1"}), config_hash(benchmark, {name: "2"})}) == 3


def test_a_folder_that_is_kept_between_runs_is_a_part_of_the_config() -> None:
    assert hash_of({"cache": ["~/.cache/x"]}) != hash_of({})


def test_the_variable_that_differs_is_named_and_its_value_is_not() -> None:
    benchmark = Benchmark.model_validate(BENCHMARK)
    then, now = (config_facts(benchmark, {"LD_PRELOAD": value}) for value in ("private-one", "private-two"))
    question = replace(QUESTION, config_hash=now.hash, parameters=now.parameters)
    said = [reason.detail for reason in objections(question, a_run(config=then))]
    assert len(said) == 1
    assert said[0].endswith("for these differ: the variable LD_PRELOAD")
    assert "private" not in str(then)
