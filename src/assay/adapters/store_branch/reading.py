"""Reading the data branch: the tip is fetched when it may be old, found through the index, and read whole from git."""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from assay.adapters.store_branch.branch_source import BranchSource
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.outcomes import Outcome
from assay.adapters.store_branch.private_repository import DamagedError, PrivateRepository
from assay.adapters.store_branch.snapshot import Snapshot
from assay.adapters.store_branch.transfer import Transfer
from assay.adapters.store_files import unreadable
from assay.adapters.store_index import Index, Place, Shelf
from assay.adapters.stored_records import parsed_in_place
from assay.core.attempts.entry import AttemptEntry
from assay.core.budget import Spend
from assay.core.comment_pointer import CommentPointer
from assay.core.data_ref import short
from assay.core.loose_ends import Opened, Owed
from assay.core.record import Envelope
from assay.core.store_layout import ATTEMPTS, OPEN, OWED, SPEND, pointer_path
from assay.ports import Unreadable

E = TypeVar("E", bound=Envelope)
T = TypeVar("T")


class Reader:
    """Answers questions about the tip. Everything that touches our copy happens while it is held."""

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

    def read(self, question: Callable[[Shelf], T]) -> T | Unreadable:
        """The answer of the index for the newest tip that can be had, or why there is none."""

        def asked(snapshot: Snapshot) -> T:
            source = BranchSource(snapshot)
            return self._index.answer(source, lambda asked: question(Shelf(asked, partial(_texts, snapshot))))

        return self.ask(asked)

    def spends(self) -> tuple[Spend | Unreadable, ...]:
        """All records of what was spent. They are few, and read without the index."""
        return self._all(Spend, SPEND)

    def attempts(self) -> tuple[AttemptEntry | Unreadable, ...]:
        """All attempts and grants."""
        return self._all(AttemptEntry, ATTEMPTS)

    def opened(self) -> tuple[Opened | Unreadable, ...]:
        """All runs that were begun and not ended."""
        return self._all(Opened, OPEN)

    def owed(self) -> tuple[Owed | Unreadable, ...]:
        """All reports that are still to be posted."""
        return self._all(Owed, OWED)

    def _all(self, kind: type[E], folder: str) -> tuple[E | Unreadable, ...]:
        answer = self.ask(lambda snapshot: records_at(snapshot, kind, folder))
        return (answer,) if isinstance(answer, Unreadable) else answer

    def pointer(self, pull: int) -> CommentPointer | None:
        """Where our comment on a pull request stands, as far as the branch says so."""
        path = pointer_path(pull)

        def question(snapshot: Snapshot) -> bytes | None:
            blobs = snapshot.blobs([path])
            return dict(snapshot.contents(blobs.values())).get(blobs[path]) if path in blobs else None

        answer = self.ask(question)
        found = parsed_in_place(CommentPointer, path, answer) if isinstance(answer, bytes) else None
        return found if isinstance(found, CommentPointer) else None

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
        return question(Snapshot(self._repository, self._transfer.tip()))

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


def _texts(snapshot: Snapshot, places: Iterable[Place]) -> Iterator[tuple[Place, bytes | Unreadable]]:
    """The bytes of records, in the order asked for. Of a packed month only what is wanted is taken."""
    wanted = tuple(places)
    whole = dict(snapshot.contents(dict.fromkeys(place.blob for place in wanted if not place.line)))
    packed: dict[str, list[Place]] = {}
    for place in wanted:
        if place.line:
            packed.setdefault(place.blob, []).append(place)
    lines = {place: data for blob, some in packed.items() for place, data in _lines(snapshot, blob, some)}
    for place in wanted:
        yield place, lines[place] if place.line else whole[place.blob] or b""


def _lines(snapshot: Snapshot, blob: str, places: list[Place]) -> Iterator[tuple[Place, bytes]]:
    ordered = sorted(set(places), key=lambda place: place.start)
    return zip(ordered, snapshot.cuts(blob, ((place.start, place.size) for place in ordered)), strict=True)


def records_at(snapshot: Snapshot, kind: type[E], folder: str) -> tuple[E | Unreadable, ...]:
    """All records of a kind that a tip has, read one by one without the index."""
    files = tuple(snapshot.files(folder))
    contents = dict(snapshot.contents(dict.fromkeys(one.blob for one in files if not one.problem)))
    return tuple(parsed_in_place(kind, one.path, contents.get(one.blob) or b"") for one in files)
