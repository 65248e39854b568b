"""The standard streams as the command finds them: closed, full, in an encoding that lacks our signs, or the log of a GitHub step."""

import codecs
import errno
import io
import os
import sys

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself would cost `--version` a tenth
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from _typeshed import ReadableBuffer

STDOUT = "standard output"
"""What an error names as its file that comes of writing there."""

SIGNS = {"→": "->", "…": "...", "–": "-", "×": "x", "“": '"', "”": '"'}
"""What people read of our own signs where the terminal does not have them."""


def prepare(words: "Sequence[str]") -> None:
    """Make the three streams such that writing a message never fails and never gives a runner commands.

    A stream that was closed is refused to us from here on too, but its number cannot be taken by a file of ours. `words` are
    those of the command line: JSON is kept valid in every encoding.
    """
    for number in (0, 1, 2):
        _occupy(number)
    codecs.register_error("assay-json", _as_json)
    codecs.register_error("assay-text", _as_text)
    as_json = "--json" in words or list(words[:1]) == ["schema"]
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout = _rewrapped(sys.stdout, io.TextIOWrapper, _Output(1, "wb", closefd=False), "assay-json" if as_json else "assay-text")
    obeyed = os.environ.get("GITHUB_ACTIONS") == "true"
    sys.stderr = _rewrapped(sys.stderr, _StepLog if obeyed else io.TextIOWrapper, _Diagnosis(2, "wb", closefd=False), "assay-text")


def tell(text: str) -> int:
    """Write a whole answer to standard output; the exit code."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        sys.stderr.write(f"error: {error.filename}: {error.strerror}\n")
        let_go_of_stdout()
        return 4
    return 0


def let_go_of_stdout() -> None:
    """Send what is still to come, also at the end of the interpreter, to nobody: the stream has refused."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


class _Output(io.FileIO):
    """A raw stream that waits where its reader made it non-blocking, and says its name where it fails."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            while (written := super().write(data)) is None:
                import select

                select.select([], [self.fileno()], [])
        except OSError as error:
            error.filename = STDOUT
            raise
        return written


class _Diagnosis(_Output):
    """The raw stream of messages. That nobody can read them is no reason to end the work."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _StepLog(io.TextIOWrapper):
    """Text to the log of a step, where a message may quote what a stranger wrote: no line of it is obeyed."""

    def write(self, text: str, /) -> int:
        from assay.core.workflow_commands import disobeyed

        super().write(disobeyed(text))
        return len(text)


def _occupy(number: int) -> None:
    """See that a standard stream that is closed does not become the number of a file of ours, which would be written into.

    Nothing can be read from, or written to, what takes its place; messages alone vanish there.
    """
    try:
        os.fstat(number)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_WRONLY)
        os.set_inheritable(number, True)


def _rewrapped(old: "TextIO | None", kind: type[io.TextIOWrapper], raw: io.FileIO, errors: str) -> "TextIO":
    encoding = old.encoding if old else "utf-8"
    return kind(io.BufferedWriter(raw), encoding=encoding, errors=errors, line_buffering=bool(raw.fileno() == 2 or raw.isatty()))


def _as_json(error: UnicodeError) -> tuple[str, int]:
    """What the encoding lacks as JSON writes it: outside of its strings JSON is ASCII anyway."""
    import json

    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _as_text(error: UnicodeError) -> tuple[str, int]:
    """The same for people: our own signs by what looks like them."""
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return "".join(SIGNS.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in missing), error.end
