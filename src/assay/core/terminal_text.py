"""Text as a terminal would show it: escape sequences dropped, bytes decoded, and nothing unprintable put before a person.

A sequence never reaches over the end of its line: a broken one costs the rest of that line at most.
"""

import re

BOM = b"\xef\xbb\xbf"
ESC = b"\x1b"
BLANKS = " \t"

_FORMS = (
    r"\x1b(?:"
    r"\[[0-?]*+[ -/]*+[@-~]?"  # CSI: colours, cursor
    r"|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|[PX^_][^\x1b\n]*+(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|[ -/]*+[0-~]?"  # the short ones
    r")"
)

SEQUENCE = _FORMS.encode()
"""One escape sequence, whole or cut off. After ESC everything is optional and possessive, so it fails at ESC or not at all."""

_IN_BYTES = re.compile(SEQUENCE)
_IN_TEXT = re.compile(rf"{_FORMS}|\x9b[0-?]*+[ -/]*+[@-~]?")


def decoded(line: bytes) -> str:
    """One line without escape sequences; each invalid UTF-8 sequence becomes U+FFFD."""
    if ESC in line:
        line = _IN_BYTES.sub(b"", line)
    return line.decode("utf-8", "replace")


def without_sequences(text: str) -> str:
    """Text without escape sequences, among them those that begin with the one character that stands for ESC and `[`."""
    return _IN_TEXT.sub("", text)


def shown(text: str, limit: int) -> str:
    """Text to be put before a person: at most `limit` characters and an ellipsis, U+FFFD for whatever has no glyph."""
    head = text[:limit].replace("\t", " ")
    if not head.isprintable():
        head = "".join(char if char.isprintable() else "\ufffd" for char in head)
    return head if len(text) <= limit else head + "…"
