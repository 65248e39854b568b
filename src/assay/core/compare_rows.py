"""One JSON line of `assay compare` to its answer: strict in what it takes, complete in what it says."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from assay.core import canonical
from assay.core.compare import Pairing, compare
from assay.core.estimate import Spread, units_of_evidence
from assay.core.model import Direction, MetricSpec, Role
from assay.errors import UsageError

MIN_EFFECT = 0.01
LEAST_EVIDENCE = 3
"""Earlier A/A pairs below this number say too little about the spread between sessions."""

LARGEST_ERROR = 1e6
"""A standard error of a relative change beyond this is no different from this one, save that its square may overflow."""

REQUIRED = ("id", "direction", "base", "head")
OPTIONAL = ("block", "paired", "min_effect", "history", "aa", "aa_similar")
SHAPE = "{id, direction, base[], head[], block?, paired?, min_effect?, history[]?, aa[]?, aa_similar[]?}"

Pairs = tuple[tuple[float, float | None], ...]


class _BadRowError(ValueError):
    """What is wrong with a row, as the end of a sentence that begins with its place."""


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison to be made.

    `aa` are changes (with their standard errors, where known) between earlier sessions of equal code. `history` and
    `aa_similar` are checked and not used: what they could add to a sound answer is not built yet.
    """

    id: str | int
    direction: Direction
    base: tuple[float, ...]
    head: tuple[float, ...]
    block: int = 1
    paired: bool = False
    min_effect: float = MIN_EFFECT
    aa: Pairs = ()


def read_row(text: str, where: str) -> Row:
    """The row on one line. `where` names the line, as `file:LINE`.

    Raises UsageError with the place, what is wrong and what is expected.
    """
    try:
        return _row(_object(text.rstrip()))
    except _BadRowError as error:
        raise UsageError(f"{where}: {error}", hint=f"Expected one JSON object a line: {SHAPE}") from None


def answer(row: Row, alpha: float) -> dict[str, object]:
    """The answer as JSON has it. `n` counts units of evidence, that is blocks; `interval` and `p` are null where there are none."""
    pairing = Pairing.PAIRED if row.paired else Pairing.NONE
    spec = MetricSpec("", Role.PRIMARY, row.direction, min_effect=row.min_effect)
    found = compare(spec, row.base, row.head, alpha=alpha, pairing=pairing, block=row.block, spread=between_sessions(row.aa))
    return {
        "id": row.id,
        "verdict": found.verdict.value,
        "relative_change": found.relative_change,
        "interval": list(found.interval) if found.interval else None,
        "p": found.p,
        "n": [len(units_of_evidence(side, row.block)) for side in (row.base, row.head)],
        "reason": found.reason,
    }


def between_sessions(aa: Pairs) -> Spread | None:
    """The variance that equal code shows between sessions beyond each one's own standard error, by the method of moments.

    It is charged to sides that were measured one after the other; pairs measured side by side share their weather.
    """
    if len(aa) < LEAST_EVIDENCE:
        return None
    excess = math.fsum(math.log1p(change) ** 2 - min(error or 0.0, LARGEST_ERROR) ** 2 for change, error in aa) / len(aa)
    return Spread(excess, float(len(aa))) if excess > 0.0 else None


def _object(text: str) -> dict[str, object]:
    try:
        value = canonical.loads(text)
    except json.JSONDecodeError as error:  # its own text counts lines within this one
        raise _BadRowError(f"not a JSON object: {error.msg} at column {error.colno}") from None
    except ValueError as error:
        raise _BadRowError(f"not a JSON object: {error}") from None
    if not isinstance(value, dict):
        raise _BadRowError(f"not a JSON object but {_kind(value)}")
    for key in value:
        if key not in REQUIRED + OPTIONAL:
            _unknown(key)
    missing = [key for key in REQUIRED if key not in value]
    if missing:
        raise _BadRowError(f"`{missing[0]}` is missing")
    return value


def _unknown(key: str) -> NoReturn:
    from difflib import get_close_matches  # only an error pays for it

    near = get_close_matches(key, REQUIRED + OPTIONAL, n=1, cutoff=0.0)
    raise _BadRowError(f"unknown key {_shown(key)}; the nearest valid one is `{near[0]}`")


def _row(value: Mapping[str, object]) -> Row:
    row = Row(
        id=_id(value["id"]),
        direction=_direction(value["direction"]),
        base=_numbers(value, "base"),
        head=_numbers(value, "head"),
        block=_block(value.get("block", 1)),
        paired=_flag(value.get("paired", False)),
        min_effect=_effect(value.get("min_effect", MIN_EFFECT)),
        aa=_pairs(value, "aa"),
    )
    _numbers(value, "history")
    _pairs(value, "aa_similar")
    n = [len(units_of_evidence(side, row.block)) for side in (row.base, row.head)]
    if row.paired and n[0] != n[1]:
        raise _BadRowError(f"`paired` needs as many values in `base` as in `head` (after `block`), not {n[0]} and {n[1]}")
    return row


def _id(value: object) -> str | int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _BadRowError(f"`id` must be text or a whole number, not {_kind(value)}")
    return value


def _direction(value: object) -> Direction:
    if value not in ("lower", "higher"):
        shown = _shown(value) if isinstance(value, str) else _kind(value)
        raise _BadRowError(f'`direction` must be "lower" or "higher" (which way is better), not {shown}')
    return Direction(value)


def _block(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _BadRowError(f"`block` must be a whole number of at least 1, not {_kind(value)}")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _BadRowError(f"`paired` must be true or false, not {_kind(value)}")
    return value


def _effect(value: object) -> float:
    effect = _number(value, "`min_effect`")
    if effect < 0.0:
        raise _BadRowError("`min_effect` must be a fraction of at least 0, such as 0.01")
    return effect


def _numbers(value: Mapping[str, object], key: str) -> tuple[float, ...]:
    return tuple(_number(one, f"`{key}[{index}]`") for index, one in enumerate(_list(value, key)))


def _pairs(value: Mapping[str, object], key: str) -> Pairs:
    return tuple(_pair(one, f"`{key}[{index}]`") for index, one in enumerate(_list(value, key)))


def _pair(value: object, name: str) -> tuple[float, float | None]:
    if not isinstance(value, list) or len(value) != 2:
        raise _BadRowError(f"{name} must be [relative change, standard error], not {_kind(value)}")
    change, error = _number(value[0], name), None if value[1] is None else _number(value[1], name)
    if change <= -1.0 or (error is not None and error < 0.0):
        raise _BadRowError(f"{name} must have a change above -1 and a standard error of at least 0")
    return change, error


def _list(value: Mapping[str, object], key: str) -> list[object]:
    found = value.get(key, [])
    if not isinstance(found, list):
        raise _BadRowError(f"`{key}` must be a list, not {_kind(found)}")
    return found


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _BadRowError(f"{name} must be a number, not {_kind(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _BadRowError(f"{name} is too large for a number")
    return number


def _kind(value: object) -> str:
    """What a value is, for a person; of texts and lists not the content, which may be anything."""
    if value is None or isinstance(value, bool):
        return canonical.compact(value)
    if isinstance(value, int | float):
        return str(value) if abs(value) < 1e15 else "a huge number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object"


def _shown(text: str) -> str:
    """A foreign word, short and with nothing in it that could move a cursor."""
    return ascii(text if len(text) <= 40 else f"{text[:40]}…")
