"""The root: runs one command, maps what goes wrong to exit codes, and holds the one `except Exception`."""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from assay.cli.streams import STDOUT, let_go_of_stdout
from assay.errors import AssayError, CancelledError, InfrastructureError

BUG = 70
CANCELLED = 130
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(argv: Sequence[str]) -> int:
    """Run a command line; its exit code. Nothing but SystemExit of a broken pipe leaves this function."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for some reads the metadata of all that is installed
    gc.disable()  # importing makes much and leaves no garbage: looking for it is a quarter of a second in `check`
    for number in SIGNALS:
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # who says nohup means to stay
            signal.signal(number, _cancel)
    try:
        code = _dispatch(argv)
        sys.stdout.flush()
    except AssayError as error:
        _explain(error)
        return _ended(error.exit_code)
    except KeyboardInterrupt:
        _say("Cancelled.")
        return _ended(CANCELLED)
    except BrokenPipeError:  # whoever read us has left before there was an answer, and that is no pass
        return _ended(InfrastructureError.exit_code)
    except (OSError, MemoryError) as error:
        _explain(_refused(error))
        return _ended(InfrastructureError.exit_code)
    except Exception as error:  # noqa: BLE001 - the one place: a bug of ours must not look like an answer
        _say(f"Assay failed by a mistake of its own: {type(error).__name__}. Nothing was decided.")
        _say(f"  → please report it with {_log_bug()}")
        _trace()
        return _ended(BUG)
    return code


def _ended(code: int) -> int:
    """The code of a command that failed, which what is left to be printed may not change."""
    try:
        sys.stdout.flush()
    except OSError:
        let_go_of_stdout()
    return code


def _refused(error: OSError | MemoryError) -> InfrastructureError:
    """What the system would not do: a disk that is full, a file that is closed to us, a limit."""
    if isinstance(error, MemoryError):
        return InfrastructureError("This machine has no memory left for Assay.", hint="Run fewer things beside it.")
    said = error.strerror or type(error).__name__
    if error.filename == STDOUT:
        return InfrastructureError(f"The answer could not be printed: {said}.", hint="See where the standard output leads.")
    where = f" ({os.fsdecode(error.filename)})" if isinstance(error.filename, str | bytes) else ""
    return InfrastructureError(
        f"The system refused: {said}{where}.", hint=f"Free space, or mend that permission. If it should have worked, see {_log_bug()}"
    )


def _dispatch(argv: Sequence[str]) -> int:
    """Run the verb. Typer and argparse explain usage errors by themselves and end by SystemExit."""
    try:
        if argv[:1] == ["metrics"]:
            from assay.cli.metrics_words import run_metrics

            return run_metrics(argv[1:])
        from assay.adapters.git import scrub_environment
        from assay.cli.commands import app

        scrub_environment(os.environ)
        _settle_temporary_folder()
        app(list(argv), prog_name="assay")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _settle_temporary_folder() -> None:
    """A relative TMPDIR means another folder to each process that we start elsewhere."""
    named = os.environ.get("TMPDIR")
    if named:
        with suppress(FileNotFoundError):  # this very folder has been removed, and then there is none to mean
            os.environ["TMPDIR"] = os.path.abspath(named)  # noqa: PTH100 - a text


def _cancel(number: int, _frame: FrameType | None) -> None:
    """End in order: children killed, what was measured stored. Further signals find that already under way."""
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise CancelledError(f"Cancelled by {signal.Signals(number).name}.")


def _explain(error: AssayError) -> None:
    _say(f"error: {error.message}")
    if error.hint:
        _say(f"  → {error.hint}")
    _trace()


def _trace() -> None:
    if os.environ.get("ASSAY_DEBUG"):
        import traceback

        traceback.print_exc()


def _say(text: str) -> None:
    """A message to people. It may quote a stranger, whose colours and cursor tricks are not for the terminal."""
    from assay.core.workflow_commands import calm

    sys.stderr.write(calm(text) + "\n")
    sys.stderr.flush()


def _log_bug() -> str:
    """Where the traceback is: a file of its own, for it may quote what should not stand in a public log."""
    import tempfile
    import traceback

    try:
        descriptor, path = tempfile.mkstemp(prefix="assay-bug-", suffix=".log")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
            traceback.print_exc(file=log)
    except OSError:  # the disk may be what has failed
        return "what `ASSAY_DEBUG=1` adds to this message"
    return f"the log {path}"
