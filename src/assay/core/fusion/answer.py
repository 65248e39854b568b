"""What an analyst says, taken apart into plain sentences: nothing of a stranger's Markdown is passed on, only its words."""

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from enum import StrEnum

from assay.core import escape
from assay.core.values import dataclass

LINK = "(link removed)"
MAX_ITEMS, MAX_ITEM = 12, 700

_HTML = re.compile(r"<!--[\s\S]{0,4096}?(?:-->|\Z)|</?[A-Za-z][^<>]{0,1000}/?>")
_IMAGE = re.compile(r"!\[([^\[\]]{0,300})\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,300}\])")
_LINKED = re.compile(r"\[([^\[\]]{0,300})\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,300}\])")
_URL = re.compile(r"(?i)<?\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.|mailto:|javascript:|data:[a-z]{1,20}/)[^\s<>]{0,2000}>?")
_EMPHASIS = re.compile(r"\*{1,3}|~~|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)[\s#:]*$")
_BULLET = re.compile(r"\s{0,12}(?:[-*+•]|[0-9]{1,3}[.)])\s+(.*)$")
_FENCE = re.compile(r"\s{0,12}(?:`{3,}|~{3,})")
_POSITION = re.compile(r"(?i)\s*\**position\**\s*:\s*\**\s*(supports?|doubts?|cannot tell)\b[\s.*]*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bca\.)(?<!\bcf\.)(?<!\bapprox\.)\s+")
_COMMAND = re.compile(r"^(?:/+|::+|##+\[\w*\]?)(?:\s*(?:/+|::+|##+\[\w*\]?))*")
_RULE = re.compile(r"\s*(?:[-*_=]\s?){3,}$")
_NAMES = {
    "verdict": "verdict",
    "summary": "verdict",
    "why": "why",
    "reasons": "why",
    "evidence": "why",
    "what to do": "to_do",
    "next steps": "to_do",
    "recommendation": "to_do",
    "recommendations": "to_do",
    "uncertain": "uncertain",
    "what is uncertain": "uncertain",
    "uncertainty": "uncertain",
    "limitations": "uncertain",
}


class Position(StrEnum):
    """How an analyst stands to the decision."""

    SUPPORTS = "supports"
    DOUBTS = "doubts"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Answer:
    """An analysis as plain items, each a paragraph or a list item of one or several sentences."""

    verdict: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    to_do: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
    position: Position | None = None

    @property
    def items(self) -> tuple[str, ...]:
        return (*self.verdict, *self.why, *self.to_do, *self.uncertain)

    def mapped(self, change: Callable[[str], str]) -> "Answer":
        """The answer with every item changed; items that become empty are left out."""

        def some(items: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(changed for item in items if (changed := change(item).strip()))

        return replace(self, verdict=some(self.verdict), why=some(self.why), to_do=some(self.to_do), uncertain=some(self.uncertain))


TITLES = {"verdict": "Verdict", "why": "Why", "to_do": "What to do", "uncertain": "What is uncertain"}
assert set(TITLES) | {"position"} == {one.name for one in fields(Answer)}


def read_answer(text: str) -> Answer:
    """The sections of a Markdown text by their headings; what stands before the first or under an unknown one is not lost."""
    found: dict[str, list[str]] = {name: [] for name in TITLES}
    position: Position | None = None
    section = "verdict"
    for kind, line in _blocks(text):
        if kind == "heading":
            section = _NAMES.get(line.lower(), "why")
        elif kind == "position":
            position = _position(line)
        elif len(found[section]) < MAX_ITEMS and (item := flattened(line)):
            found[section].append(escape.shorten(item, MAX_ITEM))
    return Answer(**{name: tuple(items) for name, items in found.items()}, position=position)


def write_answer(answer: Answer, made_safe: Callable[[str], str] = str) -> str:
    """The answer as Markdown, every item through `made_safe`: a verdict in paragraphs, all else in lists."""
    blocks = [f"Position: {answer.position.value}"] if answer.position else []
    for name, title in TITLES.items():
        items = [made_safe(item) for item in getattr(answer, name)]
        if items:
            body = "\n\n".join(items) if name == "verdict" else "\n".join(f"- {item}" for item in items)
            blocks.append(f"## {title}\n\n{body}")
    return "\n\n".join(blocks) + "\n"


def sentences(item: str) -> list[str]:
    """An item taken apart where a sentence ends."""
    return [part for part in _SENTENCE_END.split(item) if part.strip()]


def flattened(line: str) -> str:
    """One line of a stranger's Markdown as words: no HTML, image, link, emphasis or table, and nothing invisible."""
    text = escape.clean(line[:4096])
    text = _IMAGE.sub(r"\1", text)
    text = _LINKED.sub(r"\1", text)
    text = _URL.sub(LINK, text)
    text = _EMPHASIS.sub("", _HTML.sub("", text))
    text = re.sub(r"^(?:\s*>)+", "", text)
    if text.lstrip().startswith("|"):
        text = "" if set(text) <= set("|-: ") else ", ".join(cell.strip() for cell in text.strip(" |").split("|"))
    return _COMMAND.sub("", " ".join(text.split()))


def _position(text: str) -> Position:
    return Position.CANNOT_TELL if text.startswith("cannot") else Position(text.rstrip("s") + "s")


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The lines that mean something: headings, the position, and items with their continuations joined."""
    pending = ""
    for line in (*_HTML.sub("", text).splitlines(), ""):
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        stated = _POSITION.match(line)
        ends = not line.strip() or heading or bullet or stated or _FENCE.match(line) or _RULE.match(line) or line.lstrip()[:1] == "|"
        if ends and pending:
            yield "item", pending
            pending = ""
        if heading:
            yield "heading", flattened(heading[1])
        elif stated:
            yield "position", stated[1].lower()
        elif bullet and not _RULE.match(line):
            pending = bullet[1]
        elif line.strip() and not _FENCE.match(line) and not _RULE.match(line):
            pending = f"{pending} {line.strip()}".strip()
