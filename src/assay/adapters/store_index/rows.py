"""From the files of a store to rows of its index: the header of each record in them, or why it has none."""

import re
import sqlite3
from dataclasses import dataclass, field

from assay.adapters.store_index.sources import Entry
from assay.adapters.stored_records import EMPTY, counts_as_answer, parsed
from assay.core.envelope import Run, StoredDecision
from assay.core.model import UNKNOWN
from assay.core.prior import Header
from assay.core.record_header import decision_header, header_from, run_header, sweep_run
from assay.core.store_layout import DECISIONS, hidden_run, packed_month
from assay.ports import Unreadable

Row = tuple[object, ...]
Kind = tuple[str, ...]

_BATCH = 4000
_BRACE = ord("{")
_HASH = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_KIND = "INSERT INTO kind VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERTS = {
    "run": "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "decision": "INSERT INTO decision VALUES (?, ?, ?, ?, ?, ?)",
    "broken": "INSERT INTO broken VALUES (?, ?, ?)",
    "hidden": "INSERT OR REPLACE INTO hidden VALUES (?, ?)",
}


def kind_of(header: Header) -> Kind:
    """What many runs have in common, in the order of the columns."""
    return (
        *(header.benchmark, header.machine, header.model, header.precision, header.status, header.trust),
        *(header.config_hash, header.environment, header.rules),
    )


def content_key(content: str) -> bytes | str | None:
    """A content as the index keeps it, None for one that is not known."""
    return None if content == UNKNOWN else _packed(content)


def commit_key(commit: str) -> bytes | str:
    """A commit as the index keeps it."""
    return _packed(commit)


def _packed(text: str) -> bytes | str:
    """Half the room for what is a hash, as all of ours are; anything else as it is."""
    return bytes.fromhex(text) if _HASH.fullmatch(text) else text


@dataclass(slots=True)
class Rows:
    """Collects rows and writes them in batches. Runs of a kind share a row for it, told from the bytes of their headers."""

    base: sqlite3.Connection
    kinds: dict[Kind, int] = field(default_factory=dict)
    _swept: dict[bytes, int] = field(default_factory=dict)
    _waiting: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in _INSERTS})

    def __post_init__(self) -> None:
        self.kinds.update({tuple(kind): number for number, *kind in self.base.execute("SELECT * FROM kind")})

    def add(self, number: int, entry: Entry, content: bytes | str) -> None:
        """The rows of one file, whose number in the index is given."""
        if isinstance(content, str):
            self._put("broken", (number, 0, content))
        elif packed_month(entry.path) is not None:
            self._add_lines(number, entry, content)
        elif entry.path.startswith(f"{DECISIONS}/"):
            self._add_decision(number, entry, content)
        else:
            self._add_run(number, entry.path, (0, 0, len(content)), content)

    def hide(self, number: int, entry: Entry) -> None:
        """The row of a tombstone, which counts by its name alone."""
        if run_id := hidden_run(entry.path):
            self._put("hidden", (run_id, number))

    def flush(self) -> None:
        """Write what waits."""
        for name, rows in self._waiting.items():
            self.base.executemany(_INSERTS[name], rows)
            rows.clear()

    def _put(self, table: str, row: Row) -> None:
        self._waiting[table].append(row)
        if len(self._waiting[table]) >= _BATCH:
            self.base.executemany(_INSERTS[table], self._waiting[table])
            self._waiting[table].clear()

    def _add_lines(self, number: int, entry: Entry, content: bytes) -> None:
        """A run a line; blank ones are passed over. Nothing is cut out of a month that may be as large as many thousand runs."""
        line = start = seen = 0
        while start < len(content):
            end = content.find(b"\n", start)
            end = len(content) if end < 0 else end
            line += 1
            if end > start and (content[start] == _BRACE or content[start:end].strip()):
                seen += 1
                self._add_run(number, entry.path, (line, start, end - start), content)
            start = end + 1
        if not seen:
            self._put("broken", (number, 0, EMPTY))

    def _add_run(self, number: int, path: str, where: tuple[int, int, int], content: bytes) -> None:
        line, start, size = where
        swept = sweep_run(content, start, start + size)
        if swept is None:
            self._add_unswept(number, path, where, content[start : start + size])
            return
        run_id, commit, prints, created, shared = swept
        kind = self._swept.get(shared)
        if kind is None:
            kind = self._swept[shared] = self._kind(kind_of(header_from(swept)))
        self._put("run", (run_id, number, line, start, size, kind, _packed(commit), _packed(prints), created))

    def _add_unswept(self, number: int, path: str, where: tuple[int, int, int], data: bytes) -> None:
        """A run that is not written as we write it, or none at all."""
        if header := run_header(data):
            kind = self._kind(kind_of(header))
            keys = commit_key(header.commit), content_key(header.content)
            self._put("run", (header.run_id, number, *where, kind, *keys, header.created))
        else:
            name = f"{path}:{where[0]}" if where[0] else path
            self._put("broken", (number, where[0], _reason(Run, name, data)))

    def _kind(self, kind: Kind) -> int:
        if kind not in self.kinds:
            self.kinds[kind] = len(self.kinds) + 1
            self.base.execute(_KIND, (self.kinds[kind], *kind))
        return self.kinds[kind]

    def _add_decision(self, number: int, entry: Entry, content: bytes) -> None:
        if one := decision_header(content):
            counts = counts_as_answer(one.status, one.forced_by)
            self._put("decision", (one.decision_id, number, one.benchmark, one.machine, one.head_run, counts))
        else:
            self._put("broken", (number, 0, _reason(StoredDecision, entry.path, content)))


def _reason(kind: type[Run | StoredDecision], name: str, data: bytes) -> str:
    one = parsed(kind, name, data)
    return one.reason if isinstance(one, Unreadable) else "it has no header"
