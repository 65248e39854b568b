"""Reading the data branch: the tip is fetched when it may be old, found through the index, and read whole from git."""

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from assay.adapters.store_branch.index import Header, Index, Place
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.outcomes import Outcome
from assay.adapters.store_branch.private_repository import DamagedError, PrivateRepository
from assay.adapters.store_branch.snapshot import Snapshot
from assay.adapters.store_branch.transfer import Transfer
from assay.adapters.store_files import unreadable
from assay.adapters.stored_records import parsed, parsed_in_place
from assay.core.budget import Spend
from assay.core.comment_pointer import CommentPointer
from assay.core.data_ref import short
from assay.core.envelope import Run, StoredDecision
from assay.core.record import Envelope
from assay.core.store_layout import INVALIDATED, RUNS, SPEND, month_of, packed_path, pointer_path, run_path
from assay.ports import Unreadable

E = TypeVar("E", bound=Envelope)
T = TypeVar("T")
Text = tuple[Place, bytes]

_NOTHING: frozenset[str] = frozenset()


class Reader:
    """Answers questions about the tip. Everything that touches our copy happens while it is held; records are parsed after that."""

    def __init__(
        self, repository: PrivateRepository, transfer: Transfer, index: Index, warn: Callable[[str], None], fresh_s: float
    ) -> None:
        self._repository = repository
        self._transfer = transfer
        self._index = index
        self._warn = warn
        self._fresh_s = fresh_s
        self._asked_at: float | None = None
        self._lost: Unreadable | None = None

    def touch(self) -> None:
        """Take the tip for fresh: a push has just brought it."""
        self._asked_at, self._lost = time.monotonic(), None

    def runs(self, benchmark: str) -> tuple[tuple[Run | Unreadable, ...], frozenset[str]]:
        """The runs of a benchmark, what of the store could not be read, and the ids that are hidden."""

        def question(snapshot: Snapshot) -> tuple[tuple[Text, ...], tuple[Unreadable, ...], frozenset[str] | Unreadable]:
            return self._texts(snapshot, self._index.of_benchmark(benchmark)), self._index.problems(RUNS), self._hidden()

        answer = self.ask(question)
        if isinstance(answer, Unreadable):
            return (answer,), _NOTHING
        texts, problems, hidden = answer
        if isinstance(hidden, Unreadable):
            return (hidden,), _NOTHING
        return (*(_record(Run, place, data) for place, data in texts), *problems), hidden

    def find_run(self, run_id: str) -> tuple[Run | Unreadable | None, frozenset[str]]:
        """One run, and the ids that are hidden."""
        answer = self.ask(lambda snapshot: (self._find(snapshot, run_id), self._hidden()))
        if isinstance(answer, Unreadable):
            return answer, _NOTHING
        (texts, problem), hidden = answer
        if isinstance(hidden, Unreadable):
            return hidden, _NOTHING
        return next((_record(Run, place, data) for place, data in texts), problem), hidden

    def decisions(self, head_run: str) -> tuple[StoredDecision, ...]:
        """The decisions on a head run that can be read."""
        answer = self.ask(lambda snapshot: self._texts(snapshot, self._index.of_head_run(head_run)))
        read = () if isinstance(answer, Unreadable) else (_record(StoredDecision, place, data) for place, data in answer)
        return tuple(one for one in read if isinstance(one, StoredDecision))

    def spends(self) -> tuple[Spend | Unreadable, ...]:
        """All records of what was spent. They are few, and read without the index."""
        answer = self.ask(self._spend_texts)
        if isinstance(answer, Unreadable):
            return (answer,)
        return tuple(parsed_in_place(Spend, path, data) for path, data in answer)

    @staticmethod
    def _spend_texts(snapshot: Snapshot) -> tuple[tuple[str, bytes], ...]:
        files = tuple(snapshot.files(SPEND))
        contents = dict(snapshot.contents(dict.fromkeys(one.blob for one in files if not one.problem)))
        return tuple((one.path, contents.get(one.blob) or b"") for one in files)

    def pointer(self, pull: int) -> CommentPointer | None:
        """Where our comment on a pull request stands, as far as the branch says so."""
        path = pointer_path(pull)

        def question(snapshot: Snapshot) -> bytes | None:
            blobs = snapshot.blobs([path])
            return dict(snapshot.contents(blobs.values())).get(blobs[path]) if path in blobs else None

        answer = self.ask(question)
        found = parsed_in_place(CommentPointer, path, answer) if isinstance(answer, bytes) else None
        return found if isinstance(found, CommentPointer) else None

    def headers(self, benchmark: str) -> tuple[Header, ...]:
        """What the index knows of a benchmark's runs."""
        answer = self.ask(lambda _: self._index.headers(benchmark))
        return () if isinstance(answer, Unreadable) else answer

    def ask(self, question: Callable[[Snapshot], T]) -> T | Unreadable:
        """The answer for the newest tip that can be had, or why there is none."""
        with self._repository.held():
            try:
                return self._answered(question)
            except DamagedError:
                self._repository.discard()
                self._asked_at = None
                return self._answered(question)

    def _answered(self, question: Callable[[Snapshot], T]) -> T | Unreadable:
        if self._asked_at is None or time.monotonic() - self._asked_at >= self._fresh_s:
            self._refresh()
        if self._lost:
            return self._lost
        snapshot = Snapshot(self._repository, self._transfer.tip())
        return self._index.answer(snapshot, lambda: question(snapshot))

    def _refresh(self) -> None:
        self._repository.sweep()
        outcome = self._transfer.fetch()
        if outcome.kind is Kind.DAMAGED:
            raise DamagedError(outcome.reason, hint=outcome.hint)
        self._asked_at, self._lost = time.monotonic(), None
        if outcome.kind not in (Kind.DONE, Kind.ABSENT):
            self._offline(outcome)

    def _offline(self, outcome: Outcome) -> None:
        name = short(self._transfer.ref)
        if self._transfer.tip() is not None:
            self._warn(f"The data branch `{name}` could not be fetched: {outcome.reason}. What was fetched last is used. {outcome.hint}")
            return
        self._warn(f"The data branch `{name}` could not be fetched, so stored runs are unknown: {outcome.reason}. {outcome.hint}")
        self._lost = unreadable(name, f"could not be fetched: {outcome.reason}")

    def _find(self, snapshot: Snapshot, run_id: str) -> tuple[tuple[Text, ...], Unreadable | None]:
        """The text of a run, by the place of its own file first, and else why it may be hidden from us."""
        path = run_path(run_id)
        if (own := self._index.at(path)) is not None:
            blob, problem = own
            return ((), unreadable(path, problem)) if problem else (self._texts(snapshot, [Place(path, blob, packed=False)]), None)
        texts = self._texts(snapshot, self._index.of_id(run_id))
        return texts, next(iter(self._index.problems(packed_path(month_of(run_id)))), None)

    def _hidden(self) -> frozenset[str] | Unreadable:
        """The ids that tombstones hide. Where these cannot be listed no run may count."""
        return next(iter(self._index.problems(INVALIDATED)), None) or self._index.invalidated()

    @staticmethod
    def _texts(snapshot: Snapshot, places: Iterable[Place]) -> tuple[Text, ...]:
        """The bytes of records, in the order asked for."""
        wanted = tuple(places)
        contents = dict(snapshot.contents(dict.fromkeys(place.blob for place in wanted)))
        return tuple((place, _cut(place, contents[place.blob] or b"")) for place in wanted)


def _cut(place: Place, content: bytes) -> bytes:
    return content[place.start : place.start + place.size] if place.packed else content


def _record(kind: type[E], place: Place, data: bytes) -> E | Unreadable:
    return parsed(kind, place.name, data) if place.packed else parsed_in_place(kind, place.path, data)
