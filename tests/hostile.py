"""What a stranger may write, and a reader of Markdown that tells what became of it."""

import os
from functools import lru_cache
from pathlib import Path

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

TRICKS = (
    "<!-- assay:report -->",
    "</details><script>alert(1)</script>",
    "@octocat",
    "&#64;octocat",
    "&commat;octo/team",
    "&amp;#64;octocat",
    "@\u200boctocat",
    "fixes #12",
    "owner/repo#1",
    "GH-7",
    "https://example.com/?q=1",
    "www.example.com",
    "![pixel](https://example.com/a.png)",
    "[link](javascript:alert(1))",
    "[x]: https://example.com",
    "| a | b |",
    "\\|",
    "```",
    "`````",
    "`code`",
    "**bold** _it_ ~~no~~ $x$",
    "# heading",
    "1. item",
    "---",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\u202egnp.exe",
    "a\u200bb\ufeff",
    "\r\n\r\n",
    "\u2028",
    "::error::boom",
    "##[error]boom",
    "/experiment run",
)

hostile = st.lists(st.one_of(st.sampled_from(TRICKS), st.text(max_size=12), st.sampled_from(list("|<>&`@#[]()!*_\\~\n "))), max_size=8).map(
    "".join
)
"""Text made of known tricks, arbitrary characters and the signs that Markdown acts upon."""


@lru_cache(maxsize=32)
def tokens(markdown: str) -> tuple[Token, ...]:
    """All tokens of a page, inline ones included, read with the parts of GitHub's dialect that matter: HTML, tables, strikethrough."""
    found = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
    return tuple(token for block in found for token in (block, *(block.children or ())))


def kinds(markdown: str) -> set[str]:
    """The types of all tokens of a page."""
    return {token.type for token in tokens(markdown)}


def prose(markdown: str) -> str:
    """The text in which GitHub looks for mentions, references and links: all but code, for which a NUL stands."""
    return "".join(
        "\0" if token.type in {"code_inline", "fence"} else token.content for token in tokens(markdown) if token.type != "inline"
    )


def shown(markdown: str) -> str:
    """The text that a reader sees, code included."""
    return "".join(token.content for token in tokens(markdown) if token.type in {"text", "code_inline", "fence", "text_special"})


def deep_folder(root: Path, levels: int) -> None:
    """A folder in a folder in a folder, with a file in the last: deeper than Python recurses, its path longer than a path may be."""
    root.mkdir(parents=True)
    here = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)
