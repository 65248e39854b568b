"""The system's clock gives times in UTC, a counter that never goes back, and ids that differ."""

from datetime import UTC, datetime, timedelta

from assay.adapters.clock import SystemClock
from assay.core.ids import is_id, moment_of
from assay.ports import Clock


def test_now_is_between_two_readings_in_utc() -> None:
    before = datetime.now(UTC)
    now = SystemClock().now()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta(0)


def test_the_counter_never_goes_back() -> None:
    clock = SystemClock()
    readings = [clock.monotonic() for _ in range(100)]
    assert readings == sorted(readings)


def test_ids_differ_and_carry_the_time_they_were_made() -> None:
    clock: Clock = SystemClock()
    before = clock.now()
    made = [clock.new_id("run") for _ in range(200)]
    assert len(set(made)) == 200
    assert all(is_id("run", one) for one in made)
    assert before - timedelta(milliseconds=1) < moment_of(made[0]) <= moment_of(made[-1]) <= clock.now()
