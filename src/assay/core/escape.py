"""Makes text that a stranger wrote harmless for the place where it is put: one function for each place."""

import html
import re
import unicodedata
from collections.abc import Sequence

from assay.core.terminal_text import without_sequences
from assay.core.workflow_commands import unmarked

ZERO_WIDTH = "\u200b"
"""Put inside what GitHub would make a link or a notification of: it stays readable and is no longer recognised."""

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_LINE_ENDS = re.compile("\r\n|[\r\n\v\f\x85\u2028\u2029]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.:/+=,-]+")
_CODE_SPAN = re.compile(r"(?<!`)(`[A-Za-z0-9_.:/+=,… -]+`)(?!`)")
_SHA = re.compile(r"[0-9a-f]{7,64}")
_ACTIVE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{sign: f"&#{ord(sign)};" for sign in "|`[]*\\~$"}})
_RAW_LIMIT = 4096
_FENCE_LINE = 400


def clean(text: str) -> str:
    """One line of visible characters: no terminal sequences, controls, direction marks or invisible letters."""
    flat = _LINE_ENDS.sub(" ", without_sequences(text)).replace("\t", " ")
    return " ".join(_visible_part(flat).split())


def is_text(text: str) -> bool:
    """Whether it can be written as UTF-8. What came as other bytes, a file's name or a word of a command line, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def plain(text: str, limit: int = 300) -> str:
    """For a terminal, a log or a title: one line that is neither a terminal sequence nor a workflow command."""
    calm = unmarked(shorten(clean(text[:_RAW_LIMIT]), limit))
    return f": {calm[1:]}" if calm.startswith("::") else calm


def inline(text: str, limit: int = 300) -> str:
    """For a sentence, a list item, a table cell or a heading of a Markdown page: it shows the text and does nothing.

    Code spans of harmless characters stay what they are, everything else that Markdown acts upon becomes an entity.
    """
    parts = _CODE_SPAN.split(shorten(_decoded(text[:_RAW_LIMIT]), limit))
    calm = "".join(part if number % 2 else _inert(part) for number, part in enumerate(parts))
    return _without_block_start(calm)


def name(text: str, limit: int = 100) -> str:
    """For a metric, a benchmark, an id: a code span where it consists of harmless characters only, else as `inline`."""
    return f"`{text}`" if len(text) <= limit and _PLAIN_NAME.fullmatch(text) else inline(text, limit)


def short_sha(text: str) -> str:
    """The first seven digits of a commit id; what is none is escaped like any text."""
    return text[:7] if _SHA.fullmatch(text) else inline(text, 12)


def fence(lines: Sequence[str]) -> str:
    """A code block of these lines, with a fence longer than any run of backticks in them."""
    text = "\n".join(visible_lines(lines)).replace("<!--", f"<{ZERO_WIDTH}!--")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    bar = "`" * max(3, longest + 1)
    return f"{bar}text\n{text}\n{bar}"


def visible_lines(lines: Sequence[str]) -> list[str]:
    """Each line as a terminal would show it, indentation kept, very long ones cut, workflow commands broken up."""
    shown = (_visible_line(line[:_RAW_LIMIT]) for one in lines for line in _LINE_ENDS.split(one))
    return [unmarked(shorten(line, _FENCE_LINE)) for line in shown]


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, the last of them an ellipsis where something was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _visible_part(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(sign for sign in text if _visible(sign))


def _visible(sign: str) -> bool:
    if sign.isascii():
        return sign >= " " and sign != "\x7f"
    return unicodedata.category(sign) not in _INVISIBLE and sign not in _FILLERS and not "\U000e0000" <= sign <= "\U000e0fff"


def _visible_line(line: str) -> str:
    return _visible_part(without_sequences(line).expandtabs(4)).rstrip()


def _decoded(text: str) -> str:
    """Entities are decoded until none is left: GitHub looks for mentions after decoding, and so must we."""
    while (simpler := clean(_ENTITY.sub(lambda entity: html.unescape(entity[0]), text))) != text:
        text = simpler
    return text


def _inert(text: str) -> str:
    calm = _unlinked(text).translate(_ACTIVE)
    return re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", "&#95;", calm)


def _unlinked(text: str) -> str:
    text = text.replace("@", f"@{ZERO_WIDTH}").replace("://", f":{ZERO_WIDTH}//")
    text = re.sub(r"#(?=[0-9])", f"#{ZERO_WIDTH}", text)
    text = re.sub(r"(?i)\b(gh-)(?=[0-9])", rf"\1{ZERO_WIDTH}", text)
    return re.sub(r"(?i)\b(www)\.", rf"\1{ZERO_WIDTH}.", text)


def _without_block_start(text: str) -> str:
    """A line that begins with these would be a heading, a list or a rule."""
    if text[:1] in tuple("#-+="):
        return f"&#{ord(text[0])};{text[1:]}"
    return re.sub(r"^([0-9]{1,9})([.)])(?= |$)", lambda found: f"{found[1]}&#{ord(found[2])};", text)
