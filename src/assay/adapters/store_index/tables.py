"""The tables of an index, and how they are opened and thrown away."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assay.core.values import dataclass

VERSION = 3
"""Of the tables below and of what is read into them. Any other version is dropped."""

_TABLES = """
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (id INTEGER PRIMARY KEY, folder TEXT NOT NULL, name TEXT NOT NULL, blob TEXT NOT NULL, problem TEXT);
CREATE UNIQUE INDEX file_by_name ON file (folder, name);
CREATE INDEX file_by_problem ON file (id) WHERE problem IS NOT NULL;
CREATE TABLE kind (id INTEGER PRIMARY KEY, benchmark TEXT, machine TEXT, model TEXT, precision TEXT, status TEXT, trust TEXT,
  config_hash TEXT, environment TEXT, rules TEXT);
CREATE TABLE run (id TEXT, file INTEGER, line INTEGER, start INTEGER, size INTEGER, kind INTEGER, commit_id BLOB, content BLOB,
  created INTEGER);
CREATE TABLE decision (id TEXT, file INTEGER, benchmark TEXT, machine TEXT, head_run TEXT, counts INTEGER);
CREATE TABLE broken (file INTEGER, line INTEGER, problem TEXT);
CREATE TABLE hidden (id TEXT PRIMARY KEY, file INTEGER) WITHOUT ROWID;
"""
_INDICES = {
    "kind_by_benchmark": "ON kind (benchmark)",
    "run_by_file": "ON run (file)",
    "run_by_id": "ON run (id)",
    "run_by_kind": "ON run (kind, created)",
    "run_by_commit": "ON run (commit_id)",
    "run_by_content": "ON run (content, kind)",
    "decision_by_file": "ON decision (file)",
    "decision_by_id": "ON decision (id)",
    "decision_by_head_run": "ON decision (head_run)",
    "decision_that_counts": "ON decision (benchmark, machine) WHERE counts",
    "broken_by_file": "ON broken (file)",
    "hidden_by_file": "ON hidden (file)",
}
_PRAGMAS = ("PRAGMA synchronous = OFF", "PRAGMA cache_size = -32768", "PRAGMA temp_store = FILE")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record's text stands: a range of bytes of a file, and the name that it goes by in a report. Line 0 is the whole file."""

    path: str
    blob: str
    line: int = 0
    start: int = 0
    size: int = 0

    @property
    def is_packed(self) -> bool:
        return self.line > 0

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """The index in a file, made where it is missing or of another version. Raises sqlite3.Error where it is none."""
    with closing(sqlite3.connect(file, timeout=60, isolation_level=None)) as base:
        prepare(base)
        yield base


def prepare(base: sqlite3.Connection) -> None:
    """Have the tables there, empty where they were others."""
    for pragma in _PRAGMAS:
        base.execute(pragma)
    if base.execute("PRAGMA user_version").fetchone() != (VERSION,):
        rebuild(base)


def rebuild(base: sqlite3.Connection) -> None:
    """Drop all there is and begin anew."""
    base.execute("BEGIN IMMEDIATE")
    for kind, name in base.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    ).fetchall():
        base.execute(f'DROP {kind} "{name}"')
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            base.execute(statement)
    index(base)
    base.execute(f"PRAGMA user_version = {VERSION}")
    base.execute("COMMIT")


def empty(base: sqlite3.Connection) -> None:
    """Drop all rows."""
    for table in ("state", "file", "kind", "run", "decision", "broken", "hidden"):
        base.execute(f"DELETE FROM {table}")


def index(base: sqlite3.Connection) -> None:
    """Make the indices that are missing."""
    for name, definition in _INDICES.items():
        base.execute(f"CREATE INDEX IF NOT EXISTS {name} {definition}")


def unindex(base: sqlite3.Connection) -> None:
    """Drop the indices, for to make one of many rows is faster than to keep it while they come."""
    for name in _INDICES:
        base.execute(f"DROP INDEX IF EXISTS {name}")
