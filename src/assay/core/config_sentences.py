"""pydantic's findings in plain sentences, each at its place in the file."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from assay.core.config_problems import Path, Problem
from assay.core.config_rules import Violation
from assay.core.config_shape import missing, model_at
from assay.core.values import dataclass
from assay.core.yaml_problems import bare, quoted
from assay.core.yaml_tree import Listing, Node, Scalar, Table, locate

_CHOICE = re.compile(r"'([^']*)'")


def problems_of(error: ValidationError, root: Node | None) -> Iterator[Problem]:
    """Every finding of a failed validation. Without a tree the problems have no lines."""
    for detail in error.errors(include_url=False):
        if detail["type"] == "rules":
            yield from _broken_rules(detail, root)
        elif not _told_already(detail, root):
            yield _finding(detail, root)


def _told_already(detail: ErrorDetails, root: Node | None) -> bool:
    """A key that is there but empty was told by its shape, a bad name of a benchmark as a bad key."""
    location = detail["loc"]
    if root is not None and detail["type"] == "missing":
        return _Place.find(root, location).path == location
    return root is not None and len(location) == 3 and location[0] == "benchmarks" and location[2] == "name"


def _broken_rules(detail: ErrorDetails, root: Node | None) -> Iterator[Problem]:
    violations: Iterable[Violation] = detail["ctx"]["violations"]
    for violation in violations:
        place = _Place.find(root, (*detail["loc"], *violation.at))
        yield Problem(place.line, place.path, violation.text)


def _finding(detail: ErrorDetails, root: Node | None) -> Problem:
    kind, context = detail["type"], detail.get("ctx", {})
    place = _Place.find(root, detail["loc"])
    if kind == "missing":
        return Problem(place.line, place.path, missing(str(detail["loc"][-1]), model_at(place.path)))
    offender = _offender(place, detail)
    if kind == "value_error":
        return Problem(place.line, place.path, f"{offender} {context['error']}")
    if kind == "literal_error" and place.path == ("version",):
        return Problem(place.line, place.path, f"{offender} is not a supported version of this format: write version: 1")
    if kind in ("literal_error", "enum"):
        return Problem(place.line, place.path, f"{offender} {_not_a_choice(detail, context)}")
    sentence = _SENTENCES.get(kind)
    return Problem(place.line, place.path, f"{offender} {sentence(context) if sentence else bare(detail['msg'])}")


def _offender(place: "_Place", detail: ErrorDetails) -> str:
    if place.of_key:
        return f"the key {quoted(str(place.path[-1]))}"
    if isinstance(place.node, Scalar):
        return quoted(place.node.text) if isinstance(place.node.value, str) else bare(place.node.text)
    if isinstance(place.node, Listing):
        return "the list"
    return "the mapping" if isinstance(place.node, Table) else quoted(str(detail["input"]))


def _not_a_choice(detail: ErrorDetails, context: Mapping[str, Any]) -> str:
    choices = _CHOICE.findall(str(context.get("expected", "")))
    near = get_close_matches(str(detail["input"])[:64].lower().replace("_", "-"), choices, n=1)
    near = near or get_close_matches(str(detail["input"])[:64].lower().replace("-", "_"), choices, n=1)
    return f"is not one of {', '.join(choices)}." + (f' Did you mean "{near[0]}"?' if near else "")


_SENTENCES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "string_type": lambda _: "must be a text: put it in quotes",
    "int_type": lambda _: "must be a whole number, without quotes",
    "bool_type": lambda _: "must be true or false, without quotes",
    "dict_type": lambda _: "must be a mapping: keys with values",
    "model_type": lambda _: "must be a mapping: keys with values",
    "tuple_type": lambda _: "must be a list: put it in [ ]",
    "seed_forms": lambda _: "must be a list such as [13, 42, 123] or a range such as {start: 13, min: 3, max: 10}",
    "too_short": lambda context: f"has too few entries: at least {context['min_length']}",
    "too_long": lambda context: f"has too many entries: at most {context['max_length']}",
    "greater_than_equal": lambda context: f"must be at least {context['ge']}",
    "less_than_equal": lambda context: f"must be at most {context['le']}",
}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a finding stands: the path without pydantic's own steps, such as the tag of a union, the line, and what is there."""

    path: Path
    line: int | None
    node: Node | None
    of_key: bool

    @classmethod
    def find(cls, root: Node | None, location: Path) -> "_Place":
        of_key = location[-1:] == ("[key]",)
        if root is None:
            return cls(location, None, None, of_key)
        return cls(*locate(root, location), of_key)
