"""A throttled or shared GPU: the numbers are kept and shown, and decide nothing."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.fakes.runner import completed
from tests.houses import Lab, Script, config

from assay.core.comparison import Undecided
from assay.core.devices import Sighting, Slowdown
from assay.core.envelope import Run, RunStatus
from assay.core.model import Completed, Conclusion, Outcome, Side, Verdict
from assay.core.rejudge import rejudge
from assay.core.sightings import sightings_of

CARD = "0000:17:00.0"
QUIET = Sighting(CARD, 55, 1400, 1410, 1215, (Slowdown.POWER_CAP,), 0, 0, 0)
HOT = replace(QUIET, slowdowns=(Slowdown.HARDWARE_THERMAL,))
SHARED = replace(QUIET, after=1)


def seen(side: Side, sighting: Sighting, warm_up: Sighting | None = None) -> Script:
    """Head is twice as fast. What is seen of the card on one side, and in its first process; the other side's is quiet."""

    def answers(which: Side, value: int) -> Callable[[int], Completed]:
        mine = sighting if which is side else QUIET
        first = warm_up if which is side and warm_up else mine
        return lambda number: replace(completed(f"METRIC loss={value}"), sightings=(mine if number else first,))

    ends = {("bench", which): answers(which, value) for which, value in ((Side.BASE, 100), (Side.HEAD, 50))}
    return Script({}, {}, ends=ends)


def runs(lab: Lab) -> dict[str, Run]:
    return {"head" if run.base else "base": run for run in lab.store.stored.values()}


@pytest.mark.parametrize(("sighting", "word"), [(HOT, "throttled"), (SHARED, "shared")])
@pytest.mark.parametrize("side", Side)
def test_it_is_neutral_and_says_why(side: Side, sighting: Sighting, word: str) -> None:
    lab = Lab()
    one = lab.bench(seen(side, sighting), config("gpus: 1", "warmup: 0"))
    assert (one.outcome, one.conclusion) == (Outcome.PENDING, Conclusion.NEUTRAL)
    (primary,) = [each for each in one.comparisons if each.spec.name == "loss"]
    assert (primary.verdict, primary.undecided) == (Verdict.UNDECIDED, Undecided.DISTURBED)
    assert f"GPU {word}" in one.reason
    stored = runs(lab)
    assert stored[side.value].status is RunStatus.DEGRADED
    assert word in stored[side.value].detail
    assert stored[side.other.value].status is RunStatus.COMPLETE


def test_a_quiet_card_decides_and_its_sightings_are_in_the_envelope() -> None:
    lab = Lab()
    one = lab.bench(seen(Side.HEAD, QUIET), config("gpus: 1", "warmup: 0"))
    assert one.conclusion is Conclusion.SUCCESS
    head = runs(lab)["head"]
    assert head.status is RunStatus.COMPLETE
    assert {sightings_of(process) for process in head.processes} == {(QUIET,)}
    assert sightings_of(Run.from_json(head.to_json()).processes[0]) == (QUIET,)


def test_a_disturbed_run_is_not_reused() -> None:
    lab = Lab()
    lab.bench(seen(Side.HEAD, HOT), config("gpus: 1", "warmup: 0"))
    asked = len(lab.runner.requests)
    again = lab.bench(seen(Side.HEAD, QUIET), config("gpus: 1", "warmup: 0"))
    assert asked
    assert lab.runner.requests
    assert again.conclusion is Conclusion.SUCCESS


def test_stored_samples_of_a_disturbed_run_stay_without_an_answer() -> None:
    lab = Lab()
    given = config("gpus: 1", "warmup: 0")
    lab.bench(seen(Side.BASE, SHARED), given)
    stored = runs(lab)
    found = rejudge(given.benchmarks["bench"], stored["base"], stored["head"], 0.05, None)
    assert {one.undecided for one in found} == {Undecided.DISTURBED}


def test_a_warm_up_may_be_disturbed() -> None:
    assert Lab().bench(seen(Side.HEAD, QUIET, warm_up=HOT), config("gpus: 1", "warmup: 1")).conclusion is Conclusion.SUCCESS


def test_gpus_and_clock_are_asked_of_the_runner_and_the_envelope_says_when_nothing_was_seen() -> None:
    lab = Lab()
    lab.bench(Script({"loss": [1.0]}, {"loss": [1.0]}), config("gpus: 2", "gpu_clock: 1200", "setup: ./setup"))
    assert {(request.gpus, request.gpu_clock) for request in lab.runner.requests} == {(2, None), (2, 1200)}
    assert {process.gpus for process in runs(lab)["head"].processes} == {"unknown"}
    plain = Lab()
    plain.bench(Script({"loss": [1.0]}, {"loss": [1.0]}), config())
    assert {process.gpus for process in runs(plain)["head"].processes} == {"none"}
