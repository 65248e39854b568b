"""The root: runs one command, maps what goes wrong to exit codes, and holds the one `except Exception`."""

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from assay.errors import AssayError, CancelledError

BUG = 70
CANCELLED = 130
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(argv: Sequence[str]) -> int:
    """Run a command line; its exit code. Nothing but SystemExit of a broken pipe leaves this function."""
    for number in SIGNALS:
        signal.signal(number, _cancel)
    try:
        return _dispatch(argv)
    except AssayError as error:
        _explain(error)
        return error.exit_code
    except KeyboardInterrupt:
        _say("Cancelled.")
        return CANCELLED
    except BrokenPipeError:  # the reader of our output has left, as `assay … | head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the one place: a bug of ours must not look like an answer
        _say(f"Assay failed by a mistake of its own: {type(error).__name__}. Nothing was decided.")
        _say(f"  → please report it with the log {_log_bug()}")
        return BUG


def _dispatch(argv: Sequence[str]) -> int:
    """Typer explains usage errors by itself and always ends by SystemExit."""
    from assay.adapters.git import scrub_environment
    from assay.cli.commands import app

    scrub_environment(os.environ)
    try:
        app(list(argv), prog_name="assay")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


def _cancel(number: int, _frame: FrameType | None) -> None:
    """End in order: children killed, what was measured stored. Further signals find that already under way."""
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise CancelledError(f"Cancelled by {signal.Signals(number).name}.")


def _explain(error: AssayError) -> None:
    _say(f"error: {error.message}")
    if error.hint:
        _say(f"  → {error.hint}")
    if os.environ.get("ASSAY_DEBUG"):
        traceback.print_exc()


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _log_bug() -> str:
    """The traceback in a file of its own, for it may quote what should not stand in a public log."""
    folder = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108
    path = folder / f"assay-bug-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}.log"
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as log:
            traceback.print_exc(file=log)
    except OSError:
        traceback.print_exc()
        return "above"
    return str(path)
