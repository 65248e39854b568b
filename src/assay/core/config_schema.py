"""The JSON Schema of the config, for editors and for the docs."""

from collections.abc import Callable, Mapping
from typing import Any

from assay.core.config import Config
from assay.core.units import format_duration, format_fraction, format_size

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SPELLED: Mapping[str, Callable[[Any], str]] = {
    "duration": format_duration,
    "size": format_size,
    "percentage": format_fraction,
    "percentage or auto": format_fraction,
}


def config_schema() -> dict[str, Any]:
    """What a file may say. Quantities are text with a unit or bare numbers; `$comment` names their kind.

    An empty value is no value, so null is nowhere allowed.
    """
    raw = Config.model_json_schema()
    _as_in_files(raw["$defs"]["Benchmark"])
    raw["$defs"] = {name: _tidy(section) for name, section in raw["$defs"].items()}
    raw["properties"] = {key: _tidy(one) for key, one in raw["properties"].items()}
    return {**raw, "$schema": DIALECT, "title": "Assay", "description": "The config of Assay, .github/assay.yml."}


def _as_in_files(benchmark: dict[str, Any]) -> None:
    """A benchmark's name is the key it stands under, and its metric must be given."""
    del benchmark["properties"]["name"]
    benchmark["required"] = ["run", "metric"]


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema in its simplest form, and all that are in it."""
    tidy = _without_null({key: value for key, value in schema.items() if key != "title"})
    if "properties" in tidy:
        tidy["properties"] = {key: _tidy(one) for key, one in tidy["properties"].items()}
    if "description" in tidy:
        tidy["description"] = " ".join(tidy["description"].split("\n\n")[0].split())
    spell = _SPELLED.get(tidy.get("$comment", ""))
    if spell and "default" in tidy:
        tidy["default"] = spell(tidy["default"])
    return tidy


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" not in schema:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    (only,) = [one for one in schema["anyOf"] if one.get("type") != "null"]
    return {**only, **rest}
