"""The ledger in both kinds of store: every row of every writer lands, one claim at a time, and what cannot be sent waits."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fakes.runs import NOW, a_run
from tests.integration.store_branch.places import bare, git, open_store
from tests.loops import DAY, HERE, a_row

from assay.adapters.ledger_files import DirectoryLedger
from assay.adapters.store_directory import DirectoryStore
from assay.core.loop.claims import LEASE, claim
from assay.errors import InfrastructureError
from assay.loop_ports import LedgerBook, LoopStore

Opened = Callable[[str], LoopStore]
"""The same store once more, as another machine would open it."""


@pytest.fixture(params=["directory", "branch"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    if request.param == "directory":
        yield lambda _: DirectoryStore(tmp_path / "store")
        return
    remote = bare(tmp_path / "remote.git")
    yield lambda name: open_store(remote, tmp_path / name)


CELL = ("bench", HERE.machine)


def test_rows_are_there_for_everybody_in_the_order_of_time(opened: Opened) -> None:
    ledger = opened("a").ledger
    assert (ledger.rows().rows, ledger.claims().claims) == ((), ())
    rows = [a_row(2, at=NOW + 40 * DAY), a_row(1, at=NOW)]
    for row in rows:
        ledger.append(row)
    ledger.append(rows[0])
    assert opened("b").ledger.rows().rows == (rows[1], rows[0])
    assert opened("b").ledger.rows().lost == ()


def test_writers_at_the_same_time_lose_no_row(opened: Opened) -> None:
    def write(number: int) -> None:
        ledger = opened(f"machine-{number}").ledger
        for turn in range(4):
            ledger.append(a_row(10 * number + turn))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {row.id for row in opened("last").ledger.rows().rows} == {a_row(10 * n + t).id for n in range(3) for t in range(4)}


def test_of_many_who_want_a_task_one_gets_it(opened: Opened) -> None:
    answers: list[bool] = []

    def want(number: int) -> None:
        ledger = opened(f"machine-{number}").ledger
        answers.append(ledger.claim(claim(CELL, f"box-{number}", f"lease-{number}", NOW), NOW) is None)

    threads = [threading.Thread(target=want, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False, False, False, True]


def test_a_claim_is_renewed_given_back_and_reclaimed(opened: Opened) -> None:
    one, two = opened("a").ledger, opened("b").ledger
    mine, theirs = claim(CELL, "box-a", "lease-a", NOW), claim(CELL, "box-b", "lease-b", NOW)
    assert one.claim(mine, NOW) is None
    assert one.claim(mine, NOW + LEASE / 2) is None
    assert two.claim(theirs, NOW) == mine
    two.release(theirs)
    assert two.claims().claims == (mine,)
    assert two.claim(theirs, NOW + LEASE) is None
    one.release(mine)
    assert two.claims().claims == (theirs,)
    two.release(theirs)
    assert two.claims().claims == ()


def test_stored_runs_are_listed_without_being_read_and_hidden_ones_left_out(opened: Opened) -> None:
    from assay.core.envelope import Tombstone

    store = opened("a")
    runs = [a_run(number, age=timedelta(hours=number + 1)) for number in range(3)]
    for run in runs:
        store.add_run(run)
    facts = {"schema": "assay.tombstone/1", "created_at": runs[0].created_at, "reason": "x", "by": "y", "replacement": None}
    store.add_tombstone(Tombstone.model_validate({**facts, "run_id": runs[1].run_id}))
    for seen in (store, opened("b")):
        headers, lost = seen.listed("bench")
        assert [one.run_id for one in headers] == [runs[0].run_id, runs[2].run_id]
        assert lost == ()
        assert seen.listed("other") == ((), ())


def damaged(ledger: LedgerBook) -> tuple[str, ...]:
    return tuple(one.path for one in ledger.rows().lost)


def test_a_damaged_line_is_told_and_outlives_the_next_row(tmp_path: Path) -> None:
    ledger = DirectoryLedger(tmp_path)
    ledger.append(a_row(0))
    file = tmp_path / "ledger" / "2025-03.jsonl"
    file.write_text(file.read_text() + '{"half": \n')
    assert damaged(ledger) == ("ledger/2025-03.jsonl:2",)
    ledger.append(a_row(1))
    assert damaged(ledger) == ("ledger/2025-03.jsonl:2",)
    assert len(ledger.rows().rows) == 2


def test_a_link_in_the_place_of_a_month_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(a_row(0).to_line())
    (tmp_path / "store" / "ledger").mkdir(parents=True)
    (tmp_path / "store" / "ledger" / "2025-03.jsonl").symlink_to(secret)
    ledger = DirectoryLedger(tmp_path / "store")
    assert ledger.rows().rows == ()
    assert damaged(ledger) == ("ledger/2025-03.jsonl",)
    with pytest.raises(InfrastructureError, match="cannot be read"):
        ledger.append(a_row(1))
    assert secret.read_text() == a_row(0).to_line()


def test_damaged_claims_let_nobody_begin(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / "claims.json").write_text('{"claims": [')
    with pytest.raises(InfrastructureError, match=r"claims\.json"):
        DirectoryLedger(tmp_path).claim(claim(CELL, "box", "lease", NOW), NOW)


def test_what_the_remote_refuses_waits_and_goes_out_with_the_next(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote.git")
    store = open_store(remote, tmp_path / "a")
    store.ledger.append(a_row(0))
    remote.rename(tmp_path / "away.git")
    store.ledger.append(a_row(1))
    assert {row.id for row in store.ledger.rows().rows} == {a_row(0).id, a_row(1).id}
    (tmp_path / "away.git").rename(remote)
    assert {row.id for row in open_store(remote, tmp_path / "b").ledger.rows().rows} == {a_row(0).id}
    again = open_store(remote, tmp_path / "a")
    again.flush()
    assert {row.id for row in open_store(remote, tmp_path / "c").ledger.rows().rows} == {a_row(0).id, a_row(1).id}
    assert not (again.outbox / a_row(1).path).exists()


def test_without_the_remote_nobody_can_claim(tmp_path: Path) -> None:
    store = open_store(tmp_path / "nowhere.git", tmp_path / "a")
    with pytest.raises(InfrastructureError, match="claim of bench"):
        store.ledger.claim(claim(CELL, "box", "lease", NOW), NOW)


def test_the_branch_has_one_file_a_month(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote.git")
    ledger = open_store(remote, tmp_path / "a").ledger
    for number in range(2):
        ledger.append(a_row(number, at=NOW + number * 40 * DAY))
    listed = git(remote, "ls-tree", "-r", "--name-only", "assay-data", "ledger/").split()
    assert listed == ["ledger/2025-03.jsonl", "ledger/2025-04.jsonl"]
