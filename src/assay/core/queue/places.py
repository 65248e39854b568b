"""Where in a JSON text a value stands, so that an error in a file that people edit can name the line."""

import json
import re
from collections.abc import Iterator, Sequence

_BLANK = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SCALAR = re.compile(r"[^\s,\]}]+")

Step = str | int


def line_of(text: str, path: Sequence[Step]) -> int:
    """The line of the value that a path of keys and indices leads to, or of the last one on the way that is there.

    `text` has to be JSON. Lines count from 1.
    """
    found = 0
    for place, at in _values(text):
        if place == tuple(path[: len(place)]):
            found = max(found, at)
    return _line(text, found)


def repeated_key(text: str) -> tuple[str, int] | None:
    """A key that stands twice in one object, and the line of the second; None where none does. `text` has to be JSON."""
    seen: set[tuple[Step, ...]] = set()
    for place, at in _values(text):
        if place in seen:
            return str(place[-1]), _line(text, at)
        seen.add(place)
    return None


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _values(text: str) -> Iterator[tuple[tuple[Step, ...], int]]:
    """Every value with its path and its offset, in the order of the text."""
    open_ones: list[Step | None] = []  # the key or index that comes next in each container; None right after an opening brace
    at = _blanks(text, 0)
    while at < len(text):
        mark = text[at]
        if mark in "]}":
            open_ones.pop()
            at += 1
        elif mark == ",":
            last = open_ones[-1]
            open_ones[-1] = last + 1 if isinstance(last, int) else None
            at += 1
        else:
            if open_ones and open_ones[-1] is None:
                open_ones[-1], at = _key(text, at)
            yield tuple(step for step in open_ones if step is not None), at
            at = _entered(text, at, open_ones)
        at = _blanks(text, at)


def _key(text: str, at: int) -> tuple[str, int]:
    end = _string(text, at)
    return json.loads(text[at:end]), _blanks(text, _blanks(text, end) + 1)  # behind the colon


def _entered(text: str, at: int, open_ones: list[Step | None]) -> int:
    """Behind a scalar, or just inside a container, which has joined those that are open."""
    mark = text[at]
    if mark == '"':
        return _string(text, at)
    if mark in "[{":
        inside = _blanks(text, at + 1)
        empty = text[inside] in "]}"
        open_ones.append(0 if mark == "[" or empty else None)
        return inside
    found = _SCALAR.match(text, at)
    return found.end() if found else at + 1


def _string(text: str, at: int) -> int:
    found = _STRING.match(text, at)
    return found.end() if found else at + 1


def _blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
