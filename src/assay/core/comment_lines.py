"""Which lines of a comment speak to us: those that a reader sees as text of the author's own.

A line in a code block, a code span, a quotation, a folded part or an HTML comment is something shown, quoted or hidden, and orders nothing.
Where Markdown or HTML leave a doubt the line counts as such: nothing runs that nobody asked for in the open.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

TRIGGER = "/experiment"

_MARK = "\ue000"
"""Nobody writes it (it is of the private use area), so it tells where in the parsed comment a line of the source is."""

_MARKED = re.compile(rf"{TRIGGER}{_MARK}([0-9]+){_MARK}")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)((?:\s[^<>\"'=`]*(?:=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?)*)/?>")
_CODE = "code|kbd|pre|samp|script|style|tt|xmp"
_FOLDED = "details|dialog|iframe|noembed|noframes|noscript|object|option|plaintext|select|template|textarea|title"
_STRANGE = "audio|blockquote|canvas|del|head|math|q|rp|rt|s|strike|svg|video"
_HIDING = re.compile(rf"{_CODE}|{_FOLDED}|{_STRANGE}")
"""Elements whose content is code, folded away, left out, crossed out or somebody else's words."""


def commands_in(body: str) -> tuple[str, ...]:
    """The lines that begin with the trigger and stand in the open, without their line ends, in order."""
    lines = [line.removesuffix("\r") for line in body.split("\n")]
    candidates = [number for number, line in enumerate(lines) if _is_command(line)]
    if not candidates or _MARK in body:
        return ()
    for number in candidates:
        lines[number] = f"{TRIGGER}{_MARK}{number}{_MARK}{lines[number][len(TRIGGER) :]}"
    seen = sorted(set(_open_lines("\n".join(lines))))
    return tuple(_MARKED.sub(TRIGGER, lines[number]) for number in seen)


def _is_command(line: str) -> bool:
    return line.startswith(TRIGGER) and (len(line) == len(TRIGGER) or line[len(TRIGGER)] in " \t")


def _open_lines(marked: str) -> Iterator[int]:
    """The numbers of the marked lines that begin a line of a paragraph which is neither quoted nor inside of HTML."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(marked)
    page, quoted = _Page(), 0
    for before, token in zip((None, *tokens), tokens, strict=False):
        quoted += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if token.type == "html_block":
            page.take(token.content)
        elif token.type == "inline":
            in_paragraph = before is not None and before.type == "paragraph_open"
            found = list(_line_starts(token.children or (), page))
            yield from found if in_paragraph and not quoted else ()


def _line_starts(children: "Sequence[Token]", page: "_Page") -> Iterator[int]:
    """The numbers of the marked lines among those of a paragraph: each begins as plain text, within no link and no emphasis."""
    at_start = True
    for child in children:
        meant = child.type == "text" and "<!--" in child.content  # not to be read, though Markdown does not take it so
        if child.type == "html_inline" or meant:
            page.take(child.content)
        marked = _MARKED.match(child.content) if at_start and child.type == "text" and child.level == 0 else None
        if marked and page.shows:
            yield int(marked[1])
        at_start = child.type in ("softbreak", "hardbreak") or (at_start and child.type == "text" and not child.content)


class _Page:
    """How a browser stands after the raw HTML so far. What it may read in another way than we do hides all that follows."""

    def __init__(self) -> None:
        self._depths: dict[str, int] = {}
        self._lost = False

    @property
    def shows(self) -> bool:
        return not self._lost and not any(self._depths.values())

    def take(self, markup: str) -> None:
        """A block or a piece of raw HTML."""
        rest = _without_comments(markup)
        for closing, name, attributes in _TAG.findall(rest):
            self._tag(name.lower(), attributes.lower(), closing=bool(closing))
        self._lost = self._lost or "<" in _TAG.sub("", rest)

    def _tag(self, name: str, attributes: str, *, closing: bool) -> None:
        self._lost = self._lost or "hidden" in attributes
        if _HIDING.fullmatch(name):
            self._depths[name] = max(0, self._depths.get(name, 0) + (-1 if closing else 1))


def _without_comments(markup: str) -> str:
    """The same without HTML comments; one that has no end, or ends at once for some, stays as the doubt that it is."""
    parts, place = [], 0
    while (start := markup.find("<!--", place)) >= 0:
        end = markup.find("-->", start + 4)
        if end < 0 or markup.startswith((">", "->"), start + 4):
            break
        parts.append(markup[place:start])
        place = end + 3
    return "".join((*parts, markup[place:]))
