"""A selftest measures HEAD against itself through the session of a check, to its end, and stores what it measured."""

from datetime import timedelta

import pytest
from tests.fakes.runner import completed
from tests.houses import HEAD, Lab, Script, config

from assay.app.calibrate import evidence
from assay.core.events import BenchmarkStarted, Remark
from assay.core.model import Cause, Side
from assay.core.selftest_report import Selftest

NOISE = [10.0, 10.02, 9.98, 10.01, 9.99, 10.0, 10.03, 9.97, 10.01, 9.99]


def remarks(lab: Lab) -> list[str]:
    return [event.text for event in lab.observer.events if isinstance(event, Remark)]


def session_of(lab: Lab, sessions: int, *lines: str) -> Selftest:
    return lab.selftest(Script({"loss": NOISE}, {"loss": NOISE[::-1]}), config(*lines), sessions)


def test_both_sides_are_head_and_every_session_runs_to_its_end() -> None:
    lab = Lab()
    found = session_of(lab, 2)
    assert {run.commit for run in lab.store.stored.values()} == {HEAD}
    assert len(lab.commands) == 2 * 2 * (1 + 10)  # sessions, sides, a warm-up and ten units
    assert (found.sessions, found.units, found.metric, found.failure) == (2, 10, "loss", "")
    assert found.alarms is not None
    assert (found.alarms.sessions, found.alarms.observed) == (2, 0)
    assert found.smallest_visible is not None


def test_what_it_measured_is_evidence_for_later() -> None:
    lab = Lab()
    found = session_of(lab, 3)
    assert set(found.run_ids) == set(lab.store.stored)
    given = config()
    pairs = evidence(lab.store, given, given.benchmarks["bench"], lab.machine.facts().machine_class)
    assert [pair.same_session for pair in pairs] == [True, False, True, False, True]
    assert len(found.between) == 2


def test_auto_learns_from_the_sessions_that_were_just_measured() -> None:
    found = session_of(Lab(), 3, "metric: {name: loss, better: lower, min_effect: auto}")
    assert found.min_effect < 0.005
    assert "5 pairs of runs of unchanged code" in found.note


def test_the_number_of_the_session_and_a_time_are_told() -> None:
    lab = Lab()
    session_of(lab, 2)
    started = [event for event in lab.observer.events if isinstance(event, BenchmarkStarted)]
    assert [(one.position, one.total) for one in started] == [(1, 2), (2, 2)]
    assert remarks(lab) == ["bench: 2 sessions of up to 22 processes each."]
    session_of(lab, 2)
    assert remarks(lab)[-1].startswith("bench: 2 sessions of up to 22 processes each, about ")


def test_a_benchmark_that_fails_says_so_and_ends_its_test() -> None:
    crash = completed("", exit_code=1, cause=Cause.EXIT)
    script = Script({"loss": NOISE}, {"loss": NOISE}, ends={("./bench", Side.HEAD): lambda count: crash if count == 3 else None})
    found = Lab().selftest(script, None, 3)
    assert found.sessions == 0
    assert "benchmark failed" in found.failure
    assert not found.starved


def test_a_session_without_time_is_told_from_a_failure() -> None:
    lab = Lab()
    script = Script({"loss": NOISE}, {"loss": NOISE}, duration_s=timedelta(hours=1).total_seconds(), clock=lab.clock)
    found = lab.selftest(script, config(top=["policy: {max_time: 90m}"]))
    assert found.starved
    assert "too few samples" in found.failure


def test_uncommitted_changes_are_told_and_left_out() -> None:
    lab = Lab()
    lab.repo.dirty = True
    session_of(lab, 2)
    assert any("HEAD is" in text for text in remarks(lab))


@pytest.mark.parametrize("seeds", ["[1, 2, 3, 4]", "{start: 1, min: 3, max: 6}"])
def test_seeds_are_the_units(seeds: str) -> None:
    found = session_of(Lab(), 2, f"seeds: {seeds}", "run: ./bench {seed}")
    assert found.seeded
    assert found.units == (4 if seeds.startswith("[") else 6)
