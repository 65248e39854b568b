"""The JSON Schema that editors read."""

from typing import Any

import jsonschema
import pytest
import yaml
from tests.configs import FULL, SMALL

from assay.core.config_docs import EXAMPLE
from assay.core.config_schema import config_schema
from assay.core.config_text import parse_config
from assay.errors import UsageError


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("text", [FULL, SMALL, EXAMPLE], ids=["full", "small", "docs"])
def test_a_sound_file_satisfies_the_schema(validator: jsonschema.Draft202012Validator, text: str) -> None:
    assert list(validator.iter_errors(yaml.safe_load(text))) == []
    assert parse_config(text).version == 1


@pytest.mark.parametrize(
    "line",
    [
        "repeat: {min: 3}",
        "name: x",
        "timeout: soon",
        "timeout: 0",
        "guards: {g: {better: lower, max_regression: 5}}",
        "env: {pass_: [A]}",
        "seeds: 13",
        "level: e2",
        "format: hyperfine",
        "checks:",
        "inputs: data",
        "warmup: -1",
    ],
)
def test_schema_and_reader_refuse_the_same(validator: jsonschema.Draft202012Validator, line: str) -> None:
    text = SMALL + f"    {line}\n"
    assert list(validator.iter_errors(yaml.safe_load(text)))
    with pytest.raises(UsageError):
        parse_config(text)


@pytest.mark.parametrize(
    "line", ["timeout: 90", "timeout: 1h30m", "env: {set: {A: 1}}", "seeds: {start: 1}", "max_output: 1.5 GiB", "batch: {size: 4}"]
)
def test_schema_and_reader_take_the_same(validator: jsonschema.Draft202012Validator, line: str) -> None:
    text = SMALL + f"    {line}\n"
    assert list(validator.iter_errors(yaml.safe_load(text))) == []
    assert parse_config(text).benchmarks


def test_a_metric_is_required_in_a_file(validator: jsonschema.Draft202012Validator) -> None:
    assert list(validator.iter_errors({"version": 1, "benchmarks": {"b": {"run": "x"}}}))


def sections(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [schema, *schema["$defs"].values()]


def test_every_key_says_what_it_does() -> None:
    schema = config_schema()
    for section in sections(schema):
        for key, one in section.get("properties", {}).items():
            about = one.get("description") or schema["$defs"][one["$ref"].rsplit("/", 1)[1]]["description"]
            assert about.endswith("."), key


def test_the_schema_allows_no_null_and_shows_no_words_of_python() -> None:
    text = str(config_schema())
    assert "'null'" not in text
    assert "None" not in text
