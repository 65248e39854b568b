"""Reading the branch: what stands there is found, what cannot be read is named, and the index never changes an answer."""

import json
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fakes.runs import a_decision, a_run, an_id
from tests.integration.store_branch.places import REF, git, open_store, put

from assay.adapters.store_branch import snapshot as snapshot_module
from assay.adapters.store_directory import DirectoryStore
from assay.adapters.store_index import Entry
from assay.adapters.store_index.rows import Rows
from assay.core.canonical import compact
from assay.core.envelope import Run
from assay.core.prior import header_of
from assay.core.store_layout import run_path, tombstone_path
from assay.ports import Catalog, Unreadable

HOUR = timedelta(hours=1)
RUN = a_run()


def bytes_of(run: Run) -> bytes:
    return f"{run.to_json()}\n".encode()


def line_of(run: Run) -> str:
    return compact(json.loads(run.to_json()))


def test_an_absent_branch_is_an_empty_store(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    assert store.runs("bench") == Catalog()
    assert store.find_run(RUN.run_id) is None
    assert store.decisions(RUN.run_id) == ()


def test_runs_come_newest_first_and_of_their_benchmark_only(remote: Path, clone: Path) -> None:
    runs = [a_run(number, age=timedelta(days=20 * number)) for number in range(4)]
    others = [a_run(9, benchmark="bench-2"), a_run(10, benchmark="other", notes=('"benchmark": "bench"',))]
    put(remote, {run.path: bytes_of(run) for run in (*runs, *others)})
    store = open_store(remote, clone)
    assert store.runs("bench") == Catalog(tuple(runs))
    assert store.runs("bench-2").runs == (others[0],)
    assert [header.run_id for header in store.headers("bench")] == [run.run_id for run in runs]


def test_a_header_says_what_the_envelope_says(remote: Path, clone: Path) -> None:
    put(remote, {RUN.path: bytes_of(RUN)})
    assert open_store(remote, clone).headers("bench") == (header_of(RUN),)


def test_what_another_writer_pushes_is_seen_at_the_next_question(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    assert store.runs("bench").runs == ()
    for number in range(3):
        open_store(remote, clone.with_name("other")).add_run(a_run(number))
        assert len(store.runs("bench").runs) == number + 1


def test_a_tip_that_was_just_fetched_is_not_asked_for_again(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone, fresh_s=3600)
    assert store.runs("bench").runs == ()
    open_store(remote, clone.with_name("other")).add_run(RUN)
    assert store.runs("bench").runs == ()
    store.add_run(a_run(1))
    assert len(store.runs("bench").runs) == 2


def test_decisions_come_newest_first_and_damaged_ones_are_left_out(remote: Path, clone: Path) -> None:
    head = an_id("run", 1)
    mine = [a_decision(number, head_run=head) for number in (1, 3)]
    other, broken = a_decision(2, head_run=an_id("run", 2), warnings=(head,)), a_decision(4, head_run=head)
    put(remote, {one.path: f"{one.to_json()}\n".encode() for one in (*mine, other)} | {broken.path: broken.to_json().encode()[:-20]})
    store = open_store(remote, clone)
    assert store.decisions(head) == (mine[1], mine[0])
    assert store.decisions(an_id("run", 3)) == ()
    assert store.runs("bench") == Catalog()


def test_what_waits_in_the_outbox_is_read_like_what_has_landed(remote: Path, clone: Path) -> None:
    put(remote, {RUN.path: bytes_of(RUN)})
    store = open_store(remote, clone)
    with store.batch():
        store.add_run(a_run(1))
        store.add_decision(a_decision())
        assert store.runs("bench").runs == (a_run(1), RUN)
        assert store.find_run(a_run(1).run_id) == a_run(1)
        assert store.decisions(an_id("run")) == (a_decision(),)
    assert store.runs("bench").runs == (a_run(1), RUN)


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        (RUN.path, b"", "Expecting value"),
        (RUN.path, b"\xff\xfe{}", "utf-8"),
        (RUN.path, b"[" * 200_000, "nested too deeply"),
        (RUN.path, b'{"schema": "other/1"}', "schema is 'other/1'"),
        (RUN.path, bytes_of(RUN)[:-60], "Expecting"),
        (RUN.path, bytes_of(RUN) + bytes_of(RUN), "Extra data"),
        (RUN.path, RUN.to_json().replace('"batch"', '"benchmark"').encode(), "stands twice"),
        (RUN.path, RUN.to_json().replace('"duration_s": 1.5', '"duration_s": -1.5').encode(), "greater than or equal"),
        (run_path(an_id("run", 9)), bytes_of(RUN), f"it holds what belongs in {RUN.path}"),
        (f"runs/2024/01/{RUN.run_id}.json", bytes_of(RUN), f"it holds what belongs in {RUN.path}"),
        ("runs/notes.txt", b"hello", "no place of a record"),
        ("runs/2025/03/deeper/x.json", b"{}", "no place of a record"),
        ("runs", b"not even a folder", "no place of a record"),
        ("runs/2025-03.jsonl", b"{}\n", "schema is None"),
        ("runs/2025-03.jsonl", b"", "an empty file"),
        ("runs/2025-03.jsonl", b"\n\n", "an empty file"),
        (RUN.path, ("120000", "link"), "a symbolic link"),
        (RUN.path, ("100755", "run"), "an executable file"),
        (RUN.path, ("160000", "1" * 40), "a submodule"),
        ("runs/2025", ("120000", "link"), "a symbolic link"),
    ],
)
def test_a_file_that_is_no_envelope_is_unreadable_with_its_reason(
    remote: Path, clone: Path, path: str, data: bytes | tuple[str, str], reason: str
) -> None:
    if isinstance(data, tuple) and data[1] in ("link", "run"):
        content = b"/etc/passwd" if data[1] == "link" else bytes_of(RUN)
        data = (data[0], git(remote, "hash-object", "-w", "--stdin", feed=content))
    put(remote, {path: data})
    for _ in range(2):
        catalog = open_store(remote, clone).runs("bench")
        assert catalog.runs == ()
        (found,) = catalog.unreadable
        assert found.path.startswith(path)
        assert reason in found.reason
        assert len(found.reason) < 400


def test_a_damaged_file_hides_no_sound_run_and_is_named_for_every_benchmark(remote: Path, clone: Path) -> None:
    put(remote, {RUN.path: bytes_of(RUN), a_run(1).path: b"{"})
    store = open_store(remote, clone)
    assert store.runs("bench").runs == (RUN,)
    assert [one.path for one in store.runs("another").unreadable] == [a_run(1).path]
    assert isinstance(store.find_run(a_run(1).run_id), Unreadable)


def test_a_file_of_absurd_size_is_not_read(remote: Path, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_module, "MAX_BLOB", 1000)
    put(remote, {RUN.path: bytes_of(RUN)})
    (found,) = open_store(remote, clone).runs("bench").unreadable
    assert "larger than" in found.reason


def test_packed_months_are_read_beside_single_files(remote: Path, clone: Path) -> None:
    packed = [a_run(number, age=number * HOUR) for number in (1, 2, 3)]
    single = a_run(4, age=timedelta(days=40))
    lines = "\n".join((*(line_of(run) for run in (*packed, a_run(9, benchmark="other"))), ""))
    put(remote, {"runs/2025-03.jsonl": lines.encode(), single.path: bytes_of(single), packed[0].path: bytes_of(packed[0])})
    store = open_store(remote, clone)
    assert store.runs("bench") == Catalog((packed[0], packed[1], packed[2], single))
    assert store.find_run(packed[1].run_id) == packed[1]
    assert store.find_run(an_id("run", 77)) is None


def test_a_cut_line_of_a_packed_month_is_named_and_the_rest_read(remote: Path, clone: Path) -> None:
    one, other = line_of(a_run(1)), line_of(a_run(2))
    put(remote, {"runs/2025-03.jsonl": f"{one}\n\n{other[:-5]}".encode()})
    store = open_store(remote, clone)
    catalog = store.runs("bench")
    assert [run.run_id for run in catalog.runs] == [a_run(1).run_id]
    assert [found.path for found in catalog.unreadable] == ["runs/2025-03.jsonl:3"]
    assert isinstance(store.find_run(a_run(2).run_id), Unreadable)
    assert store.find_run(a_run(1).run_id) == a_run(1)


def test_a_tombstone_hides_its_run_wherever_it_stands(remote: Path, clone: Path) -> None:
    hidden, packed, shown, broken = a_run(1), a_run(2), a_run(3), a_run(4)
    put(
        remote,
        {
            hidden.path: bytes_of(hidden),
            "runs/2025-03.jsonl": f"{line_of(packed)}\n".encode(),
            shown.path: bytes_of(shown),
            broken.path: b"{",
            tombstone_path(hidden.run_id): b'{"reason": "wrong data"}',
            tombstone_path(packed.run_id): b"",
            tombstone_path(broken.run_id): b"",
        },
    )
    store = open_store(remote, clone)
    assert store.runs("bench") == Catalog((shown,))
    assert [store.find_run(run.run_id) for run in (hidden, packed, broken)] == [None, None, None]


def test_a_tombstone_of_another_writer_hides_what_still_waits(remote: Path, clone: Path) -> None:
    store = open_store(remote, clone)
    with store.batch():
        store.add_run(RUN)
        put(remote, {tombstone_path(RUN.run_id): b"{}"})
        assert store.runs("bench") == Catalog()
        assert store.find_run(RUN.run_id) is None


def test_where_tombstones_cannot_be_listed_no_run_counts(remote: Path, clone: Path) -> None:
    put(remote, {RUN.path: bytes_of(RUN), "invalidated": b"a file"})
    store = open_store(remote, clone)
    catalog = store.runs("bench")
    assert catalog.runs == ()
    assert catalog.unreadable[0].path == "invalidated"
    assert isinstance(store.find_run(RUN.run_id), Unreadable)


@pytest.mark.parametrize("text", ["", "run-", "../../x", f"{an_id('dec')}", f"{an_id('run')}/..", f"{an_id('run')}\n", "x:y"])
def test_text_that_is_no_id_finds_nothing(remote: Path, clone: Path, text: str) -> None:
    put(remote, {RUN.path: bytes_of(RUN)})
    assert open_store(remote, clone).find_run(text) is None


def test_names_that_are_no_text_can_still_be_reported(remote: Path, clone: Path) -> None:
    blob = git(remote, "hash-object", "-w", "--stdin", feed=b"")
    inner = git(remote, "mktree", "-z", feed=b"100644 blob " + blob.encode() + b"\t\xff\n.json\0")
    runs = git(remote, "mktree", feed=f"040000 tree {inner}\t2025\n".encode())
    root = git(remote, "mktree", feed=f"040000 tree {runs}\truns\n".encode())
    commit = git(remote, "commit-tree", "-m", "odd", root)
    git(remote, "update-ref", REF, commit)
    (found,) = open_store(remote, clone).runs("bench").unreadable
    assert found.path.encode()
    assert found.path.startswith("runs/2025/\\xff")


def test_offline_what_was_fetched_last_is_read_and_that_is_said(remote: Path, clone: Path) -> None:
    said: list[str] = []
    store = open_store(remote, clone, warn=said.append)
    store.add_run(RUN)
    remote.rename(remote.with_name("gone"))
    assert store.runs("bench") == Catalog((RUN,))
    assert open_store(remote, clone, warn=said.append).find_run(RUN.run_id) == RUN
    assert all("What was fetched last is used" in text for text in said)
    assert len(said) == 2


def test_offline_without_any_copy_the_store_is_unknown_and_not_empty(clone: Path, tmp_path: Path) -> None:
    said: list[str] = []
    store = open_store(tmp_path / "nowhere.git", clone, warn=said.append)
    (found,) = store.runs("bench").unreadable
    assert (found.path, found.reason[:22]) == ("assay-data", "could not be fetched: ")
    assert isinstance(store.find_run(RUN.run_id), Unreadable)
    assert store.decisions(RUN.run_id) == ()
    assert "stored runs are unknown" in said[0]


def test_offline_what_waits_here_is_still_read(clone: Path, tmp_path: Path) -> None:
    store = open_store(tmp_path / "nowhere.git", clone)
    store.add_run(RUN)
    assert store.runs("bench").runs == (RUN,)
    assert store.find_run(RUN.run_id) == RUN


def test_the_index_answers_as_the_files_do_after_every_kind_of_change(remote: Path, clone: Path, tmp_path: Path) -> None:
    store = open_store(remote, clone)
    steps: list[dict[str, bytes | tuple[str, str] | None]] = [
        {a_run(number).path: bytes_of(a_run(number)) for number in range(5)},
        {a_run(1).path: None, a_run(2).path: b"{"},
        {a_run(2).path: bytes_of(a_run(2)), "runs/2025-03.jsonl": f"{line_of(a_run(1))}\n".encode()},
        {"runs/2025-03.jsonl": f"{line_of(a_run(1))}\n{line_of(a_run(7))}\n".encode()},
        {tombstone_path(a_run(3).run_id): b"{}", "runs/stray": b""},
        {tombstone_path(a_run(3).run_id): None, "runs/stray": None, "runs/2025-03.jsonl": None},
    ]
    for number, step in enumerate(steps):
        put(remote, step)
        folder = tmp_path / f"checkout{number}"
        folder.mkdir()
        git(remote, "--work-tree", str(folder), "checkout", "-q", "-f", REF, "--", ".")
        wanted = DirectoryStore(folder).runs("bench")
        found = store.runs("bench")
        assert found.runs == wanted.runs
        assert [one.path for one in found.unreadable] == [one.path for one in wanted.unreadable]
        assert open_store(remote, tmp_path / f"fresh{number}").runs("bench") == found


def test_only_new_blobs_are_read_for_the_index(remote: Path, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(remote, {a_run(number).path: bytes_of(a_run(number)) for number in range(5)})
    store = open_store(remote, clone)
    store.headers("bench")
    read: list[str] = []

    def watched(rows: Rows, number: int, entry: Entry, content: bytes | str) -> None:
        read.append(entry.path)
        add(rows, number, entry, content)

    add = Rows.add
    monkeypatch.setattr(Rows, "add", watched)
    put(remote, {a_run(7).path: bytes_of(a_run(7)), a_run(0).path: None})
    assert len(store.headers("bench")) == 5
    assert read == [a_run(7).path]


@pytest.mark.parametrize("damage", ["garbage", "truncated", "other version", "foreign tables", "missing", "folder"])
def test_a_damaged_index_is_built_anew(remote: Path, clone: Path, damage: str) -> None:
    put(remote, {a_run(number).path: bytes_of(a_run(number)) for number in range(20)})
    wanted = open_store(remote, clone).runs("bench")
    file = clone / "assay" / "index.sqlite3"
    _damage(file, damage)
    store = open_store(remote, clone)
    assert store.runs("bench") == wanted
    assert len(store.headers("bench")) == 20
    if damage != "folder":
        assert sqlite3.connect(file).execute("SELECT count(*) FROM run").fetchone() == (20,)


def _damage(file: Path, damage: str) -> None:
    data = file.read_bytes()
    match damage:
        case "garbage":
            file.write_bytes(b"not a database" * 1000)
        case "truncated":
            file.write_bytes(data[: len(data) // 2])
        case "other version":
            with sqlite3.connect(file) as base:
                base.execute("PRAGMA user_version = 99")
                base.execute("UPDATE kind SET benchmark = 'wrong'")
        case "foreign tables":
            file.unlink()
            with sqlite3.connect(file) as base:
                base.execute("CREATE TABLE run (x)")
                base.execute("CREATE VIEW file AS SELECT 1")
        case "missing":
            file.unlink()
        case "folder":
            file.unlink()
            file.mkdir()


def test_an_index_that_lies_adds_no_run_that_is_not_one(remote: Path, clone: Path) -> None:
    put(remote, {RUN.path: bytes_of(RUN), a_run(1).path: bytes_of(a_run(1, benchmark="other"))})
    store = open_store(remote, clone)
    store.headers("bench")
    with sqlite3.connect(clone / "assay" / "index.sqlite3") as base:
        base.execute("UPDATE kind SET benchmark = 'bench'")
    assert store.runs("bench").runs == (RUN,)
