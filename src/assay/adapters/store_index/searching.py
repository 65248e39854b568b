"""A search in the index. What it answers is what `core.prior.found_among` answers of all headers, without going through them."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assay.adapters.store_index.rows import Kind, commit_key, content_key
from assay.core.model import UNKNOWN
from assay.core.prior import MOST, Found, Header, Search

_RUNS = "SELECT r.id, r.commit_id, r.content, r.created, r.kind FROM run r"
_GONE = "SELECT r.id, r.commit_id, r.content, r.created, r.kind FROM gone g CROSS JOIN run r INDEXED BY run_by_id ON r.id = g.id"
_SHOWN = "r.id NOT IN (SELECT id FROM gone)"
_NEWEST_FIRST = "ORDER BY r.created DESC, r.id DESC"
_AT_ONCE = 500

Row = tuple[str, bytes | str, bytes | str | None, int, int]


@dataclass(slots=True)
class Searching:
    """One search. Runs of a kind are judged by it together, so that only few rows are looked at however many there are.

    `also_hidden` are runs that are hidden by what the store does not have yet.
    """

    base: sqlite3.Connection
    search: Search
    also_hidden: frozenset[str]
    kinds: dict[int, Kind] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = self.base.execute("SELECT * FROM kind WHERE benchmark = ?", (self.search.benchmark,))
        self.kinds = {number: tuple(kind) for number, *kind in rows}
        self.base.execute("CREATE TEMP TABLE IF NOT EXISTS gone (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self.base.execute("DELETE FROM gone")
        self.base.execute("INSERT INTO gone SELECT id FROM hidden")
        self.base.executemany("INSERT OR IGNORE INTO gone VALUES (?)", ((run_id,) for run_id in self.also_hidden))

    def found(self) -> Found:
        """Candidates counted, the promising ones listed, and what else is worth saying."""
        fitting = [number for number, kind in self.kinds.items() if self.search.fits(*kind[1:6])]
        own = list(self._rows(f"r.commit_id = {_literal(commit_key(self.search.commit))} AND {_among(self.kinds)} AND {_SHOWN}"))
        freshest = next((one for one in own if self.search.is_candidate(one)), None) or self._newest(fitting, self._age)
        promising, left_out = self._promising(fitting, own)
        return Found(
            candidates=self._count(f"{_of(fitting)} AND {self._age}"),
            promising=promising,
            left_out=left_out,
            freshest=freshest,
            other=self._other(fitting, own, freshest),
            hidden=None if freshest else self._hidden(),
        )

    def _promising(self, fitting: list[int], own: list[Header]) -> tuple[tuple[Header, ...], int]:
        mine = [one for one in own if self.search.is_candidate(one) and self.search.is_promising(one)]
        if self.search.content is None:
            return tuple(mine[:MOST]), max(0, len(mine) - MOST)
        agreeing = [number for number in fitting if self.search.surroundings_agree(*self.kinds[number][6:8])]
        other = [number for number in agreeing if self.kinds[number][8] != self.search.rules]
        equal = f"r.content = {_literal(content_key(self.search.content))} AND {_among(set(agreeing) - set(other))} AND {self._age}"
        listed = [self._rows(f"{equal} AND {_SHOWN}", MOST)]
        listed += [self._rows(f"r.kind = {number} AND {self._age} AND {_SHOWN}", MOST) for number in other]
        best = {one.run_id: one for some in (mine, *listed) for one in some}
        ranked = sorted(best.values(), key=self.search.rank, reverse=True)[:MOST]
        # a run of the very commit with another content under the same rules is no commit of ours, and counts all the same
        strange = sum(one.rules == self.search.rules and one.content != self.search.content for one in mine)
        total = self._count(equal) + self._count(f"{_of(other)} AND {self._age}") + strange
        return tuple(ranked), total - len(ranked)

    def _newest(self, kinds: Iterable[int], age: str) -> Header | None:
        """The newest run of these kinds, asked of each, for an index stands by kind and time."""
        found = (next(self._rows(f"r.kind = {number} AND {age} AND {_SHOWN}", 1), None) for number in kinds)
        return max((one for one in found if one), key=self.search.rank, default=None)

    def _other(self, fitting: list[int], own: list[Header], freshest: Header | None) -> Header | None:
        """A run that is no candidate: one of the very commit, else the newest where there is no candidate at all."""
        of_commit = next((one for one in own if not self.search.is_candidate(one)), None)
        if of_commit or freshest:
            return of_commit
        strange = (number for number in self.kinds if number not in fitting)
        found = (self._newest(fitting, f"NOT {self._age}"), self._newest(strange, "r.created IS NOT NULL"))
        return max((one for one in found if one), key=self.search.rank, default=None)

    def _hidden(self) -> str | None:
        """The newest hidden run of the benchmark."""
        rows = self.base.execute(f"{_GONE} WHERE {_among(self.kinds)}")
        found = [_header(row, self.kinds) for row in rows]
        return max(found, key=self.search.rank).run_id if found else None

    def _count(self, clause: str) -> int:
        """All that are not hidden, which are few: they are counted apart."""
        every = self.base.execute(f"SELECT count(*) FROM run r WHERE {clause}").fetchone()[0]
        gone = self.base.execute(f"SELECT count(*) FROM ({_GONE} WHERE {clause})").fetchone()[0]
        return int(every - gone)

    def _rows(self, clause: str, limit: int = -1) -> Iterator[Header]:
        rows = self.base.execute(f"{_RUNS} WHERE {clause} {_NEWEST_FIRST} LIMIT {limit}")
        return (_header(row, self.kinds) for row in rows)

    @property
    def _age(self) -> str:
        return f"(r.created BETWEEN {self.search.since} AND {self.search.until})"


def measured(base: sqlite3.Connection, benchmarks: tuple[str, ...], commits: tuple[str, ...]) -> frozenset[str]:
    """Those of the commits of which a clean run of any of these benchmarks is there, and not hidden."""
    names = ", ".join("?" * len(benchmarks))
    kinds = f"SELECT id FROM kind WHERE status = 'complete' AND benchmark IN ({names})"
    found: set[str] = set()
    for start in range(0, len(commits), _AT_ONCE):
        some = ", ".join(_literal(commit_key(commit)) for commit in commits[start : start + _AT_ONCE])
        query = f"SELECT DISTINCT r.commit_id FROM run r WHERE r.commit_id IN ({some}) AND +r.kind IN ({kinds})"
        found |= {_text(row[0]) for row in base.execute(f"{query} AND r.id NOT IN (SELECT id FROM hidden)", benchmarks)}
    return frozenset(found)


def headers(base: sqlite3.Connection, benchmark: str) -> tuple[Header, ...]:
    """The headers of all runs of a benchmark, newest first."""
    kinds = {number: tuple(kind) for number, *kind in base.execute("SELECT * FROM kind WHERE benchmark = ?", (benchmark,))}
    rows = base.execute(f"{_RUNS} WHERE {_of(kinds)} ORDER BY r.id DESC")
    return tuple(_header(row, kinds) for row in rows)


def _of(kinds: Iterable[int]) -> str:
    """All numbers are our own."""
    return f"r.kind IN ({', '.join(map(str, kinds))})"


def _among(kinds: Iterable[int]) -> str:
    """The same where other things tell more: the sign keeps the index by kind out of it."""
    return f"+{_of(kinds)}"


def _literal(key: bytes | str | None) -> str:
    """A value in a query. Text that is no hash is nobody's, and finds nothing."""
    return f"x'{key.hex()}'" if isinstance(key, bytes) else "NULL"


def _header(row: Row, kinds: dict[int, Kind]) -> Header:
    run_id, commit, content, created, kind = row
    benchmark, machine, model, precision, status, trust, config_hash, environment, rules = kinds[kind]
    names = (benchmark, _text(commit), machine, model, precision, status, trust)
    return Header(run_id, *names, created, config_hash, environment, rules, _text(content))


def _text(key: bytes | str | None) -> str:
    return UNKNOWN if key is None else key.hex() if isinstance(key, bytes) else key
