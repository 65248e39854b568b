"""What a job leaves to the next one, over fakes: written ahead, kept where it could not be posted, tied up once."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from tests.fakes.clock import FakeClock
from tests.fakes.ends import FakeEnds
from tests.fakes.forge import FakeForge, Opened, denied, outage
from tests.fakes.runs import an_id
from tests.fakes.store import FakeStore

from assay.app.loose_ends import CatchUp, Keeper
from assay.app.outlet import Outlet
from assay.core.check_run import CheckRun
from assay.core.comment_pointer import CommentPointer
from assay.core.effects import CloseCheck, OpenCheck, PostComment, UpdateComment
from assay.core.forge_facts import RunState
from assay.core.loose_ends import JobMark
from assay.core.model import Conclusion
from assay.errors import CancelledError, ForgeError
from assay.forge_ports import Posted

HEAD = "a" * 40
RUN = an_id("run")
NAME = "assay / bench"
MARKER = "<!-- assay:report -->"
OPEN = OpenCheck(NAME, HEAD, RUN, "measuring")
CLOSE = CloseCheck(CheckRun(NAME, HEAD, RUN, Conclusion.FAILURE, "loss regressed", "s", "t"))
POST = PostComment(7, f"{MARKER}\nWorse.", MARKER)
MINE, THEIRS = (JobMark(run=run, attempt=1, hosted=True) for run in (1, 2))


@dataclass
class Jobs:
    """Two jobs in turn, the first with a forge that may fail."""

    first: FakeForge = field(default_factory=FakeForge)
    forge: FakeForge = field(default_factory=FakeForge)
    ends: FakeEnds = field(default_factory=FakeEnds)
    clock: FakeClock = field(default_factory=FakeClock)
    store: FakeStore = field(default_factory=FakeStore)

    @property
    def outlet(self) -> Outlet:
        return Outlet(self.first, self.store, keeper=Keeper(self.ends, THEIRS, self.clock))

    def catch_up(self, number: int | None = None) -> tuple[str, ...]:
        self.forge.checks = self.first.checks
        return CatchUp(self.forge, Keeper(self.ends, MINE, self.clock), lambda _: None, number).run()


def test_a_run_is_written_ahead_of_its_check_run_and_forgotten_with_it() -> None:
    jobs = Jobs()
    outlet = jobs.outlet
    jobs.first.fails["open_check"] = outage()
    with pytest.raises(ForgeError):
        outlet.perform(OPEN)
    assert [one.run_id for one in jobs.ends.found().opened] == [RUN]
    del jobs.first.fails["open_check"]
    outlet.perform(CLOSE)
    assert jobs.ends.kept == {}


def test_without_the_permission_nothing_is_left_open() -> None:
    jobs = Jobs()
    jobs.first.fails["open_check"] = denied()
    jobs.outlet.perform(OPEN)
    assert jobs.ends.kept == {}


@pytest.mark.parametrize("effect", [CLOSE, POST, UpdateComment(7, POST.body, MARKER)], ids=["check", "comment", "update"])
def test_what_could_not_be_posted_is_kept_and_said(effect: CloseCheck | PostComment | UpdateComment) -> None:
    jobs = Jobs()
    for method in ("close_check", "upsert_comment", "update_comment"):
        jobs.first.fails[method] = outage()
    with pytest.raises(ForgeError, match="did not answer") as caught:
        jobs.outlet.perform(effect)
    assert "the next job posts it" in caught.value.hint
    assert len(jobs.ends.found().owed) == 1


def test_what_can_be_kept_nowhere_is_said_too() -> None:
    jobs = Jobs(ends=FakeEnds(refuses="The disk is full."))
    jobs.first.fails["upsert_comment"] = outage()
    with pytest.raises(ForgeError) as caught:
        jobs.outlet.perform(POST)
    assert "The disk is full." in caught.value.hint


def test_what_the_token_may_not_post_is_not_kept() -> None:
    jobs = Jobs()
    jobs.first.fails["upsert_comment"] = denied()
    jobs.outlet.perform(POST)
    assert jobs.ends.kept == {}


def test_the_next_job_posts_it_once() -> None:
    jobs = Jobs()
    for method in ("close_check", "upsert_comment"):
        jobs.first.fails[method] = outage()
    outlet = jobs.outlet
    outlet.perform(OPEN)
    for effect in (CLOSE, POST):
        with pytest.raises(ForgeError):
            outlet.perform(effect)
    said = jobs.catch_up()
    assert len(said) == 2
    assert jobs.forge.comments == {7: POST.body}
    assert [one.closed for one in jobs.forge.checks] == [CLOSE.payload]
    assert jobs.ends.kept == {}
    assert jobs.catch_up() == ()


def test_a_later_cancel_does_not_change_a_conclusion_that_could_not_be_posted() -> None:
    jobs = Jobs()
    outlet = jobs.outlet
    outlet.perform(OPEN)
    jobs.first.fails["close_check"] = outage()
    with pytest.raises(ForgeError):
        outlet.perform(CLOSE)
    outlet.abandon(jobs.forge, Conclusion.CANCELLED, "cancelled", "")
    assert jobs.forge.calls == []
    jobs.catch_up()
    assert [one.closed for one in jobs.forge.checks] == [CLOSE.payload]


def test_a_cancel_in_the_midst_of_completing_completes_with_the_conclusion_that_was_reached() -> None:
    jobs = Jobs()
    outlet = jobs.outlet
    outlet.perform(OPEN)
    jobs.first.fails["close_check"] = CancelledError("Cancelled by SIGTERM.")  # type: ignore[assignment]
    with pytest.raises(CancelledError):
        outlet.perform(CLOSE)
    jobs.forge.checks = jobs.first.checks
    outlet.abandon(jobs.forge, Conclusion.CANCELLED, "cancelled", "")
    assert [one.closed for one in jobs.forge.checks] == [CLOSE.payload]


@pytest.mark.parametrize("arrived", [True, False])
def test_a_cancel_in_the_midst_of_opening_leaves_none_open(arrived: bool) -> None:
    jobs = Jobs()
    outlet = jobs.outlet
    jobs.first.fails["open_check"] = CancelledError("Cancelled by SIGTERM.")  # type: ignore[assignment]
    with pytest.raises(CancelledError):
        outlet.perform(OPEN)
    jobs.forge.checks = [Opened(NAME, HEAD, RUN)] if arrived else []
    outlet.abandon(jobs.forge, Conclusion.CANCELLED, "cancelled", "")
    assert [one.closed.conclusion for one in jobs.forge.checks if one.closed] == [Conclusion.CANCELLED] * arrived
    assert jobs.ends.kept == {}


def test_the_last_word_that_was_not_heard_is_kept() -> None:
    jobs = Jobs()
    outlet = jobs.outlet
    outlet.perform(OPEN)
    jobs.forge.fails["close_check"] = outage()
    with pytest.raises(ForgeError):
        outlet.abandon(jobs.forge, Conclusion.CANCELLED, "cancelled", "")
    jobs.catch_up()
    (one,) = jobs.forge.checks
    assert one.closed is not None
    assert one.closed.conclusion is Conclusion.CANCELLED


def test_a_check_run_that_somebody_completed_meanwhile_keeps_its_conclusion() -> None:
    jobs = Jobs()
    jobs.first.fails["close_check"] = outage()
    with pytest.raises(ForgeError):
        jobs.outlet.perform(CLOSE)
    newer = CheckRun(NAME, HEAD, RUN, Conclusion.SUCCESS, "t", "s", "")
    jobs.first.checks = [Opened(NAME, HEAD, RUN, newer)]
    jobs.catch_up()
    assert [one.closed for one in jobs.forge.checks] == [newer]


def test_a_report_of_this_very_pull_request_is_not_posted_twice() -> None:
    jobs = Jobs()
    jobs.first.fails["upsert_comment"] = outage()
    with pytest.raises(ForgeError):
        jobs.outlet.perform(POST)
    keeper = Keeper(jobs.ends, MINE, jobs.clock)
    assert CatchUp(jobs.forge, keeper, lambda _: None, 7).run() == ()
    assert jobs.forge.calls == []
    Outlet(jobs.forge, jobs.store, keeper=keeper).perform(POST)
    assert jobs.ends.kept == {}


@pytest.mark.parametrize(
    ("state", "age", "closed"),
    [
        (RunState.OVER, timedelta(minutes=1), True),
        (RunState.ON, timedelta(days=30), False),
        (RunState.UNKNOWN, timedelta(minutes=1), False),
        (RunState.UNKNOWN, timedelta(days=7), True),
    ],
)
def test_the_check_run_of_a_lost_job_is_closed_as_soon_as_it_is_surely_lost(state: RunState, age: timedelta, closed: bool) -> None:
    jobs = Jobs()
    jobs.outlet.perform(OPEN)
    jobs.forge.runs[THEIRS.run] = state
    jobs.clock.advance(age.total_seconds())
    said = jobs.catch_up()
    (one,) = jobs.forge.checks
    assert (one.closed is not None) is closed
    assert bool(said) is closed
    assert (jobs.ends.kept == {}) is closed


def test_one_s_own_run_is_never_taken_for_lost() -> None:
    jobs = Jobs()
    outlet = Outlet(jobs.first, jobs.store, keeper=Keeper(jobs.ends, MINE, jobs.clock))
    outlet.perform(OPEN)
    jobs.clock.advance(10**7)
    assert jobs.catch_up() == ()
    assert jobs.forge.calls == []


def test_a_forge_that_still_fails_is_asked_no_further() -> None:
    jobs = Jobs()
    for method in ("close_check", "upsert_comment"):
        jobs.first.fails[method] = outage()
    for effect in (CLOSE, POST):
        with pytest.raises(ForgeError):
            jobs.outlet.perform(effect)
    jobs.forge.fails["end_check"] = outage()
    (said,) = jobs.catch_up()
    assert "could not be tied up" in said
    assert jobs.forge.calls == ["end_check"]
    assert len(jobs.ends.kept) == 2


def test_what_can_never_be_posted_is_dropped_and_stops_nothing() -> None:
    jobs = Jobs()
    for method in ("close_check", "upsert_comment"):
        jobs.first.fails[method] = outage()
    for effect in (CLOSE, POST):
        with pytest.raises(ForgeError):
            jobs.outlet.perform(effect)
    jobs.forge.fails["end_check"] = ForgeError("No commit found.", refused=True)
    assert len(jobs.catch_up()) == 2
    assert jobs.forge.comments == {7: POST.body}
    assert jobs.ends.kept == {}


def test_a_job_that_may_only_read_says_nothing_of_what_others_left() -> None:
    jobs = Jobs()
    jobs.first.fails["upsert_comment"] = outage()
    with pytest.raises(ForgeError):
        jobs.outlet.perform(POST)
    jobs.forge.fails["upsert_comment"] = denied()
    assert jobs.catch_up() == ()
    assert len(jobs.ends.kept) == 1


class Second(FakeForge):
    """Makes another comment than the one that is remembered."""

    def upsert_comment(self, number: int, body: str, marker: str, known: int | None = None, since: object = None) -> Posted:
        self.calls.append(f"upsert {known}")
        return Posted(known or 99, "url")


def test_of_two_first_comments_the_one_that_is_remembered_stays() -> None:
    jobs = Jobs(first=Second())
    there = CommentPointer(schema="assay.comment/1", pull=7, comment=42)

    class Late(FakeStore):
        """Another job's pointer lands while ours is on its way."""

        def add_pointer(self, pointer: CommentPointer) -> str:
            self.pointers[7] = there
            return FakeStore.add_pointer(self, pointer)

    jobs.store = Late()
    outlet = jobs.outlet
    outlet.perform(POST)
    assert jobs.first.calls == ["upsert None", "upsert 42", "withdraw_comment"]
    assert jobs.first.withdrawn == [99]
    assert outlet.comment is not None
    assert outlet.comment.id == 42
