"""The fake runner answers as the real one does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.runner import FakeRunner, completed
from tests.integration.process.support import Box, as_port

from assay.core.model import Cause, Completed
from assay.core.process import Heartbeat, ProcessRequest
from assay.errors import InfrastructureError
from assay.ports import Runner


@pytest.mark.parametrize("status", [0, 3])
def test_both_tell_the_same_of_a_process(tmp_path: Path, status: int) -> None:
    box = Box(tmp_path)
    request = box.request(f"echo METRIC a=5; exit {status}")
    fake = FakeRunner([completed("METRIC a=5\n", exit_code=status)])

    def told(runner: Runner) -> tuple[object, ...]:
        done = runner.submit(request).wait()
        return done.exit_code, done.cause, done.detail, done.stdout, done.reading.samples

    with box.runner() as real:
        assert told(as_port(real)) == told(fake)
    assert fake.requests == [request]


@pytest.mark.parametrize("many", [True, False])
def test_answers_come_in_order_or_from_a_function(tmp_path: Path, many: bool) -> None:
    request = Box(tmp_path).request("x")
    answers: list[Completed] | Callable[[ProcessRequest], Completed] = (
        [completed("a"), completed("b")] if many else lambda _: completed("c")
    )
    fake = FakeRunner(answers)
    assert [fake.submit(request).wait().stdout for _ in range(2)] == (["a", "b"] if many else ["c", "c"])


def test_an_error_is_raised_by_waiting_and_a_cancelled_one_says_so(tmp_path: Path) -> None:
    request = Box(tmp_path).request("x")
    beats: list[Heartbeat] = []
    fake = FakeRunner([InfrastructureError("no"), completed()], beats=(Heartbeat(1.0, 2),))
    with pytest.raises(InfrastructureError):
        fake.submit(request, beats.append).wait()
    handle = fake.submit(request)
    assert handle.cancel()
    assert handle.wait().cause is Cause.CANCELLED
    assert not handle.cancel()
    assert beats == [Heartbeat(1.0, 2)]
