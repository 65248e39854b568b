"""`assay compare`: JSON lines in, one answer a line out, each as soon as its line is read."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from assay.core import numbers
from assay.core.compare_rows import answer, read_row
from assay.errors import UsageError

_HEADER = ("id", "verdict", "change", "interval", "p", "n", "why")
_WIDTHS = (24, 10, 10, 22, 9, 7)


def compare(source: str, alpha: float, as_json: bool) -> int:
    """Compare the rows of a file, or of standard input for `-`. The exit code is 0 whatever the verdicts: this is no gate.

    Raises UsageError for a file that cannot be read, a line that is no row and an alpha outside 0 to 0.5.
    """
    if not 0.0 < alpha <= 0.5:
        raise UsageError(f"--alpha is {alpha}, which is no level of a test", hint="Give a number above 0 and at most 0.5, such as 0.05.")
    show: Callable[[dict[str, object]], str] = _json if as_json else _table_row
    if not as_json:
        _write(_columns(_HEADER))
    with _opened(source) as stream:
        for where, line in _lines(stream, "<stdin>" if source == "-" else source):
            _write(show(answer(read_row(line, where), alpha)))
    return 0


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


def _unreadable(name: str, error: OSError | ValueError) -> UsageError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return UsageError(f"{name}: {reason}", hint="Name a file of JSON lines, or - for standard input.")


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


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _json(found: dict[str, object]) -> str:
    return json.dumps(found, allow_nan=False)


def _table_row(found: dict[str, object]) -> str:
    change, interval, p = found["relative_change"], found["interval"], found["p"]
    base, head = found["n"] if isinstance(found["n"], list) else ("", "")
    cells = (
        _harmless(str(found["id"])),
        str(found["verdict"]),
        numbers.change(change) if isinstance(change, float) else "–",
        numbers.interval((interval[0], interval[1])) if isinstance(interval, list) else "–",
        f"{p:.2g}" if isinstance(p, float) else "–",
        f"{base}+{head}",
        str(found["reason"]),
    )
    return _columns(cells)


def _columns(cells: tuple[str, ...]) -> str:
    fixed = [f"{cell[: width - 1] + '…' if len(cell) > width else cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=False)]
    return "  ".join([*fixed, cells[-1]])


def _harmless(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
