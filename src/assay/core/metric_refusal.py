"""Why a line that begins with METRIC is no metric: the nearest fault from the left, and what to write instead."""

import math
import re

from assay.core.metric_grammar import BARE_UNIT, KEYWORD, NAME, NUMBER, Dialect, Pair, split_wide
from assay.core.terminal_text import BLANKS, shown

_NUMBER = {dialect: re.compile(pattern) for dialect, pattern in NUMBER.items()}
_NAME = {dialect: re.compile(pattern) for dialect, pattern in NAME.items()}
_WORD = re.compile(r"[^ \t(]*+")
_BARE_UNIT = re.compile(BARE_UNIT)
_NEXT_PAIR = re.compile(rf"[ \t,;]*+(?:{NAME[Dialect.WIDE]})[ \t]*+=")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_GROUPED = re.compile(r"-?[0-9]++(?:[,_][0-9]++)++(?:\.[0-9]++)?")
_OTHER_BASE = re.compile(r"[+-]?0[xXbBoO][0-9A-Fa-f_]++")
_NO_EXPONENT = re.compile(r"[+-]?[0-9.]++[eE][+-]?")
_SECOND_EQUALS = 'a second "=" after the value'
_EXCERPT = 40
_MAX_HINTED = 1_000
"""Characters of a line up to which it is worth asking whether the wide dialect takes it."""


def strict_refusal(text: str) -> str:
    """The reason for a line that the strict dialect refuses, and whether the wide one would take it."""
    reason = _line_fault(text, Dialect.STRICT)
    if len(text) > _MAX_HINTED:
        return reason
    pairs, rest = split_wide(text)
    return f"{reason} (or use --dialect wide)" if pairs and not rest else reason


def wide_refusal(text: str, pairs: list[Pair], rest: str) -> str:
    """The reason for a line of which the wide dialect took `pairs` and could not read `rest`."""
    if not pairs:
        return _line_fault(text, Dialect.WIDE)
    if rest.startswith("("):
        return _unit_fault(rest)
    if rest.startswith("="):
        return _SECOND_EQUALS
    if "=" in rest:
        return _pair_fault(rest, Dialect.WIDE)
    return f"text after the value: {_quoted(rest)}"


def _line_fault(text: str, dialect: Dialect) -> str:
    rest = text[len(KEYWORD) :]
    if not rest:
        return "METRIC stands alone: write METRIC name=value"
    if rest[0] not in BLANKS:
        return f"a space must follow METRIC, not {_quoted(rest[0])}: write METRIC name=value"
    return _pair_fault(rest.strip(BLANKS), dialect)


def _pair_fault(text: str, dialect: Dialect) -> str:
    name, equals, value = text.partition("=")
    name, value = name.rstrip(BLANKS), value.lstrip(BLANKS)
    if not equals:
        return f'no "=" and no value after {_quoted(name)}: write METRIC name=value'
    return _name_fault(name, dialect) or _value_fault(value, dialect)


def _name_fault(name: str, dialect: Dialect) -> str:
    if not name:
        return 'no name before "="'
    if name[0].isdigit():
        return f"name {_quoted(name)} starts with a digit"
    if _NAME[dialect].match(name[0]) is None:
        return f"name {_quoted(name)} starts with {_quoted(name[0])}: a letter or _ must come first"
    good = _NAME[dialect].match(name)
    if good is None or good.end() == len(name):
        return ""
    bad = name[good.end()]
    what = "a blank" if bad in BLANKS else _quoted(bad)
    return f"name {_quoted(name)} holds {what}: names are made of A-Z a-z 0-9 _ . -"


def _value_fault(value: str, dialect: Dialect) -> str:
    word = _WORD.match(value)
    token = word[0] if word else ""
    if not value:
        return 'no value after "="'
    if value[0] == "=":
        return 'two "=" after the name'
    if fault := _token_fault(token, dialect):
        return fault
    number = _NUMBER[dialect].match(value)
    if number is None:
        return f"value {_quoted(token or value)} is not a number"
    return _tail_fault(number[0], value[number.end() :], dialect)


def _token_fault(token: str, dialect: Dialect) -> str:
    """The fault of a value that is recognised as something else than a decimal number."""
    if _NOT_FINITE.fullmatch(token):
        return f"value {_quoted(token)} is not finite"
    if _OTHER_BASE.fullmatch(token):
        return f"value {_quoted(token)} is not decimal"
    if _GROUPED.fullmatch(token):
        return f"value {_quoted(token)} is not digits alone: leave out separators and write decimals with a point"
    if _NO_EXPONENT.fullmatch(token):
        return f"value {_quoted(token)} has an exponent without digits"
    if token[:1] in {'"', "'", "`"} and token:
        return f"value {_quoted(token)} stands in quotes: write it plainly"
    if any(char.isdigit() and not char.isascii() for char in token[:_EXCERPT]):
        return f"value {_quoted(token)} is not written in ASCII digits"
    return _loose_number_fault(token, dialect)


def _loose_number_fault(token: str, dialect: Dialect) -> str:
    if not _NUMBER[Dialect.WIDE].fullmatch(token) or _NUMBER[dialect].fullmatch(token):
        return ""
    value = float(token)
    if not math.isfinite(value):
        return f"value {_quoted(token)} is not finite"
    return f"value {_quoted(token)} is not a plain decimal number: write {value:.17g}"


def _tail_fault(number: str, tail: str, dialect: Dialect) -> str:
    """The fault behind a good number."""
    text = tail.lstrip(BLANKS)
    if text.startswith("("):
        return _unit_fault(text)
    if text.startswith("="):
        return _SECOND_EQUALS
    if _NEXT_PAIR.match(tail) and text != tail:
        return "two values on one line: write one METRIC line for each"
    unit = _BARE_UNIT.match(text)
    if unit and unit.end() == len(text) and (text == tail or dialect is Dialect.STRICT):
        return f"unit needs parentheses: {_excerpt(number)} ({_excerpt(text)})"
    if text == tail and (text[0].isalnum() or text[0] in "._+-"):
        return f"value {_quoted(number + text)} is not a number"
    return f"text after the value: {_quoted(text)}"


def _unit_fault(text: str) -> str:
    inside, closed, after = text[1:].partition(")")
    after = after.strip(BLANKS)
    if not closed:
        return f"the parenthesis of the unit is never closed: {_quoted(text)}"
    if not inside:
        return "the parentheses are empty: write a unit or leave them out"
    if "(" in inside and after.startswith(")"):
        return f"the unit holds parentheses of its own: {_quoted(text)}"
    if _NEXT_PAIR.match(after):
        return "two values on one line: write one METRIC line for each"
    return f"text after the unit: {_quoted(after)}"


def _quoted(text: str) -> str:
    """An excerpt in quotes; a lone character without a glyph is named by its code point."""
    if len(text) == 1 and not text.isprintable():
        return f"U+{ord(text):04X}"
    return f'"{_excerpt(text)}"'


def _excerpt(text: str) -> str:
    return shown(text, _EXCERPT)
