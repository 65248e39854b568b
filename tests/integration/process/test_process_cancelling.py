"""A run can be ended at any time, and its handle always answers."""

import signal
from pathlib import Path

import pytest
from tests.integration.process.support import Box, alive

from assay.core.model import Cause
from assay.core.process import Heartbeat


def test_a_running_process_is_ended(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        handle = runner.submit(box.request("echo METRIC a=1; echo $$ > main.new; mv main.new main; exec sleep 600"))
        pid = box.pid("main")
        assert handle.cancel()
        done = handle.wait()
    assert (done.cause, done.detail, done.signal) == (Cause.CANCELLED, "was cancelled while it ran", signal.SIGTERM)
    assert done.reading.samples == {"a": (1.0,)}
    assert not alive(pid)


def test_one_that_does_not_listen_is_ended_too(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        handle = runner.submit(box.request("trap '' TERM; echo $$ > main.new; mv main.new main; while :; do sleep 0.01; done"))
        pid = box.pid("main")
        handle.cancel()
        assert handle.wait().signal == signal.SIGKILL
    assert not alive(pid)


def test_cancelling_twice_is_cancelling(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        handle = runner.submit(box.request("sleep 600"))
        assert handle.cancel()
        handle.cancel()
        assert handle.wait().cause is Cause.CANCELLED
        assert not handle.cancel()


def test_what_has_ended_cannot_be_cancelled(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        handle = runner.submit(box.request("true"))
        done = handle.wait()
        assert not handle.cancel()
        assert handle.wait() is done


def test_closing_ends_the_running_and_the_queued(tmp_path: Path) -> None:
    box = Box(tmp_path)
    runner = box.runner(max_concurrent=1)
    handles = [runner.submit(box.request("echo $$ > main.new; mv main.new main; exec sleep 600")) for _ in range(3)]
    pid = box.pid("main")
    runner.close()
    assert [handle.wait().cause for handle in handles] == [Cause.CANCELLED] * 3
    assert not alive(pid)


def test_handles_have_names_of_their_own(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        assert len({runner.submit(box.request("true")).id for _ in range(5)}) == 5


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_of_whoever_listens_ends_the_run_and_is_no_clean_answer(tmp_path: Path) -> None:
    def listen(beat: Heartbeat) -> None:
        raise KeyError(beat.output_bytes)

    box = Box(tmp_path)
    with box.runner() as runner:
        handle = runner.submit(box.request("echo $$ > main.new; mv main.new main; echo x; exec sleep 600"), listen)
        pid = box.pid("main")
        with pytest.raises(RuntimeError, match="an error of our own"):
            handle.wait()
        assert runner.submit(box.request("true")).wait().cause is None
    assert not alive(pid)
