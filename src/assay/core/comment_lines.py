"""Which lines of a comment speak to us: those that a reader sees as text of the author's own.

A line in a code block, a code span, a quotation or an HTML comment is something shown, quoted or hidden, and orders nothing. Where Markdown
leaves a doubt the line counts as shown: nothing runs that nobody asked for in the open.
"""

import re
from collections import deque
from collections.abc import Iterator

TRIGGER = "/experiment"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_QUOTE = re.compile(r" {0,3}>")
_RAW_START = re.compile(r" {0,3}<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_LINK = re.compile(r"\]:|\]\([^)]*$")
_TAG_START = re.compile(r"<[A-Za-z/!?]")
_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>")
_BACKTICKS = re.compile("`+")
_TICKS = re.compile(r"\\[\\`]|`+")


def commands_in(body: str) -> tuple[str, ...]:
    """The lines that begin with the trigger and stand in the open, without their line ends, in order. Linear in the text's length."""
    return tuple(line for line in _open_lines(_lines(body)) if _is_command(line))


def _lines(body: str) -> list[str]:
    """Lines as a browser sends them: CR LF, and nothing else ends one but LF."""
    return [line.rstrip("\r") for line in body.split("\n")]


def _is_command(line: str) -> bool:
    return line.startswith(TRIGGER) and (len(line) == len(TRIGGER) or line[len(TRIGGER)] in " \t")


def _open_lines(lines: list[str]) -> Iterator[str]:
    paragraph: list[str] = []
    for line in (*_outside_blocks(lines), None):
        if line is not None and line.strip():
            paragraph.append(line)
        elif paragraph:
            yield from _of_paragraph(paragraph)
            paragraph = []


def _outside_blocks(lines: list[str]) -> Iterator[str | None]:
    """Lines outside fences, raw HTML and HTML comments; None in place of each that is inside."""
    fence, raw = "", ""
    for line in lines:
        if fence:
            fence = "" if _closes(fence, line) else fence
            yield None
        elif raw:
            raw = "" if raw in line.lower() else raw
            yield None
        elif (opened := _FENCE.match(line)) and not ("`" in opened[1] and "`" in opened[2]):
            fence = opened[1]
            yield None
        elif raw := _raw_end(line):
            yield None
        else:
            yield line


def _closes(fence: str, line: str) -> bool:
    closing = line.strip(" \t")
    return len(line) - len(line.lstrip(" ")) <= 3 and len(closing) >= len(fence) and not closing.strip(fence[0])


def _raw_end(line: str) -> str:
    """What ends the raw HTML that this line leaves open; empty where it leaves none open."""
    start = line.rfind("<!--")
    if start >= 0 and "-->" not in line[start + 4 :]:
        return "-->"
    opened = _RAW_START.match(line)
    end = f"</{opened[1].lower()}>" if opened else ""
    return end if end and end not in line.lower() else ""


def _of_paragraph(paragraph: list[str]) -> Iterator[str]:
    """The lines before the first that draws the following ones into itself, without those that a code span runs across."""
    spans, start = iter(_code_spans("\n".join(paragraph))), 0
    span = next(spans, None)
    for line in paragraph:
        while span is not None and span[1] <= start:
            span = next(spans, None)
        if span is None or not span[0] < start:
            yield line
        if _goes_on(line):
            return
        start += len(line) + 1


def _goes_on(line: str) -> bool:
    """Whether the next line of the paragraph may belong to a quotation, a tag or the title of a link that begins here."""
    if _QUOTE.match(line) or _LINK.search(line):
        return True
    whole = [tag for tag in _TAG.findall(line) if tag.count('"') % 2 == 0 and tag.count("'") % 2 == 0]
    return len(_TAG_START.findall(line)) > len(whole)


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where code spans begin and end, in order: a run of backticks up to the next run of the same length (CommonMark 0.31, §6.1)."""
    closing: dict[int, deque[int]] = {}
    for run in _BACKTICKS.finditer(text):
        closing.setdefault(len(run[0]), deque()).append(run.start())
    end = 0
    for found in _TICKS.finditer(text):
        if found.start() < end or found[0].startswith("\\"):
            continue
        length, later = len(found[0]), closing.get(len(found[0]), deque())
        while later and later[0] <= found.start():
            later.popleft()
        if later:
            end = later[0] + length
            yield found.start(), end
