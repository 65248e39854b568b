"""An edit by hand from an older state, put on top of what has happened since."""

from hypothesis import given
from hypothesis import strategies as st
from tests.queues import a_job, a_queue, at

from assay.core.queue import moves
from assay.core.queue.merge import merged
from assay.core.queue.model import Job, JobStatus, Queue
from assay.core.queue.moves import Process

BASE = a_queue(a_job("a", batch_size=8), a_job("b"), a_job("c"), max_concurrent=2)
OURS = moves.take(BASE, "c1", Process("here", 1, "s"), at(1))


def ids(queue: Queue) -> list[str]:
    return [one.job_id for one in queue.jobs]


def edited(**by_id: dict[str, object]) -> Queue:
    jobs = tuple(one.model_copy(update=by_id.get(one.job_id, {})) for one in BASE.jobs)
    return BASE.model_copy(update={"jobs": jobs})


def test_what_a_worker_has_done_survives_an_edit_of_something_else() -> None:
    found = merged(BASE, edited(b={"priority": 5}), OURS)
    assert (found.jobs[0].status, found.jobs[0].claim, found.jobs[1].priority) == ("running", "c1", 5)


def test_both_sides_of_one_job_are_heard() -> None:
    found = merged(BASE, edited(a={"batch_size": 4, "status": JobStatus.FAILED}), OURS)
    assert (found.jobs[0].status, found.jobs[0].batch_size) == ("running", 4)


def test_two_notes_of_one_moment_both_stay() -> None:
    def noted(**notes: int) -> Queue:
        return a_queue(a_job(metadata={"old": 1, "gone": 1} | notes))

    theirs, ours = noted(theirs=2, old=3), noted(ours=4)
    del theirs.jobs[0].metadata["gone"]
    assert merged(noted(), theirs, ours).jobs[0].metadata == {"old": 3, "theirs": 2, "ours": 4}


def test_the_order_is_that_of_the_edit_and_new_jobs_of_both_stay() -> None:
    ours = moves.add(OURS, [a_job("ours")])
    wanted = BASE.model_copy(update={"jobs": (BASE.jobs[2], BASE.jobs[0], BASE.jobs[1], a_job("theirs"))})
    assert ids(merged(BASE, wanted, ours)) == ["c", "a", "b", "theirs", "ours"]


def test_a_removed_job_goes_unless_a_worker_has_taken_it_meanwhile() -> None:
    wanted = BASE.model_copy(update={"jobs": (BASE.jobs[1],)})
    assert ids(merged(BASE, wanted, OURS)) == ["b", "a"]


def test_a_job_that_we_have_dropped_does_not_come_back() -> None:
    assert ids(merged(BASE, edited(a={"priority": 1}), moves.drop(BASE, ["b"]))) == ["a", "c"]


def test_a_pilot_stays_as_long_as_a_job_waits_for_it() -> None:
    base = a_queue(a_job("pilot"))
    ours = moves.add(base, [a_job("full", after="pilot")])
    assert sorted(ids(merged(base, a_queue(), ours))) == ["full", "pilot"]


def test_the_config_of_the_edit_counts() -> None:
    wanted = BASE.model_copy(update={"config": BASE.config.model_copy(update={"max_concurrent": 7})})
    assert merged(BASE, wanted, OURS).config.max_concurrent == 7


JOBS = st.lists(st.sampled_from("abcdef"), unique=True).flatmap(
    lambda names: st.tuples(*(st.builds(a_job, st.just(name), priority=st.integers(-2, 2)) for name in names))
)


@given(JOBS, JOBS, JOBS)
def test_nothing_is_lost_or_doubled_whatever_both_have_done(base: tuple[Job, ...], theirs: tuple[Job, ...], ours: tuple[Job, ...]) -> None:
    found = ids(merged(a_queue(*base), a_queue(*theirs), a_queue(*ours)))
    assert len(found) == len(set(found))
    names = [{one.job_id for one in jobs} for jobs in (base, theirs, ours)]
    assert (names[1] - names[0]) | (names[2] - names[0]) | (names[1] & names[2]) <= set(found) <= names[1] | names[2]


@given(JOBS, JOBS)
def test_who_has_changed_nothing_has_no_say(base: tuple[Job, ...], other: tuple[Job, ...]) -> None:
    same, changed = a_queue(*base), a_queue(*other)
    assert {one.job_id: one for one in merged(same, same, changed).jobs} == {one.job_id: one for one in changed.jobs}
    assert merged(same, changed, same) == changed


def test_a_job_of_an_edit_waits_for_no_pilot_that_we_have_dropped_meanwhile() -> None:
    base = a_queue(a_job("pilot"))
    wanted = base.model_copy(update={"jobs": (*base.jobs, a_job("full", after="pilot"))})
    found = merged(base, wanted, moves.drop(base, ["pilot"]))
    assert [(one.job_id, one.after) for one in found.jobs] == [("full", None)]
