"""The store in a directory: one immutable file a run and a decision, so that writers cannot collide and need no lock."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from json import dumps
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from assay.adapters import atomic_file
from assay.adapters.directory_source import DirectorySource, VanishedError
from assay.adapters.store_files import BY_MONTH, read_file, read_lines, read_piece, walk
from assay.adapters.store_index import Index, Place, Shelf
from assay.adapters.stored_analyses import read_analyses
from assay.adapters.stored_records import EMPTY, another_record, attempts_of, catalog, encoded, parsed, parsed_in_place, spent_of
from assay.core.analysis_file import AnalysisFile
from assay.core.attempts.entry import AttemptEntry
from assay.core.budget import Spend, Spent
from assay.core.comment_pointer import CommentPointer
from assay.core.envelope import Run, StoredDecision, Tombstone
from assay.core.ids import is_id
from assay.core.loose_ends import Opened, Owed, Settled
from assay.core.prior import Found, Header, Search
from assay.core.record import Envelope
from assay.core.store_layout import (
    ATTEMPTS,
    COMMENTS,
    DECISIONS,
    INVALIDATED,
    OPEN,
    OWED,
    RUN_PREFIX,
    RUNS,
    SETTLED,
    SPEND,
    analysis_of,
    packed_month,
    pointer_path,
)
from assay.errors import InfrastructureError
from assay.ports import Catalog, Unreadable

if TYPE_CHECKING:
    from assay.adapters.ledger_files import DirectoryLedger
    from assay.adapters.queue_file import DirectoryQueue
    from assay.adapters.session_files import DirectorySessions
    from assay.core.compaction import Packed

E = TypeVar("E", bound=Envelope)
T = TypeVar("T")
Concerns = Callable[[bytes], bool]
"""Whether bytes are worth parsing."""


Small = StoredDecision | Tombstone | Spend | AttemptEntry | CommentPointer | Opened | Owed | Settled
Stored = Run | Small | AnalysisFile
"""What a store or an outbox may hold."""

_SMALL: tuple[tuple[type[Small], str, int], ...] = (
    (StoredDecision, DECISIONS, BY_MONTH),
    (Tombstone, INVALIDATED, 0),
    (Spend, SPEND, BY_MONTH),
    (AttemptEntry, ATTEMPTS, BY_MONTH),
    (CommentPointer, COMMENTS, 0),
    (Opened, OPEN, 0),
    (Owed, OWED, 0),
    (Settled, SETTLED, 0),
)
"""The kinds that have a file each, where they are, and how many folders below."""

INDEX = ".assay-index.sqlite3"
"""A cache of what stands in the folder; it may be deleted at any moment."""

_LOOKS = 4


class DirectoryStore:
    """Satisfies `ports.Store`. The directory is made with the first write; reading never changes it."""

    def __init__(self, root: Path, *, remembers: bool = True) -> None:
        """Where it does not remember, the index is made anew in memory for each command: for few files that costs less than a file."""
        self._root = root
        self._index = Index(root / INDEX if remembers else None)

    @property
    def sessions(self) -> "DirectorySessions":
        """The sessions of experiments."""
        from assay.adapters.session_files import DirectorySessions  # no check needs it

        return DirectorySessions(self._root)

    @property
    def ledger(self) -> "DirectoryLedger":
        """What the control loop has attempted."""
        from assay.adapters.ledger_files import DirectoryLedger  # no check needs it

        return DirectoryLedger(self._root)

    @property
    def queue(self) -> "DirectoryQueue":
        """The queue of jobs."""
        from assay.adapters.queue_file import DirectoryQueue

        return DirectoryQueue(self._root)

    def add_run(self, run: Run) -> str:
        """Write an envelope. Raises InfrastructureError where the disk refuses or another run has that id."""
        return self.add(run)

    def add_decision(self, decision: StoredDecision) -> str:
        """Write a decision. Raises InfrastructureError where the disk refuses or another decision has that id."""
        return self.add(decision)

    def add_tombstone(self, tombstone: Tombstone) -> str:
        """Hide a run. Raises InfrastructureError where the disk refuses or another reason stands there."""
        return self.add(tombstone)

    def add_spend(self, spend: Spend) -> str:
        """Write down what was spent. Raises InfrastructureError where the disk refuses."""
        return self.add(spend)

    def spent(self) -> Spent:
        """All that was spent, and how much of it could not be read."""
        read = [one for entry in walk(self._root, SPEND, BY_MONTH) if (one := self._spend_at(entry))]
        return spent_of(read)

    def add_attempt(self, entry: AttemptEntry) -> str:
        """Write down an attempt. Raises InfrastructureError where the disk refuses."""
        return self.add(entry)

    def attempts(self) -> tuple[AttemptEntry, ...]:
        """All attempts. Raises InfrastructureError where one cannot be read."""
        found = (self._attempt_at(entry) for entry in walk(self._root, ATTEMPTS, BY_MONTH))
        return attempts_of(one for one in found if one)

    def _attempt_at(self, entry: str | Unreadable) -> AttemptEntry | Unreadable | None:
        return entry if isinstance(entry, Unreadable) else self._whole(AttemptEntry, entry, _always)

    def add_pointer(self, pointer: CommentPointer) -> str:
        """Remember a comment. Raises InfrastructureError where the disk refuses or another one is remembered."""
        return self.add(pointer)

    def pointer(self, pull: int) -> CommentPointer | None:
        """Where our comment stands; what cannot be read is not known."""
        path = pointer_path(pull)
        found = self._whole(CommentPointer, path, _always) if (self._root / path).exists() else None
        return found if isinstance(found, CommentPointer) else None

    def add_analyses(self, files: tuple[AnalysisFile, ...]) -> tuple[str, ...]:
        """Write files of analyses. Raises InfrastructureError where the disk refuses or another content stands there."""
        return tuple(map(self.add, files))

    def add(self, envelope: Envelope | AnalysisFile) -> str:
        """Write a record at its own place."""
        data = encoded(envelope)
        *folders, name = envelope.path.split("/")
        file = self._root.joinpath(envelope.path)
        try:
            folder = atomic_file.make_folders(self._root, *folders)
            atomic_file.keep_out_of_git(self._root.absolute())
            atomic_file.sweep(folder)
            atomic_file.create(folder / name, data)
        except FileExistsError as error:
            if read_file(self._root, envelope.path) != data:
                raise another_record(str(file)) from error
        except OSError as error:
            hint = "Free the disk or the folder's permissions, or name another store with --store dir:PATH."
            raise InfrastructureError(f"The store could not write {file}: {error.strerror or error}.", hint=hint) from error
        return str(file)

    def search(self, search: Search) -> Found:
        """What may answer a question, and every stored file that could not be read, whosever it was."""
        return self._ask(lambda shelf: shelf.search(search))

    def measured(self, benchmarks: tuple[str, ...], commits: tuple[str, ...]) -> frozenset[str]:
        """Those of the commits of which a clean run of any of these benchmarks is stored."""
        return self._ask(lambda shelf: shelf.asked.measured(benchmarks, commits))

    def answered(self, benchmark: str, machine: str) -> int:
        """How often stored runs of the benchmark on that machine have answered."""
        return self._ask(lambda shelf: shelf.asked.counted(benchmark, machine))

    def recent(self, benchmark: str, limit: int) -> tuple[Run, ...]:
        """The newest clean runs of a benchmark, at most so many."""
        return self._ask(lambda shelf: shelf.recent(benchmark, limit))

    def listed(self, benchmark: str) -> "tuple[tuple[Header, ...], tuple[Unreadable, ...]]":
        """What is known of all runs of a benchmark, and every stored file that could not be read, whosever it was."""
        return self._ask(lambda shelf: shelf.listed(benchmark))

    def runs(self, benchmark: str) -> Catalog:
        """All runs of a benchmark, newest first, and every stored file that could not be read, whosever it was."""
        hidden = self.invalidated()
        if isinstance(hidden, Unreadable):
            return Catalog(unreadable=(hidden,))
        return catalog(benchmark, self._stored_runs(lambda data: _may_concern(data, benchmark)), hidden)

    def find_run(self, run_id: str) -> Run | Unreadable | None:
        """One run by its id; None for text that is no run's id, too."""
        hidden = self.invalidated()
        if isinstance(hidden, Unreadable):
            return hidden
        if not is_id(RUN_PREFIX, run_id) or run_id in hidden:
            return None
        return self._ask(lambda shelf: shelf.find_run(run_id))

    def decisions(self, head_run: str) -> tuple[StoredDecision, ...]:
        """The decisions made on that head run. Unreadable ones are left out: they are computed anew from the samples."""
        return self._ask(lambda shelf: shelf.decisions(head_run))

    def _spend_at(self, entry: str | Unreadable) -> Spend | Unreadable | None:
        return entry if isinstance(entry, Unreadable) else self._whole(Spend, entry, _always)

    def records(self) -> Iterator[Stored | Unreadable]:
        """Every record, and what could not be read. Tombstones hide nothing here."""
        yield from self._stored_runs(_always)
        for kind, folder, depth in _SMALL:
            for entry in walk(self._root, folder, depth):
                if one := entry if isinstance(entry, Unreadable) else self._whole(kind, entry, _always):
                    yield one
        yield from read_analyses(self._root)

    def discard(self, path: str) -> None:
        """Remove the file of one record, which is kept elsewhere now. Raises InfrastructureError where the disk refuses."""
        try:
            (self._root / path).unlink(missing_ok=True)
            if analysis_of(path):  # it has a folder of its own, which is not to be left behind
                with suppress(OSError):
                    (self._root / path).parent.rmdir()
        except OSError as error:
            hint = "Free the folder's permissions; the record is kept twice until then, which does no harm."
            raise InfrastructureError(f"{self._root / path} could not be removed: {error.strerror or error}.", hint=hint) from error

    def compact(self, now: datetime) -> "tuple[Packed, ...]":
        """Pack the runs of closed months. Raises InfrastructureError where the disk refuses; nothing is lost then."""
        from assay.adapters.directory_compaction import compact  # no check needs it

        return compact(self._root, now)

    def invalidated(self) -> frozenset[str] | Unreadable:
        """The ids that a tombstone hides, by its name alone: a damaged tombstone hides as well as a whole one."""
        hidden = set()
        for entry in walk(self._root, INVALIDATED, 0):
            if isinstance(entry, Unreadable) and entry.path == INVALIDATED:
                return entry
            hidden.add(PurePosixPath(entry.path if isinstance(entry, Unreadable) else entry).stem)
        return frozenset(hidden)

    def _ask(self, question: Callable[[Shelf], T]) -> T:
        """The answer of the index. A file that is being packed while we look makes us look again."""
        for patient in (True,) * _LOOKS + (False,):
            with suppress(VanishedError):
                return self._index.answer(DirectorySource(self._root, patient), lambda asked: question(Shelf(asked, self._texts)))
        raise AssertionError("a source that is not patient raises nothing")

    def _texts(self, places: Iterable[Place]) -> Iterator[tuple[Place, bytes | Unreadable]]:
        for place in places:
            yield place, read_piece(self._root, place.path, place.start, place.size) if place.line else read_file(self._root, place.path)

    def _stored_runs(self, concerns: Concerns) -> Iterator[Run | Unreadable]:
        """Single files before packed ones: what a compaction moves meanwhile is then met twice rather than never."""
        for entry in walk(self._root, RUNS, BY_MONTH):
            if isinstance(entry, Unreadable):
                yield entry
            elif packed_month(entry) is None and (one := self._whole(Run, entry, concerns)):
                yield one
        for entry in walk(self._root, RUNS, 0):
            if isinstance(entry, str) and packed_month(entry) is not None:
                yield from self._packed(entry, concerns)

    def _packed(self, path: str, concerns: Concerns) -> Iterator[Run | Unreadable]:
        empty = True
        for name, line in read_lines(self._root, path):
            empty = empty and isinstance(line, bytes) and not line.strip()
            if isinstance(line, Unreadable):
                yield line
            elif line.strip() and concerns(line):
                yield parsed(Run, name, line)
        if empty:
            yield Unreadable(path, EMPTY)

    def _whole(self, kind: type[E], path: str, concerns: Concerns) -> E | Unreadable | None:
        data = read_file(self._root, path)
        if isinstance(data, Unreadable):
            return data if os.path.lexists(self._root / path) else None
        return parsed_in_place(kind, path, data) if concerns(data) else None


def _always(_: bytes) -> bool:
    return True


def _may_concern(data: bytes, benchmark: str) -> bool:
    """False only for what is surely a whole record of another benchmark, told without the cost of parsing.

    Without a backslash a JSON text holds the benchmark's name as it is, between quotes.
    """
    if dumps(benchmark, ensure_ascii=False).encode() in data or b"\\" in data:
        return True
    return b'"benchmark"' not in data or not data.rstrip().endswith(b"}")
