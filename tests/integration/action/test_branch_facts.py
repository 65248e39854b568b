"""What GitHub says of a branch that may be written to: protections, rulesets, and the checks of the branch that it goes into."""

from collections.abc import Callable

import pytest
from tests.fakes.github.protection import Rule, Style
from tests.fakes.github.repository import Repository
from tests.integration.action.conftest import Step

from assay.adapters.github.forge import GitHubForge
from assay.core.branch_rules import BranchFacts
from assay.errors import ForgeError

BRANCH = "experiment/try"


def asked(step: Step, branch: str = BRANCH) -> BranchFacts:
    forge = GitHubForge(step.token, "ada/lab", api_url=step.hub.url, bot_login="github-actions[bot]")
    return forge.branch_facts(branch, "main")


CASES: list[tuple[Callable[[Repository], object], bool, bool]] = [
    (lambda remote: None, False, False),
    (lambda remote: remote.required_checks.update({"main": ("ci",)}), False, True),
    (lambda remote: remote.ruled_checks.update({"main": ("ci",)}), False, True),
    (lambda remote: remote.ruled_checks.update({BRANCH: ("ci",)}), False, True),
    (lambda remote: remote.required_checks.update({BRANCH: ("ci",)}), True, True),
    (lambda remote: remote.protect(BRANCH, Rule.SIGNATURES, style=Style.RULESET), True, False),
    (lambda remote: remote.protect(BRANCH, Rule.PULL_REQUEST, style=Style.CLASSIC), True, False),
    (lambda remote: remote.protect("main", Rule.PULL_REQUEST, style=Style.CLASSIC), False, False),
    (lambda remote: remote.protect(BRANCH, Rule.CREATIONS, style=Style.RULESET), False, False),
]


@pytest.mark.parametrize(("change", "protected", "checks"), CASES)
def test_rules_and_protections_are_told_apart(step: Step, change: Callable[[Repository], object], protected: bool, checks: bool) -> None:
    step.branch(BRANCH, {"metrics.txt": "loss=90\n"})
    change(step.remote)
    assert asked(step) == BranchFacts(BRANCH, True, is_default=False, is_protected=protected, requires_checks=checks)


def test_the_default_branch_is_known_as_such(step: Step) -> None:
    assert asked(step, "main").is_default is True


def test_a_branch_that_is_gone_is_an_error(step: Step) -> None:
    with pytest.raises(ForgeError, match="rules of the branch"):
        asked(step)
