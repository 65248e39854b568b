"""The store in a directory: what is written is found again, whole; everything else is named as unreadable."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes.runs import NOW, a_decision, a_run, an_id

from assay.adapters import atomic_file, store_files
from assay.adapters.store_directory import DirectoryStore
from assay.core.canonical import compact
from assay.core.envelope import Run
from assay.core.store_layout import run_path, tombstone_path
from assay.errors import InfrastructureError
from assay.ports import Catalog, Store, Unreadable

HOUR = timedelta(hours=1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / ".assay" / "store"


@pytest.fixture
def store(root: Path) -> DirectoryStore:
    return DirectoryStore(root)


def put(root: Path, path: str, data: bytes) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def lost(catalog: Catalog) -> Unreadable:
    assert catalog.runs == ()
    (one,) = catalog.unreadable
    return one


def test_an_empty_store_has_nothing_and_is_not_made_by_reading(store: Store, root: Path) -> None:
    assert store.runs("bench") == Catalog()
    assert store.find_run(an_id("run")) is None
    assert store.decisions(an_id("run")) == ()
    assert not root.parent.exists()


def test_a_run_is_found_again_where_the_layout_says(store: Store, root: Path) -> None:
    run = a_run()
    path = Path(store.add_run(run))
    assert path == root / "runs" / "2025" / "03" / f"{run.run_id}.json"
    assert Run.from_json(path.read_text()) == run
    assert path.read_text().endswith("}\n")
    assert store.runs("bench") == Catalog((run,))
    assert store.find_run(run.run_id) == run


def test_runs_come_newest_first_over_months_and_of_their_benchmark_only(store: Store) -> None:
    runs = [a_run(number, age=timedelta(days=20 * number)) for number in range(6)]
    others = [
        a_run(9, benchmark="bench-2"),
        a_run(10, benchmark="other", command="echo bench"),
        a_run(11, benchmark="other", notes=('"bench"',)),
    ]
    for run in (runs[3], *others, runs[5], runs[0], runs[4], runs[1], runs[2]):
        store.add_run(run)
    assert store.runs("bench") == Catalog(tuple(runs))
    assert store.runs("bench-2") == Catalog((others[0],))
    assert {run.run_id for run in store.runs("other").runs} == {others[1].run_id, others[2].run_id}


@pytest.mark.parametrize("name", ["ünï", 'quo"ted', "back\\slash", "a/b", "emoji 🎯", "tab\t", "}", "bench"])
def test_a_benchmark_is_found_whatever_its_name_needs_in_json(store: DirectoryStore, root: Path, name: str) -> None:
    run = a_run(benchmark=name)
    store.add_run(run)
    assert store.runs(name).runs == (run,)
    put(root, run.path, json.dumps(json.loads(run.to_json()), ensure_ascii=True).encode())
    assert store.runs(name).runs == (run,)


def test_writing_the_same_run_again_changes_nothing(store: Store) -> None:
    run = a_run()
    path = Path(store.add_run(run))
    before = path.stat()
    assert store.add_run(run) == str(path)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_another_run_under_the_same_id_is_refused_and_the_first_kept(store: Store) -> None:
    run = a_run()
    store.add_run(run)
    with pytest.raises(InfrastructureError, match="has another record"):
        store.add_run(a_run(detail="different"))
    assert store.find_run(run.run_id) == run


def test_a_damaged_file_is_never_overwritten(store: Store, root: Path) -> None:
    run = a_run()
    file = put(root, run.path, b"{")
    with pytest.raises(InfrastructureError, match="has another record"):
        store.add_run(run)
    assert file.read_bytes() == b"{"


def test_decisions_of_a_head_run_come_newest_first(store: Store, root: Path) -> None:
    head, other = an_id("run", 1), an_id("run", 2)
    mine = [a_decision(number, head_run=head) for number in (1, 3)]
    for decision in (mine[0], a_decision(2, head_run=other, warnings=(head,)), mine[1]):
        path = store.add_decision(decision)
        assert path == str(root / decision.path)
    assert store.decisions(head) == (mine[1], mine[0])
    assert store.decisions(an_id("run", 3)) == ()


def test_a_damaged_decision_is_left_out(store: Store, root: Path) -> None:
    kept, broken = a_decision(1), a_decision(2)
    store.add_decision(kept)
    put(root, broken.path, broken.to_json().encode()[:-40])
    assert store.decisions(an_id("run")) == (kept,)


def test_a_file_cut_anywhere_is_unreadable_and_never_a_run(store: Store, root: Path) -> None:
    run = a_run(values=(1.0,), warnings=("}", 'a "benchmark" }'))
    file = Path(store.add_run(run))
    whole = file.read_bytes()
    end = len(whole.rstrip())
    for size in (*range(0, end, 11), *range(end - 30, end)):
        file.write_bytes(whole[:size])
        assert lost(store.runs("bench")).path == run.path
    assert isinstance(store.find_run(run.run_id), Unreadable)
    file.write_bytes(whole)
    assert store.runs("bench") == Catalog((run,))


def test_a_cut_file_of_another_benchmark_hides_no_run_of_this_one(store: Store) -> None:
    run = a_run(1)
    store.add_run(run)
    other = Path(store.add_run(a_run(2, benchmark="other")))
    other.write_bytes(other.read_bytes()[:200])
    assert store.runs("bench").runs == (run,)


RUN = a_run()


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        (RUN.path, b"", "Expecting value"),
        (RUN.path, b"\xff\xfe{}", "utf-8"),
        (RUN.path, b"\x00" * 100, "Expecting value"),
        (RUN.path, b"[" * 200_000, "nested too deeply"),
        (RUN.path, b'{"schema": "other/1"}', "schema is 'other/1'"),
        (RUN.path, RUN.to_json().replace("assay.run/1", "assay.run/2").encode(), "schema is 'assay.run/2'"),
        (RUN.path, a_decision().to_json().encode(), "schema"),
        (RUN.path, (RUN.to_json() + RUN.to_json()).encode(), "Extra data"),
        (run_path(an_id("run", 9)), RUN.to_json().encode(), f"it holds what belongs in {RUN.path}"),
        (f"runs/2024/01/{RUN.run_id}.json", RUN.to_json().encode(), f"it holds what belongs in {RUN.path}"),
        ("runs/notes.txt", b"hello", "Expecting value"),
        ("runs/2025/notes.txt", b"hello", "Expecting value"),
        ("runs/2025-03.jsonl", b"{}\n", "schema is None"),
    ],
)
def test_a_file_that_is_no_envelope_is_unreadable_with_its_reason(store: Store, root: Path, path: str, data: bytes, reason: str) -> None:
    file = put(root, path, data)
    found = lost(store.runs("bench"))
    assert found.path.startswith(path)
    assert reason in found.reason
    assert len(found.reason) < 400
    assert file.read_bytes() == data


def test_a_link_a_pipe_and_a_folder_are_not_read(store: Store, root: Path, tmp_path: Path) -> None:
    outside = put(tmp_path, "outside.json", RUN.to_json().encode())
    folder = root / "runs" / "2025" / "03"
    folder.mkdir(parents=True)
    (folder / f"{an_id('run', 1)}.json").symlink_to(outside)
    (folder / f"{an_id('run', 2)}.json").symlink_to("/nonexistent")
    os.mkfifo(folder / f"{an_id('run', 3)}.json")
    (folder / f"{an_id('run', 4)}.json").mkdir()
    (root / "runs" / "2024").symlink_to(folder)
    catalog = store.runs("bench")
    assert catalog.runs == ()
    assert [one.reason for one in catalog.unreadable] == [
        "not a regular file",
        "not a regular file",
        "a symbolic link",
        "a symbolic link",
        "a symbolic link",
    ]
    assert isinstance(store.find_run(an_id("run", 3)), Unreadable)


def test_a_store_whose_folders_are_links_is_not_followed(store: Store, root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root.mkdir(parents=True)
    (root / "runs").symlink_to(elsewhere)
    assert lost(store.runs("bench")) == Unreadable("runs", "a symbolic link")
    with pytest.raises(InfrastructureError, match="symbolic link"):
        store.add_run(RUN)
    assert list(elsewhere.iterdir()) == []


def test_a_name_that_is_no_text_can_still_be_reported(store: Store, root: Path) -> None:
    put(root, "runs/2025/03/x", b"")
    os.rename(os.fsencode(root / "runs/2025/03/x"), os.fsencode(root / "runs/2025/03") + b"/\xff.json")  # noqa: PTH104 bytes are the point
    found = lost(store.runs("bench"))
    assert found.path == "runs/2025/03/\\udcff.json"
    assert found.path.encode()


def test_a_file_of_absurd_size_is_not_read(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_files, "MAX_BYTES", 1000)
    put(root, RUN.path, RUN.to_json().encode())
    assert lost(store.runs("bench")).reason == "larger than 1000 bytes"


def test_packed_months_are_read_beside_single_files(store: Store, root: Path) -> None:
    packed = [a_run(number, age=number * HOUR) for number in (1, 2, 3)]
    single = a_run(4, age=timedelta(days=40))
    lines = [compact(json.loads(run.to_json())) for run in (*packed, a_run(9, benchmark="other"))]
    put(root, "runs/2025-03.jsonl", "\n".join((*lines, "")).encode())
    store.add_run(single)
    store.add_run(packed[0])
    assert store.runs("bench") == Catalog((packed[0], packed[1], packed[2], single))
    assert store.find_run(packed[1].run_id) == packed[1]
    assert store.find_run(an_id("run", 77)) is None


def test_a_cut_line_of_a_packed_month_is_named_and_the_rest_read(store: Store, root: Path) -> None:
    one, other = (compact(json.loads(a_run(number).to_json())) for number in (1, 2))
    put(root, "runs/2025-03.jsonl", f"{one}\n\n{other[:-5]}".encode())
    catalog = store.runs("bench")
    assert [run.run_id for run in catalog.runs] == [a_run(1).run_id]
    assert [found.path for found in catalog.unreadable] == ["runs/2025-03.jsonl:3"]


def test_an_endless_line_of_a_packed_month_ends_its_reading(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_files, "MAX_BYTES", 10_000)
    put(root, "runs/2025-03.jsonl", compact(json.loads(RUN.to_json())).encode() + b"\n" + b"x" * 20_000)
    catalog = store.runs("bench")
    assert catalog.runs == (RUN,)
    assert [found.path for found in catalog.unreadable] == ["runs/2025-03.jsonl:2"]


def test_a_tombstone_hides_its_run_whatever_it_holds(store: Store, root: Path) -> None:
    hidden, shown, broken = a_run(1), a_run(2), a_run(3)
    store.add_run(hidden)
    store.add_run(shown)
    put(root, broken.path, b"{")
    put(root, tombstone_path(hidden.run_id), b'{"reason": "wrong data"}')
    put(root, tombstone_path(broken.run_id), b"")
    assert store.runs("bench") == Catalog((shown,))
    assert store.find_run(hidden.run_id) is None
    assert store.find_run(broken.run_id) is None


def test_where_tombstones_cannot_be_listed_no_run_counts(store: Store, root: Path) -> None:
    store.add_run(RUN)
    put(root, "invalidated", b"")
    found = lost(store.runs("bench"))
    assert found.path == "invalidated"
    assert store.find_run(RUN.run_id) == found


@pytest.mark.parametrize("text", ["", "run-", "../../x", f"{an_id('dec')}", f"{an_id('run')}/..", f"{an_id('run')}\n"])
def test_text_that_is_no_id_finds_nothing(store: Store, text: str) -> None:
    store.add_run(RUN)
    assert store.find_run(text) is None


def test_the_folder_keeps_itself_out_of_git_without_touching_a_file_that_is_there(store: Store, root: Path) -> None:
    store.add_run(RUN)
    ignore = root.parent / ".gitignore"
    assert ignore.read_text() == "*\n"
    ignore.write_text("mine\n")
    store.add_run(a_run(1))
    assert ignore.read_text() == "mine\n"


def test_a_store_elsewhere_gets_no_gitignore(tmp_path: Path) -> None:
    DirectoryStore(tmp_path / "runs-of-the-lab").add_run(RUN)
    assert list(tmp_path.rglob(".gitignore")) == []


def test_scratch_files_are_invisible_and_swept_when_old(store: Store, root: Path) -> None:
    folder = (root / RUN.path).parent
    old, young = (put(root, f"{Path(RUN.path).parent}/{atomic_file.SCRATCH_PREFIX}{name}", b"{") for name in ("old", "young"))
    long_ago = datetime(2020, 1, 1, tzinfo=UTC).timestamp()
    os.utime(old, (long_ago, long_ago))
    assert store.runs("bench") == Catalog()
    store.add_run(RUN)
    assert sorted(path.name for path in folder.iterdir()) == sorted([young.name, f"{RUN.run_id}.json"])
    assert store.runs("bench") == Catalog((RUN,))


def test_a_store_that_cannot_be_written_says_where_and_what_to_do(tmp_path: Path) -> None:
    put(tmp_path, "file", b"")
    with pytest.raises(InfrastructureError, match=r"could not write .*file/store/runs") as caught:
        DirectoryStore(tmp_path / "file" / "store").add_run(RUN)
    assert "--store" in caught.value.hint


def test_without_hard_links_a_file_still_gets_its_name_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(1, "no links here", str(target))

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    store.add_run(RUN)
    with pytest.raises(InfrastructureError, match="has another record"):
        store.add_run(a_run(detail="different"))
    assert store.runs("bench") == Catalog((RUN,))
    assert a_run().created_at < NOW.isoformat()
