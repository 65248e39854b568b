"""Cells are sent, waited for and told; silence is borne, and whatever else ends the wait cancels what was sent."""

import pytest
from tests.fakes.clock import FakeClock
from tests.fakes.observer import RecordingObserver
from tests.fakes.place import FakePlace

from assay.app.dispatch import SILENCE_S, SilentError, Waiting, dispatch
from assay.cell_ports import CellNews, Phase
from assay.errors import CancelledError, InfrastructureError

WAITS = {"a": CellNews(Phase.WAITING, "waits"), "b": CellNews(Phase.WAITING, "waits")}
RUNS = {"a": CellNews(Phase.RUNNING, "runs", ("METRIC x=1",)), "b": CellNews(Phase.WAITING, "waits")}
ENDED = {"a": CellNews(Phase.DONE, "measured"), "b": CellNews(Phase.LOST, "its node failed")}
GONE = InfrastructureError("no answer", hint="see there")


def waiting(observer: RecordingObserver) -> Waiting:
    clock = FakeClock()
    return Waiting(clock, observer, clock.advance, "go on later")


def test_all_places_are_sent_to_before_anything_is_measured_here() -> None:
    observer, here = RecordingObserver(), []
    one, two = FakePlace(WAITS, RUNS, ENDED), FakePlace({"c": CellNews(Phase.DONE, "measured")}, title="box")
    news = dispatch(((one, ("a", "b")), (two, ("c",))), lambda: here.append((list(one.sent), list(two.sent))), waiting(observer))
    assert here == [([("a", "b")], [("c",)])]
    assert {cell: one.phase for cell, one in news.items()} == {"a": Phase.DONE, "b": Phase.LOST, "c": Phase.DONE}
    assert (one.cancelled, two.cancelled) == (0, 0)


def test_each_change_is_told_once_with_new_output() -> None:
    observer = RecordingObserver()
    dispatch(((FakePlace(WAITS, WAITS, RUNS, ENDED), ("a", "b")),), lambda: None, waiting(observer))
    told = ["Sent to lab: a, b.", "a on lab: waits", "b on lab: waits", "a on lab: runs", "a | METRIC x=1"]
    assert observer.remarks == [*told, "a on lab: measured", "b on lab: its node failed"]


def test_a_place_that_is_silent_for_a_while_is_asked_again() -> None:
    observer, place = RecordingObserver(), FakePlace(WAITS, GONE, GONE, ENDED)
    assert dispatch(((place, ("a", "b")),), lambda: None, waiting(observer))["a"].phase is Phase.DONE
    assert sum("no answer" in line for line in observer.remarks) == 1
    assert "lab answers again." in observer.remarks


def test_one_that_is_silent_for_good_is_left_to_itself_with_a_word_on_how_to_go_on() -> None:
    clock, place = FakeClock(), FakePlace(GONE)
    with pytest.raises(SilentError, match="no answer") as caught:
        dispatch(((place, ("a",)),), lambda: None, Waiting(clock, RecordingObserver(), clock.advance, "go on later"))
    assert clock.elapsed > SILENCE_S
    assert caught.value.hint == "see there go on later"
    assert place.cancelled == 0


def test_a_place_that_refuses_costs_what_was_sent_to_the_others() -> None:
    one, two = FakePlace(WAITS, ENDED), FakePlace(WAITS, refusal=InfrastructureError("no such partition"))
    with pytest.raises(InfrastructureError, match="no such partition"):
        dispatch(((one, ("a", "b")), (two, ("c",))), lambda: None, waiting(RecordingObserver()))
    assert one.cancelled == 1


def test_a_cancel_cancels_and_waits_for_what_was_measured_until_then() -> None:
    place = FakePlace(WAITS, RUNS, ENDED)

    def cancelled() -> None:
        raise CancelledError("Cancelled by SIGINT.")

    with pytest.raises(CancelledError):
        dispatch(((place, ("a", "b")),), cancelled, waiting(RecordingObserver()))
    assert place.cancelled == 1
    assert place.looks == [ENDED]
