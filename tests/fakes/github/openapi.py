"""GitHub's own description of its API, as judge of every request to the fake and of every answer it gives.

Only the operations in use are compiled, once each: an operation's schemas are collected with all that they refer to, and
turned from OpenAPI 3.0 (`nullable`) into JSON Schema.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

CACHE = Path(__file__).parents[3] / ".cache" / "octokit"
Schema = dict[str, Any]
_FORMATS = FormatChecker(())


class MissingDescriptionError(RuntimeError):
    """The description was not fetched, so that nothing can be judged."""


@_FORMATS.checks("date-time", raises=ValueError)
def _is_timestamp(value: object) -> bool:
    return not isinstance(value, str) or ("T" in value and datetime.fromisoformat(value).tzinfo is not None)


@cache
def load(name: str) -> Any:
    """A file of the cache, parsed. Raises MissingDescriptionError that says how to get it."""
    try:
        return json.loads((CACHE / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingDescriptionError(f"{CACHE / name} is missing: run .ci/openapi (it needs npm), then the tests again") from None


def description() -> Schema:
    found: Schema = load("api.github.com.json")
    return found


@dataclass(frozen=True, slots=True)
class Operation:
    """What one method of one path takes and answers."""

    parameters: Mapping[tuple[str, str], Draft202012Validator]
    body: Draft202012Validator | None
    body_keys: frozenset[str]
    body_required: bool
    answers: Mapping[int, Draft202012Validator]

    def judge_request(self, params: Mapping[str, str], query: Mapping[str, str], body: Any) -> Iterator[str]:
        """What the description has against a request."""
        for place, values in (("path", params), ("query", query)):
            for name, value in values.items():
                yield from self._judge_parameter(place, name, value)
        yield from self._judge_body(body)

    def _judge_parameter(self, place: str, name: str, value: str) -> Iterator[str]:
        validator = self.parameters.get((place, name))
        if validator is None:
            yield f"{place} parameter {name!r} is not in the description"
        else:
            yield from (f"{place} parameter {name!r}: {error.message}" for error in validator.iter_errors(_typed(validator, value)))

    def _judge_body(self, body: Any) -> Iterator[str]:
        if self.body is None:
            if body is not None:
                yield "a body was sent to an operation without one"
        elif body is not None or self.body_required:
            yield from (say(error) for error in self.body.iter_errors(body))
            if self.body_keys and isinstance(body, dict):
                yield from (f"body: {key!r} is not in the description" for key in sorted(body.keys() - self.body_keys))

    def judge_answer(self, status: int, body: Any) -> Iterator[str]:
        """What the description has against an answer of the fake. Fields may be left out, not be of another kind."""
        validator = self.answers.get(status)
        if validator is not None:
            yield from (say(error) for error in validator.iter_errors(body))


@cache
def operation(method: str, template: str) -> Operation | None:
    """One operation, compiled; None where the description has none of that name."""
    found = description()["paths"].get(template, {}).get(method.lower())
    if found is None:
        return None
    body = _resolve(found.get("requestBody", {}))
    schema = body.get("content", {}).get("application/json", {}).get("schema")
    return Operation(
        parameters=_parameters(found),
        body=None if schema is None else _compile(schema),
        body_keys=frozenset(_resolve(schema or {}).get("properties", {})),
        body_required=bool(body.get("required", False)),
        answers=_answers(found["responses"]),
    )


@cache
def event_validator(name: str) -> Draft202012Validator:
    """The judge of a webhook's payload, `pull-request-opened` for one, with all that it requires."""
    body = description()["x-webhooks"][name]["post"]["requestBody"]
    return _compile(body["content"]["application/json"]["schema"])


def _parameters(found: Schema) -> dict[tuple[str, str], Draft202012Validator]:
    resolved = [_resolve(one) for one in found.get("parameters", [])]
    return {(one["in"], one["name"]): _compile(one["schema"]) for one in resolved}


def _answers(responses: Schema) -> dict[int, Draft202012Validator]:
    contents = {int(status): _resolve(one).get("content", {}) for status, one in responses.items() if status.startswith("2")}
    return {status: _compile(one["application/json"]["schema"], lax=True) for status, one in contents.items() if "application/json" in one}


def _resolve(node: Schema) -> Schema:
    while "$ref" in node:
        node = _component(node["$ref"])
    return node


def _component(ref: str) -> Schema:
    found: Any = description()
    for key in ref.removeprefix("#/").split("/"):
        found = found[key]
    resolved: Schema = found
    return resolved


def _compile(schema: Schema, *, lax: bool = False) -> Draft202012Validator:
    """A validator of its own root: the schema, beside the components it reaches, so that references stay inside."""
    reached: dict[str, Schema] = {}
    waiting = [schema]
    while waiting:
        for ref in _references(waiting.pop()):
            if ref not in reached:
                reached[ref] = _component(ref)
                waiting.append(reached[ref])
    root = _convert(schema, lax=lax)
    root["$defs"] = {_key(ref): _convert(one, lax=lax) for ref, one in reached.items()}
    return Draft202012Validator(root, format_checker=_FORMATS)


def _key(ref: str) -> str:
    return ref.rpartition("/")[2]


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for key, value in node.items():
            if key not in ("example", "examples"):
                yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _convert(node: Any, *, lax: bool) -> Any:
    if isinstance(node, list):
        return [_convert(value, lax=lax) for value in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _convert(value, lax=lax) for key, value in node.items() if key not in ("example", "examples", "description", "nullable")}
    if isinstance(kept.get("$ref"), str):
        kept["$ref"] = f"#/$defs/{_key(kept['$ref'])}"
    if lax:
        kept = _loosen(kept)
    return _or_null(kept) if node.get("nullable") is True else kept


def _loosen(node: Schema) -> Schema:
    """Without `required`; alternatives then overlap, so that one of them is as good as exactly one."""
    loose = {key: value for key, value in node.items() if not (key == "required" and isinstance(value, list))}
    if isinstance(loose.get("oneOf"), list):
        loose["anyOf"] = [*loose.pop("oneOf"), *loose.get("anyOf", [])]
    return loose


def _or_null(node: Schema) -> Schema:
    return {"anyOf": [node, {"type": "null"}]}


def _typed(validator: Draft202012Validator, value: str) -> Any:
    """A parameter's text as the kind of value that its schema wants."""
    schema = validator.schema
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind == "integer" and re.fullmatch(r"-?\d+", value):
        return int(value)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    return value


def say(error: Any) -> str:
    """One error, short: the instance in it may be megabytes."""
    place = "/".join(str(part) for part in error.absolute_path)
    message = error.message if len(error.message) <= 300 else f"{error.validator} {str(error.validator_value)[:80]} does not hold"
    return f"body{'/' if place else ''}{place}: {message}"
