"""Sessions in both kinds of store: one way to change one, whole or not at all, and nobody's record is lost."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.experiments import Story, config
from tests.fakes.runs import a_run
from tests.integration.store_branch.places import bare, git, open_store

from assay.adapters.session_files import DirectorySessions
from assay.adapters.store_branch.sessions import BranchSessions
from assay.core.experiment import Journal
from assay.core.experiment_edits import Mark, new_segment
from assay.core.experiment_errors import MaxIterationsError, SessionNotActiveError
from assay.errors import InfrastructureError
from assay.experiment_ports import SessionBook, Sessions
from assay.ports import Unreadable

Opened = Callable[[str], Sessions]
"""The same store once more, as another machine would open it."""


@pytest.fixture(params=["directory", "branch"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    if request.param == "directory":
        yield lambda _: DirectorySessions(tmp_path / "store")
        return
    remote = bare(tmp_path / "remote.git")
    yield lambda name: open_store(remote, tmp_path / name).sessions


def grown(number: int, journal: Journal) -> Journal:
    """One segment more."""
    story = Story(journal, made=1000 + number)
    return new_segment(journal, config(), story.mark())


def edit_of(session: str, change: Callable[[Journal], Journal]) -> Callable[[SessionBook], Journal]:
    def edit(book: SessionBook) -> Journal:
        found = book.get(session)
        assert isinstance(found, Journal)
        return change(found)

    return edit


def test_what_was_stored_is_there_for_everybody(opened: Opened) -> None:
    first, second = Story.begin().journal, Story.begin(metric="speed").journal
    store = opened("a")
    assert (store.get(first.id), store.all()) == (None, ())
    store.change(lambda _: first)
    assert opened("b").get(first.id) == first
    assert store.get("exp-nobody") is None
    assert store.get("../../etc/passwd") is None
    assert second.id == first.id  # the story's ids count from the same beginning
    assert opened("b").all() == (first,)


def test_a_change_that_is_refused_changes_nothing(opened: Opened) -> None:
    store, journal = opened("a"), Story.begin(max_iterations=1).journal
    store.change(lambda _: journal)

    def refuse(_: SessionBook) -> Journal:
        raise MaxIterationsError("no more")

    with pytest.raises(MaxIterationsError):
        store.change(refuse)
    assert opened("b").get(journal.id) == journal


def test_writers_at_once_lose_no_record(opened: Opened) -> None:
    journal = Story.begin().journal
    opened("first").change(lambda _: journal)

    def work(number: int) -> None:
        store = opened(f"clone-{number}")
        for turn in range(4):
            store.change(edit_of(journal.id, lambda found, turn=turn: grown(number * 10 + turn, found)))  # type: ignore[misc]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    found = opened("last").get(journal.id)
    assert isinstance(found, Journal)
    assert [one.seq for one in found.records] == list(range(1, 18))
    assert len({one.id for one in found.records}) == 17


def test_a_change_that_is_asked_again_after_it_was_made_is_made_once(opened: Opened) -> None:
    store, journal = opened("a"), Story.begin().journal
    store.change(lambda _: journal)
    mark = Mark(Story(journal, made=77).an_id("rec"), journal.header.created_at)
    for _ in range(2):
        store.change(edit_of(journal.id, lambda found: new_segment(found, config(), mark)))
    found = opened("b").get(journal.id)
    assert isinstance(found, Journal)
    assert found.segment == 2


def test_a_session_and_the_runs_of_a_store_do_not_disturb_each_other(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote.git")
    store, journal = open_store(remote, tmp_path / "clone"), Story.begin().journal
    run = a_run()
    store.add_run(run)
    store.sessions.change(lambda _: journal)
    assert store.runs("bench").runs == (run,)
    assert store.sessions.all() == (journal,)
    names = git(remote, "ls-tree", "-r", "--name-only", "refs/heads/assay-data").splitlines()
    assert f"sessions/{journal.id}.jsonl" in names


def test_a_session_that_cannot_be_sent_is_not_recorded(tmp_path: Path) -> None:
    sessions = open_store(tmp_path / "nowhere.git", tmp_path / "clone").sessions
    assert isinstance(sessions, BranchSessions)
    with pytest.raises(InfrastructureError, match="could not be written"):
        sessions.change(lambda _: Story.begin().journal)


def test_a_damaged_session_is_unreadable_never_absent(tmp_path: Path) -> None:
    store, journal = DirectorySessions(tmp_path / "store"), Story.begin().journal
    store.change(lambda _: journal)
    file = tmp_path / "store" / journal.path
    file.write_text(file.read_text()[:-20])
    found = store.get(journal.id)
    assert isinstance(found, Unreadable)
    assert "line 2" in found.reason
    assert store.all() == (found,)


def test_a_file_of_another_session_is_unreadable(tmp_path: Path) -> None:
    store, journal = DirectorySessions(tmp_path / "store"), Story.begin().journal
    store.change(lambda _: journal)
    other = journal.id[:-1] + ("0" if journal.id[-1] != "0" else "1")
    (tmp_path / "store" / journal.path).rename(tmp_path / "store" / "sessions" / f"{other}.jsonl")
    assert isinstance(store.get(other), Unreadable)


def test_a_link_in_the_place_of_a_session_is_not_followed(tmp_path: Path) -> None:
    store, journal = DirectorySessions(tmp_path / "store"), Story.begin().journal
    store.change(lambda _: journal)
    file = tmp_path / "store" / journal.path
    file.rename(tmp_path / "elsewhere.jsonl")
    file.symlink_to(tmp_path / "elsewhere.jsonl")
    assert isinstance(store.get(journal.id), Unreadable)


def test_an_archived_session_takes_no_segment(opened: Opened) -> None:
    from assay.core.experiment import SessionStatus

    store, journal = opened("a"), Story.begin().journal
    store.change(lambda _: journal.with_status(SessionStatus.ARCHIVED, journal.header.created_at))
    with pytest.raises(SessionNotActiveError):
        store.change(edit_of(journal.id, lambda found: grown(1, found)))
