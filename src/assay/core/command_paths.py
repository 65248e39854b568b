"""What in the words of a shell command may be a path of the repository."""

import shlex
from collections.abc import Iterator


def paths_named(command: str, workdir: str) -> tuple[str, ...]:
    """The words of a command that may be paths, seen from the top of the repository. Most of them name no file, which does no harm."""
    return tuple(dict.fromkeys(_paths_in(command, workdir)))


def _paths_in(command: str, workdir: str) -> Iterator[str]:
    try:
        words = shlex.split(command)
    except ValueError:  # quotes that the shell may yet understand; blanks separate most words all the same
        words = command.split()
    for word in words:
        steps = [*workdir.split("/"), *word.partition("::")[0].split("/")]
        path = "/".join(step for step in steps if step not in ("", "."))
        if path and not word.startswith(("-", "/")):
            yield path
