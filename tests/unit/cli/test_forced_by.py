"""Who or what asks for a fresh run."""

import pytest

from assay.cli.check_command import forced_by


@pytest.mark.parametrize("value", ["1", "true", "yes", "on", "2", "anything", " y "])
def test_the_variable_forces_a_run_by_whatever_it_holds(value: str) -> None:
    assert forced_by(None, {"ASSAY_NO_REUSE": value}) == "ASSAY_NO_REUSE"


@pytest.mark.parametrize("value", ["", "0", "false", "no", "off", "OFF", " False ", "No"])
def test_save_for_what_says_no(value: str) -> None:
    assert forced_by(None, {"ASSAY_NO_REUSE": value}) is None
    assert forced_by(None, {}) is None


def test_in_a_job_its_actor_is_named_with_it() -> None:
    job = {"ASSAY_NO_REUSE": "1", "GITHUB_ACTOR": "ada"}
    assert forced_by(None, job) == "ASSAY_NO_REUSE, in a job of ada"
    assert forced_by("the input no-reuse", job) == "the input no-reuse, in a job of ada"
    assert forced_by(None, {"GITHUB_ACTOR": "ada"}) is None


def test_who_asked_in_a_comment_is_not_named_twice() -> None:
    assert forced_by("ada by a comment", {"GITHUB_ACTOR": "ada"}) == "ada by a comment"
