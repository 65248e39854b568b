"""Quantities as people write them: durations `1h30m`, sizes `64KB`, fractions `1%`; and back again.

Every `parse_…` takes text or a bare number and raises ValueError whose message completes the sentence `"text" …`.
"""

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,15})?"
_MILLISECONDS: Mapping[str, int] = MappingProxyType({"w": 604_800_000, "d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1})
_DURATION_PART = re.compile(rf"({_NUMBER})(ms|[wdhms])")
_DURATION = re.compile(rf"(?:{_NUMBER}(?:ms|[wdhms]))+")
_BYTES: Mapping[str, int] = MappingProxyType(
    {"TB": 10**12, "GB": 10**9, "MB": 10**6, "KB": 10**3, "TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "B": 1}
)
_SIZE = re.compile(rf"({_NUMBER}) ?([kKMGT]i?B|B)")
_FRACTION = re.compile(rf"({_NUMBER}) ?(%?)")
_NEGATIVE = re.compile(rf" *-{_NUMBER}.*", re.DOTALL)

LONGEST_S = 100 * 365 * 86_400.0
"""No duration of a config is longer than a century."""
LARGEST = 10**15
"""No size of a config is above a petabyte."""


def parse_duration(value: object) -> float:
    """Seconds of `250ms`, `90s`, `10m`, `1h30m`, `14d`, `2w`; a bare number is seconds."""
    seconds = _not_negative(value) if _is_number(value) else _spelled_duration(value)
    if seconds > LONGEST_S:
        raise ValueError("is longer than a century")
    return seconds


def _spelled_duration(value: object) -> float:
    text = _text(value, "a duration such as 90s, 10m or 1h30m")
    parts = _DURATION_PART.findall(text) if _DURATION.fullmatch(text) else []
    order = [list(_MILLISECONDS).index(unit) for _, unit in parts]
    if not parts or order != sorted(set(order)):
        raise ValueError("is not a duration such as 90s, 10m or 1h30m")
    # in milliseconds and rounded once, so that 1h30m and 0.7s are exactly what they look like
    return round(math.fsum(float(number) * _MILLISECONDS[unit] for number, unit in parts), 6) / 1000


def format_duration(seconds: float) -> str:
    """The shortest spelling that `parse_duration` reads back, to the microsecond."""
    rest = round(seconds * 1000, 3)
    parts = []
    for unit, factor in _MILLISECONDS.items():
        if unit == "w":
            continue
        count = rest if unit == "ms" else rest // factor
        rest = round(rest - count * factor, 3)
        if count:
            parts.append(f"{count:.3f}".rstrip("0").rstrip(".") + unit)
    return "".join(parts) or "0s"


def parse_size(value: object) -> int:
    """Bytes of `64KB`, `1GB` (powers of 1000) or `64KiB` (powers of 1024); a bare number is bytes."""
    size = round(_not_negative(value)) if _is_number(value) else _spelled_size(value)
    if size > LARGEST:
        raise ValueError("is larger than 1000TB")
    return size


def _spelled_size(value: object) -> int:
    match = _SIZE.fullmatch(_text(value, "a size such as 64KB or 1GB"))
    if match is None:
        raise ValueError("is not a size such as 64KB or 1GB")
    return round(float(match[1]) * _BYTES[match[2].replace("k", "K")])


def format_size(size: int) -> str:
    """A spelling that `parse_size` reads back exactly."""
    unit = next((unit for unit, factor in _BYTES.items() if size and size % factor == 0), "B")
    return f"{size // _BYTES[unit]}{unit}"


def parse_fraction(value: object) -> float:
    """A fraction of `1%` or `0.01`. A bare number of 1 or more is refused: it nearly always means a percentage."""
    if not _is_number(value):
        match = _FRACTION.fullmatch(_text(value, "a percentage such as 1% or a fraction such as 0.01"))
        if match is None:
            raise ValueError("is not a percentage such as 1% or a fraction such as 0.01")
        if match[2]:
            return float(match[1] + "e-2")
        value = float(match[1])
    fraction = _not_negative(value)
    if fraction >= 1:
        raise ValueError(f"could be meant as {fraction:g}% or as {fraction * 100:g}%: write the % sign")
    return fraction


def format_fraction(fraction: float) -> str:
    """As a percentage that `parse_fraction` reads back to nine digits."""
    return f"{float(f'{fraction * 100:.9g}'):f}".rstrip("0").rstrip(".") + "%"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _not_negative(value: object) -> float:
    number = float(value) if isinstance(value, int | float) else math.nan
    if not math.isfinite(number):
        raise ValueError("is not a finite number")
    if number < 0:
        raise ValueError("is negative")
    return number


def _text(value: object, wanted: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"is not {wanted}")  # noqa: TRY004 pydantic turns a ValueError into a problem of the config
    if _NEGATIVE.fullmatch(value):
        raise ValueError("is negative")
    return value.strip(" ")
