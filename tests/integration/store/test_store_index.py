"""The index answers as all headers would, however they came, and a folder is listed again only where it has changed."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.runs import BASE, ENVIRONMENT, HEAD, MACHINE, NOW, a_decision, a_run

from assay.adapters import directory_source
from assay.adapters.directory_source import DirectorySource
from assay.adapters.store_directory import INDEX, DirectoryStore
from assay.adapters.store_files import walk_folder
from assay.adapters.store_index import Asked, Entry, Index, News
from assay.core.canonical import compact, loads
from assay.core.config import Watch
from assay.core.envelope import Run, RunStatus, Tombstone
from assay.core.fingerprint import fingerprints_of
from assay.core.lineage import Needed, ReuseQuestion
from assay.core.model import Status, Trust
from assay.core.prior import Found, Search, found_among, header_of, search_of
from assay.core.result import LineageKey
from assay.core.store_layout import packed_path, tombstone_path
from assay.core.timestamp import stamp
from assay.core.tree import TreeFile
from assay.core.window import Classifier
from assay.ports import Unreadable

RULES, OTHER_RULES = Classifier(Watch(code=("src/**",)), ()), Classifier(None, ())
KEY = LineageKey(HEAD, MACHINE.machine_class, "none", "none")
QUESTION = ReuseQuestion("bench", KEY, a_run().config.hash, ENVIRONMENT, Needed("val_loss", 4), NOW, 86400 * 30, Trust.MEMBER)
PRINTS = {name: fingerprints_of([TreeFile("src/a", name.encode())], RULES) for name in ("one", "two")}
PRINTS["strange"] = fingerprints_of([], OTHER_RULES)
HERE = PRINTS["one"].content


@dataclass
class Files:
    """A store in memory."""

    files: dict[str, bytes] = field(default_factory=dict)

    def news(self, known: Mapping[str, str], files: Callable[[str], Mapping[str, str]]) -> News | None:
        before = {path: blob for folder in known for path, blob in files(folder).items()}
        now = {path: str(hash(data)) for path, data in self.files.items()}
        if before == now:
            return None
        changed = [Entry(path, blob) for path, blob in now.items() if before.get(path) != blob]
        gone = [Entry(path, "") for path in before if path not in now]
        return News({path.rpartition("/")[0]: "" for path in now}, [*changed, *gone], anew=not known)

    def contents(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | str]]:
        for entry in entries:
            yield entry, self.files[entry.path]


def line_of(run: Run) -> bytes:
    return compact(loads(run.to_json())).encode() + b"\n"


RUNS = st.builds(
    lambda number, age, commit, **facts: a_run(number, age=timedelta(hours=age), commit=commit, **facts),
    st.integers(0, 30),
    st.sampled_from([-1, 0, 1, 2, 30, 800, 2000]),
    st.sampled_from([HEAD, BASE, "c" * 40]),
    benchmark=st.sampled_from(["bench", "bench", "bench", "other"]),
    model=st.sampled_from(["none", "none", "large", "unknown"]),
    status=st.sampled_from([RunStatus.COMPLETE] * 4 + [RunStatus.ERRORED]),
    trust=st.sampled_from([Trust.MEMBER, Trust.MEMBER, Trust.FORK, Trust.DEFAULT]),
    fingerprints=st.sampled_from([*PRINTS.values(), "unknown"]),
    dirty=st.sampled_from([False] * 5 + [True]),
    environment=st.sampled_from([ENVIRONMENT] * 3 + [ENVIRONMENT.model_copy(update={"driver": "535"})]),
)
SEARCHES = st.builds(
    lambda model, content, trust: replace(search_of(replace(QUESTION, trust=trust), RULES.rules, content), model=model),
    st.sampled_from(["none", "none", "any", "large"]),
    st.sampled_from([HERE, HERE, None]),
    st.sampled_from([Trust.MEMBER, Trust.FORK, Trust.DEFAULT]),
)


def answer(search: Search, hidden: frozenset[str], asked: Asked) -> Found:
    return asked.search(search, hidden)


def by_id(runs: Iterable[Run]) -> list[Run]:
    return list({run.run_id: run for run in runs}.values())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(RUNS, st.booleans()), max_size=25),
    st.lists(st.integers(0, 24), max_size=4),
    st.lists(SEARCHES, min_size=1, max_size=3),
)
def test_the_index_answers_as_all_headers_would(made: list[tuple[Run, bool]], hide: list[int], searches: list[Search]) -> None:
    runs = by_id(run for run, _ in made)
    single = {run.run_id for run, alone in made if alone}
    files = {run.path: run.to_json().encode() for run in runs if run.run_id in single}
    months: dict[str, bytes] = {}
    for run in runs:
        if run.run_id not in single:
            months[packed_path(run.created_at[:7])] = months.get(packed_path(run.created_at[:7]), b"") + line_of(run)
    hidden = [runs[number].run_id for number in hide if number < len(runs)]
    tombs = {tombstone_path(run_id): b"" for run_id in hidden[1:]}
    index, source = Index(), Files(files)
    for some in ({}, months, tombs):
        source.files |= some
        index.answer(source, lambda asked: asked.hidden())
    for search in searches:
        found = index.answer(source, partial(answer, search, frozenset(hidden[:1])))
        assert found == found_among(search, map(header_of, runs), frozenset(hidden))


@given(st.lists(RUNS, max_size=12))
def test_files_that_go_away_leave_nothing_behind(runs: list[Run]) -> None:
    source, index = Files({run.path: run.to_json().encode() for run in runs}), Index()
    before = index.answer(source, lambda asked: asked.headers("bench"))
    assert {one.run_id for one in before} == {run.run_id for run in by_id(runs) if run.benchmark == "bench"}
    source.files = {}
    assert index.answer(source, lambda asked: (asked.headers("bench"), asked.problems(""))) == ((), ())


def test_more_promising_runs_than_are_looked_at_are_counted() -> None:
    runs = [a_run(number, age=timedelta(minutes=number), fingerprints=PRINTS["one"], commit=BASE) for number in range(100)]
    found = Index().answer(
        Files({packed_path("2025-03"): b"".join(map(line_of, runs))}), lambda asked: asked.search(search_of(QUESTION, RULES.rules, HERE))
    )
    assert [one.run_id for one in found.promising] == [run.run_id for run in runs[:64]]
    assert (found.candidates, found.left_out) == (100, 36)


# a directory


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


def old(root: Path) -> None:
    """Make every folder look as if it had settled long ago."""
    for folder, _, _ in os.walk(root):
        os.utime(folder, (1_600_000_000, 1_600_000_000))


def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []

    def watched(root: Path, folder: str) -> object:
        seen.append(folder)
        return walk_folder(root, folder)

    monkeypatch.setattr(directory_source, "walk_folder", watched)
    return seen


SEARCH = search_of(QUESTION, RULES.rules, HERE)


def test_only_folders_that_changed_are_listed_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DirectoryStore(root)
    for age in (0, 40, 80):
        store.add_run(a_run(age, age=timedelta(days=age)))
    old(root)
    assert store.search(SEARCH).candidates == 1
    seen = listed(monkeypatch)
    assert DirectoryStore(root).search(SEARCH).candidates == 1
    assert seen == []
    store.add_run(a_run(5))
    assert DirectoryStore(root).search(SEARCH).candidates == 2
    assert set(seen) == {"runs/2025/03"}


def test_a_folder_that_was_changed_a_moment_ago_is_listed_each_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DirectoryStore(root)
    store.add_run(a_run(1))
    store.search(SEARCH)
    seen = listed(monkeypatch)
    store.search(SEARCH)
    assert "runs/2025/03" in seen


def test_an_index_of_a_file_that_was_damaged_since_promises_what_the_reader_refuses(root: Path) -> None:
    store = DirectoryStore(root)
    file = Path(store.add_run(a_run(1)))
    old(root)
    assert store.search(SEARCH).freshest == header_of(a_run(1))
    file.write_bytes(file.read_bytes()[:300])
    os.utime(file.parent, (1_600_000_000, 1_600_000_000))
    assert store.search(SEARCH).freshest == header_of(a_run(1)), "nothing tells that the content of the file is another"
    assert isinstance(store.find_run(a_run(1).run_id), Unreadable)


def test_a_file_that_is_packed_while_it_is_listed_is_found_in_its_month(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DirectoryStore(root)
    store.add_run(a_run(1))
    contents = DirectorySource.contents
    packed: list[bool] = []

    def pack_first(self: DirectorySource, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | str]]:
        if not packed:
            packed.append(True)
            store.compact(NOW + timedelta(days=60))
        return contents(self, entries)

    monkeypatch.setattr(DirectorySource, "contents", pack_first)
    assert store.search(SEARCH).candidates == 1
    assert store.find_run(a_run(1).run_id) == a_run(1)


def test_a_read_only_store_is_asked_from_memory(root: Path) -> None:
    store = DirectoryStore(root)
    store.add_run(a_run(1))
    (root / INDEX).mkdir()
    assert DirectoryStore(root).search(SEARCH).candidates == 1


def test_an_absent_store_is_not_made_by_a_search(root: Path) -> None:
    assert DirectoryStore(root).search(SEARCH).candidates == 0
    assert not root.exists()


def test_a_tombstone_hides_its_run_from_a_search_and_its_reason_is_kept(root: Path) -> None:
    store, run = DirectoryStore(root), a_run(1)
    store.add_run(run)
    tomb = Tombstone(schema="assay.tombstone/1", run_id=run.run_id, created_at=stamp(NOW), reason="shared GPU", by="ada", replacement=None)
    path = store.add_tombstone(tomb)
    assert Tombstone.from_json(Path(path).read_text()) == tomb
    found = store.search(SEARCH)
    assert (found.candidates, found.freshest, found.hidden) == (0, None, run.run_id)
    assert store.find_run(run.run_id) is None


def test_answers_are_counted_for_each_benchmark_and_machine(root: Path) -> None:
    store = DirectoryStore(root)
    counting: tuple[dict[str, object], ...] = ({"status": Status.REUSED}, {"forced_by": "remeasure"})
    others: tuple[dict[str, object], ...] = ({}, {"status": Status.SKIPPED}, {"forced_by": "--no-reuse"})
    for number, facts in enumerate((*counting, *others)):
        store.add_decision(a_decision(number, **facts))
    store.add_decision(a_decision(8, status=Status.REUSED, machine="another"))
    store.add_decision(a_decision(9, status=Status.REUSED, benchmark="another"))
    assert store.answered("bench", MACHINE.machine_class) == 2


def test_measured_commits_are_those_of_clean_runs_that_count(root: Path) -> None:
    store = DirectoryStore(root)
    store.add_run(a_run(1))
    store.add_run(a_run(2, commit=BASE, status=RunStatus.ERRORED))
    store.add_run(a_run(3, commit="c" * 40, benchmark="another"))
    store.add_run(a_run(4, commit="d" * 40, dirty=True))
    commits = (HEAD, BASE, "c" * 40, "d" * 40, "e" * 40)
    assert store.measured(("bench",), commits) == {HEAD}
    assert store.measured(("bench", "another"), commits) == {HEAD, "c" * 40}
    assert store.measured((), commits) == store.measured(("bench",), ()) == frozenset()


def test_recent_runs_are_the_newest_clean_ones(root: Path) -> None:
    store = DirectoryStore(root)
    runs = [a_run(number, age=timedelta(hours=number)) for number in range(1, 6)]
    for run in (*runs, a_run(9, status=RunStatus.ERRORED), a_run(8, benchmark="other")):
        store.add_run(run)
    assert store.recent("bench", 3) == tuple(runs[:3])
