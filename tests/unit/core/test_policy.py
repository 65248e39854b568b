"""The policy in force depends on the branch, the config and the question."""

import pytest
from tests.houses import config

from assay.core.decide import FailOn, Mode
from assay.core.policy import resolve_policy, resolved_for


@pytest.mark.parametrize(
    ("branch", "mode"),
    [
        (None, Mode.GATE),
        ("main", Mode.GATE),
        ("experiment/x", Mode.RATCHET),
        ("autoresearch/a/b", Mode.RATCHET),
        ("my-experiment/x", Mode.GATE),
    ],
)
def test_auto_is_ratchet_on_experiment_branches_alone(branch: str | None, mode: Mode) -> None:
    assert resolve_policy(config(), branch).mode is mode


def test_a_mode_that_is_named_holds_on_every_branch() -> None:
    assert resolve_policy(config(top=["policy: {mode: ratchet}"]), "main").mode is Mode.RATCHET


def test_a_list_that_is_asked_for_stands_in_for_the_configs() -> None:
    assert resolve_policy(config(), None).fail_on == {FailOn.REGRESSED, FailOn.CHECKS_FAILED, FailOn.ERRORED}
    assert resolve_policy(config(), None, ("undecided",)).fail_on == {FailOn.UNDECIDED}


def test_the_hash_follows_what_judges_the_samples_and_nothing_else() -> None:
    def hashed(*lines: str, top: tuple[str, ...] = ()) -> str:
        given = config(*lines, top=top)
        return resolved_for(resolve_policy(given, None), given, given.benchmarks["bench"]).hash

    assert hashed() == hashed("timeout: 5s") == hashed("repeats: {min: 5, max: 6}")
    different = {
        hashed(),
        hashed("metric: {name: loss, better: higher}"),
        hashed("metric: {name: loss, better: lower, min_effect: 3%}"),
        hashed("guards: {ms: {better: lower, max_regression: 5%}}"),
        hashed(top=("policy: {alpha: 0.01}",)),
        hashed(top=("policy: {mode: ratchet}",)),
    }
    assert len(different) == 6
