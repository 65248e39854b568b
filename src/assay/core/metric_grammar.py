"""What one METRIC line says: the two dialects.

Every quantifier that could share its characters with a neighbour is possessive, so a line is matched in linear time.
"""

import math
import re
from enum import StrEnum

from assay.core.terminal_text import BLANKS

KEYWORD = "METRIC"
REFUSED_NAMES = frozenset({"__proto__", "constructor", "prototype"})
"""Names that are no plain keys to every reader of the JSON."""

Pair = tuple[str, str, str | None]
"""Name, number and unit as they were written."""


class Dialect(StrEnum):
    """Which lines are metrics. Every `strict` line means the same in `wide`."""

    STRICT = "strict"
    WIDE = "wide"


NAME = {Dialect.STRICT: r"[A-Za-z_][A-Za-z0-9_.-]*+", Dialect.WIDE: r"[A-Za-z_µμ][A-Za-z0-9_.µμ-]*+"}
NUMBER = {
    Dialect.STRICT: r"-?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?",
    Dialect.WIDE: r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?",
}
BARE_UNIT = r"[^\W\d_][\w%°/^*·.²³-]*+|[%°$€£]++"
"""A unit without parentheses: letters first, so that neither a second number nor a comment is taken for one."""

UNIT = r"\(([^)]++)\)"
STRICT_HEAD = rf"METRIC[ \t]++({NAME[Dialect.STRICT]})[ \t]*+=[ \t]*+({NUMBER[Dialect.STRICT]})[ \t]*+"
_STRICT = re.compile(rf"{STRICT_HEAD}(?:{UNIT}[ \t]*+)?")
_WIDE = re.compile(
    rf"[ \t]++({NAME[Dialect.WIDE]})[ \t]*+=[ \t]*+({NUMBER[Dialect.WIDE]})"
    rf"(?:[ \t]*+{UNIT}|[ \t]++({BARE_UNIT})(?![ \t]*+=))?(?=[ \t]|\Z)",
)
_LOOKS = re.compile(r"METRIC\b")


def looks_like_metric(text: str) -> bool:
    """Whether a trimmed line begins with the word METRIC: such a line is counted or refused aloud, never passed over."""
    return _LOOKS.match(text) is not None


def split_strict(text: str) -> Pair | None:
    """The one pair of a strict line, or None."""
    found = _STRICT.fullmatch(text)
    return (found[1], found[2], found[3]) if found else None


def split_wide(text: str) -> tuple[list[Pair], str]:
    """The pairs of a wide line, and what is left where they end; the line is a metric line where nothing is."""
    pairs: list[Pair] = []
    end = len(KEYWORD)
    while found := _WIDE.match(text, end):
        pairs.append((found[1], found[2], found[3] or found[4]))
        end = found.end()
    return pairs, text[end:].strip(BLANKS)


def pair_fault(name: str, number: str | bytes) -> str:
    """Why a pair that is well written is refused all the same, or nothing."""
    if name in REFUSED_NAMES:
        return f'the name "{name}" is reserved'
    if not math.isfinite(float(number)):
        return "the value is too large: not finite as a 64-bit number"
    return ""


def trimmed_unit(unit: str | None) -> str | None:
    """A unit without the blanks around it; None where nothing is left."""
    return (unit.strip() or None) if unit else None
