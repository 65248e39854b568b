"""The index: brought up to what a store holds now, then asked. One process at a time may bring it up to date."""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from assay.adapters.store_files import unreadable
from assay.adapters.store_index.rows import Rows
from assay.adapters.store_index.searching import Searching, headers, measured
from assay.adapters.store_index.sources import Entry, News, Source
from assay.adapters.store_index.tables import Place, empty, index, opened, prepare, unindex
from assay.adapters.stored_records import is_hidden
from assay.core.prior import Found, Header, Search
from assay.core.store_layout import INVALIDATED, RUNS
from assay.core.values import dataclass
from assay.ports import Unreadable

T = TypeVar("T")

_MANY = 500
"""So many new files are better read without indices, which are made after them."""

_PATH = "ltrim(f.folder || '/' || f.name, '/')"
_PLACES = f"SELECT {_PATH}, f.blob, r.line, r.start, r.size FROM run r JOIN file f ON f.id = r.file"
_PROBLEMS = (
    f"SELECT {_PATH} AS path, f.problem FROM file f WHERE f.problem IS NOT NULL AND path GLOB :below UNION ALL "
    f"SELECT iif(b.line, {_PATH} || ':' || b.line, {_PATH}), b.problem FROM broken b JOIN file f ON f.id = b.file "
    f"WHERE {_PATH} GLOB :below ORDER BY 1"
)


class Index:
    """The index in a file, or in memory where no file is given or none can be written."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._memory: sqlite3.Connection | None = None

    def answer(self, source: Source, question: Callable[["Asked"], T]) -> T:
        """Take in what is new in the store, then ask. A damaged file is built anew, in memory where none can be written.

        Raises what the source raises.
        """
        try:
            with self._opened() as base:
                update(base, source)
                return question(Asked(base))
        except (sqlite3.Error, OSError):
            self._begin_anew()
            with self._opened() as base:
                update(base, source)
                return question(Asked(base))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        if self._memory is None and self._file is not None:
            with opened(self._file) as base:
                yield base
            return
        if self._memory is None:
            self._memory = _in_memory()
        yield self._memory

    def _begin_anew(self) -> None:
        if self._file is None:
            self._memory = None
            return
        try:
            for name in (self._file.name, f"{self._file.name}-journal"):
                self._file.with_name(name).unlink(missing_ok=True)
            with opened(self._file):
                return
        except (sqlite3.Error, OSError):
            self._memory = _in_memory()


def _in_memory() -> sqlite3.Connection:
    base = sqlite3.connect(":memory:", isolation_level=None)
    prepare(base)
    return base


def update(base: sqlite3.Connection, source: Source) -> None:
    """Take in what is new, in one transaction."""
    if _news(base, source) is None:
        return
    base.execute("BEGIN IMMEDIATE")
    try:
        news = _news(base, source)  # asked again, for another process may have been faster
        if news is not None:
            _take_in(base, source, news)
        base.execute("COMMIT")
    except BaseException:
        base.execute("ROLLBACK")
        raise


def _news(base: sqlite3.Connection, source: Source) -> News | None:
    known = dict(base.execute("SELECT name, value FROM state").fetchall())

    def files(folder: str) -> Mapping[str, str]:
        rows = base.execute("SELECT name, blob FROM file WHERE folder = ?", (folder,))
        return {f"{folder}/{name}": blob for name, blob in rows}

    return source.news(known, files)


def _take_in(base: sqlite3.Connection, source: Source, news: News) -> None:
    entries: Iterable[Entry] = news.entries
    if news.anew:
        empty(base)
    else:
        entries = tuple(entries)
        _forget(base, entries)
    many = news.anew or len(tuple(entries)) > _MANY
    if many:
        unindex(base)
    _read(base, source, (entry for entry in entries if entry.blob))
    base.execute("DELETE FROM state")
    base.executemany("INSERT INTO state VALUES (?, ?)", news.state.items())
    if many:
        index(base)


def _forget(base: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """Drop all that is known of these files."""
    for entry in entries:
        row = base.execute("SELECT id FROM file WHERE folder = ? AND name = ?", _parts(entry.path)).fetchone()
        for table in ("run", "decision", "broken", "hidden") if row else ():
            base.execute(f"DELETE FROM {table} WHERE file = ?", row)
        base.execute("DELETE FROM file WHERE id = ?", row or (0,))


def _read(base: sqlite3.Connection, source: Source, entries: Iterable[Entry]) -> None:
    """Take in new files: each gets a number, and what is to be read of it is read."""
    rows = Rows(base)
    first = base.execute("SELECT ifnull(max(id), 0) FROM file").fetchone()[0]
    numbers: deque[int] = deque()

    def numbered() -> Iterator[Entry]:
        for number, entry in enumerate(entries, first + 1):
            base.execute("INSERT INTO file VALUES (?, ?, ?, ?, ?)", (number, *_parts(entry.path), entry.blob, entry.problem))
            if entry.path.startswith(f"{INVALIDATED}/"):
                rows.hide(number, entry)
            elif entry.problem is None:
                numbers.append(number)
                yield entry

    for entry, content in source.contents(numbered()):
        rows.add(numbers.popleft(), entry, content)
        del content  # a month may be large, and two at a time are too many
    rows.flush()


def _parts(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name


@dataclass(frozen=True, slots=True)
class Asked:
    """Answers for the store as the index has just seen it."""

    base: sqlite3.Connection

    def of_benchmark(self, benchmark: str) -> tuple[Place, ...]:
        """The runs of a benchmark, newest first."""
        return self._places("WHERE r.kind IN (SELECT id FROM kind WHERE benchmark = ?) ORDER BY r.id DESC", benchmark)

    def of_run(self, run_id: str) -> tuple[Place, ...]:
        """Where a run stands: in a file of its own first. Only a move that is under way, or a stranger, gives it two places."""
        return self._places("WHERE r.id = ? ORDER BY r.line, r.file", run_id)

    def decisions_on(self, head_run: str) -> tuple[Place, ...]:
        """The decisions made on a head run, newest first."""
        query = f"SELECT {_PATH}, f.blob, 0, 0, 0 FROM decision d JOIN file f ON f.id = d.file WHERE d.head_run = ? ORDER BY d.id DESC"
        return tuple(Place(*row) for row in self.base.execute(query, (head_run,)))

    def recent(self, benchmark: str, limit: int) -> tuple[Place, ...]:
        """The newest clean runs of a benchmark, hidden ones left out."""
        kinds = "SELECT id FROM kind WHERE benchmark = ? AND status = 'complete'"
        return self._places(
            f"WHERE r.kind IN ({kinds}) AND r.id NOT IN (SELECT id FROM hidden) ORDER BY r.created DESC, r.id DESC LIMIT ?",
            benchmark,
            limit,
        )

    def at(self, path: str) -> tuple[str, str | None] | None:
        """The blob of a file and why it is not to be read, None where there is no such file."""
        row = self.base.execute("SELECT blob, problem FROM file WHERE folder = ? AND name = ?", _parts(path)).fetchone()
        return (row[0], row[1]) if row else None

    def problems(self, below: str) -> tuple[Unreadable, ...]:
        """Every file whose path begins so and every line of one that could not be read, in the order of their names."""
        rows = self.base.execute(_PROBLEMS, {"below": f"{below}*"})
        return tuple(unreadable(path.rstrip("/"), reason) for path, reason in rows)  # a folder that cannot be listed ends with one

    def hidden(self) -> frozenset[str]:
        """The ids that a tombstone hides."""
        return frozenset(run_id for (run_id,) in self.base.execute("SELECT id FROM hidden"))

    def search(self, search: Search, also_hidden: frozenset[str] = frozenset()) -> Found:
        """What may answer a question, and what of the runs cannot be read."""
        hidden = self.hidden() | also_hidden
        lost = tuple((one.path, one.reason) for one in self.problems(RUNS) if not is_hidden(one.path, hidden))
        return replace(Searching(self.base, search, also_hidden).found(), unreadable=lost)

    def measured(self, benchmarks: tuple[str, ...], commits: tuple[str, ...]) -> frozenset[str]:
        """Those of the commits of which a clean run of any of these benchmarks is there."""
        return measured(self.base, benchmarks, commits)

    def counted(self, benchmark: str, machine: str) -> int:
        """How many decisions count for the rule to remeasure."""
        query = "SELECT count(*) FROM decision WHERE counts AND benchmark = ? AND machine = ?"
        return int(self.base.execute(query, (benchmark, machine)).fetchone()[0])

    def headers(self, benchmark: str) -> tuple[Header, ...]:
        """What is known of a benchmark's runs without reading them, newest first."""
        return headers(self.base, benchmark)

    def _places(self, clause: str, *values: object) -> tuple[Place, ...]:
        return tuple(Place(*row) for row in self.base.execute(f"{_PLACES} {clause}", values))
