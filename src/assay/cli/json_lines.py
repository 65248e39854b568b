"""JSON lines in and lines out, one by one: what `assay compare` and `assay changes` do with their streams."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from assay.errors import UsageError


def rows_of(source: str) -> Iterator[tuple[str, str]]:
    """Each line of a file, or of standard input for `-`, that is not blank, with its place.

    Raises UsageError for a file that cannot be read and for a line that is not UTF-8.
    """
    with _opened(source) as stream:
        yield from _lines(stream, "<stdin>" if source == "-" else source)


def _unreadable(name: str, error: OSError | ValueError) -> UsageError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return UsageError(f"{name}: {reason}", hint="Name a file of JSON lines, or - for standard input.")


@contextlib.contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    if source == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(source).open("rb")  # noqa: SIM115 - closed below, where its own errors are not taken for this one's
    except (OSError, ValueError) as error:
        raise _unreadable(source, error) from error
    with stream:
        yield stream


def _raw_lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    try:
        yield from stream
    except OSError as error:
        raise _unreadable(name, error) from error


def _lines(stream: BinaryIO, name: str) -> Iterator[tuple[str, str]]:
    """Each line that is not blank, with its place. Only LF ends a line: JSON may hold every other kind of line end."""
    for number, line in enumerate(_raw_lines(stream, name), 1):
        where = f"{name}:{number}"
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"{where}: byte {error.start + 1} is not UTF-8", hint="Write the rows as JSON in UTF-8.") from error
        if text.strip():
            yield where, text


def write_line(line: str) -> None:
    """One line, at once: whoever reads may be waiting for it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def columns(cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    """Cells below each other, the last of them free; a cell that is too wide is cut."""
    fixed = [f"{cell[: width - 1] + '…' if len(cell) > width else cell:<{width}}" for cell, width in zip(cells, widths, strict=False)]
    return "  ".join([*fixed, cells[-1]])


def harmless(text: str) -> str:
    """A foreign text with nothing in it that a terminal would obey."""
    return "".join(character if character.isprintable() else "?" for character in text)
