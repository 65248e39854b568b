"""Overlays: further tasks in JSON, and an error with its place for whatever is wrong with one."""

import pytest
from tests.loops import config_of

from assay.core.loop.now import parse_now
from assay.core.loop.overlay import read_overlay
from assay.core.loop.task import config_for, tasks_of
from assay.core.loop.vocabulary import Source, ValueClass
from assay.errors import UsageError

FILE = "tasks.json"


def test_an_entry_is_a_benchmark_with_an_id_a_title_and_an_acceptance() -> None:
    text = '[{"id": "lab", "title": "The lab", "run": "./lab", "needs": ["cuda"], "recheck": "7d", "timeout": "90s", "value": "witness"}]'
    (task,) = read_overlay(text, FILE)
    assert (task.id, task.title, task.source, task.value) == ("lab", "The lab", Source.OVERLAY, ValueClass.WITNESS)
    assert (task.benchmark.recheck, task.benchmark.timeout, task.benchmark.needs) == (7 * 86_400, 90, ("cuda",))


def test_an_entry_without_a_value_is_coverage() -> None:
    for value in ("", ', "value": ""'):
        (task,) = read_overlay(f'[{{"id": "lab", "run": "./lab"{value}}}]', FILE)
        assert task.value is ValueClass.COVERAGE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON"),
        ("{}", "not a list"),
        ("[1]", "entry 1"),
        ('[{"run": "x"}]', "entry 1: id"),
        ('[{"id": "a"}]', "run"),
        ('[{"id": "a", "run": " "}]', "empty"),
        ('[{"id": "a", "run": "x"}, {"id": "b", "run": "x", "colour": 1}]', "entry 2: colour"),
        ('[{"id": "a", "run": "x", "value": "huge"}]', "value"),
        ('[{"id": "a", "run": "x", "needs": ["luck"]}]', "needs"),
        ('[{"id": "../a", "run": "x"}]', "id"),
        ('[{"id": "a", "id": "b", "run": "x"}]', "twice"),
        ('[{"id": "a", "run": "x", "recheck": NaN}]', "no JSON"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(UsageError) as found:
        read_overlay(text, FILE)
    assert FILE in found.value.message
    assert said in found.value.message


def test_an_id_that_the_config_has_already_is_an_error() -> None:
    config = config_of("bench")
    with pytest.raises(UsageError, match="bench stands twice"):
        tasks_of(config, read_overlay('[{"id": "bench", "run": "x"}]', FILE))
    with pytest.raises(UsageError, match="twice"):
        tasks_of(config, read_overlay('[{"id": "a", "run": "x"}, {"id": "a", "run": "y"}]', FILE))


def test_a_task_of_an_overlay_is_a_benchmark_of_a_config_of_its_own() -> None:
    config = config_of("bench", top="policy: {alpha: 0.01}\n")
    (task,) = read_overlay('[{"id": "lab", "run": "./lab"}]', FILE)
    own = config_for(config, task)
    assert (list(own.benchmarks), own.policy.alpha) == (["lab"], 0.01)
    assert config_for(config, tasks_of(config)[0]) is config


@pytest.mark.parametrize("text", ["2025-03-01T12:00:00Z", "20250301T120000Z", "2025-03-01T12:00:00.000Z"])
def test_now_takes_the_forms_that_people_have_at_hand(text: str) -> None:
    assert parse_now(text).isoformat() == "2025-03-01T12:00:00+00:00"


def test_now_takes_a_date() -> None:
    assert parse_now("2025-03-01").isoformat() == "2025-03-01T00:00:00+00:00"


@pytest.mark.parametrize("text", ["", "yesterday", "2025-13-01", "2025-03-01T12:00:00", "20250230T120000Z", "1"])
def test_now_takes_nothing_else(text: str) -> None:
    with pytest.raises(UsageError, match="--now"):
        parse_now(text)


@pytest.mark.parametrize("text", ["0001-01-01", "1969-12-31", "9001-01-01", "9999-12-31T23:59:59Z"])
def test_now_takes_no_year_in_which_nothing_can_be_reckoned(text: str) -> None:
    with pytest.raises(UsageError, match="too far away"):
        parse_now(text)
