"""A YAML tree against the shape of the models: plain data for pydantic, and the keys and gaps that no model would explain well."""

import types
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from assay.core.config import Benchmark, Config
from assay.core.config_problems import Path, Problem
from assay.core.yaml_problems import quoted
from assay.core.yaml_tree import Listing, Node, Scalar, Table, locate

# Python's names for what a file says otherwise
_NOT_IN_FILES = {(Benchmark, "name")}
_REQUIRED_IN_FILES = {(Benchmark, "metric")}
_NOTHING = object()


def keys_of(model: type[BaseModel]) -> dict[str, Any]:
    """The keys that a section of the file may have, with the type of each."""
    fields = model.model_fields.items()
    return {str(field.validation_alias or name): field.annotation for name, field in fields if (model, name) not in _NOT_IN_FILES}


def shape(root: Table) -> tuple[dict[str, Any], list[Problem]]:
    """Plain data without unknown keys and empty values, and a problem for each of those.

    Where text is wanted, a number or a truth value is handed on as it is written, so that `1.10` stays `1.10`.
    """
    shaper = _Shaper(root)
    data = shaper.data(root, Config, ())
    return data, shaper.problems


class _Shaper:
    def __init__(self, root: Table) -> None:
        self.root = root
        self.problems: list[Problem] = []

    def data(self, node: Node, annotation: Any, path: Path) -> Any:
        options = list(_options(annotation))
        if isinstance(node, Scalar):
            return self._scalar(node, options, path)
        if str in options:
            return {}  # no text, whatever is in it
        if isinstance(node, Listing):
            return self._listing(node, options, path)
        model = next((one for one in options if _is_model(one)), None)
        return self._section(node, model, path) if model else self._table(node, options, path)

    def _scalar(self, node: Scalar, options: list[Any], path: Path) -> Any:
        if node.value is None:
            self.problems.append(Problem(node.line, path, "has no value: give it one or leave it out"))
            return _NOTHING
        return node.text if str in options else node.value

    def _listing(self, node: Listing, options: list[Any], path: Path) -> Any:
        item = next((get_args(one)[0] for one in options if get_origin(one) is tuple), object)
        values = (self.data(one, item, (*path, position)) for position, one in enumerate(node.items))
        return tuple(value for value in values if value is not _NOTHING)

    def _table(self, node: Table, options: list[Any], path: Path) -> Any:
        item = next((get_args(one)[1] for one in options if get_origin(one) is dict), object)
        values = {key: self.data(one, item, (*path, key)) for key, one in node.entries.items()}
        return {key: value for key, value in values.items() if value is not _NOTHING}

    def _section(self, node: Table, model: type[BaseModel], path: Path) -> Any:
        keys = keys_of(model)
        values = {}
        for key, one in node.entries.items():
            if key in keys:
                values[key] = self.data(one, keys[key], (*path, key))
            else:
                self.problems.append(Problem(node.lines[key], path, f"unknown key {quoted(key)}. {_advice(key, model)}"))
        for name in keys.keys() - values.keys():
            if (model, name) in _REQUIRED_IN_FILES:
                self.problems.append(Problem(locate(self.root, path)[1], path, missing(name, model)))
        return {key: value for key, value in values.items() if value is not _NOTHING}


def missing(key: str, model: type[BaseModel] | None) -> str:
    """The sentence about a required key that is not there."""
    field = model.model_fields.get(key) if model else None
    about = f" {field.description}" if field and field.description else ""
    return f"the key {quoted(key)} is missing.{about}"


def model_at(path: Path) -> type[BaseModel] | None:
    """The model of the section that a path of the file leads to."""
    annotation: Any = Config
    for step in path:
        options = list(_options(annotation))
        model = next((one for one in options if _is_model(one)), None)
        annotation = keys_of(model).get(str(step)) if model else _value_type(options)
    return next((one for one in _options(annotation) if _is_model(one)), None)


def _value_type(options: list[Any]) -> Any:
    return next((get_args(one)[-1] for one in options if get_origin(one) is dict), None)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _options(annotation: Any) -> Iterator[Any]:
    """The alternatives of a type, without None and without the checks that are annotated."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _options(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for one in get_args(annotation):
            yield from _options(one)
    elif annotation is not types.NoneType:
        yield annotation


def _advice(key: str, model: type[BaseModel]) -> str:
    keys = keys_of(model)
    if model is Benchmark and key == "name":
        return "The name of a benchmark is the key that it stands under."
    near = get_close_matches(key[:64].lower().replace("-", "_"), keys, n=1)
    if near:
        return f'Did you mean "{near[0]}"?'
    home = next((place for place, known in _places() if known is not model and key in keys_of(known)), None)
    return f"It belongs under {home}." if home else f"Valid here: {', '.join(keys)}."


def _places() -> Iterator[tuple[str, type[BaseModel]]]:
    """The sections of the file by their paths, outer ones first."""
    yield "the top of the file", Config
    yield "a benchmark", Benchmark
    yield from _sections(keys_of(Config), "")
    yield from _sections(keys_of(Benchmark), "of a benchmark")


def _sections(keys: Mapping[str, Any], suffix: str) -> Iterator[tuple[str, type[BaseModel]]]:
    for key, annotation in keys.items():
        models = (one for one in _options(annotation) if _is_model(one))
        yield from ((f"{key} {suffix}".strip(), model) for model in models)
