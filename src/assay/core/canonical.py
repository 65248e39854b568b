"""JSON in one form only, so that equal values have equal text and equal hashes; and a reader that accepts nothing doubtful."""

import hashlib
import json
from typing import NoReturn


def compact(value: object) -> str:
    """The canonical text of a JSON value: sorted keys, no blanks, no escapes that are not needed.

    Raises ValueError for a number that is not finite, TypeError for what JSON does not have.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def pretty(value: object) -> str:
    """The same value for a file that people open, with sorted keys and one entry a line."""
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)


def loads(text: str) -> object:
    """The value of a JSON text. Raises ValueError for bad syntax, a repeated key, NaN or Infinity, or absurd nesting."""
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that JSON has")


def sha256(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, in 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def digest(value: object) -> str:
    """The SHA-256 of a JSON value's canonical text: equal for equal values, however they were written."""
    return sha256(compact(value))
