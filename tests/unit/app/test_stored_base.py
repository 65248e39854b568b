"""With `reuse.base` a stored run stands for the base, once enough is known of what lies between sessions, and is charged that."""

from typing import Any

import pytest
from tests.houses import BASE, HEAD, Lab, Script, config

from assay.core.config import Config
from assay.core.model import Verdict
from assay.core.result import BenchmarkResult

NOISE = [10.0, 10.02, 9.98, 10.01, 9.99, 10.0, 10.03, 9.97, 10.01, 9.99]
LATER = "9" * 40


def allowed(*lines: str) -> Config:
    return config(*lines, top=["reuse: {base: true}"])


def session(lab: Lab, factor: float = 1.0, given: Config | None = None, **asked: Any) -> BenchmarkResult:
    """A check of which head is slower by a factor, forced unless it says otherwise."""
    head = [value * factor for value in NOISE]
    return lab.bench(Script({"loss": NOISE}, {"loss": head}), given or allowed(), **{"forced_by": "--no-reuse", **asked})


def experienced(sessions: int = 4, drift: float = 0.001) -> Lab:
    """A lab in which both commits were measured in so many sessions, every other one of them a little slower."""
    lab = Lab()
    for number in range(sessions):
        slower = [value * (1.0 + drift * (number % 2)) for value in NOISE]
        lab.bench(Script({"loss": slower}, {"loss": slower}), allowed(), forced_by="--no-reuse")
    lab.repo.refs["HEAD"] = LATER
    lab.repo.parents[LATER] = BASE
    return lab


def sides(lab: Lab) -> set[str]:
    return {side for side, _ in lab.commands}


def test_the_base_is_not_run_again_and_the_report_says_so() -> None:
    lab = experienced()
    found = session(lab, 1.5, forced_by=None)
    assert sides(lab) == {"head"}
    assert any("The base was not measured: the stored run run-" in text for text in found.warnings)
    assert found.base_run is not None
    assert found.base_run.commit == BASE
    assert lab.store.stored[found.base_run.run_id].commit == BASE
    assert found.comparisons[0].verdict is Verdict.REGRESSED


def test_the_spread_between_sessions_is_charged() -> None:
    quiet, restless = (session(experienced(6, drift), 1.02, forced_by=None) for drift in (0.0001, 0.03))
    widths = [one.interval[1] - one.interval[0] for found in (quiet, restless) if (one := found.comparisons[0]).interval]
    assert len(widths) == 2
    assert widths[1] > 3.0 * widths[0]
    assert quiet.comparisons[0].verdict is Verdict.REGRESSED
    assert restless.comparisons[0].verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("sessions", [1, 2])
def test_with_too_little_evidence_the_base_is_measured_and_the_report_says_why(sessions: int) -> None:
    lab = experienced(sessions)
    found = session(lab, 1.5, forced_by=None)
    assert sides(lab) == {"base", "head"}
    assert any("`reuse.base` knows too little" in text for text in found.warnings)


def test_without_a_stored_run_of_the_base_it_is_measured() -> None:
    lab = Lab()
    found = session(lab, 1.5, forced_by=None)
    assert sides(lab) == {"base", "head"}
    assert any("`reuse.base` found no stored run" in text for text in found.warnings)


def test_it_happens_only_where_the_config_allows_it_and_nobody_asked_for_a_fresh_run() -> None:
    for given, asked in ((config(), None), (allowed(), "--no-reuse")):
        lab = experienced()
        session(lab, 1.5, given, forced_by=asked)
        assert sides(lab) == {"base", "head"}


def test_seeds_of_another_session_are_not_pairs() -> None:
    given = allowed("seeds: [1, 2, 3, 4]", "run: ./bench {seed}")
    lab = Lab()
    for _ in range(4):
        session(lab, 1.0, given)
    lab.repo.refs["HEAD"] = LATER
    lab.repo.parents[LATER] = BASE
    found = session(lab, 1.5, given, forced_by=None)
    assert sides(lab) == {"head"}
    assert len(found.comparisons[0].base) == 4


def test_a_decision_on_a_stored_base_is_reused_and_judged_anew_with_its_noise() -> None:
    lab = experienced(6, 0.03)
    first = session(lab, 1.02, forced_by=None)
    again = session(lab, 1.02, forced_by=None)
    assert (again.status, again.comparisons[0].verdict) == ("reused", first.comparisons[0].verdict)
    other = session(lab, 1.02, allowed("metric: {name: loss, better: lower, min_effect: 0.5%}"), forced_by=None)
    assert other.status == "reused"
    assert other.comparisons[0].interval is not None
    assert other.comparisons[0].interval[0] < 0.0 < other.comparisons[0].interval[1]
    assert HEAD not in {run.commit for run in lab.store.stored.values() if run.run_id == other.run_id}
