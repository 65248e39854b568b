"""The files by which a step tells the runner its outputs, read as the runner reads them."""

from pathlib import Path


class FileCommandError(ValueError):
    """A file that makes the runner fail the step."""


def read_pairs(path: Path) -> dict[str, str]:
    """`name=value` lines and `name<<DELIMITER` blocks; the last of a name holds. Raises FileCommandError for anything else."""
    pairs: dict[str, str] = {}
    lines = path.read_bytes().decode("utf-8").replace("\r\n", "\n").split("\n")
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line:
            name, value, position = _pair(line, lines, position)
            pairs[name] = value
    return pairs


def _pair(line: str, lines: list[str], position: int) -> tuple[str, str, int]:
    """One pair and where the next begins. Whichever of `=` and `<<` comes first decides."""
    equals, block = line.find("="), line.find("<<")
    if equals >= 0 and (block < 0 or equals < block):
        name, _, value = line.partition("=")
    elif block >= 0:
        name, _, delimiter = line.partition("<<")
        value, position = _block(name, delimiter, lines, position)
    else:
        raise FileCommandError(f"invalid format {line!r}")
    if not name:
        raise FileCommandError(f"invalid format {line!r}: a name must not be empty")
    return name, value, position


def _block(name: str, delimiter: str, lines: list[str], position: int) -> tuple[str, int]:
    if not delimiter:
        raise FileCommandError(f"{name}: a delimiter must not be empty")
    for end in range(position, len(lines)):
        if lines[end] == delimiter:
            return "\n".join(lines[position:end]), end + 1
    raise FileCommandError(f"{name}: matching delimiter not found {delimiter!r}")
