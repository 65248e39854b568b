"""A row is read strictly and answered completely."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.compare_rows import Row, answer, read_row
from assay.core.model import Direction
from assay.errors import UsageError

GOOD: dict[str, Any] = {"id": "a", "direction": "lower", "base": [1, 2, 3], "head": [2, 3, 4]}


def read(**changes: Any) -> Row:
    return read_row(json.dumps({**GOOD, **changes}), "rows:7")


def refusal(text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_row(text, "rows:7")
    return caught.value


def test_a_row_without_options_has_the_defaults_of_the_config() -> None:
    assert read() == Row("a", Direction.LOWER, (1.0, 2.0, 3.0), (2.0, 3.0, 4.0), block=1, paired=False, min_effect=0.01)


def test_every_option_is_read() -> None:
    row = read(block=2, paired=True, min_effect=0, history=[1.5], aa=[[0.01, 0.02], [-0.01, None]], aa_similar=[[0.1, 0.2]])
    values = (1.0, 2.0, 3.0), (2.0, 3.0, 4.0)
    assert row == Row("a", Direction.LOWER, *values, 2, True, 0.0, (1.5,), ((0.01, 0.02), (-0.01, None)), ((0.1, 0.2),))


@pytest.mark.parametrize("id_", ["", "same µ/1", "a\u2028b", "\ud800", 0, -7, 10**30])
def test_ids_come_back_unchanged(id_: str | int) -> None:
    found = json.loads(json.dumps(answer(read_row(json.dumps({**GOOD, "id": id_}), "x"), 0.05)))
    assert found["id"] == id_
    assert type(found["id"]) is type(id_)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": True}, "`id` must be text or a whole number, not true"),
        ({"id": 1.5}, "`id` must be text or a whole number, not 1.5"),
        ({"id": None}, "`id` must be text or a whole number, not null"),
        ({"direction": "up"}, '`direction` must be "lower" or "higher" (which way is better), not \'up\''),
        ({"direction": ["lower"]}, "not a list"),
        ({"base": 3}, "`base` must be a list, not 3"),
        ({"head": {"a": 1}}, "`head` must be a list, not an object"),
        ({"base": [1, "2"]}, "`base[1]` must be a number, not text"),
        ({"base": [1, True]}, "`base[1]` must be a number, not true"),
        ({"base": [None]}, "`base[0]` must be a number, not null"),
        ({"base": [[1]]}, "`base[0]` must be a number, not a list"),
        ({"base": [10**400]}, "`base[0]` is too large"),
        ({"block": 0}, "`block` must be a whole number of at least 1, not 0"),
        ({"block": 1.0}, "`block` must be a whole number"),
        ({"block": True}, "`block` must be a whole number"),
        ({"paired": 1}, "`paired` must be true or false, not 1"),
        ({"paired": True, "head": [1, 2]}, "not 3 and 2"),
        ({"paired": True, "block": 2, "head": [1, 2]}, "not 2 and 1"),
        ({"min_effect": -0.01}, "`min_effect` must be a fraction of at least 0"),
        ({"min_effect": "1%"}, "`min_effect` must be a number, not text"),
        ({"history": [1, None]}, "`history[1]` must be a number"),
        ({"aa": [[1]]}, "`aa[0]` must be [relative change, standard error]"),
        ({"aa": [0.1]}, "`aa[0]` must be [relative change, standard error]"),
        ({"aa": [[0.1, -1]]}, "`aa[0]` must have"),
        ({"aa": [[-1, 0.1]]}, "`aa[0]` must have"),
        ({"aa_similar": [[0.1, 0.1], [None, 0.1]]}, "`aa_similar[1]` must be a number"),
        ({"blok": 2}, "unknown key 'blok'; the nearest valid one is `block`"),
        ({"minEffect": 2}, "unknown key 'minEffect'; the nearest valid one is `min_effect`"),
        ({"\x1b[2J\u202e" + "k" * 99: 2}, "unknown key '\\x1b[2J\\u202e"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(changes: dict[str, Any], words: str) -> None:
    error = refusal(json.dumps({**GOOD, **changes}))
    assert error.message.startswith("rows:7: ")
    assert words in error.message
    assert error.message.isprintable()
    assert len(error.message) < 200
    assert "{id, direction, base[], head[]" in error.hint


@pytest.mark.parametrize("key", ["id", "direction", "base", "head"])
def test_a_missing_key_is_named(key: str) -> None:
    assert f"`{key}` is missing" in refusal(json.dumps({k: v for k, v in GOOD.items() if k != key})).message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "not a JSON object: Expecting value at column 1"),
        ('{"id": "a", "direction": "lower", "base": [1', "not a JSON object: Expecting ',' delimiter at column 45"),
        ("[1, 2]", "not a JSON object but a list"),
        ("3", "not a JSON object but 3"),
        ('"x"', "not a JSON object but text"),
        ("null", "not a JSON object but null"),
        ("{} {}", "not a JSON object: Extra data"),
        ('{"id": 1, "id": 2}', "stands twice"),
        ('{"id": "a", "direction": "lower", "base": [NaN], "head": []}', "NaN is not a number that JSON has"),
        ('{"id": "a", "direction": "lower", "base": [-Infinity], "head": []}', "-Infinity is not a number that JSON has"),
        ('{"id": "a", "direction": "lower", "base": [1e999], "head": []}', "`base[0]` is too large"),
        ("[" * 100_000, "nested too deeply"),
        ('{"id": ' + "9" * 5000 + "}", "not a JSON object"),
    ],
)
def test_what_is_no_row_is_refused(text: str, words: str) -> None:
    assert words in refusal(text).message


def test_an_answer_has_its_eight_fields_and_counts_blocks() -> None:
    found = answer(read(block=2, base=[1, 2, 3, 4, 5], head=[9, 9, 9, 9]), 0.05)
    assert list(found) == ["id", "verdict", "relative_change", "interval", "p", "n", "reason"]
    assert found["n"] == [3, 2]


def test_constants_and_singles() -> None:
    def verdict(**row: Any) -> object:
        return answer(read(**row), 0.05)["verdict"]

    assert verdict(base=[100] * 8, head=[150] * 8) == "regressed"
    assert verdict(base=[100] * 8, head=[150] * 8, direction="higher") == "improved"
    assert verdict(base=[100] * 8, head=[100] * 8) == "unchanged"
    assert verdict(base=[100], head=[150]) == "undecided"
    assert verdict(base=[], head=[]) == "undecided"


def test_level_and_least_effect_are_obeyed() -> None:
    row = {"base": [100, 101, 102, 99], "head": [103, 104, 105, 102]}
    assert answer(read(**row), 0.05)["verdict"] == "regressed"
    assert answer(read(**row), 0.001)["verdict"] == "undecided"
    assert answer(read(**row, min_effect=0.1), 0.05)["verdict"] == "unchanged"


def test_pairing_is_obeyed() -> None:
    base = [100, 200, 300, 400]
    row = {"base": base, "head": [value * factor for value, factor in zip(base, (1.03, 1.04, 1.05, 1.04), strict=True)]}
    assert answer(read(**row), 0.05)["verdict"] == "undecided"
    assert answer(read(**row, paired=True), 0.05)["verdict"] == "regressed"


def test_spread_between_sessions_widens_independent_sides_only() -> None:
    row = {"base": [100, 101, 102, 99], "head": [105, 106, 107, 104], "aa": [[0.06, 0.01], [-0.05, None], [0.07, 0.01]]}
    assert answer(read(**{**row, "aa": []}), 0.05)["verdict"] == "regressed"
    assert answer(read(**row), 0.05)["verdict"] == "undecided"
    assert answer(read(**row, paired=True), 0.05) == answer(read(**{**row, "aa": []}, paired=True), 0.05)


def test_a_single_value_is_judged_by_its_history() -> None:
    history = [100 * (1 + 0.01 * (-1) ** k) for k in range(20)]
    row = {"base": [101], "head": [115], "history": history}
    assert answer(read(**row), 0.05)["verdict"] == "regressed"
    assert answer(read(**{**row, "direction": "higher"}), 0.05)["verdict"] == "improved"
    assert answer(read(**{**row, "history": history[:18]}), 0.05)["verdict"] == "undecided"
    assert answer(read(**{**row, "head": [101.5]}), 0.05)["verdict"] == "undecided"


def test_similar_metrics_show_how_far_a_change_exceeds_its_standard_error() -> None:
    row = {"base": [100, 101, 102, 99], "head": [105, 106, 107, 104]}
    calm = [[0.01 * (-1) ** k, 0.01] for k in range(12)]
    assert answer(read(**row, aa_similar=calm), 0.05)["verdict"] == "regressed"
    assert answer(read(**row, aa_similar=[[5 * change, error] for change, error in calm]), 0.05)["verdict"] == "undecided"


values = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=6)
rows = st.fixed_dictionaries(
    {
        "id": st.one_of(st.text(max_size=5), st.integers()),
        "direction": st.sampled_from(["lower", "higher"]),
        "base": values,
        "head": values,
    },
    optional={
        "block": st.integers(1, 4),
        "min_effect": st.floats(0, 10),
        "history": values,
        "aa": st.lists(st.tuples(st.floats(-0.9, 1e300), st.one_of(st.none(), st.floats(0, 1e300))), max_size=5),
        "aa_similar": st.lists(st.tuples(st.floats(-0.9, 1e300), st.one_of(st.none(), st.floats(0, 1e300))), max_size=12),
    },
)


@settings(deadline=None, max_examples=300)
@given(rows, st.floats(1e-9, 0.5))
def test_every_valid_row_gets_an_answer_that_is_json(row: dict[str, Any], alpha: float) -> None:
    found = answer(read_row(json.dumps(row), "x"), alpha)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["verdict"] in {"improved", "regressed", "unchanged", "undecided"}


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(deadline=None)
@given(documents)
def test_every_other_json_is_refused_for_a_person(value: object) -> None:
    assert refusal(json.dumps(value)).exit_code == 2
