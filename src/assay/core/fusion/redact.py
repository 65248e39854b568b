"""Takes out what looks like a secret before text goes to an analyst, who may be on another machine, or into a report."""

import re
from collections.abc import Iterable

MARK = "[redacted]"
SHORTEST = 6
"""A known value shorter than this would take ordinary words out."""

_NAMED = (
    r"(?i:[A-Za-z0-9_.-]{0,60}(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential"
    r"|authorization)[A-Za-z0-9_.-]{0,60})"
)
_SHAPES = tuple(
    re.compile(pattern)
    for pattern in (
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)",
        r"\bgh[pousr]_[A-Za-z0-9]{16,255}\b",
        r"\bgithub_pat_[A-Za-z0-9_]{20,255}\b",
        r"\bglpat-[A-Za-z0-9_-]{16,64}",
        r"\bsk-[A-Za-z0-9_-]{16,255}",
        r"\bhf_[A-Za-z0-9]{16,64}\b",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
        r"\bAIza[A-Za-z0-9_-]{30,40}",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}",
        r"\bnpm_[A-Za-z0-9]{30,40}\b",
        r"\bpypi-[A-Za-z0-9_-]{30,255}",
        r"\beyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,1000}",
    )
)
_URL = re.compile(r"(?<=://)[^/\s@:]{0,100}:[^/\s@]{1,300}(?=@)")
_BEARER = re.compile(r"(?i)\b(bearer|basic|token) +[A-Za-z0-9._~+/=-]{12,4000}")
_ASSIGNED = re.compile(rf"({_NAMED}[\"']? ?[=:] ?[\"']?)[^\s\"',;]{{4,4000}}")


def redact(text: str, known: Iterable[str] = ()) -> str:
    """The text without secrets: `known` values wherever they stand, and everything that has the shape of one."""
    for value in sorted(known, key=len, reverse=True):
        if len(value) >= SHORTEST:
            text = text.replace(value, MARK)
    for shape in _SHAPES:
        text = shape.sub(MARK, text)
    text = _URL.sub(MARK, text)
    text = _BEARER.sub(rf"\1 {MARK}", text)
    return _ASSIGNED.sub(lambda found: found[1] + MARK, text)
