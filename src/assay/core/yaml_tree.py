"""A small, strict part of YAML, read into a tree that knows its lines.

Mappings with plain text keys, lists and scalars; no anchors, aliases, merge keys, tags, directives or further documents.
Scalars follow the core schema of YAML 1.2, so `on`, `yes`, `1_000`, `1:30` and dates stay text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

import yaml

from assay.core.values import dataclass
from assay.core.yaml_problems import TreeProblem, YamlError, bare, explain, quoted

MAX_BYTES = 64 * 1024
MAX_DEPTH = 20

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS: Mapping[str, bool] = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]{1,30}|[0-9]{1,30}(?:\.[0-9]{0,30}|(?=[eE])))(?:[eE][-+]?[0-9]{1,2})?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_INSTEAD = "quote a text that begins with {}, write a repeated value out"
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value. `text` is as written, `plain` without quotes; only plain ones can be a number, true or nothing."""

    text: str
    plain: bool
    line: int

    @property
    def value(self) -> str | int | float | bool | None:
        text = self.text
        if not self.plain:
            return text
        if text in _NULLS:
            return None
        if text in _BOOLS:
            return _BOOLS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        return float(text) if _FLOAT.fullmatch(text) and not _LEADING_ZERO.fullmatch(text) else text


@dataclass(frozen=True, slots=True)
class Listing:
    """A list."""

    items: tuple["Node", ...]
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """Keys with their values; `lines` has the line of each key."""

    entries: Mapping[str, "Node"]
    lines: Mapping[str, int]
    line: int


Node = Scalar | Listing | Table


@dataclass(slots=True)
class Reading:
    """A tree and what was wrong with it without making it unreadable, such as a key that stands twice."""

    root: Node
    problems: list[TreeProblem] = field(default_factory=list)


def locate(root: Node, steps: Iterable[str | int]) -> tuple[tuple[str | int, ...], int, Node]:
    """Follow the steps that the tree has and skip the others: the path they make, its line, and what is there."""
    path: tuple[str | int, ...] = ()
    node, line = root, root.line
    for step in steps:
        if isinstance(node, Table) and isinstance(step, str) and step in node.entries:
            line, path = node.lines[step], (*path, step)
            node = node.entries[step]
        elif isinstance(node, Listing) and isinstance(step, int) and step < len(node.items):
            node, path = node.items[step], (*path, step)
            line = node.line
    return path, line, node


def read_tree(text: str) -> Reading:
    """Read one document.

    Raises YamlError for what cannot be read on: too large or too deep, broken syntax, what this part of YAML leaves out.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise YamlError(1, f"the file is over {MAX_BYTES // 1024} KiB")
    try:
        loader = yaml.SafeLoader(text)
    except yaml.YAMLError as error:
        raise explain(error, text) from error
    try:
        return _Reader(loader).document()
    except yaml.YAMLError as error:
        raise explain(error, text) from error
    except (ValueError, OverflowError) as error:  # PyYAML lets an escape beyond Unicode through
        raise YamlError(loader.line + 1, "is not valid YAML: an escape names no character") from error
    except RecursionError as error:
        raise YamlError(loader.line + 1, f"is nested more than {MAX_DEPTH} deep") from error
    finally:
        loader.dispose()


class _Reader:
    """Walks the events of one loader."""

    def __init__(self, loader: yaml.SafeLoader) -> None:
        self._loader = loader
        self._problems: list[TreeProblem] = []

    def document(self) -> Reading:
        self._next()
        if isinstance(self._peek(), yaml.StreamEndEvent):
            raise YamlError(1, "the file is empty")
        start = self._next()
        if isinstance(start, yaml.DocumentStartEvent) and (start.version or start.tags):
            raise YamlError(_line(start), "directives such as %YAML are not taken")
        root = self._node((), 1)
        self._next()
        rest = self._next()
        if not isinstance(rest, yaml.StreamEndEvent):
            raise YamlError(_line(rest), "a second document begins here: the file holds one")
        return Reading(root, self._problems)

    def _next(self) -> yaml.Event:
        event: yaml.Event = self._loader.get_event()  # type: ignore[no-untyped-call]
        return event

    def _peek(self) -> yaml.Event:
        event: yaml.Event = self._loader.peek_event()  # type: ignore[no-untyped-call]
        return event

    def _node(self, path: tuple[str | int, ...], depth: int) -> Node:
        event = self._next()
        _refuse_references(event)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if depth > MAX_DEPTH:
            raise YamlError(_line(event), f"is nested more than {MAX_DEPTH} deep")
        if isinstance(event, yaml.SequenceStartEvent):
            return Listing(tuple(self._items(path, depth)), _line(event))
        return self._mapping(path, depth, _line(event))

    def _items(self, path: tuple[str | int, ...], depth: int) -> Iterator[Node]:
        position = 0
        while not isinstance(self._peek(), yaml.SequenceEndEvent):
            yield self._node((*path, position), depth + 1)
            position += 1
        self._next()

    def _mapping(self, path: tuple[str | int, ...], depth: int, line: int) -> Table:
        entries: dict[str, Node] = {}
        lines: dict[str, int] = {}
        while not isinstance(self._peek(), yaml.MappingEndEvent):
            key = self._key()
            node = self._node((*path, key.text), depth + 1)
            if not isinstance(key.value, str):
                self._problems.append(TreeProblem(key.line, path, f"the key {bare(key.text)} is not a text: put it in quotes"))
            elif key.text in entries:
                self._problems.append(
                    TreeProblem(key.line, path, f"the key {quoted(key.text)} stands twice, first on line {lines[key.text]}")
                )
            else:
                entries[key.text], lines[key.text] = node, key.line
        self._next()
        return Table(entries, lines, line)

    def _key(self) -> Scalar:
        event = self._next()
        _refuse_references(event)
        if not isinstance(event, yaml.ScalarEvent):
            raise YamlError(_line(event), "a list or a mapping stands where a key is expected: quote text that begins with { or [")
        key = _scalar(event)
        if key.plain and key.text == "<<":
            raise YamlError(key.line, "merge keys (<<) are not taken: write the keys out")
        return key


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    if _SURROGATE.search(event.value):
        raise YamlError(_line(event), "is not valid YAML: an escape names half a character")
    return Scalar(event.value, event.style is None, _line(event))


def _refuse_references(event: yaml.Event) -> None:
    if isinstance(event, yaml.AliasEvent):
        raise YamlError(_line(event), f"the alias *{bare(event.anchor or '')} is not taken: {_INSTEAD.format('*')}")
    if not isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
        return
    if event.anchor is not None:
        raise YamlError(_line(event), f"the anchor &{bare(event.anchor)} is not taken: {_INSTEAD.format('&')}")
    if event.tag is not None:
        raise YamlError(_line(event), f"the tag {quoted(event.tag)} is not taken: quote a text that begins with !")


def _line(event: yaml.Event) -> int:
    return int(event.start_mark.line) + 1 if event.start_mark else 1
