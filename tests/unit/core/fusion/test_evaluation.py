"""The closed schema of an evaluation: every rule by itself, and errors that stay bounded."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.fusion.evaluation import SCHEMA, Evaluation, Invalid, bounded, read_evaluation

IDS = ("A", "B", "C")
LISTS = ("strengths", "limitations", "useful_contributions", "risks")


def valid() -> dict[str, Any]:
    return {
        "schema_version": SCHEMA,
        "candidate_assessments": [
            {"candidate_id": one, "summary": f"about {one}", **{name: [f"{name} of {one}"] for name in LISTS}} for one in IDS
        ],
        "agreements": ["it improved"],
        "conflicts": [
            {
                "topic": "noise",
                "positions": [{"candidate_id": "A", "position": "low"}, {"candidate_id": "C", "position": " high "}],
                "resolution": "low",
            }
        ],
        "synthesis_plan": {
            "must_include": [{"candidate_id": "B", "contribution": "the interval"}, {"candidate_id": "B", "contribution": "the limit"}],
            "must_resolve": ["noise"],
            "must_avoid": [],
        },
    }


def read(document: object) -> Evaluation | Invalid:
    return read_evaluation(json.dumps(document), IDS)


def errors(document: object) -> tuple[str, ...]:
    found = read(document)
    assert isinstance(found, Invalid)
    return found.errors


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    document = valid()
    change(document)
    return document


def put(path: str, value: object) -> dict[str, Any]:
    document: Any = valid()
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = document
    for step in way:
        place = place[step]
    place[last] = value
    return dict(document)


def test_a_valid_one_comes_back_as_it_was_said() -> None:
    found = read(valid())
    assert isinstance(found, Evaluation)
    assert found.to_json() == valid()
    assert found.conflicts[0].positions[1] == ("C", " high "), "strings are kept as they are"


def test_the_order_of_assessments_is_free() -> None:
    assert isinstance(read(changed(lambda one: one["candidate_assessments"].reverse())), Evaluation)


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{}\n```",
        json.dumps(valid()) + "\nI hope this helps.",
        "Here it is: " + json.dumps(valid()),
        "",
        "{",
        '{"a": 1, "a": 2}',
        "NaN",
    ],
)
def test_anything_but_json_alone_is_refused(text: str) -> None:
    found = read_evaluation(text, IDS)
    assert isinstance(found, Invalid)
    assert "JSON only" in found.errors[0]


@pytest.mark.parametrize("document", [[], None, 3, "text", True])
def test_anything_but_an_object_is_one_error(document: object) -> None:
    assert len(errors(document)) == 1
    assert "must be an object" in errors(document)[0]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("winner", "A", "unknown key"),
        ("schema_version", "fusion-evaluation.v1", "schema_version"),
        ("candidate_assessments.0.score", 9, "unknown key"),
        ("candidate_assessments.0.candidate_id", "D", "one of A, B, C"),
        ("candidate_assessments.0.candidate_id", ["A"], "one of A, B, C"),
        ("candidate_assessments.0.candidate_id", "B", "unique"),
        ("candidate_assessments.0.summary", "  ", "non-blank"),
        ("candidate_assessments.0.strengths", "many", "must be an array"),
        ("candidate_assessments.0.risks", [""], "non-blank"),
        ("candidate_assessments.0", "A", "must be an object"),
        ("candidate_assessments", {}, "must be an array"),
        ("candidate_assessments", [], "exactly 3"),
        ("agreements", [" "], "non-blank"),
        ("agreements", None, "must be an array"),
        ("conflicts.0.topic", "", "non-blank"),
        ("conflicts.0.resolution", 1, "non-blank"),
        ("conflicts.0.severity", "high", "unknown key"),
        ("conflicts.0.positions", [{"candidate_id": "A", "position": "low"}], "two distinct"),
        ("conflicts.0.positions.1.candidate_id", "A", "two distinct"),
        ("conflicts.0.positions.0.votes", 2, "unknown key"),
        ("synthesis_plan.must_include.0.candidate_id", "X", "one of A, B, C"),
        ("synthesis_plan.must_include", ["everything"], "must be an object"),
        ("synthesis_plan.must_resolve", [3], "non-blank"),
        ("synthesis_plan.winner", "A", "unknown key"),
        ("synthesis_plan", [], "must be an object"),
    ],
)
def test_every_rule_is_told_with_its_place(path: str, value: object, words: str) -> None:
    found = errors(put(path, value))
    assert any(words in one for one in found), found
    assert all(one.startswith("$") for one in found)


def test_a_candidate_twice_beside_another_is_told() -> None:
    positions = [{"candidate_id": one, "position": "x"} for one in "AAB"]
    assert any("stands twice" in one for one in errors(put("conflicts.0.positions", positions)))


@pytest.mark.parametrize("key", list(valid()))
def test_every_missing_key_is_its_own_error(key: str) -> None:
    assert errors(changed(lambda one: one.pop(key))) == (f"$: missing key {key!r}",)


def test_errors_accumulate() -> None:
    assert len(errors({"schema_version": SCHEMA})) == 4


def test_two_candidates_are_all_there_is_where_the_third_failed() -> None:
    document = valid()
    del document["candidate_assessments"][1]
    document["synthesis_plan"]["must_include"] = []
    assert isinstance(read_evaluation(json.dumps(document), ("A", "C")), Evaluation)
    assert isinstance(read_evaluation(json.dumps(valid()), ("A", "B")), Invalid)


def test_errors_are_bounded_in_number_and_length() -> None:
    found = bounded(["x" * 800] * 200)
    assert sum(map(len, found)) < 4300
    assert found[-1] == f"{200 - len(found) + 1} more omitted"
    assert max(map(len, found)) <= 500
    assert found[0].endswith("…")


@given(st.lists(st.text(max_size=900), max_size=60))
def test_bounded_errors_never_lose_count(given: list[str]) -> None:
    found = bounded(given)
    omitted = int(found[-1].split()[0]) if found and found[-1].endswith("more omitted") else 0
    assert len(found) - bool(omitted) + omitted == len(given)
    assert len(found) <= 25


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12) | st.sampled_from(list(valid())), inner, max_size=5),
    max_leaves=20,
)


@given(json_values, st.sampled_from(["schema_version", "candidate_assessments", "agreements", "conflicts", "synthesis_plan"]))
def test_no_value_in_any_place_can_break_the_reader(value: Any, key: str) -> None:
    document = copy.deepcopy(valid())
    document[key] = value
    found = read(document)
    assert isinstance(found, Evaluation | Invalid)
    if isinstance(found, Evaluation):
        assert found.to_json() == document
