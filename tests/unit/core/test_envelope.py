"""Envelopes are complete, strict and exact: what is written reads back equal, and nothing else reads at all."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from tests.fakes.runs import MACHINE, a_decision, a_run, processes_of, samples_of

from assay.core.comparison import Comparison, Undecided
from assay.core.comparison_record import comparison_from_record, comparison_to_record
from assay.core.envelope import Run, RunStatus, StoredDecision
from assay.core.facts import Gpu, known
from assay.core.model import Direction, MetricSpec, Role, Verdict
from assay.core.result import comparison_json

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(max_size=20)
FACT = st.text(min_size=1, max_size=20)

RUNS = st.builds(
    a_run,
    st.integers(0, 2**79),
    values=st.lists(FINITE, max_size=6).map(tuple),
    seeds=st.lists(st.none() | st.integers(), min_size=1, max_size=3).map(tuple),
    status=st.sampled_from(RunStatus),
    detail=TEXT,
    benchmark=FACT,
    command=TEXT,
    warnings=st.lists(TEXT, max_size=3).map(tuple),
    inputs=st.dictionaries(TEXT, TEXT, max_size=3),
    batch=st.none() | st.integers(),
)

COMPARISONS = st.builds(
    Comparison,
    spec=st.builds(
        MetricSpec,
        FACT,
        st.sampled_from(Role),
        st.none() | st.sampled_from(Direction),
        unit=st.none() | TEXT,
        min_effect=FINITE,
        max_regression=st.none() | FINITE,
    ),
    verdict=st.sampled_from(Verdict),
    base=st.lists(FINITE, max_size=5).map(tuple),
    head=st.lists(FINITE, max_size=5).map(tuple),
    reason=TEXT,
    relative_change=st.none() | FINITE,
    interval=st.none() | st.tuples(FINITE, FINITE),
    p=st.none() | FINITE,
    alpha=FINITE,
    undecided=st.none() | st.sampled_from(Undecided),
    harm_excluded=st.none() | FINITE,
    more_pairs=st.none() | st.integers(),
)


@given(RUNS)
def test_a_run_reads_back_equal(run: Run) -> None:
    assert Run.from_json(run.to_json()) == run


@given(st.lists(COMPARISONS, max_size=3))
def test_a_decision_reads_back_with_its_comparisons(comparisons: list[Comparison]) -> None:
    decision = a_decision(comparisons=tuple(comparison_to_record(one) for one in comparisons))
    read = StoredDecision.from_json(decision.to_json())
    assert read == decision
    assert [comparison_from_record(one) for one in read.comparisons] == comparisons


@given(COMPARISONS)
def test_a_stored_comparison_has_all_that_the_result_shows(comparison: Comparison) -> None:
    record = comparison_to_record(comparison).model_dump(mode="json")
    assert comparison_json(comparison).items() <= record.items()


@given(RUNS)
def test_the_text_is_plain_json_with_sorted_keys(run: Run) -> None:
    text = run.to_json()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)


def test_a_text_cut_anywhere_is_never_a_run() -> None:
    text = a_run(warnings=("}", '{"a": 1}')).to_json()
    for size in range(len(text)):
        with pytest.raises(ValueError, match=r"."):
            Run.from_json(text[:size])


def members() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(a_run().to_json())
    return loaded


def nested(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The places of all keys of fixed records; maps whose keys are data are not looked into."""
    inside: list[tuple[str | int, ...]] = []
    if isinstance(value, dict) and at[-1:] not in {("dependencies",), ("lockfiles",), ("inputs",), ("parameters",)}:
        for key, one in value.items():
            inside += [(*at, key), *nested(one, (*at, key))]
    if isinstance(value, list) and value:
        inside += nested(value[0], (*at, 0))
    return inside


@pytest.mark.parametrize("place", nested(members()), ids=lambda place: ".".join(map(str, place)))
def test_a_key_that_is_left_out_makes_it_unreadable(place: tuple[str | int, ...]) -> None:
    value = whole = members()
    for step in place[:-1]:
        value = value[step]  # type: ignore[index]
    del value[place[-1]]  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=str(place[-1])):
        Run.from_json(json.dumps(whole))


def put(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda whole: whole.update(changes)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put(schema="assay.run/2"), "schema is 'assay.run/2', not 'assay.run/1'"),
        (put(schema=None), "schema is None"),
        (put(extra=1), "extra: Extra inputs are not permitted"),
        (lambda whole: whole["machine"].update(serial="x"), "machine.serial: Extra inputs"),
        (lambda whole: whole["samples"][0].update(value="1.0"), "samples.0.value: Input should be a valid number"),
        (lambda whole: whole["samples"][0].update(value=True), "samples.0.value"),
        (lambda whole: whole["samples"][0].update(process=0), "belongs to no measured process"),
        (lambda whole: whole["samples"][0].update(process=99), "belongs to no measured process"),
        (lambda whole: whole["samples"][0].update(seed=7), "belongs to no measured process"),
        (lambda whole: whole["config"]["parameters"].update(warmup=2), "the hash is not that of the parameters"),
        (put(dirty="no"), "dirty"),
        (put(status="fine"), "status"),
        (put(cause="boredom"), "cause"),
        (put(trust="root"), "trust"),
        (put(commit="HEAD"), "commit"),
        (put(commit="A" * 40), "commit"),
        (put(base="main"), "base"),
        (put(created_at="yesterday"), "created_at: .*not a time in UTC"),
        (put(run_id="run-../../x"), "run_id: .*not the id of a run"),
        (put(benchmark=""), "benchmark"),
        (put(warmup=-1), "warmup"),
        (put(samples={}), "samples"),
    ],
)
def test_what_is_not_an_envelope_of_ours_is_refused_with_its_reason(change: Callable[[dict[str, Any]], None], reason: str) -> None:
    whole = members()
    change(whole)
    with pytest.raises(ValueError, match=reason):
        Run.from_json(json.dumps(whole))


@pytest.mark.parametrize("text", ["", "null", "[]", "3", '"assay.run/1"', "{}", "\ufeff{}", "NaN"])
def test_other_json_is_no_run(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Run.from_json(text)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match=r"not a number|finite"):
        Run.from_json(a_run(values=(123.5, 1.0)).to_json().replace("123.5", value))


def test_a_decision_is_no_run_and_a_run_no_decision() -> None:
    with pytest.raises(ValueError, match="schema"):
        Run.from_json(a_decision().to_json())
    with pytest.raises(ValueError, match="schema"):
        StoredDecision.from_json(a_run().to_json())


def test_a_value_that_is_not_finite_cannot_even_be_recorded() -> None:
    with pytest.raises(ValidationError):
        a_run(values=(float("nan"),))


def test_an_envelope_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        a_run().status = RunStatus.COMPLETE


def test_only_a_complete_run_is_clean() -> None:
    assert [status for status in RunStatus if a_run(status=status).clean] == [RunStatus.COMPLETE]


def test_samples_come_in_the_order_of_the_session() -> None:
    processes = processes_of(3)
    samples = samples_of("val_loss", (1.0, 2.0, 3.0), processes)
    run = a_run(processes=processes, samples=(*reversed(samples), *samples_of("tok_s", (7.0, 8.0, 9.0), processes)))
    assert [one.value for one in run.samples_of("val_loss")] == [1.0, 2.0, 3.0]
    assert run.samples_of("other") == ()


def test_a_gpu_is_facts_or_one_word() -> None:
    for gpu in (Gpu(model="NVIDIA A100", count=2), "none", "unknown"):
        machine = MACHINE.model_copy(update={"gpu": gpu})
        assert Run.from_json(a_run(machine=machine).to_json()).machine.gpu == gpu


def test_lockfiles_are_added_without_touching_the_rest() -> None:
    before = a_run().environment
    after = before.with_lockfiles({"uv.lock": "d" * 40})
    assert after.lockfiles == {"uv.lock": "d" * 40}
    assert before.lockfiles == {}
    assert after.model_dump(exclude={"lockfiles"}) == before.model_dump(exclude={"lockfiles"})


def test_known_tells_zero_from_unknown() -> None:
    assert (known(None), known(0), known(1.5)) == ("unknown", 0, 1.5)


def test_no_field_but_the_schema_may_be_left_out() -> None:
    def optional(model: type[BaseModel]) -> set[str]:
        return {name for name, field in model.model_fields.items() if not field.is_required()}

    assert optional(Run) == optional(StoredDecision) == {"schema_"}
