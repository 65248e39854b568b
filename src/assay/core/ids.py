"""Ids that sort by time and are safe as file names: `run-` and a ULID (48 bits of milliseconds, 80 bits of chance).

The grammar is strict because ids become file names: no text that it accepts can name a folder or leave one.
"""

import re
from datetime import UTC, datetime, timedelta

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O, U."""

ENTROPY_BYTES = 10

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END = datetime(9999, 12, 31, tzinfo=UTC)
_PREFIX = re.compile(r"[a-z]+")
_ID = re.compile(r"([a-z]+)-([0-7][0-9A-HJKMNP-TV-Z]{25})")
_TIME_DIGITS = 10


def new_id(prefix: str, now: datetime, entropy: bytes) -> str:
    """The id of something that begins now: `new_id("run", …)` is `run-01J…`.

    `prefix` is a lower-case word without the hyphen; `entropy` is ten bytes of chance. Raises ValueError for any other.
    """
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"the prefix of an id is a lower-case word, not {prefix!r}")
    if len(entropy) != ENTROPY_BYTES:
        raise ValueError(f"an id takes {ENTROPY_BYTES} bytes of chance, not {len(entropy)}")
    if not _EPOCH <= now <= _END:
        raise ValueError(f"an id cannot hold the time {now.isoformat()}")
    milliseconds = (now - _EPOCH) // timedelta(milliseconds=1)
    return f"{prefix}-{_encode(milliseconds, 10)}{_encode(int.from_bytes(entropy), 16)}"


def is_id(prefix: str, text: str) -> bool:
    """Whether the text is an id with that prefix, in the very form that `new_id` writes."""
    found = _ID.fullmatch(text)
    return found is not None and found[1] == prefix and _milliseconds(found[2]) <= (_END - _EPOCH) // timedelta(milliseconds=1)


def moment_of(text: str) -> datetime:
    """When the id was made, in UTC. Raises ValueError where the text is no id."""
    prefix = text.partition("-")[0]
    if not is_id(prefix, text):
        raise ValueError(f"{text!r} is not an id")
    return _EPOCH + timedelta(milliseconds=_milliseconds(text.removeprefix(f"{prefix}-")))


def _encode(number: int, digits: int) -> str:
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(digits)))


def _milliseconds(ulid: str) -> int:
    number = 0
    for digit in ulid[:_TIME_DIGITS]:
        number = number << 5 | ALPHABET.index(digit)
    return number
