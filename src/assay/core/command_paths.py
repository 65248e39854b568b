"""What in the words of a shell command may be a path of the repository."""

import re
import shlex
from collections.abc import Iterator

_APART = re.compile(r"[\s'\"`;|&<>(){}=,:@\\]+")
"""What stands between words for a shell, also for one inside of quotes, and in an option or a list of paths."""

_VARIABLE = re.compile(r"^\$\w*/")
_GLOB = re.compile(r"[*?\[]")


def paths_named(command: str, workdir: str) -> tuple[str, ...]:
    """The words of a command that may be paths, seen from the top of the repository. Most of them name no file, which does no harm.

    Taken rather too widely: what is quoted for another shell counts, and so does a module for its file, the folder of a pattern, and
    what follows a variable or `..` as seen from the top.
    """
    words = (*_quoted_whole(command), *_APART.split(command))
    return tuple(dict.fromkeys(path for word in words for path in _paths_of(word, workdir)))


def _quoted_whole(command: str) -> list[str]:
    """The words as a shell has them, blanks within quotes included."""
    try:
        return shlex.split(command)
    except ValueError:  # quotes that the shell may yet understand; all else is found without them
        return []


def _paths_of(word: str, workdir: str) -> Iterator[str]:
    for text in (word, word[2:]) if word.startswith("-") else (word,):
        bare = _VARIABLE.sub("", text)
        steps = _before_glob([step for step in bare.split("/") if step not in ("", ".")])
        if not steps:
            continue
        if ".." in steps or bare != text:
            yield "/".join(step for step in steps if step != "..")
        for named in _readings(steps):
            yield "/".join(_resolved([*(step for step in workdir.split("/") if step not in ("", ".")), *named]))


def _readings(steps: list[str]) -> Iterator[list[str]]:
    """A path as it is, and what a module of that name would be."""
    yield steps
    if len(steps) == 1 and re.fullmatch(r"\w+(?:\.\w+)*", steps[0]):
        module = steps[0].split(".")
        yield module
        yield [*module[:-1], f"{module[-1]}.py"]


def _before_glob(steps: list[str]) -> list[str]:
    first = next((index for index, step in enumerate(steps) if _GLOB.search(step)), len(steps))
    return steps[:first]


def _resolved(steps: list[str]) -> list[str]:
    found: list[str] = []
    for step in steps:
        if step == "..":
            found = found[:-1]
        else:
            found.append(step)
    return found
