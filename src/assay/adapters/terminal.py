"""Progress for the person who waits, on stderr alone: a bar with a time estimate on a terminal, remarks as plain lines elsewhere."""

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TextIO

from assay.core import escape, numbers
from assay.core.events import BenchmarkStarted, Event, ProcessEnded, ProcessStarted, Remark, StageStarted
from assay.core.fusion.events import CandidateEnded, EvaluationRetry, StateReached

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


class Display(Protocol):
    """An observer that holds the terminal until it is closed."""

    def note(self, event: Event) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


def display_for(stream: TextIO) -> Display:
    """The display that fits a stream: live on a terminal, plain lines elsewhere."""
    if not stream.isatty():
        return LineObserver(stream)
    from rich.console import Console

    return TerminalObserver(Console(file=stream, markup=False, highlight=False))


class LineObserver:
    """Writes remarks, one line each, and keeps silent about progress: a log has no use for it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def note(self, event: Event) -> None:
        if isinstance(event, Remark):
            with suppress(OSError):  # nobody reads any more, which is no reason to end the work
                self._stream.write(f"{escape.plain(event.text, 1000)}\n")
                self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(OSError):
            self._stream.flush()


class TellingObserver(LineObserver):
    """Writes a line for each process as well: for a log that somebody far away reads while it grows."""

    def note(self, event: Event) -> None:
        match event:
            case ProcessEnded():
                value = "" if event.value is None else f", {numbers.number(event.value)}"
                super().note(
                    Remark(f"{event.benchmark}: {event.number} of at most {event.at_most}, {event.side}, {event.duration_s:.1f} s{value}")
                )
            case StageStarted():
                super().note(Remark(f"{event.benchmark}: {event.stage} {event.side or ''}".rstrip()))
            case _:
                super().note(event)


class TerminalObserver:
    """Shows one bar for the processes of the benchmark at hand, and a line for each stage and remark above it."""

    def __init__(self, console: "Console") -> None:
        self._console = console
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def note(self, event: Event) -> None:
        match event:
            case BenchmarkStarted():
                self._end_bar()
                self._line(f"{escape.plain(event.benchmark, 100)} ({event.position} of {event.total})")
            case StageStarted():
                self._end_bar()
                side = f" of {event.side.value}" if event.side else ""
                self._line(f"  {escape.plain(event.stage, 40)}{side}")
            case ProcessStarted():
                kind = "warm-up" if event.warmup else "process"
                self._bar(f"{event.side.value} {kind}", event.number - 1, event.at_most, None)
            case ProcessEnded():
                self._bar(event.side.value, event.number, event.at_most, estimate(event.remaining_s))
            case StateReached():
                self._end_bar()
                self._line(f"  analysis of {escape.plain(event.benchmark, 100)}: {event.state.replace('_', ' ')}")
            case CandidateEnded():
                self._line(f"    analyst {event.slot} {event.status} ({event.done} of {event.of})")
            case EvaluationRetry():
                self._line("    the evaluation was not valid; asking once more")
            case Remark():
                self._line(escape.plain(event.text, 1000))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end_bar()

    def _line(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)

    def _bar(self, label: str, done: int, total: int, left: str | None) -> None:
        """Move the bar; an estimate stays until a newer one replaces it."""
        if self._progress is None or self._task is None:
            self._progress = _progress(self._console)
            self._task = self._progress.add_task(label, total=total, left="")
            self._progress.start()
        self._progress.update(self._task, description=label, completed=done, total=total)
        if left is not None:
            self._progress.update(self._task, left=left)

    def _end_bar(self) -> None:
        if self._progress is not None:
            self._progress.stop()
        self._progress = self._task = None


def estimate(remaining_s: tuple[float, float] | None) -> str:
    """How long it will still take: to the next look, when it may end, and at most."""
    if remaining_s is None:
        return ""
    soon, late = (numbers.duration(max(0.0, seconds)) for seconds in remaining_s)
    return f"{soon} left" if soon == late else f"{soon} to {late} left"


def _progress(console: "Console") -> "Progress":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("  {task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
