"""Text as a terminal would show it: escape sequences dropped, bytes decoded, and nothing unprintable put before a person.

A sequence never reaches over the end of its line: a broken one costs the rest of that line at most.
"""

import re

BOM = b"\xef\xbb\xbf"
ESC = b"\x1b"
BLANKS = " \t"

SEQUENCE = (
    rb"\x1b(?:"
    rb"\[[0-?]*+[ -/]*+[@-~]?"  # CSI: colours, cursor
    rb"|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)?"  # OSC: titles, links
    rb"|[PX^_][^\x1b\n]*+(?:\x1b\\)?"  # DCS, SOS, PM, APC
    rb"|[ -/]*+[0-~]?"  # the short ones
    rb")"
)
"""One escape sequence, whole or cut off. After ESC everything is optional and possessive, so it fails at ESC or not at all."""

_SEQUENCE = re.compile(SEQUENCE)


def plain(line: bytes) -> str:
    """One line without escape sequences; each invalid UTF-8 sequence becomes U+FFFD."""
    if ESC in line:
        line = _SEQUENCE.sub(b"", line)
    return line.decode("utf-8", "replace")


def shown(text: str, limit: int) -> str:
    """Text to be put before a person: at most `limit` characters and an ellipsis, U+FFFD for whatever has no glyph."""
    head = text[:limit].replace("\t", " ")
    if not head.isprintable():
        head = "".join(char if char.isprintable() else "\ufffd" for char in head)
    return head if len(text) <= limit else head + "…"
