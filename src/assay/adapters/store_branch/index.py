"""The index of a data branch: which records stand where, in SQLite beside our copy. A cache: dropped and built anew at will.

Rows are keyed by blob id, and a blob never changes, so what was read once stays true; only the list of files follows the tip.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from assay.adapters.store_branch.index_rows import Row, problem_of, rows_of
from assay.adapters.store_branch.private_repository import DamagedError
from assay.adapters.store_branch.snapshot import Entry, Snapshot
from assay.adapters.store_files import unreadable
from assay.core.store_layout import DECISIONS, INVALIDATED, RUNS, packed_month
from assay.ports import Unreadable

T = TypeVar("T")

VERSION = 1
"""Of the tables below and of what is read into them. Any other version is dropped."""

_TABLES = """
CREATE TABLE tip (sha TEXT NOT NULL);
CREATE TABLE file (path TEXT PRIMARY KEY, blob TEXT NOT NULL, packed INTEGER NOT NULL, problem TEXT) WITHOUT ROWID;
CREATE INDEX file_by_blob ON file (blob, packed);
CREATE INDEX file_by_problem ON file (path) WHERE problem IS NOT NULL;
CREATE TABLE record (
  blob TEXT NOT NULL, packed INTEGER NOT NULL, line INTEGER NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL,
  id TEXT, benchmark TEXT, head_run TEXT, commit_id TEXT, machine TEXT, model TEXT, precision TEXT, status TEXT, created_at TEXT,
  problem TEXT, PRIMARY KEY (blob, packed, line)) WITHOUT ROWID;
CREATE INDEX record_by_benchmark ON record (benchmark, id) WHERE benchmark IS NOT NULL;
CREATE INDEX record_by_id ON record (id) WHERE id IS NOT NULL;
CREATE INDEX record_by_head_run ON record (head_run) WHERE head_run IS NOT NULL;
CREATE INDEX record_by_problem ON record (blob) WHERE problem IS NOT NULL;
"""
_INSERT = "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PLACES = "SELECT f.path, r.blob, r.packed, r.line, r.start, r.size FROM record r JOIN file f ON f.blob = r.blob AND f.packed = r.packed"
_PROBLEMS = (
    "SELECT iif(r.line, f.path || ':' || r.line, f.path), r.problem FROM record r "
    "JOIN file f ON f.blob = r.blob AND f.packed = r.packed WHERE r.problem IS NOT NULL"
)
_HEADERS = (
    "SELECT r.id, r.commit_id, r.machine, r.model, r.precision, r.status, r.created_at, f.path FROM record r "
    "JOIN file f ON f.blob = r.blob AND f.packed = r.packed WHERE r.benchmark = ? ORDER BY r.id DESC"
)
_FOLDERS = (RUNS, DECISIONS, INVALIDATED)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record's text stands: a range of bytes of a blob, and the name that it goes by in a report."""

    path: str
    blob: str
    packed: bool
    line: int = 0
    start: int = 0
    size: int = 0

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}" if self.packed else self.path


@dataclass(frozen=True, slots=True)
class Header:
    """What the index knows of a run. It is what the file says of itself; whether all of it is sound is seen when it is read."""

    run_id: str
    commit: str
    machine: str
    model: str
    precision: str
    status: str
    created_at: str
    path: str


class Index:
    """Answers for the tip that it was brought up to last. One process at a time may bring it up to date."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._memory: sqlite3.Connection | None = None

    def answer(self, snapshot: Snapshot, question: Callable[[], T]) -> T:
        """Read what is new on this tip, then ask the question. A damaged file is built anew, in memory where none can be written.

        Raises DamagedError where git lacks an object.
        """
        try:
            self._update(snapshot)
            return question()
        except (sqlite3.Error, OSError):
            self._begin_anew()
            self._update(snapshot)
            return question()

    def _begin_anew(self) -> None:
        try:
            for name in (self._file.name, f"{self._file.name}-journal"):
                self._file.with_name(name).unlink(missing_ok=True)
            with self._opened():
                return
        except (sqlite3.Error, OSError):
            self._memory = sqlite3.connect(":memory:")

    def _update(self, snapshot: Snapshot) -> None:
        with self._opened() as base, base:
            known = _one(base, "SELECT sha FROM tip")
            if known is not None and known == (snapshot.tip or ""):
                return
            _list(base, snapshot, known)
            base.execute("DELETE FROM tip")
            base.execute("INSERT INTO tip VALUES (?)", (snapshot.tip or "",))
            _read_new(base, snapshot)

    def of_benchmark(self, benchmark: str) -> tuple[Place, ...]:
        """The runs of a benchmark, newest first."""
        return self._places(f"{_PLACES} WHERE r.benchmark = ? ORDER BY r.id DESC", benchmark)

    def of_id(self, record_id: str) -> tuple[Place, ...]:
        """Where a record stands. Only a stranger's doing can give it two places."""
        return self._places(f"{_PLACES} WHERE r.id = ?", record_id)

    def of_head_run(self, run_id: str) -> tuple[Place, ...]:
        """The decisions made on a head run, newest first."""
        return self._places(f"{_PLACES} WHERE r.head_run = ? ORDER BY r.id DESC", run_id)

    def at(self, path: str) -> tuple[str, str | None] | None:
        """The blob of a file and why it is not to be read, None where there is no such file."""
        with self._opened() as base:
            row = base.execute("SELECT blob, problem FROM file WHERE path = ?", (path,)).fetchone()
        return (row[0], row[1]) if row else None

    def problems(self, folder: str) -> tuple[Unreadable, ...]:
        """Every file below a folder and every line that could not be read, in the order of their names."""
        below = (f"{folder}*",)
        with self._opened() as base:
            files = base.execute("SELECT path, problem FROM file WHERE problem IS NOT NULL AND path GLOB ?", below).fetchall()
            lines = base.execute(f"{_PROBLEMS} AND f.path GLOB ?", below).fetchall()
        return tuple(unreadable(path, reason) for path, reason in sorted(files + lines))

    def invalidated(self) -> frozenset[str]:
        """The ids that a tombstone hides."""
        with self._opened() as base:
            rows = base.execute("SELECT path FROM file WHERE path GLOB ?", (f"{INVALIDATED}/*",)).fetchall()
        return frozenset(path.rpartition("/")[2].removesuffix(".json") for (path,) in rows)

    def headers(self, benchmark: str) -> tuple[Header, ...]:
        """What is known of a benchmark's runs without reading them, newest first."""
        with self._opened() as base:
            return tuple(Header(*row) for row in base.execute(_HEADERS, (benchmark,)))

    def _places(self, query: str, value: str) -> tuple[Place, ...]:
        with self._opened() as base:
            rows = base.execute(query, (value,)).fetchall()
        return tuple(
            Place(path, blob, packed=bool(packed), line=line, start=start, size=size) for path, blob, packed, line, start, size in rows
        )

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=60)) if self._memory is None else nullcontext(self._memory) as base:
            if base.execute("PRAGMA user_version").fetchone() != (VERSION,):
                _rebuild(base)
            yield base


def _rebuild(base: sqlite3.Connection) -> None:
    with base:
        for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            base.execute(f'DROP TABLE "{name}"')
        base.executescript(_TABLES)
        base.execute(f"PRAGMA user_version = {VERSION}")


def _one(base: sqlite3.Connection, query: str) -> str | None:
    row = base.execute(query).fetchone()
    return row[0] if row else None


def _list(base: sqlite3.Connection, snapshot: Snapshot, known: str | None) -> None:
    """Bring the list of files to the tip: by what differs where the old tip is at hand, else anew."""
    if known and snapshot.tip:
        try:
            changed = [entry for entry in snapshot.changes(known) if entry.path.split("/")[0] in _FOLDERS]
        except DamagedError:  # the old tip has been cleaned away
            known = None
        else:
            base.executemany("DELETE FROM file WHERE path = ?", ((entry.path,) for entry in changed))
            _add_files(base, (entry for entry in changed if entry.blob))
            return
    base.execute("DELETE FROM file")
    _add_files(base, snapshot.files(*_FOLDERS))


def _add_files(base: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    base.executemany(
        "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)",
        ((one.path, one.blob, packed_month(one.path) is not None, problem_of(one)) for one in entries),
    )


def _read_new(base: sqlite3.Connection, snapshot: Snapshot) -> None:
    wanted: dict[str, list[str]] = {}
    query = (
        "SELECT f.blob, min(f.path) FROM file f WHERE f.problem IS NULL AND f.path NOT GLOB ? "
        "AND NOT EXISTS (SELECT 1 FROM record r WHERE r.blob = f.blob AND r.packed = f.packed) GROUP BY f.blob, f.packed"
    )
    for blob, path in base.execute(query, (f"{INVALIDATED}/*",)):
        wanted.setdefault(blob, []).append(path)
    rows: Iterator[Row] = (
        row for blob, content in snapshot.contents(wanted) for path in wanted[blob] for row in rows_of(path, blob, content)
    )
    base.executemany(_INSERT, rows)
