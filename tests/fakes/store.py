"""A store in memory: answers as the directory store does, and can be told what is unreadable or invalidated."""

from dataclasses import dataclass, field

from tests.fakes.ledger import FakeLedger

from assay.core.analysis_file import AnalysisFile
from assay.core.attempts.entry import AttemptEntry
from assay.core.budget import Judge, Refusal, Spend, Spent
from assay.core.comment_pointer import CommentPointer
from assay.core.envelope import REMEASURE, Run, StoredDecision, Tombstone
from assay.core.model import Status
from assay.core.prior import Found, Header, Search, found_among, header_of
from assay.errors import InfrastructureError
from assay.ports import Catalog, Unreadable


@dataclass(slots=True)
class FakeStore:
    """Satisfies `loop_ports.LoopStore` and `spend_ports.CommandStore`. With `refuses` set every write fails, as on a full disk."""

    stored: dict[str, Run] = field(default_factory=dict)
    decided: dict[str, StoredDecision] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    invalidated: set[str] = field(default_factory=set)
    pointers: dict[int, CommentPointer] = field(default_factory=dict)
    spends: list[Spend] = field(default_factory=list)
    tried: list[AttemptEntry] = field(default_factory=list)
    analyses: dict[str, AnalysisFile] = field(default_factory=dict)
    refuses: str = ""
    ledger: FakeLedger = field(default_factory=FakeLedger)

    def listed(self, benchmark: str) -> tuple[tuple[Header, ...], tuple[Unreadable, ...]]:
        return tuple(map(header_of, self.runs(benchmark).runs)), tuple(self.unreadable)

    def add_run(self, run: Run) -> str:
        self._accept(self.stored.get(run.run_id) in (None, run))
        self.stored[run.run_id] = run
        return run.path

    def add_decision(self, decision: StoredDecision) -> str:
        self._accept(self.decided.get(decision.decision_id) in (None, decision))
        self.decided[decision.decision_id] = decision
        return decision.path

    def add_tombstone(self, tombstone: Tombstone) -> str:
        self._accept(tombstone.run_id not in self.invalidated)
        self.invalidated.add(tombstone.run_id)
        return tombstone.path

    def add_spend(self, spend: Spend) -> str:
        self._accept(True)
        self.spends.append(spend)
        return spend.path

    def reserve(self, spend: Spend, judge: Judge) -> Refusal | None:
        if refused := judge(self.spent()):
            return refused
        self.add_spend(spend)
        return None

    def spent(self) -> Spent:
        return Spent(tuple(self.spends), len(self.unreadable))

    def add_attempt(self, entry: AttemptEntry) -> str:
        self._accept(True)
        self.tried.append(entry)
        return entry.path

    def attempts(self) -> tuple[AttemptEntry, ...]:
        return tuple(self.tried)

    def add_pointer(self, pointer: CommentPointer) -> str:
        self._accept(self.pointers.get(pointer.pull) in (None, pointer))
        self.pointers[pointer.pull] = pointer
        return pointer.path

    def pointer(self, pull: int) -> CommentPointer | None:
        return self.pointers.get(pull)

    def add_analyses(self, files: tuple[AnalysisFile, ...]) -> tuple[str, ...]:
        for one in files:
            self._accept(self.analyses.get(one.path) in (None, one))
            self.analyses[one.path] = one
        return tuple(one.path for one in files)

    def search(self, search: Search) -> Found:
        headers = map(header_of, self.stored.values())
        return found_among(search, headers, frozenset(self.invalidated), [(one.path, one.reason) for one in self.unreadable])

    def measured(self, benchmarks: tuple[str, ...], commits: tuple[str, ...]) -> frozenset[str]:
        clean = (run for name in benchmarks for run in self.runs(name).runs if run.clean)
        return frozenset(run.commit for run in clean if run.commit in commits)

    def answered(self, benchmark: str, machine: str) -> int:
        own = (one for one in self.decided.values() if (one.benchmark, one.machine) == (benchmark, machine))
        return sum(one.status is Status.REUSED or one.forced_by == REMEASURE for one in own)

    def recent(self, benchmark: str, limit: int) -> tuple[Run, ...]:
        return tuple(run for run in self.runs(benchmark).runs if run.clean)[:limit]

    def runs(self, benchmark: str) -> Catalog:
        found = (run for run_id, run in sorted(self.stored.items(), reverse=True) if run_id not in self.invalidated)
        return Catalog(tuple(run for run in found if run.benchmark == benchmark), tuple(self.unreadable))

    def find_run(self, run_id: str) -> Run | Unreadable | None:
        return None if run_id in self.invalidated else self.stored.get(run_id)

    def decisions(self, head_run: str) -> tuple[StoredDecision, ...]:
        newest_first = (decision for _, decision in sorted(self.decided.items(), reverse=True))
        return tuple(decision for decision in newest_first if decision.head_run == head_run)

    def _accept(self, same: bool) -> None:
        if self.refuses:
            raise InfrastructureError(self.refuses, hint="Free the disk.")
        if not same:
            raise InfrastructureError("The store has another record of that id.", hint="Run the command again.")
