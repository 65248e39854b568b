"""Which branches on the forge may be written to: what is not known is refused."""

from dataclasses import replace

import pytest

from assay.core.branch_rules import BranchFacts, write_objection

PATTERNS = ("experiment/**", "autoresearch/**")
GOOD = BranchFacts("experiment/try", same_repository=True, is_default=False, is_protected=False, requires_checks=False)


def test_an_experiment_branch_of_the_same_repository_may_be_written_to() -> None:
    assert write_objection(GOOD, PATTERNS, has_push_token=False) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "main"}, "no experiment branch"),
        ({"name": "experiments/try"}, "no experiment branch"),
        ({"same_repository": False}, "not a branch of this repository"),
        ({"same_repository": None}, "not a branch of this repository"),
        ({"is_default": True}, "default branch"),
        ({"is_default": None}, "default branch"),
        ({"is_protected": True}, "protected"),
        ({"is_protected": None}, "protected"),
        ({"requires_checks": True}, "push-token"),
        ({"requires_checks": None}, "push-token"),
    ],
)
def test_everything_else_is_refused_with_its_reason(change: dict[str, object], reason: str) -> None:
    assert reason in (write_objection(replace(GOOD, **change), PATTERNS, has_push_token=False) or "")  # type: ignore[arg-type]


def test_a_push_token_starts_the_checks_that_a_branch_requires() -> None:
    assert write_objection(replace(GOOD, requires_checks=True), PATTERNS, has_push_token=True) is None
    assert write_objection(replace(GOOD, is_default=True), PATTERNS, has_push_token=True)
    assert write_objection(replace(GOOD, is_protected=True), PATTERNS, has_push_token=True)
    assert write_objection(replace(GOOD, same_repository=False), PATTERNS, has_push_token=True)
