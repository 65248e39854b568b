"""Progress is for a person at a terminal; a log gets remarks, and stdout gets nothing."""

import contextlib
import io

import pytest
from rich.console import Console

from assay.adapters.terminal import LineObserver, TerminalObserver, display_for, estimate
from assay.core.events import BenchmarkStarted, Event, ProcessEnded, ProcessStarted, Remark, StageStarted
from assay.core.model import Side

STORY: tuple[Event, ...] = (
    BenchmarkStarted("train", 1, 2),
    StageStarted("train", "setup", Side.BASE),
    ProcessStarted("train", Side.BASE, 1, 10, warmup=True),
    ProcessEnded("train", Side.BASE, 1, 10, 2.0, None, None),
    ProcessStarted("train", Side.HEAD, 2, 10, warmup=False),
    ProcessEnded("train", Side.HEAD, 2, 10, 2.0, 90.0, (12.0, 72.0)),
    StageStarted("train", "checks"),
    Remark("The work tree\x1b[31m has changes."),
    BenchmarkStarted("serve", 2, 2),
)


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def told(story: tuple[Event, ...]) -> str:
    """What a terminal shows of a story."""
    screen = Terminal()
    with TerminalObserver(Console(file=screen, force_terminal=True, width=100, markup=False, highlight=False)) as observer:
        for event in story:
            observer.note(event)
    return screen.getvalue()


def test_a_stream_that_is_no_terminal_gets_remarks_alone() -> None:
    log = io.StringIO()
    with display_for(log) as observer:
        for event in STORY:
            observer.note(event)
    assert log.getvalue() == "The work tree has changes.\n"


def test_a_terminal_gets_a_live_display() -> None:
    assert isinstance(display_for(Terminal()), TerminalObserver)
    assert isinstance(display_for(io.StringIO()), LineObserver)


@pytest.mark.parametrize(
    "words", ["train (1 of 2)", "setup of base", "2/10", "12 s to 1 min 12 s left", "checks", "has changes.", "serve (2 of 2)"]
)
def test_a_terminal_shows_benchmark_stage_progress_estimate_and_remarks(words: str) -> None:
    assert words in told(STORY)


def test_stdout_is_never_touched(capsys: pytest.CaptureFixture[str]) -> None:
    told(STORY)
    assert capsys.readouterr() == ("", "")


def test_a_failure_in_the_middle_leaves_the_cursor_visible() -> None:
    screen = Terminal()
    console = Console(file=screen, force_terminal=True, width=100)
    with contextlib.suppress(KeyboardInterrupt), TerminalObserver(console) as observer:
        observer.note(STORY[2])
        raise KeyboardInterrupt
    assert screen.getvalue().rfind("\x1b[?25h") > screen.getvalue().rfind("\x1b[?25l") >= 0


def test_names_are_text_and_never_markup_or_control_sequences() -> None:
    shown = told((BenchmarkStarted("[bold]x[/bold]\x1b[2J", 1, 1), Remark("[red]a[/red]")))
    assert "[bold]x[/bold]" in shown
    assert "[red]a[/red]" in shown
    assert "\x1b[2J" not in shown


def test_a_remark_in_a_log_is_no_workflow_command() -> None:
    log = io.StringIO()
    LineObserver(log).note(Remark("::error::boom ##[error]boom"))
    assert not log.getvalue().startswith("::")
    assert "##[" not in log.getvalue()


@pytest.mark.parametrize(
    ("remaining", "text"), [(None, ""), ((12.0, 12.0), "12 s left"), ((12.0, 72.0), "12 s to 1 min 12 s left"), ((-1.0, 0.0), "0 ms left")]
)
def test_an_estimate_reaches_from_the_next_look_to_the_end(remaining: tuple[float, float] | None, text: str) -> None:
    assert estimate(remaining) == text
