"""The store on a data branch: written through the outbox, read through the index."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assay.adapters.store_branch.compacting import CompactionChange
from assay.adapters.store_branch.delivery import HASTY, Deliverer, Patience
from assay.adapters.store_branch.flushed import Flushed
from assay.adapters.store_branch.outbox import Outbox, OutboxChange
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.outcomes import Outcome
from assay.adapters.store_branch.private_repository import PrivateRepository
from assay.adapters.store_branch.reading import Reader
from assay.adapters.store_branch.remote import Credentials, Remote
from assay.adapters.store_branch.transfer import Transfer
from assay.adapters.store_directory import Stored
from assay.adapters.store_index import Index
from assay.adapters.stored_records import another_record, attempts_of, catalog, spent_of
from assay.core.analysis_file import AnalysisFile
from assay.core.attempts.entry import AttemptEntry
from assay.core.budget import Judge, Refusal, Spend, Spent
from assay.core.comment_pointer import CommentPointer
from assay.core.compaction import Packed
from assay.core.data_ref import short
from assay.core.envelope import Run, StoredDecision, Tombstone
from assay.core.ids import is_id
from assay.core.prior import Found, Header, Search, together
from assay.core.store_layout import LEDGER, RUN_PREFIX, is_pointer
from assay.errors import AssayError, InfrastructureError
from assay.ports import Catalog, Unreadable

if TYPE_CHECKING:
    from assay.adapters.store_branch.ends import BranchEnds
    from assay.adapters.store_branch.ledger import BranchLedger
    from assay.adapters.store_branch.queue import BranchQueue
    from assay.adapters.store_branch.sessions import BranchSessions

FRESH_S = 30.0
"""A tip that was fetched this short a time ago is not asked for again."""


class BranchStore:
    """Satisfies `ports.Store`. Every record is safe on this disk before anything is sent, and sent by the next command if not by this.

    `remote` and `ref` say where the branch is, `git_dir` is our own bare repository, `outbox` the folder of what waits, `index` the
    file of the cache. `warn` hears what a person should know, such as that the remote could not be reached.
    """

    def __init__(
        self,
        remote: str,
        ref: str,
        *,
        git_dir: Path,
        outbox: Path,
        index: Path,
        credentials: Credentials | None = None,
        object_format: str = "sha1",
        warn: Callable[[str], None] = lambda _: None,
        patience: Patience | None = None,
        fresh_s: float = FRESH_S,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._repository = PrivateRepository(git_dir, object_format)
        transfer = Transfer(self._repository, Remote.parse(remote, str(Path.cwd()), credentials), ref)
        self._deliverer = Deliverer(self._repository, transfer, patience or Patience(), now)
        self._outbox = Outbox(outbox)
        self._reader = Reader(self._repository, transfer, Index(index), warn, fresh_s)
        self._warn = warn
        self.name = short(ref)
        self._batching = False

    @property
    def outbox(self) -> Path:
        """The folder of what waits."""
        return self._outbox.folder

    @property
    def sessions(self) -> "BranchSessions":
        """The sessions of experiments."""
        from assay.adapters.store_branch.sessions import BranchSessions  # no check needs it

        return BranchSessions(self.name, self._repository, self._deliverer, self._reader)

    @property
    def ends(self) -> "BranchEnds":
        """What jobs have begun and what they owe."""
        from assay.adapters.store_branch.ends import BranchEnds  # only a job on GitHub has any

        return BranchEnds(self, self._outbox, self._reader)

    @property
    def ledger(self) -> "BranchLedger":
        """What the control loop has attempted."""
        from assay.adapters.store_branch.ledger import BranchLedger  # no check needs it

        return BranchLedger(self.name, self._repository, self._deliverer, self._reader, self._outbox.folder, self._warn)

    @property
    def queue(self) -> "BranchQueue":
        """The queue of jobs."""
        from assay.adapters.store_branch.queue import BranchQueue

        return BranchQueue(self.name, self._repository, self._deliverer, self._reader)

    def add_run(self, run: Run) -> str:
        """Keep an envelope and send it, unless a batch is open; the place it now has.

        Raises InfrastructureError where this disk refuses it or another run has that id. A remote that refuses is warned of.
        """
        return self._add(run.path, self._outbox.add(run))

    def add_decision(self, decision: StoredDecision) -> str:
        """The same for a decision."""
        return self._add(decision.path, self._outbox.add(decision))

    @contextmanager
    def batch(self) -> Iterator[None]:
        """What is added inside is kept at once and sent at the end, in one commit. After an error it is sent only if that is quick."""
        self._batching = True
        try:
            yield
        except BaseException:
            self._batching = False
            self._flush_in_haste()
            raise
        self._batching = False
        self._warn_of(self.flush())

    def flush(self, taken_in: tuple[Stored, ...] = (), *, patience: Patience | None = None) -> Flushed:
        """Send all that waits, after `taken_in`, which is records of elsewhere, has joined it.

        Raises InfrastructureError where this disk refuses; what the remote refuses waits on.
        """
        refused = self._outbox.take_in(taken_in)
        sent = self._sent(patience)
        if patience is None and (self._outbox.folder / LEDGER).is_dir():
            self.ledger.flush()
        return replace(sent, conflicts=(*refused, *(path for path in sent.conflicts if path not in refused)))

    def compact(self, now: datetime) -> tuple[Packed, ...]:
        """Pack the runs of closed months in one commit. Raises InfrastructureError where the branch cannot be written."""
        change = CompactionChange(now)
        with self._repository.held():
            outcome = self._deliverer.deliver(change)
        if outcome.kind is not Kind.DONE:
            raise InfrastructureError(f"The data branch `{self.name}` was not compacted: {outcome.reason}.", hint=outcome.hint)
        self._reader.touch()
        return change.packed

    def add_tombstone(self, tombstone: Tombstone) -> str:
        """The same for a tombstone."""
        return self._add(tombstone.path, self._outbox.add(tombstone))

    def add_spend(self, spend: Spend) -> str:
        """The same for what was spent."""
        return self._add(spend.path, self._outbox.add(spend))

    def spent(self) -> Spent:
        """All that was spent, on the branch and on its way to it."""
        return spent_of(self._reader.spends()).with_(self._outbox.store.spent())

    def reserve(self, spend: Spend, judge: Judge) -> Refusal | None:
        """As the port says."""
        from assay.adapters.store_branch.reserving import Reservation  # only a command in a comment does

        with self._repository.held():
            refused = Reservation(spend, judge, self._outbox.store.spent()).sent(self._deliverer, self.name)
        self._reader.touch()
        return refused

    def add_attempt(self, entry: AttemptEntry) -> str:
        """The same for an attempt."""
        return self._add(entry.path, self._outbox.add(entry))

    def attempts(self) -> tuple[AttemptEntry, ...]:
        """All attempts, on the branch and on their way to it."""
        return attempts_of((*self._reader.attempts(), *self._outbox.store.attempts()))

    def add_pointer(self, pointer: CommentPointer) -> str:
        """The same for where our comment stands."""
        return self.keep(pointer)

    def pointer(self, pull: int) -> CommentPointer | None:
        """Where our comment on a pull request stands, None where that is not known."""
        return self._outbox.store.pointer(pull) or self._reader.pointer(pull)

    def add_analyses(self, files: tuple[AnalysisFile, ...]) -> tuple[str, ...]:
        """The same for files of analyses, in one commit."""
        kept = tuple(map(self._outbox.add, files))
        if files and not self._batching:
            self._warn_of(self.flush())
        return kept

    def search(self, search: Search) -> Found:
        """What may answer a question, on the branch and on its way to it."""
        hidden = self._outbox.hidden()
        found = self._reader.read(lambda shelf: (shelf.search(search, hidden), shelf.hidden()))
        if isinstance(found, Unreadable):
            on_branch, of_branch = Found(unreadable=((found.path, found.reason),)), hidden
        else:
            on_branch, of_branch = found[0], hidden if isinstance(found[1], Unreadable) else found[1] | hidden
        waiting = self._outbox.search(search, of_branch)
        return together(search, on_branch, waiting) if waiting else on_branch

    def measured(self, benchmarks: tuple[str, ...], commits: tuple[str, ...]) -> frozenset[str]:
        """Those of the commits of which a clean run of any of these benchmarks is stored."""
        found = self._reader.read(lambda shelf: shelf.asked.measured(benchmarks, commits))
        waiting = (run for name in benchmarks for run in self._outbox.store.runs(name).runs if run.clean and run.commit in commits)
        return (frozenset() if isinstance(found, Unreadable) else found) | {run.commit for run in waiting}

    def answered(self, benchmark: str, machine: str) -> int:
        """How often stored runs of the benchmark on that machine have answered."""
        found = self._reader.read(lambda shelf: shelf.asked.counted(benchmark, machine))
        return (0 if isinstance(found, Unreadable) else found) + self._outbox.store.answered(benchmark, machine)

    def recent(self, benchmark: str, limit: int) -> tuple[Run, ...]:
        """The newest clean runs of a benchmark, at most so many."""
        found = self._reader.read(lambda shelf: shelf.recent(benchmark, limit))
        both = (*self._outbox.store.recent(benchmark, limit), *(() if isinstance(found, Unreadable) else found))
        hidden = self._outbox.hidden()
        by_id = {run.run_id: run for run in both if run.run_id not in hidden}
        return tuple(by_id[run_id] for run_id in sorted(by_id, reverse=True))[:limit]

    def listed(self, benchmark: str) -> tuple[tuple[Header, ...], tuple[Unreadable, ...]]:
        """What is known of all runs of a benchmark, on the branch and on their way to it, newest first, and what is unreadable."""
        waiting, lost = self._outbox.store.listed(benchmark)
        hidden = self._outbox.hidden()
        found = self._reader.read(lambda shelf: shelf.listed(benchmark, hidden))
        on_branch, unread = ((), (found,)) if isinstance(found, Unreadable) else found
        by_id = {one.run_id: one for one in (*waiting, *on_branch)}
        named = tuple(Unreadable(f"{self._outbox.folder}/{one.path}", one.reason) for one in lost)
        return tuple(by_id[run_id] for run_id in sorted(by_id, reverse=True)), (*unread, *named)

    def runs(self, benchmark: str) -> Catalog:
        """All runs of a benchmark, newest first, on the branch and on their way to it, and all that could not be read."""
        waiting = self._outbox.store.runs(benchmark)  # before the branch: what is sent meanwhile is met twice rather than never
        found = self._reader.read(lambda shelf: (shelf.runs(benchmark), shelf.hidden()))
        lost = (Unreadable(f"{self._outbox.folder}/{one.path}", one.reason) for one in waiting.unreadable)
        if isinstance(found, Unreadable):
            return catalog(benchmark, (found, *waiting.runs, *lost), self._outbox.hidden())
        stored, hidden = found
        if isinstance(hidden, Unreadable):
            return Catalog(unreadable=(hidden,))
        return catalog(benchmark, (*stored, *waiting.runs, *lost), hidden | self._outbox.hidden())

    def find_run(self, run_id: str) -> Run | Unreadable | None:
        """One run by its id; None for text that is no run's id, too."""
        if not is_id(RUN_PREFIX, run_id) or run_id in self._outbox.hidden():
            return None
        waiting = self._outbox.store.find_run(run_id)
        found = self._reader.read(lambda shelf: (shelf.find_run(run_id), shelf.hidden()))
        if isinstance(found, Unreadable):
            return waiting or found
        run, hidden = found
        if isinstance(hidden, Unreadable):
            return hidden
        if run_id in hidden:
            return None
        return run if isinstance(run, Run) else waiting or run

    def decisions(self, head_run: str) -> tuple[StoredDecision, ...]:
        """The decisions made on that head run, newest first. Unreadable ones are left out: they can be computed anew."""
        found = self._reader.read(lambda shelf: shelf.decisions(head_run))
        both = (*self._outbox.store.decisions(head_run), *(() if isinstance(found, Unreadable) else found))
        by_id = {one.decision_id: one for one in both}
        return tuple(by_id[decision_id] for decision_id in sorted(by_id, reverse=True))

    def headers(self, benchmark: str) -> tuple[Header, ...]:
        """What is known of a benchmark's runs on the branch without reading them, newest first."""
        found = self._reader.read(lambda shelf: shelf.asked.headers(benchmark))
        return () if isinstance(found, Unreadable) else found

    def keep(self, record: Stored) -> str:
        """The same for any record."""
        return self._add(record.path, self._outbox.add(record))

    def _add(self, path: str, kept: str) -> str:
        if self._batching:
            return kept
        flushed = self.flush()
        if path in flushed.conflicts:
            raise another_record(f"{self.name}:{path}")
        self._warn_of(flushed)
        return kept if path in flushed.waiting else f"{self.name}:{path}"

    def _sent(self, patience: Patience | None) -> Flushed:
        mine = self._outbox.paths()
        if not mine:
            return Flushed()
        with self._repository.held(unless=lambda: self._outbox.has_none_of(mine)) as held:
            if not held:  # another process has sent ours along with its own
                return Flushed(mine)
            records, lost = self._outbox.waiting()
            if not records:
                return Flushed(unreadable=lost)
            change = OutboxChange(records)
            outcome = self._deliverer.deliver(change, patience)
            return self._settled(change, outcome, lost)

    def _settled(self, change: OutboxChange, outcome: Outcome, lost: tuple[Unreadable, ...]) -> Flushed:
        """Take out of the outbox what the branch has. What was there before counts even where the push was refused."""
        landed = change.landed if outcome.kind is Kind.DONE else change.present
        self._outbox.remove((*landed, *filter(is_pointer, change.conflicts)))  # whoever remembered one first is right
        if outcome.kind is Kind.DONE:
            self._reader.touch()
        gone = {*landed, *change.conflicts}
        waiting = tuple(one.path for one in change.records if one.path not in gone)
        return Flushed(landed, waiting, change.conflicts, lost, outcome)

    def _flush_in_haste(self) -> None:
        try:
            self._warn_of(self.flush(patience=HASTY))
        except AssayError as error:  # the one that ends the batch is the one to be told
            self._warn(f"{error.message} {error.hint}".strip())

    def _warn_of(self, flushed: Flushed) -> None:
        for text in sentences(flushed, self.name, self._outbox.folder):
            self._warn(text)


def sentences(flushed: Flushed, name: str, outbox: Path) -> tuple[str, ...]:
    """What is left to do after a flush, in sentences for a person."""
    said = [
        f"{path} is stored already with another content. A stored record is never changed: compare the two on `{name}` and in {outbox}."
        for path in flushed.conflicts
        if not is_pointer(path)
    ]
    said += [f"{one.path} cannot be read and was not sent: {one.reason}. Repair it or remove it." for one in flushed.unreadable]
    if flushed.waiting:
        count = f"{len(flushed.waiting)} record{'s wait' if len(flushed.waiting) > 1 else ' waits'}"
        said.append(
            f"{count} in {outbox}, for the data branch `{name}` could not be written: {flushed.outcome.reason}. {flushed.outcome.hint}"
        )
    return tuple(said)
