"""ASI: what a run teaches beyond its numbers, as free keys and values, since work that is undone leaves nothing else behind."""

import re
from collections.abc import Iterable

from assay.core import escape
from assay.core.experiment_errors import OutcomeRefusedError

MAX_KEYS = 64
MAX_VALUE = 2000

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_LINE = re.compile(r"(?m)^[ \t]*ASI[ \t]+([^=\r\n]{1,200})=([^\r\n]*)\r?$")


def asi_of_words(words: Iterable[str]) -> dict[str, str]:
    """What `--asi k=v` gives. Raises OutcomeRefusedError for a word that is none."""
    found: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not _KEY.fullmatch(key.strip()):
            raise OutcomeRefusedError(
                f"--asi takes key=value, not {escape.plain(word, 80)!r}.", hint="For example --asi hypothesis='larger tiles'"
            )
        found[key.strip()] = value[:MAX_VALUE]
    return found


def asi_of_output(text: str) -> dict[str, str]:
    """What the lines `ASI key=value` of an output give, the last of a key; lines that are none are passed over."""
    found: dict[str, str] = {}
    for key, value in _LINE.findall(text):
        name = key.strip()
        if _KEY.fullmatch(name) and (name in found or len(found) < MAX_KEYS):
            found[name] = escape.shorten(escape.clean(value), MAX_VALUE)
    return found
