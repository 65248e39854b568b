"""What the verbs that read JSON lines share: one strict object a line, and errors that say which member of it is wrong."""

import json
import math
from collections.abc import Mapping
from typing import NoReturn

from assay.core import canonical
from assay.core.model import Direction


class BadRowError(ValueError):
    """What is wrong with a row, as the end of a sentence that begins with its place."""


def object_on(text: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, object]:
    """The object on a line, with all required keys and none that is not known. Raises BadRowError."""
    try:
        value = canonical.loads(text)
    except json.JSONDecodeError as error:  # its own text counts lines within this one
        raise BadRowError(f"not a JSON object: {error.msg} at column {error.colno}") from None
    except ValueError as error:
        raise BadRowError(f"not a JSON object: {error}") from None
    if not isinstance(value, dict):
        raise BadRowError(f"not a JSON object but {kind_of(value)}")
    for key in value:
        if key not in required + optional:
            _unknown(key, required + optional)
    missing = [key for key in required if key not in value]
    if missing:
        raise BadRowError(f"`{missing[0]}` is missing")
    return value


def _unknown(key: str, known: tuple[str, ...]) -> NoReturn:
    from difflib import get_close_matches  # only an error pays for it

    near = get_close_matches(key, known, n=1, cutoff=0.0)
    raise BadRowError(f"unknown key {quoted(key)}; the nearest valid one is `{near[0]}`")


def ident(value: object) -> str | int:
    """The `id` of a row."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadRowError(f"`id` must be text or a whole number, not {kind_of(value)}")
    return value


def direction(value: object) -> Direction:
    """The `direction` of a row."""
    if value not in ("lower", "higher"):
        shown = quoted(value) if isinstance(value, str) else kind_of(value)
        raise BadRowError(f'`direction` must be "lower" or "higher" (which way is better), not {shown}')
    return Direction(value)


def any_direction(value: object) -> Direction | None:
    """The `direction` of a row that may leave it open, by `"unstated"` or null: None then."""
    return None if value in (None, "unstated") else direction(value)


def numbers(value: Mapping[str, object], key: str) -> tuple[float, ...]:
    """The finite numbers of a list, none where the key is absent."""
    found = list_of(value, key)
    if set(map(type, found)) == {float} and all(map(math.isfinite, found)):  # type: ignore[arg-type]
        return tuple(found)  # type: ignore[arg-type]
    return tuple(number(one, f"`{key}[{index}]`") for index, one in enumerate(found))


def list_of(value: Mapping[str, object], key: str) -> list[object]:
    """A list, empty where the key is absent."""
    found = value.get(key, [])
    if not isinstance(found, list):
        raise BadRowError(f"`{key}` must be a list, not {kind_of(found)}")
    return found


def number(value: object, name: str) -> float:
    """A finite number. `name` is the member's, for the error."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRowError(f"{name} must be a number, not {kind_of(value)}")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise BadRowError(f"{name} is too large for a number")
    return found


def kind_of(value: object) -> str:
    """What a value is, for a person; of texts and lists not the content, which may be anything."""
    if value is None or isinstance(value, bool):
        return canonical.compact(value)
    if isinstance(value, int | float):
        return str(value) if abs(value) < 1e15 else "a huge number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object"


def quoted(text: str) -> str:
    """A foreign word, short and with nothing in it that could move a cursor."""
    return ascii(text if len(text) <= 40 else f"{text[:40]}…")
