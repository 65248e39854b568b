"""What a store answers through its index, wherever its files stand: found by header, believed only when read whole."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from assay.adapters.store_files import unreadable
from assay.adapters.store_index.index import Asked
from assay.adapters.store_index.tables import Place
from assay.adapters.stored_records import is_hidden, parsed, parsed_in_place
from assay.core.envelope import Run, StoredDecision
from assay.core.prior import Found, Header, Search
from assay.core.record import Envelope
from assay.core.store_layout import INVALIDATED, RUNS, month_of, packed_path, run_path
from assay.core.values import dataclass
from assay.ports import Unreadable

E = TypeVar("E", bound=Envelope)
Texts = Callable[[Iterable[Place]], Iterator[tuple[Place, bytes | Unreadable]]]
"""Reads records where they stand, in the order asked for."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The index as it stands now, and a way to the texts that it names."""

    asked: Asked
    texts: Texts

    def hidden(self) -> frozenset[str] | Unreadable:
        """The ids that tombstones hide. Where these cannot be listed no run may count."""
        return next(iter(self.asked.problems(INVALIDATED)), None) or self.asked.hidden()

    def runs(self, benchmark: str) -> tuple[Run | Unreadable, ...]:
        """The runs of a benchmark, and all of the store that could not be read."""
        return (*self._read(Run, self.asked.of_benchmark(benchmark)), *self.asked.problems(RUNS))

    def listed(self, benchmark: str, also_hidden: frozenset[str] = frozenset()) -> tuple[tuple[Header, ...], tuple[Unreadable, ...]]:
        """The headers of a benchmark's runs that nothing hides, newest first, and all of the store that could not be read."""
        if lost := self.asked.problems(INVALIDATED):
            return (), lost
        hidden = self.asked.hidden() | also_hidden
        seen = tuple(one for one in self.asked.headers(benchmark) if one.run_id not in hidden)
        return seen, tuple(one for one in self.asked.problems(RUNS) if not is_hidden(one.path, hidden))

    def recent(self, benchmark: str, limit: int) -> tuple[Run, ...]:
        """The newest clean runs of a benchmark that can be read."""
        read = self._read(Run, self.asked.recent(benchmark, limit))
        return tuple(run for run in read if isinstance(run, Run) and run.clean and run.benchmark == benchmark)

    def find_run(self, run_id: str) -> Run | Unreadable | None:
        """One run: that of its own file first, else of a packed month, else why it may be there and not be seen."""
        path = run_path(run_id)
        if own := self.asked.at(path):
            blob, problem = own
            return unreadable(path, problem) if problem else next(self._read(Run, [Place(path, blob)]))
        found = self._read(Run, (place for place in self.asked.of_run(run_id) if place.line))
        return next(found, next(iter(self.asked.problems(packed_path(month_of(run_id)))), None))

    def decisions(self, head_run: str) -> tuple[StoredDecision, ...]:
        """The decisions on a head run that can be read, newest first."""
        read = self._read(StoredDecision, self.asked.decisions_on(head_run))
        return tuple(one for one in read if isinstance(one, StoredDecision) and one.head_run == head_run)

    def search(self, search: Search, also_hidden: frozenset[str] = frozenset()) -> Found:
        """What may answer a question, and what of the store cannot be read."""
        if lost := self.asked.problems(INVALIDATED):
            return Found(unreadable=tuple((one.path, one.reason) for one in lost))
        return self.asked.search(search, also_hidden)

    def _read(self, kind: type[E], places: Iterable[Place]) -> Iterator[E | Unreadable]:
        for place, data in self.texts(places):
            if isinstance(data, Unreadable):
                yield data
            else:
                yield parsed(kind, place.name, data) if place.line else parsed_in_place(kind, place.path, data)
