"""Stored runs are compared as what they are: sides of one session, or of two that noise and surroundings keep apart."""

import math
import random
from typing import Any

import pytest
from tests.fakes.runs import a_run
from tests.houses import config

from assay.core.comparison import Comparison, Undecided
from assay.core.envelope import Run
from assay.core.model import Verdict
from assay.core.noise import Noise
from assay.core.rejudge import rejudge
from assay.core.session_noise import steadying, unit_variances

BENCHMARK = config("metric: {name: val_loss, better: lower}").benchmarks["bench"]
MOVED = Noise(own=((0.2, 0.01), (-0.2, 0.01), (0.2, 0.01)))


def side(number: int, centre: float, **changes: Any) -> Run:
    rng = random.Random(number)
    return a_run(number, values=tuple(centre * rng.lognormvariate(0, 0.002) for _ in range(4)), **changes)


def primary(base: Run, head: Run, noise: dict[str, Noise] | None = None) -> Comparison:
    return rejudge(BENCHMARK, base, head, 0.05, None, noise)[0]


def test_runs_of_one_session_are_charged_nothing() -> None:
    base, head = side(1, 100, session_id="ses-1"), side(2, 110, session_id="ses-1")
    assert primary(base, head, {"val_loss": MOVED}).verdict is Verdict.REGRESSED


def test_runs_of_two_sessions_are_charged_what_lies_between_sessions() -> None:
    base, head = side(1, 100, session_id="ses-1"), side(2, 110, session_id="ses-2")
    assert primary(base, head).verdict is Verdict.REGRESSED
    assert primary(base, head, {"val_loss": MOVED}).undecided is Undecided.SAMPLES
    assert primary(base, head, {"other": MOVED}).verdict is Verdict.REGRESSED


@pytest.mark.parametrize(("key", "name"), [("driver", "driver"), ("cuda", "CUDA"), ("packages", "installed packages")])
@pytest.mark.parametrize("value", ["another", "unknown"])
def test_runs_of_two_sessions_in_other_surroundings_are_not_compared(key: str, name: str, value: str) -> None:
    base, head = side(1, 100, session_id="ses-1"), side(2, 110, session_id="ses-2")
    moved = head.model_copy(update={"environment": head.environment.model_copy(update={key: value})})
    found = primary(base, moved)
    assert (found.verdict, found.undecided) == (Verdict.UNDECIDED, Undecided.ENVIRONMENT)
    assert found.reason == f"base and head were measured in other surroundings: {name}"
    together = moved.model_copy(update={"session_id": "ses-1"})
    assert primary(base, together).verdict is Verdict.REGRESSED


def test_the_spread_of_earlier_sessions_is_that_of_logarithms() -> None:
    runs = [side(number, 100) for number in range(5)]
    machine = runs[0].machine.machine_class
    variances = unit_variances(runs, "val_loss", machine)
    assert len(variances) == 5
    values = [math.log(sample.value) for sample in runs[0].samples_of("val_loss")]
    middle = sum(values) / 4
    assert variances[0] == pytest.approx(sum((one - middle) ** 2 for one in values) / 3)
    assert steadying(variances[:1], 8) == ((0.0, math.sqrt(2 * variances[0] / 8)),)


def test_what_says_nothing_of_this_spread_is_left_out() -> None:
    plain = side(1, 100)
    machine = plain.machine.machine_class
    others = [
        a_run(2, values=(1.0, 2.0)),
        a_run(3, values=(0.0, 1.0, 2.0)),
        side(4, 100, seeds=(1, 2, 3, 4)),
        side(5, 100, dirty=True),
    ]
    assert len(unit_variances([plain, *others], "val_loss", machine)) == 1
    assert unit_variances([plain], "val_loss", "another machine") == ()
    assert unit_variances([plain], "other", machine) == ()
