"""A history is read strictly and answered completely."""

import json
from typing import Any

import pytest

from assay.core.change_rows import changes_in, read_history
from assay.errors import UsageError

STEP = [10.0] * 10 + [12.0] * 10
GOOD: dict[str, Any] = {"id": "a", "direction": "lower", "values": STEP}


def answer(**changes: Any) -> dict[str, Any]:
    return changes_in(read_history(json.dumps({**GOOD, **changes}), "rows:7"))


def test_an_answer_has_all_its_keys_and_is_json() -> None:
    found = json.loads(json.dumps(answer(), allow_nan=False))
    point = {"index": 10, "before": 10.0, "after": 12.0, "relative_change": pytest.approx(0.2), "verdict": "regressed"}
    assert found == {"id": "a", "change_points": [point], "noise_changes": [], "outliers": [], "modes": 1}


@pytest.mark.parametrize(("direction", "verdict"), [("lower", "regressed"), ("higher", "improved"), ("unstated", None), (None, None)])
def test_the_direction_makes_the_verdict(direction: str | None, verdict: str | None) -> None:
    (point,) = answer(direction=direction)["change_points"]
    assert point["verdict"] == verdict


@pytest.mark.parametrize("values", [[], [1], [1, 2, 3]])
def test_a_short_history_holds_nothing(values: list[int]) -> None:
    assert answer(values=values) == {"id": "a", "change_points": [], "noise_changes": [], "outliers": [], "modes": 1}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[]", "not a JSON object but a list"),
        ('{"id": 1, "direction": "lower"}', "`values` is missing"),
        ('{"id": 1, "direction": "up", "values": []}', '`direction` must be "lower" or "higher"'),
        ('{"id": 1, "direction": "lower", "values": 3}', "`values` must be a list, not 3"),
        ('{"id": 1, "direction": "lower", "values": [1, null]}', "`values[1]` must be a number, not null"),
        ('{"id": 1, "direction": "lower", "values": [1, NaN]}', "not a JSON object"),
        ('{"id": 1, "direction": "lower", "value": []}', "the nearest valid one is `values`"),
    ],
)
def test_a_bad_line_is_refused_with_its_place(line: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_history(line, "rows:7")
    assert caught.value.message.startswith("rows:7: ")
    assert words in caught.value.message
    assert "values[]" in caught.value.hint
