"""The store in a directory: one immutable file a run and a decision, so that writers cannot collide and need no lock."""

from collections.abc import Callable, Iterator
from json import dumps
from pathlib import Path, PurePosixPath
from typing import TypeVar

from assay.adapters import atomic_file
from assay.adapters.store_files import read_file, read_lines, unreadable, walk
from assay.core.envelope import Run, StoredDecision
from assay.core.ids import is_id, moment_of
from assay.core.record import Envelope
from assay.core.store_layout import DECISIONS, INVALIDATED, RUN_PREFIX, RUNS, decision_path, run_path
from assay.errors import InfrastructureError
from assay.ports import Catalog, Unreadable

E = TypeVar("E", bound=Envelope)
Concerns = Callable[[bytes], bool]
"""Whether bytes are worth parsing."""

_BY_MONTH = 2
"""Folders between a kind of record and its files: year, month."""


class DirectoryStore:
    """Satisfies `ports.Store`. The directory is made with the first write; reading never changes it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def add_run(self, run: Run) -> str:
        """Write an envelope. Raises InfrastructureError where the disk refuses or another run has that id."""
        return self._add(run_path(run.run_id), run)

    def add_decision(self, decision: StoredDecision) -> str:
        """Write a decision. Raises InfrastructureError where the disk refuses or another decision has that id."""
        return self._add(decision_path(decision.decision_id), decision)

    def runs(self, benchmark: str) -> Catalog:
        """All runs of a benchmark, newest first, and every stored file that could not be read, whosever it was."""
        hidden = self._invalidated()
        if isinstance(hidden, Unreadable):
            return Catalog(unreadable=(hidden,))
        found: dict[str, Run] = {}
        lost: list[Unreadable] = []
        for one in self._stored_runs(lambda data: _may_concern(data, benchmark)):
            if isinstance(one, Unreadable):
                lost += [] if PurePosixPath(one.path).stem in hidden else [one]
            elif one.benchmark == benchmark and one.run_id not in hidden:
                found.setdefault(one.run_id, one)
        return Catalog(tuple(found[run_id] for run_id in sorted(found, reverse=True)), tuple(lost))

    def find_run(self, run_id: str) -> Run | Unreadable | None:
        """One run by its id; None for text that is no run's id, too."""
        hidden = self._invalidated()
        if isinstance(hidden, Unreadable):
            return hidden
        if not is_id(RUN_PREFIX, run_id) or run_id in hidden:
            return None
        path = run_path(run_id)
        for entry in walk(self._root, RUNS, _BY_MONTH):
            if entry == path:
                return self._whole(Run, path, _always)
        packed = f"{RUNS}/{moment_of(run_id):%Y-%m}.jsonl"
        lines = self._packed(packed, lambda data: run_id.encode() in data) if (self._root / packed).exists() else ()
        return next((one for one in lines if isinstance(one, Unreadable) or one.run_id == run_id), None)

    def decisions(self, head_run: str) -> tuple[StoredDecision, ...]:
        """The decisions made on that head run. Unreadable ones are left out: they are computed anew from the samples."""
        paths = (path for path in walk(self._root, DECISIONS, _BY_MONTH) if isinstance(path, str))
        read = (self._whole(StoredDecision, path, lambda data: head_run.encode() in data) for path in paths)
        return tuple(one for one in read if isinstance(one, StoredDecision) and one.head_run == head_run)

    def _add(self, path: str, envelope: Envelope) -> str:
        data = f"{envelope.to_json()}\n".encode()
        *folders, name = path.split("/")
        file = self._root.joinpath(path)
        try:
            folder = atomic_file.make_folders(self._root, *folders)
            atomic_file.keep_out_of_git(self._root.absolute())
            atomic_file.sweep(folder)
            atomic_file.create(folder / name, data)
        except FileExistsError as error:
            if read_file(self._root, path) != data:
                hint = "A stored file is never changed. Run the command again; it takes a new id."
                raise InfrastructureError(f"The store has another record at {file}.", hint=hint) from error
        except OSError as error:
            hint = "Free the disk or the folder's permissions, or name another store with --store dir:PATH."
            raise InfrastructureError(f"The store could not write {file}: {error.strerror or error}.", hint=hint) from error
        return str(file)

    def _invalidated(self) -> frozenset[str] | Unreadable:
        """The ids that a tombstone hides, by its name alone: a damaged tombstone hides as well as a whole one."""
        hidden = set()
        for entry in walk(self._root, INVALIDATED, 0):
            if isinstance(entry, Unreadable) and entry.path == INVALIDATED:
                return entry
            hidden.add(PurePosixPath(entry.path if isinstance(entry, Unreadable) else entry).stem)
        return frozenset(hidden)

    def _stored_runs(self, concerns: Concerns) -> Iterator[Run | Unreadable]:
        for entry in walk(self._root, RUNS, _BY_MONTH):
            if isinstance(entry, Unreadable):
                yield entry
            elif entry.endswith(".jsonl"):
                yield from self._packed(entry, concerns)
            elif one := self._whole(Run, entry, concerns):
                yield one

    def _packed(self, path: str, concerns: Concerns) -> Iterator[Run | Unreadable]:
        for name, line in read_lines(self._root, path):
            if isinstance(line, Unreadable):
                yield line
            elif line.strip() and concerns(line):
                yield _parsed(Run, name, line)

    def _whole(self, kind: type[E], path: str, concerns: Concerns) -> E | Unreadable | None:
        data = read_file(self._root, path)
        if isinstance(data, Unreadable):
            return data
        if not concerns(data):
            return None
        one = _parsed(kind, path, data)
        if isinstance(one, Unreadable) or one.path == path:
            return one
        return unreadable(path, f"it holds what belongs in {one.path}")


def _parsed(kind: type[E], path: str, data: bytes) -> E | Unreadable:
    try:
        return kind.from_json(data.decode())
    except ValueError as error:
        return unreadable(path, str(error))


def _always(_: bytes) -> bool:
    return True


def _may_concern(data: bytes, benchmark: str) -> bool:
    """False only for what is surely a whole record of another benchmark, told without the cost of parsing.

    Without a backslash a JSON text holds the benchmark's name as it is, between quotes.
    """
    if dumps(benchmark, ensure_ascii=False).encode() in data or b"\\" in data:
        return True
    return b'"benchmark"' not in data or not data.rstrip().endswith(b"}")
