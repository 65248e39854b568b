"""What another machine says of the cells that it was sent, as values; and what in their output is a reason to look there."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field

from assay.core.values import dataclass

SIGNS = (
    (re.compile(r"(?i)\b(?:cuda|hip|rocm)\b.{0,40}out of memory|OutOfMemoryError|RESOURCE_EXHAUSTED"), "a GPU ran out of memory"),
    (re.compile(r"\bMemoryError\b|Cannot allocate memory|\bstd::bad_alloc\b|oom-kill|Out of memory: Killed"), "memory ran out"),
    (re.compile(r"No space left on device|Disk quota exceeded"), "a disk is full"),
    (re.compile(r"^Traceback \(most recent call last\)|^error: |\b(?:Fatal|fatal) error\b|Segmentation fault"), "an error was printed"),
)
"""Texts that a person who waits wants to hear of at once."""

KILLED = {137: "killed, perhaps for want of memory", 143: "told to end", 130: "cancelled", 139: "ended by a fault of its own memory"}
_HEAD = re.compile(r"(none|gone|alive) ?([A-Za-z0-9_.-]*)")
_EXIT = re.compile(r"exit ([A-Za-z0-9_][A-Za-z0-9._-]{0,63}) ([0-9]{1,3})")
_LOG = re.compile(r"log ([0-9]{1,15})")


@dataclass(frozen=True, slots=True)
class RemoteState:
    """Whether something of ours runs there and which cell it is at, how each ended, and how long the log is, with what is new of it."""

    there: bool = False
    alive: bool = False
    at: str = ""
    exits: Mapping[str, int] = field(default_factory=dict)
    size: int = 0
    text: str = ""


def read_state(answer: str) -> RemoteState | None:
    """The answer of `look.sh`; None for anything else."""
    head, _, rest = answer.partition("\n")
    found = _HEAD.fullmatch(head.strip())
    if not found:
        return None
    if found[1] == "none":
        return RemoteState()
    exits: dict[str, int] = {}
    while rest:
        line, _, rest = rest.partition("\n")
        if ended := _EXIT.fullmatch(line.strip()):
            exits[ended[1]] = int(ended[2])
        elif log := _LOG.fullmatch(line.strip()):
            return RemoteState(there=True, alive=found[1] == "alive", at=found[2], exits=exits, size=int(log[1]), text=rest)
        else:
            return None
    return None


def anomalies(lines: tuple[str, ...]) -> Iterator[str]:
    """What is wrong by these lines, each kind once."""
    for pattern, what in SIGNS:
        if any(pattern.search(line) for line in lines):
            yield what


def ending(code: int) -> str:
    """How a process ended, for people."""
    return KILLED.get(code, f"ended with the exit code {code}")
