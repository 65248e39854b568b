"""Text for the log of a GitHub step, which is a channel of commands too: whatever starts with `::` or holds `##[` may be obeyed."""

import re
from enum import StrEnum

_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,}")
_LINE_ENDS = re.compile("\r\n?")
_LINE_COMMAND = re.compile(r"(^|[\r\n])(\s*)::")
_CONTROL = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_HARMLESS = str.maketrans(
    _CONTROL
    | {0x7F: 0x2421}
    | dict.fromkeys([*range(0x80, 0xA0), 0x2028, 0x2029, 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
)
"""Controls become their pictures, so that one sees them; direction marks and the like, which have none, become U+FFFD."""

_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


class Level(StrEnum):
    """How loud an annotation is."""

    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"


def quoted(text: str, token: str) -> str:
    """The output of a child, to be written to a step's log: no line of it is obeyed, no colour or cursor trick is left.

    `token` is fresh chance that the child could not know. Raises ValueError for a token that is short, has other characters
    than letters, digits, `_` and `-`, or occurs in the text in any case: then the text could end the quotation.
    """
    if not _TOKEN.fullmatch(token):
        raise ValueError("the token of a quotation has at least 16 letters, digits, _ or -")
    if token.casefold() in text.casefold():
        raise ValueError("the token of a quotation occurs in the text")
    body = calm(text)
    return f"::stop-commands::{token}\n{body}{'' if body.endswith(chr(10)) or not body else chr(10)}::{token}::\n"


def calm(text: str) -> str:
    """Text whose lines end at LF only, without control characters, and with every `##[` broken up."""
    return unmarked(_LINE_ENDS.sub("\n", text).translate(_HARMLESS))


def disobeyed(text: str) -> str:
    """A message of ours that may quote a stranger: it reads the same, and no line of it is a command."""
    return unmarked(_LINE_COMMAND.sub(r"\1\2: :", text))


def unmarked(text: str) -> str:
    """Text in which every `##[` is broken up, which is a command wherever it stands in a line."""
    return text.replace("##[", "## [")


def annotation(level: Level, message: str, *, title: str = "", file: str = "", line: int | None = None) -> str:
    """The command that shows a message on the run's page, and at a line of a file if one is given. `line` counts from 1."""
    properties = {"file": file, "line": str(line) if line is not None else "", "title": title}
    given = ",".join(f"{name}={calm(value).translate(_PROPERTY)}" for name, value in properties.items() if value)
    return f"::{level}{' ' if given else ''}{given}::{calm(message).translate(_MESSAGE)}\n"
