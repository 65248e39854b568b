"""What a report costs in requests: a first one at most 6, an update at most 5, whatever the size of the pull request."""

import pytest
from tests.integration.action.conftest import Step

MARKER = "<!-- assay:report -->"


def cost(step: Step) -> int:
    """The requests to the API since the last look; git's own go to another quota."""
    asked = [one for one in step.hub.log if not one.path.startswith(f"/{step.remote.full_name}.git")]
    step.hub.log.clear()
    return len(asked)


def talk(step: Step, number: int, count: int) -> None:
    for turn in range(count):
        step.remote.comment(number, f"Remark {turn}.", step.hub.user("eve"))


@pytest.mark.parametrize("comments", [0, 99, 250])
def test_a_first_report_and_its_updates(step: Step, comments: int) -> None:
    step.branch("faster", {"metrics.txt": "loss=90\n"})
    pull = step.remote.open_pull("faster")
    talk(step, pull.number, comments)
    assert step.on_pull(pull).code == 0
    assert cost(step) <= 6
    for number in (1, 2):
        talk(step, pull.number, comments)
        step.branch("faster", {"metrics.txt": f"loss={90 - number}\n"})
        assert step.on_pull(pull).code == 0
        assert cost(step) <= 5
    assert len([one for one in step.remote.comments.values() if one.body.startswith(MARKER)]) == 1
    assert len(step.remote.checks) == 3


def test_a_comment_that_somebody_removed_is_made_anew(step: Step) -> None:
    step.branch("faster", {"metrics.txt": "loss=90\n"})
    pull = step.remote.open_pull("faster")
    assert step.on_pull(pull).code == 0
    (ours,) = [key for key, one in step.remote.comments.items() if one.body.startswith(MARKER)]
    del step.remote.comments[ours]
    for number in (1, 2):
        step.branch("faster", {"metrics.txt": f"loss={90 - number}\n"})
        assert step.on_pull(pull).code == 0
    assert len([one for one in step.remote.comments.values() if one.body.startswith(MARKER)]) == 1


def test_a_pointer_to_somebody_else_s_comment_is_not_believed(step: Step) -> None:
    step.branch("faster", {"metrics.txt": "loss=90\n"})
    pull = step.remote.open_pull("faster")
    assert step.on_pull(pull).code == 0
    (ours,) = [one for one in step.remote.comments.values() if one.body.startswith(MARKER)]
    ours.user, before = step.hub.user("mallory"), ours.body
    step.branch("faster", {"metrics.txt": "loss=80\n"})
    assert step.on_pull(pull).code == 0
    assert ours.body == before
    assert len([one for one in step.remote.comments.values() if one.body.startswith(MARKER)]) == 2
