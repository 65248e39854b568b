"""Stored runs of equal code become A/A pairs; whatever is not known to be equal does not."""

from datetime import timedelta
from typing import Any

import pytest
from tests.fakes.runs import ENVIRONMENT, HEAD, MACHINE, a_run

from assay.core.aa_evidence import NEWEST, AaPair, aa_pairs, noise_of, within_session
from assay.core.canonical import digest
from assay.core.envelope import ConfigFacts, MetricFacts, Run, RunStatus
from assay.core.fingerprint import FINGERPRINTED, Fingerprints, content_of
from assay.core.model import Rung, Trust
from assay.core.noise import Noise

CLASS = MACHINE.machine_class


def session(number: int, values: tuple[float, ...] = (1.0, 1.1, 1.2, 1.3), **changes: Any) -> Run:
    """The run of one session; later numbers are newer."""
    return a_run(number, values=values, age=timedelta(hours=100 - number), **{"session_id": f"ses-{number}", **changes})


def pairs(*runs: Run) -> tuple[AaPair, ...]:
    return aa_pairs(runs, CLASS)


def test_a_lineage_measured_again_is_a_pair_of_its_metric() -> None:
    (pair,) = pairs(session(1), session(2, (1.1, 1.21, 1.32, 1.43)))
    assert (pair.benchmark, pair.metric, pair.units) == ("bench", "val_loss", 4)
    assert pair.change == pytest.approx(0.1)
    assert pair.error == pytest.approx(0.0812, abs=0.003)  # two sides of 4, with a standard deviation of log values of 0.113
    assert not pair.same_session
    assert pair.same_box


def test_the_order_of_the_runs_given_does_not_matter() -> None:
    runs = [session(number, (1.0 + number / 100, 1.1, 1.2)) for number in range(5)]
    assert pairs(*runs) == pairs(*reversed(runs))
    assert len(pairs(*runs)) == 4


def test_the_two_sides_of_one_session_of_equal_code_are_a_pair_of_their_own_kind() -> None:
    found = pairs(session(1, session_id="ses"), session(2, session_id="ses"), session(3))
    assert [pair.same_session for pair in found] == [False, True]
    assert within_session(found, "bench", "val_loss") == (found[1],)
    assert len(noise_of(found, "bench", "val_loss").own) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"commit": "d" * 40},
        {"benchmark": "other"},
        {"model": "gpt"},
        {"precision": "bf16"},
        {"config": ConfigFacts(hash=digest({"command": "x"}), parameters={"command": "x"})},
        {"environment": ENVIRONMENT.model_copy(update={"driver": "550"})},
        {"inputs": {"data": "sha256:2"}},
        {"machine": MACHINE.model_copy(update={"machine_class": "another"})},
        {"status": RunStatus.DEGRADED},
        {"trust": Trust.FORK},
        {"metrics": (MetricFacts(name="val_loss", unit="nats"),)},
    ],
)
def test_what_differs_in_anything_but_noise_is_no_pair(changes: dict[str, Any]) -> None:
    assert pairs(session(1), session(2, **changes)) == ()


@pytest.mark.parametrize(
    "unknown",
    [
        {"model": "unknown"},
        {"environment": ENVIRONMENT.model_copy(update={"packages": "unknown"})},
        {"machine": MACHINE.model_copy(update={"machine_class": "unknown"})},
    ],
)
def test_an_unknown_fact_equals_nothing(unknown: dict[str, Any]) -> None:
    assert pairs(session(1, **unknown), session(2, **unknown)) == ()
    assert aa_pairs([session(1, **unknown), session(2, **unknown)], "unknown") == ()


def holding(code: str) -> Fingerprints:
    """The fingerprints of a commit of which the code alone is of interest."""
    groups = dict.fromkeys(FINGERPRINTED, "0" * 64) | {Rung.CODE: code}
    named = {rung.value: found for rung, found in groups.items()}
    return Fingerprints(rules="r" * 64, content=content_of("r" * 64, groups), **named)


def test_the_same_watched_content_at_another_commit_is_the_same_code() -> None:
    prints, other = holding("1" * 64), holding("2" * 64)
    assert len(pairs(session(1, fingerprints=prints), session(2, fingerprints=prints, commit="d" * 40))) == 1
    assert pairs(session(1, fingerprints=prints), session(2, fingerprints=other, commit=HEAD)) == ()


def test_runs_of_two_boxes_are_told_from_those_of_one() -> None:
    elsewhere = MACHINE.model_copy(update={"box": "f" * 16})
    hidden = MACHINE.model_copy(update={"box": "unknown"})
    found = pairs(session(1), session(2, machine=elsewhere), session(3, machine=hidden), session(4, machine=hidden))
    assert [pair.same_box for pair in found] == [None, None, False]


def test_a_comparison_on_one_box_is_charged_by_pairs_of_one_box_once_there_are_three() -> None:
    def pair(change: float, *, same_box: bool) -> AaPair:
        return AaPair("bench", "loss", change, 0.01, 4, same_session=False, same_box=same_box)

    far = [pair(0.2, same_box=False)] * 5
    near = [pair(0.001, same_box=True)] * 3
    assert {change for change, _ in noise_of([*far, *near], "bench", "loss", one_box=True).own} == {0.001}
    assert len(noise_of([*far, *near[:2]], "bench", "loss", one_box=True).own) == 7
    assert len(noise_of([*far, *near], "bench", "loss").own) == 8


def test_other_metrics_lend_what_they_know_and_the_newest_count() -> None:
    own = [AaPair("bench", "loss", index / 1000, 0.01, 4, same_session=False, same_box=True) for index in range(NEWEST + 5)]
    other = [AaPair("bench", "time", 0.5, error, 4, same_session=False, same_box=True) for error in (0.02, None, 0.0)]
    found = noise_of([*own, *other], "bench", "loss")
    assert found == Noise(tuple((pair.change, 0.01) for pair in own[:NEWEST]), ((0.5, 0.02),))


def test_seeds_are_pairs_and_repeats_of_a_seed_are_one_unit() -> None:
    seeds = (13, 42, 13, 42)
    one = session(1, (1.0, 5.0, 1.0, 5.0), seeds=seeds)
    other = session(2, (1.1, 5.5, 1.1, 5.5), seeds=seeds)
    (pair,) = pairs(one, other)
    assert pair.change == pytest.approx(0.1)
    assert pair.error == pytest.approx(0.0, abs=1e-9)
    assert pair.units == 2


def test_a_single_sample_has_a_change_and_no_error() -> None:
    (pair,) = pairs(session(1, (1.0,)), session(2, (1.5,)))
    assert pair.change == pytest.approx(0.5)
    assert (pair.error, pair.units) == (None, 1)


def test_a_metric_without_a_relative_change_is_no_evidence() -> None:
    assert pairs(session(1, (0.0, 0.0)), session(2, (1.0, 2.0))) == ()
