"""Commands about other runs: a fork's head that somebody vouches for, an end of what is running, and the same thing twice."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.forge import denied, outage
from tests.unit.app.test_order import BASE, CONFIG, FILE, HEAD, NOON, OTHER, PULL, SAID, Hall, fork_hall

from assay.app.office import Office
from assay.app.order import Order, order_of
from assay.core.comment_lines import TRIGGER
from assay.core.event import Comment
from assay.core.forge_facts import Permission, Reaction
from assay.core.inputs import ForkRule
from assay.errors import ForgeError


def office(hall: Hall, job: int | None, **inputs: Any) -> Office:
    return replace(hall.office(**inputs), job=job)


def obey(hall: Hall, words: str, job: int | None = None, comment: Comment = SAID) -> str:
    """The reply to a command that orders nothing."""
    assert not isinstance(order_of(replace(comment, body=f"{TRIGGER} {words}"), office(hall, job)), Order)
    return hall.forge.comments.get(7, "")


def start(hall: Hall, words: str, job: int) -> Order:
    order = order_of(replace(SAID, body=f"{TRIGGER} {words}"), office(hall, job))
    assert isinstance(order, Order), hall.forge.comments
    hall.forge.going.add(job)
    return order


def test_an_approved_head_of_a_fork_runs_without_being_named_again() -> None:
    hall = fork_hall("sha")
    assert "measures" in hall.refused(f"approve {HEAD}", allow_forks=ForkRule.SHA)
    question = hall.ordered(allow_forks=ForkRule.SHA).question
    assert (question.head, question.vouched) == (HEAD, True)


def test_an_approval_is_of_one_head_and_ends_with_a_push() -> None:
    hall = fork_hall("sha")
    hall.refused(f"approve {HEAD}", allow_forks=ForkRule.SHA)
    hall.repo.refs[OTHER] = OTHER
    hall.forge.pulls[7] = replace(PULL, fork=True, head_sha=OTHER)
    assert f"sha={OTHER}" in hall.refused(allow_forks=ForkRule.SHA)


def test_an_approval_is_of_one_pull_request() -> None:
    hall = fork_hall("sha")
    hall.refused(f"approve {HEAD}", allow_forks=ForkRule.SHA)
    hall.forge.pulls[8] = replace(PULL, number=8, fork=True)
    assert not isinstance(hall.say("run", replace(SAID, number=8), allow_forks=ForkRule.SHA), Order)
    assert f"sha={HEAD}" in hall.forge.comments[8]


@pytest.mark.parametrize(
    ("hall", "words", "allowed", "says"),
    [
        (fork_hall("sha"), f"approve {OTHER}", ForkRule.SHA, "not the commit that the command names"),
        (fork_hall("deny"), f"approve {HEAD}", ForkRule.SHA, "fork is not run here"),
        (fork_hall("sha"), f"approve {HEAD}", ForkRule.DENY, "fork is not run here"),
        (fork_hall("sha"), f"approve {HEAD[:12]}", ForkRule.SHA, "40 digits"),
        (Hall(), f"approve {HEAD}", ForkRule.SHA, "nobody has to vouch"),
    ],
)
def test_what_may_not_be_approved_is_refused_and_not_written_down(hall: Hall, words: str, allowed: ForkRule, says: str) -> None:
    assert says in hall.refused(words, allow_forks=allowed)
    assert hall.store.spends == []
    assert hall.reactions[-1] is Reaction.CONFUSED


def test_where_only_admins_may_run_only_admins_approve() -> None:
    hall = fork_hall("sha, run: admin")
    assert "admin rights" in hall.refused(f"approve {HEAD}", allow_forks=ForkRule.SHA)
    assert hall.store.spends == []
    hall.forge.permissions["ada"] = Permission.ADMIN
    hall.refused(f"approve {HEAD}", allow_forks=ForkRule.SHA)
    assert [one.kind for one in hall.store.spends] == ["vouch"]


def test_a_member_s_head_that_was_pushed_late_is_not_helped_by_an_approval() -> None:
    hall = Hall()
    hall.forge.pushes["faster", HEAD] = NOON
    hall.refused(f"approve {HEAD}")
    assert "pushed after" in hall.refused()


def test_cancel_ends_what_commands_began_on_this_pull_request_and_nothing_else() -> None:
    hall = Hall()
    start(hall, "run bench", 11)
    start(hall, "run plain", 12)
    hall.forge.pulls[8] = replace(PULL, number=8)
    assert isinstance(order_of(replace(SAID, number=8, body=f"{TRIGGER} run"), office(hall, 13)), Order)
    hall.forge.going |= {13, 14}
    hall.forge.going.discard(12)
    assert "1 run of this pull request will end: 11" in obey(hall, "cancel", 20)
    assert hall.forge.ended == [11]
    assert hall.reactions[-1] is Reaction.ROCKET


def test_cancel_ends_the_check_of_this_very_head_too_and_never_itself() -> None:
    hall = Hall()
    hall.forge.going |= {30, 31, 40}
    hall.forge.checking = {HEAD: {30, 40}, OTHER: {31}}
    assert "30" in obey(hall, "cancel", 40)
    assert hall.forge.ended == [30]


def test_cancel_says_where_there_is_nothing_to_end() -> None:
    hall = Hall()
    hall.forge.pulls[7] = replace(PULL, open=False)
    assert "Nothing of this pull request is waiting or running" in obey(hall, "cancel", 1)


@pytest.mark.parametrize("error", [denied("end runs"), outage()])
def test_a_forge_that_does_not_end_a_run_is_told_of(error: ForgeError) -> None:
    hall = Hall()
    start(hall, "run", 11)
    hall.forge.fails["end"] = error
    with pytest.raises(ForgeError):
        obey(hall, "cancel", 20)
    assert error.message.split()[0] in hall.forge.comments[7]
    assert hall.reactions[-1] is Reaction.CONFUSED


@pytest.mark.parametrize("again", ["run bench plain seeds=1", "run plain bench seeds=1", f"run bench plain seeds=1 sha={HEAD}"])
def test_the_same_command_for_the_same_head_is_not_obeyed_twice_at_a_time(again: str) -> None:
    hall = Hall()
    hall.repo.contents[BASE, FILE] = CONFIG.replace("run: ./plain", "run: ./plain {seed}\n    seeds: [1, 2]").encode()
    start(hall, "run bench plain seeds=1", 11)
    spent = list(hall.store.spends)
    assert "already" in obey(hall, again, 12)
    assert hall.store.spends == spent
    hall.forge.going.discard(11)
    start(hall, again, 12)


def test_another_command_another_head_and_the_same_job_tried_again_are_obeyed() -> None:
    hall = Hall()
    start(hall, "run bench", 11)
    start(hall, "run bench --no-reuse", 12)
    start(hall, "run bench", 11)
    hall.repo.refs[OTHER] = OTHER
    hall.forge.pulls[7] = replace(PULL, head_sha=OTHER)
    start(hall, "run bench", 13)


def test_a_forge_that_cannot_tell_what_is_running_stops_no_command() -> None:
    hall = Hall()
    start(hall, "run bench", 11)
    hall.forge.fails["unfinished"] = denied("list runs")
    start(hall, "run bench", 12)
