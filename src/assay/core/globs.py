"""Path patterns as .gitignore has them, and what is wrong with one."""

import re
from collections.abc import Iterable

from assay.core.glob_rules import Folder

MAX_PATTERN = 256
MAX_PATH = 4096
# With these bounds no list of patterns takes long on any path.
MAX_STARS_IN_PART = 3
MAX_DOUBLE_STARS = 3

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPED = re.compile(r"\\.")
_TOKEN = re.compile(r"\\.|\[[!^]?([^\[\]/\\!^]+)\]")
_DOUBLED = re.compile(r"--|&&|\|\||~~")
_RANGE = re.compile(r"(.)-(.)")


class Globs:
    """An ordered list of gitignore patterns: the last one that matches a path or a folder above it decides, `!` takes back.

    A path is relative to the repository, with `/`. One that no pattern can judge safely (a line break in it, or longer
    than 4096 characters) matches nothing. Folders are judged once, so that a long list of paths costs little.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        self._folders: dict[str, Folder] = {}

    def __repr__(self) -> str:
        return f"Globs({self.patterns!r})"

    def matches(self, path: str) -> bool:
        """Whether the patterns cover the file, or a folder above it."""
        if not self.patterns or unjudged(path):
            return False
        folder, _, name = path.rpartition("/")
        return self.folder(folder).holds(name)

    def folder(self, path: str) -> Folder:
        """What the patterns make of a folder; the empty path is the top."""
        if not self._folders:
            self._folders[""] = Folder.top(self.patterns)
        if path not in self._folders:  # level by level, for a stranger's tree may be deeper than calls can be nested
            found, at = self._folders[""], 0
            for name in path.split("/"):
                at += len(name)
                if path[:at] not in self._folders:
                    self._folders[path[:at]] = found.enter(name)
                found = self._folders[path[:at]]
                at += 1
        return self._folders[path]


def unjudged(path: str) -> bool:
    """Whether a path is such that no pattern is asked about it."""
    return "\n" in path or len(path) > MAX_PATH


def pattern_problem(pattern: str) -> str | None:
    """What is wrong with a pattern, as the rest of the sentence `"pattern" …`; None where it is sound.

    Refuses what git would silently let match nothing, and what would take too long to match.
    """
    body = pattern.removeprefix("!")
    if not body.strip():
        return "is an empty pattern"
    return _form_problem(pattern) or _folder_problem(body) or _class_problem(body) or _cost_problem(pattern)


def _form_problem(pattern: str) -> str | None:
    if _CONTROL.search(pattern):
        return "holds a control character"
    if pattern != pattern.strip():
        return "begins or ends with a blank"
    if pattern.startswith("#"):
        return r"begins with #, which makes a pattern a comment: write \#"
    if any(_ESCAPED.sub("", part).endswith("\\") for part in pattern.split("/")):
        return "has a backslash with nothing behind it"
    return None


def _folder_problem(body: str) -> str | None:
    if body.startswith("./"):
        return f"never matches, for paths do not begin with ./: write {body[2:] or '*'}"
    if ".." in body.split("/"):
        return "leads out of the repository with .."
    if not body.strip("/"):
        return "names no file: write ** for all of them"
    if "//" in body:
        return "never matches, for no path has an empty part between two /"
    return None


def _class_problem(body: str) -> str | None:
    if "[" in _TOKEN.sub("", body):
        return r"has a [ that opens no plain set such as [a-z]: write \[ for the character itself"
    sets = [found[1] for found in _TOKEN.finditer(body) if found[1]]
    if any(_DOUBLED.search(one) for one in sets):
        return "has a doubled sign in a set of characters"
    backwards = (low > high for one in sets for low, high in _RANGE.findall(one))
    return "has a range of characters that runs backwards" if any(backwards) else None


def _cost_problem(pattern: str) -> str | None:
    parts = _ESCAPED.sub("", pattern).split("/")
    if len(pattern) > MAX_PATTERN:
        return f"has more than {MAX_PATTERN} characters"
    if parts.count("**") > MAX_DOUBLE_STARS:
        return f"has more than {MAX_DOUBLE_STARS} parts **"
    if any(part.count("*") > MAX_STARS_IN_PART for part in parts):
        return f"has more than {MAX_STARS_IN_PART} stars between two /"
    return None
