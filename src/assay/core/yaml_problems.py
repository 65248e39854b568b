"""What is wrong with the YAML of a file, in plain sentences with lines."""

import re

import yaml
from yaml.reader import ReaderError

from assay.core.values import dataclass

MAX_QUOTED = 60

_CANNOT_START = re.compile(r"found character '(.+)' that cannot start any token", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TreeProblem:
    """A problem that leaves the tree readable. `path` is of the mapping or list that it is in."""

    line: int
    path: tuple[str | int, ...]
    text: str


class YamlError(Exception):
    """The text cannot be read as YAML, or not as the part of it that is taken."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.line = line
        self.text = text


def bare(text: str, limit: int = MAX_QUOTED) -> str:
    """Foreign text for a message: on one line, without control characters, and bounded."""
    printable = (character if character.isprintable() else " " for character in text[: 4 * limit])
    clean = " ".join("".join(printable).split())
    return clean if len(clean) <= limit and len(text) <= 4 * limit else clean[: limit - 1].rstrip() + "…"


def quoted(text: str) -> str:
    return f'"{bare(text)}"'


def explain(error: yaml.YAMLError, text: str) -> YamlError:
    """PyYAML's complaint in words for people who do not know its grammar."""
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return YamlError(line, f"the character U+{int(error.character):04X} is not allowed in YAML")
    if not isinstance(error, yaml.MarkedYAMLError):
        return YamlError(1, f"is not valid YAML: {bare(str(error))}")
    mark = error.problem_mark or error.context_mark
    line = int(mark.line) + 1 if mark else 1
    return YamlError(line, _sentence(error) + _excerpt(text, line))


def _sentence(error: yaml.MarkedYAMLError) -> str:
    problem, context = error.problem or "", error.context or ""
    opened = f" opened on line {int(error.context_mark.line) + 1}" if error.context_mark else ""
    start = _CANNOT_START.search(problem)
    if start:
        return "a tab stands where YAML wants blanks" if start[1] in ("\t", "\\t") else f"quote text that begins with {bare(start[1])}"
    if context == "while scanning an alias":
        return 'quote a pattern that begins with *, as in "**/*.md"'
    if "mapping values are not allowed" in problem:
        return "a second colon on one line: quote text that holds a colon and a blank"
    if "expected ',' or" in problem:
        return (
            f"the {'list' if ']' in problem else 'mapping'}{opened} has no closing {']' if ']' in problem else '}'}, or a comma is missing"
        )
    if "expected the node content" in problem:
        return "a value is missing here"
    if "could not find expected ':'" in problem:
        return "neither a key with a colon nor an item of a list"
    if "expected <block end>" in problem:
        return "the line does not fit the indentation above it"
    if "unexpected end of stream" in problem and "quoted" in context:
        return f"the quote{opened} is never closed"
    return f"is not valid YAML: {bare(problem or context)}"


def _excerpt(text: str, line: int) -> str:
    lines = text.splitlines()
    return f": {quoted(lines[line - 1])}" if line <= len(lines) and lines[line - 1].strip() else ""
