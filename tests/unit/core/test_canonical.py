"""Equal JSON values have one text and one hash; doubtful JSON is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.canonical import compact, digest, loads, pretty

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12)


@given(VALUES)
def test_both_forms_read_back_as_the_same_value(value: object) -> None:
    assert loads(compact(value)) == value
    assert loads(pretty(value)) == value


@given(st.dictionaries(st.text(), SCALARS, min_size=2))
def test_the_order_of_keys_does_not_matter(members: dict[str, object]) -> None:
    backwards = dict(reversed(members.items()))
    assert compact(backwards) == compact(members)
    assert digest(backwards) == digest(members)


@given(VALUES)
def test_the_compact_form_is_one_line_that_any_reader_takes(value: object) -> None:
    assert "\n" not in compact(value)
    assert json.loads(compact(value)) == value


def test_the_digest_is_the_sha256_of_the_canonical_text() -> None:
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_different_values_have_different_digests() -> None:
    assert len({digest(value) for value in (1, "1", [1], {"1": 1}, None, True, 1.5)}) == 7


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), {"deep": [float("nan")]}])
def test_a_number_that_is_not_finite_is_never_written(value: object) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        compact(value)
    with pytest.raises(ValueError, match="JSON compliant"):
        pretty(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("NaN", "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ('{"a": 1, "b": 2, "a": 3}', "the key 'a' stands twice"),
        ('{"in": {"x": 1, "x": 1}}', "the key 'x' stands twice"),
        ("[" * 100_000, "nested too deeply"),
        ("{} {}", "Extra data"),
        ("", "Expecting value"),
        ("{'a': 1}", "Expecting property name"),
    ],
)
def test_doubtful_json_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        loads(text)
