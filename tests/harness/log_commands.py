"""The workflow commands in a step's log that the runner would obey. What a benchmark prints must never be among them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_COMMAND = re.compile(r"^\s*::(?P<name>[a-zA-Z-]+)(?: (?P<properties>[^:]*(?::(?!:)[^:]*)*))?::(?P<value>.*)$")
_LEGACY = re.compile(r"##\[(?P<name>[a-zA-Z-]+)(?: (?P<properties>[^\]]*))?\](?P<value>.*)$")
_OF_TEXT = frozenset({"debug", "notice", "warning", "error", "group", "endgroup", "echo"})
_OF_STATE = frozenset({"add-mask", "add-matcher", "remove-matcher", "save-state", "set-output", "stop-commands"})
KNOWN = _OF_TEXT | _OF_STATE


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    value: str
    properties: Mapping[str, str]


def obeyed(log: str) -> Iterator[Command]:
    """The commands of a log, without those between `stop-commands` and its token. A lone CR ends a line too."""
    stopped: str | None = None
    for line in re.split(r"\r\n|\n|\r", log):
        if stopped is not None:
            if line.strip() == f"::{stopped}::":
                stopped = None
            continue
        command = _parse(line)
        if command is not None:
            stopped = command.value if command.name == "stop-commands" else None
            yield command


def _parse(line: str) -> Command | None:
    found = _COMMAND.search(line) or _LEGACY.search(line)
    if found is None or found["name"].lower() not in KNOWN:
        return None
    pairs = (pair.partition("=") for pair in (found["properties"] or "").split(",") if "=" in pair)
    return Command(found["name"].lower(), _decoded(found["value"]), {name.strip(): _decoded(value) for name, _, value in pairs})


def _decoded(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text
