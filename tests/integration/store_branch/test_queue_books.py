"""The queue in both kinds of store: one way to change it, whole or not at all, and nobody's job is lost or doubled."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.integration.store_branch.places import bare, open_store, put
from tests.queues import a_job, a_queue, at

from assay.adapters.queue_file import KEPT_STATES, DirectoryQueue
from assay.core.queue import moves
from assay.core.queue.model import Job, JobStatus, Queue
from assay.core.queue.moves import Process
from assay.core.queue.refusals import BadQueueError, JobNotRunningError
from assay.core.queue.text import queue_of, text_of
from assay.errors import InfrastructureError
from assay.queue_ports import QueueBook

Opened = Callable[[str], QueueBook]


@pytest.fixture(params=["directory", "branch"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    if request.param == "directory":
        yield lambda _: DirectoryQueue(tmp_path / "store")
        return
    remote = bare(tmp_path / "remote.git")
    yield lambda name: open_store(remote, tmp_path / name).queue


def adding(*jobs: Job) -> Callable[[Queue], Queue]:
    return lambda queue: moves.add(queue, jobs)


def taking(claim: str) -> Callable[[Queue], Queue]:
    return lambda queue: moves.take(queue, claim, Process("here", 1, "s"), at(1))


def test_what_was_queued_is_there_for_everybody(opened: Opened) -> None:
    assert opened("a").read().jobs == ()
    opened("a").change(adding(a_job("one"), a_job("two")))
    queue = opened("b").change(taking("c1"))
    assert queue.jobs[0].claim == "c1"
    assert opened("a").read() == queue
    assert (queue.revision, opened("a").change(lambda same: same)) == (2, queue)


def test_a_refused_change_changes_nothing(opened: Opened) -> None:
    before = opened("a").change(adding(a_job("one")))
    with pytest.raises(JobNotRunningError):
        opened("a").change(lambda queue: moves.done(queue, "one", None, None, at(1)))
    assert opened("b").read() == before


def test_writers_at_once_lose_no_job(opened: Opened) -> None:
    def work(number: int) -> None:
        book = opened(f"clone-{number}")
        for turn in range(4):
            book.change(adding(a_job(f"job-{number}-{turn}")))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    queue = opened("last").read()
    assert sorted(one.job_id for one in queue.jobs) == sorted(f"job-{number}-{turn}" for number in range(3) for turn in range(4))
    assert queue.revision == 12


def test_a_queue_that_cannot_be_sent_is_not_changed(tmp_path: Path) -> None:
    book = open_store(tmp_path / "nowhere.git", tmp_path / "clone").queue
    with pytest.raises(InfrastructureError, match="could not be written"):
        book.change(adding(a_job()))


def test_a_wrong_hand_edit_on_the_branch_is_told_and_stays(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote.git")
    book = open_store(remote, tmp_path / "clone").queue
    book.change(adding(a_job()))
    tip = put(remote, {"queue.json": b'{\n"jobs": 3\n}'})
    for ask in (book.read, lambda: book.change(adding(a_job("b")))):
        with pytest.raises(BadQueueError, match=r"assay-data:queue.json:2: "):
            ask()
    put(remote, {"queue.json": text_of(a_queue(a_job("mine"))).encode()})
    assert tip
    assert [one.job_id for one in book.change(adding(a_job("b"))).jobs] == ["mine", "b"]


# the file that people edit


@pytest.fixture
def book(tmp_path: Path) -> DirectoryQueue:
    return DirectoryQueue(tmp_path, patience_s=0.2)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "queue.json"


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"", b'{\n"jobs": 1}'])
def test_a_wrong_file_is_an_error_and_nothing_is_written_over_it(book: DirectoryQueue, file: Path, content: bytes) -> None:
    book.change(adding(a_job()))
    file.write_bytes(content)
    for ask in (book.read, lambda: book.change(adding(a_job("b")))):
        with pytest.raises(BadQueueError, match=r"queue\.json:\d+: "):
            ask()
    assert file.read_bytes() == content


def test_an_edit_of_an_older_state_keeps_what_has_happened_since(book: DirectoryQueue, file: Path) -> None:
    book.change(adding(a_job("one", batch_size=8), a_job("two")))
    old = queue_of(file.read_text(), "queue.json")
    book.change(taking("c1"))
    book.change(adding(a_job("three")))
    hurried = old.model_copy(update={"jobs": (old.jobs[1].model_copy(update={"priority": 3}), old.jobs[0])})
    file.write_text(text_of(hurried))
    seen = book.read()
    assert [(one.job_id, one.status.value, one.priority) for one in seen.jobs] == [
        ("two", "queued", 3),
        ("one", "running", 0),
        ("three", "queued", 0),
    ]
    assert book.change(lambda same: same).jobs == seen.jobs
    assert queue_of(file.read_text(), "queue.json").jobs == seen.jobs


def test_an_edit_of_a_state_that_is_forgotten_is_refused_and_stays(book: DirectoryQueue, file: Path) -> None:
    book.change(adding(a_job()))
    old = file.read_bytes()
    for turn in range(KEPT_STATES + 1):
        book.change(lambda queue, turn=turn: queue.model_copy(update={"jobs": (a_job(priority=turn % 7 + 1),)}))  # type: ignore[misc]
    file.write_bytes(old)
    with pytest.raises(BadQueueError, match="edited from revision 1") as caught:
        book.read()
    assert f"set `revision` to {KEPT_STATES + 2}" in caught.value.hint
    assert file.read_bytes() == old


def test_a_file_that_was_taken_away_begins_anew(book: DirectoryQueue, file: Path) -> None:
    book.change(adding(a_job()))
    file.unlink()
    assert book.read().jobs == ()
    queue = book.change(adding(a_job("b")))
    assert ([one.job_id for one in queue.jobs], queue.revision) == (["b"], 2)


def test_the_change_of_a_writer_that_was_killed_before_the_file_had_it_is_made_by_the_next(book: DirectoryQueue, file: Path) -> None:
    book.change(adding(a_job("one")))
    before = file.read_bytes()
    book.change(taking("c1"))
    file.write_bytes(before)
    assert book.read().jobs[0].status is JobStatus.RUNNING


def test_a_link_in_the_place_of_the_file_is_not_followed(book: DirectoryQueue, file: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("{}")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadQueueError):
        book.change(adding(a_job()))
    assert (tmp_path / "elsewhere").read_text() == "{}"
