"""Runs counted by kind and day, so that to say how many there are costs nothing however many there are."""

import sqlite3
from collections.abc import Iterable

DAY = 86_400_000_000
"""Of what `created` counts, microseconds since 1970."""

_ALL = f"INSERT INTO tally SELECT kind, created / {DAY}, count(*) FROM run GROUP BY 1, 2"
_ONE = f"SELECT count(*) FROM run WHERE kind = :kind AND created BETWEEN :day * {DAY} AND :day * {DAY} + {DAY - 1}"

Days = set[tuple[int, int]]
"""Pairs of a kind and a day."""


def count_all(base: sqlite3.Connection) -> None:
    """Count all anew."""
    base.execute("DELETE FROM tally")
    base.execute(_ALL)


def count_again(base: sqlite3.Connection, days: Days) -> None:
    """Count the runs of some kinds and days anew."""
    for kind, day in days:
        runs = base.execute(_ONE, {"kind": kind, "day": day}).fetchone()[0]
        base.execute("INSERT OR REPLACE INTO tally VALUES (?, ?, ?)", (kind, day, runs))


def days_of(base: sqlite3.Connection, clause: str, file: int) -> Days:
    """The kinds and days of the runs in the files of which a clause holds."""
    return {(kind, day) for kind, day in base.execute(f"SELECT DISTINCT kind, created / {DAY} FROM run WHERE {clause}", (file,))}


def counted(base: sqlite3.Connection, kinds: Iterable[int], since: int, until: int) -> int:
    """How many runs of these kinds were made between two moments, both included. Whole days are looked up, the rest is counted."""
    some = ", ".join(map(str, kinds))
    first, last = max(-(-since // DAY), 0), (until + 1) // DAY - 1
    if first > last:
        return _between(base, some, since, until)
    whole = base.execute(f"SELECT ifnull(sum(runs), 0) FROM tally WHERE kind IN ({some}) AND day BETWEEN ? AND ?", (first, last))
    edges = _between(base, some, since, first * DAY - 1) + _between(base, some, (last + 1) * DAY, until)
    return int(whole.fetchone()[0]) + edges


def _between(base: sqlite3.Connection, kinds: str, since: int, until: int) -> int:
    found = base.execute(f"SELECT count(*) FROM run WHERE kind IN ({kinds}) AND created BETWEEN ? AND ?", (since, until))
    return int(found.fetchone()[0])
