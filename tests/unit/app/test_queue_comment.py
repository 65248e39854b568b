"""`queue` in a comment: what is shown, what is added, and what is refused."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tests.fakes.clock import FakeClock
from tests.fakes.forge import FakeForge
from tests.fakes.queue import FakeQueue
from tests.fakes.repo import FakeRepo
from tests.fakes.store import FakeStore
from tests.houses import config
from tests.offices import office_of
from tests.queues import a_job, a_queue
from tests.unit.app.test_order import NOON, PULL, SAID

from assay.app.office import Office
from assay.app.order import Order, order_of
from assay.app.rules import Rules
from assay.core.comment_lines import TRIGGER
from assay.core.config import Config
from assay.core.forge_facts import Permission

BEFORE = NOON - timedelta(hours=1)
GIVEN = config("run: ./bench {seed}", "seeds: [1, 2]")


def said(words: str, book: FakeQueue, monkeypatch: Any, given: Config = GIVEN, pushed: datetime = BEFORE, **pull: Any) -> str:
    """The reply to a command of somebody who may write."""
    forge = FakeForge(pulls={7: replace(PULL, **pull)}, permissions={"ada": Permission.WRITE}, pushes={("faster", PULL.head_sha): pushed})
    monkeypatch.setattr(Office, "rules", lambda *_: Rules(given))
    office = office_of(forge, FakeRepo(), FakeStore(), FakeClock(), queue=lambda: book)
    assert not isinstance(order_of(replace(SAID, body=f"{TRIGGER} {words}"), office), Order)
    return forge.comments.get(7, "")


def test_the_open_jobs_are_shown(monkeypatch: Any) -> None:
    book = FakeQueue(a_queue(a_job("one", seed=3), a_job("two", batch_size=4, full_batch=8)))
    reply = said("queue", book, monkeypatch)
    assert "2 queued, 0 running" in reply
    assert "| 3 | HEAD | queued |" in reply
    assert "batch 4 of 8" in reply
    assert "Nothing waits" in said("queue", FakeQueue(), monkeypatch)


def test_the_head_of_the_pull_request_is_queued_for_each_seed(monkeypatch: Any) -> None:
    book = FakeQueue(a_queue(a_job()))
    reply = said("queue add bench seeds=5,6 model=big", book, monkeypatch)
    assert "2 jobs" in reply
    assert "behind 1 others" in reply
    added = book.queue.jobs[1:]
    assert [(one.seed, one.commit, one.by, one.model, one.claim) for one in added] == [
        (seed, PULL.head_sha, "ada", "big", None) for seed in (5, 6)
    ]


def test_what_cannot_be_queued_is_refused_and_nothing_is_added(monkeypatch: Any) -> None:
    book = FakeQueue()
    assert "closed" in said("queue add bench", book, monkeypatch, open=False)
    assert "fork" in said("queue add bench", book, monkeypatch, fork=True)
    assert "pushed after" in said("queue add bench", book, monkeypatch, pushed=SAID.created_at)
    assert "no benchmark" in said("queue add nobody", book, monkeypatch)
    assert "admin rights" in said("queue add bench", book, monkeypatch, config("seeds: [1, 2]", top=["permissions: {run: admin}"]))
    poor = config("run: ./bench {seed}", "seeds: [1, 2]", top=["budget: {per_pr_runs: 1}"])
    assert "of its 1 runs" in said("queue add bench", book, monkeypatch, poor)
    assert book.queue.jobs == ()
