"""What the order of work needs of the outside world. Protocols only; adapters satisfy them, tests have one fake each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from assay.core.values import dataclass

if TYPE_CHECKING:  # a command loads what it uses, not all that a port speaks of
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from assay.core.analysis_file import AnalysisFile
    from assay.core.attempts.entry import AttemptEntry
    from assay.core.budget import Spend, Spent
    from assay.core.comment_pointer import CommentPointer
    from assay.core.envelope import Run, StoredDecision, Tombstone
    from assay.core.events import Event
    from assay.core.facts import EnvironmentFacts, MachineFacts, PythonFacts
    from assay.core.model import Completed
    from assay.core.prior import Found, Search
    from assay.core.process import Heartbeat, ProcessRequest
    from assay.core.tree import Change, LineCounts, TreeFile


class Clock(Protocol):
    """Time and chance, so that nothing below the root asks for either by itself."""

    def now(self) -> datetime:
        """The present moment, timezone-aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds of a clock that never goes back."""
        ...

    def new_id(self, prefix: str) -> str:
        """A fresh sortable id such as `run-01J…`."""
        ...


class Observer(Protocol):
    """Hears what happens, for a person who waits. It may show, it may never decide."""

    def note(self, event: Event) -> None: ...


class Repo(Protocol):
    """A git repository, asked questions by name. Nothing here changes the user's repository."""

    @property
    def root(self) -> str:
        """The top folder of the user's working tree."""
        ...

    def resolve(self, ref: str) -> str:
        """The full sha of the commit a ref names.

        Raises UsageError for an unknown ref or a HEAD without any commit.
        """
        ...

    def merge_base(self, one: str, other: str) -> str:
        """The best common ancestor. Raises InfrastructureError where history does not reach one."""
        ...

    def default_branch(self) -> str | None:
        """The ref that changes are usually judged against, if one can be told."""
        ...

    def first_parent(self, commit: str) -> str | None:
        """The commit before this one, None for a root commit. Raises InfrastructureError where a shallow clone ends."""
        ...

    def branch_of(self, ref: str) -> str | None:
        """The short branch name that a ref stands for, None for a sha, a tag or a detached HEAD."""
        ...

    def tree(self, commit: str) -> str:
        """The tree id of a commit."""
        ...

    def changes(self, base: str, head: str) -> tuple[Change, ...]:
        """All paths that differ between two trees, both sides of a move, in byte order.

        Raises InfrastructureError where a commit or a part of it is not in this clone, or the answer is not whole.
        """
        ...

    def line_counts(self, base: str, head: str) -> LineCounts:
        """Lines added and removed between two trees, by path. Git reads every changed file for that.

        Raises InfrastructureError where a file is not in this clone, or the answer is not whole.
        """
        ...

    def tree_files(self, commit: str) -> tuple[TreeFile, ...]:
        """All files of a commit, in byte order. Raises InfrastructureError where the commit is not whole in this clone."""
        ...

    def links(self, commit: str) -> Mapping[str, str]:
        """The text of each symbolic link of a commit, by path. Raises InfrastructureError where the commit is not whole in this clone."""
        ...

    def blobs(self, commit: str, names: tuple[str, ...]) -> Mapping[str, str]:
        """Blob ids of the files at the top of a commit whose names match one of these glob patterns."""
        ...

    def submodules(self, commit: str) -> tuple[str, ...]:
        """Paths of the submodules of a commit."""
        ...

    def subject(self, commit: str) -> str:
        """The first line of a commit's message. It is a stranger's text."""
        ...

    def lfs_pointers(self, commit: str) -> bool:
        """Whether a commit keeps files in Git LFS, so that a worktree holds pointers in their place."""
        ...

    def read_file(self, commit: str, path: str, limit: int) -> bytes | None:
        """The content of a regular file of a commit, None where it has none of that name.

        Raises InfrastructureError for one larger than `limit` bytes, UsageError for a link or a folder.
        """
        ...

    def first_parents(self, commit: str, limit: int) -> tuple[str, ...]:
        """The first-parent ancestors of a commit, nearest first, as far as the history at hand reaches."""
        ...

    def is_dirty(self) -> bool:
        """Whether the user's tree has changes to tracked files or new files that are not ignored."""
        ...


class Handle(Protocol):
    """A run that was asked for: queued, running or ended."""

    @property
    def id(self) -> str: ...

    def cancel(self) -> bool:
        """Ask for its end, also while it is still queued. False where it had ended already."""
        ...

    def wait(self) -> Completed:
        """Block until it has ended and nothing of it is left. Raises InfrastructureError where it could not be run at all."""
        ...


class Runner(Protocol):
    """Runs processes and reads their METRIC lines from the stream."""

    def submit(
        self,
        request: ProcessRequest,
        on_progress: Callable[[Heartbeat], None] | None = None,
        before_start: Callable[[], None] | None = None,
    ) -> Handle:
        """Queue a process. It starts when a slot and all its claims are free.

        `before_start` is called then, just before: an error of ours that it raises is what `wait` raises, and nothing starts.
        """
        ...


class Machine(Protocol):
    """Facts of the box; what cannot be read is `unknown`."""

    def facts(self) -> MachineFacts: ...

    def environment(self) -> EnvironmentFacts: ...

    def python(self, env: Mapping[str, str]) -> PythonFacts:
        """The interpreter that a process with this environment finds first on its PATH, and the distributions it sees."""
        ...


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stored evidence that could not be read, by file, with the reason. It is never treated as absent."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """Stored runs, newest first, and what could not be read of them."""

    runs: tuple[Run, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


class Store(Protocol):
    """Runs and decisions; each is written once and never changed."""

    def add_run(self, run: Run) -> str:
        """Write an envelope; the path it now has. Raises InfrastructureError where it cannot be written."""
        ...

    def add_decision(self, decision: StoredDecision) -> str: ...

    def add_tombstone(self, tombstone: Tombstone) -> str:
        """Hide a run from now on. Raises InfrastructureError where it cannot be written, or the run is hidden for another reason."""
        ...

    def add_spend(self, spend: Spend) -> str:
        """Write down what was spent or granted. Raises InfrastructureError where it cannot be written."""
        ...

    def spent(self) -> Spent:
        """All that was ever spent and granted."""
        ...

    def add_attempt(self, entry: AttemptEntry) -> str:
        """Write down an attempt or a grant. Raises InfrastructureError where it cannot be written."""
        ...

    def attempts(self) -> tuple[AttemptEntry, ...]:
        """All attempts and grants. Raises InfrastructureError where one cannot be read: what is unknown lets nothing go on."""
        ...

    def add_pointer(self, pointer: CommentPointer) -> str:
        """Remember where our comment on a pull request stands. Raises InfrastructureError where another one is remembered already."""
        ...

    def pointer(self, pull: int) -> CommentPointer | None:
        """Where our comment on a pull request stands, None where that is not known."""
        ...

    def add_analyses(self, files: tuple[AnalysisFile, ...]) -> tuple[str, ...]:
        """Keep files of analyses; the paths they have now. Raises InfrastructureError where they cannot be written."""
        ...

    def search(self, search: Search) -> Found:
        """What may answer a question, without reading the runs. A header is no proof: what it promises the run has to keep."""
        ...

    def measured(self, benchmarks: tuple[str, ...], commits: tuple[str, ...]) -> frozenset[str]:
        """Those of the commits of which a clean run of any of these benchmarks is stored."""
        ...

    def answered(self, benchmark: str, machine: str) -> int:
        """How often a stored run of the benchmark on that machine has answered, or would have, had it not been measured again."""
        ...

    def recent(self, benchmark: str, limit: int) -> tuple[Run, ...]:
        """The newest clean runs of a benchmark, at most so many; what cannot be read is left out."""
        ...

    def runs(self, benchmark: str) -> Catalog:
        """All runs of a benchmark, invalidated ones left out."""
        ...

    def find_run(self, run_id: str) -> Run | Unreadable | None:
        """One run by its id, None where the store has none or it is invalidated."""
        ...

    def decisions(self, head_run: str) -> tuple[StoredDecision, ...]:
        """The decisions made on that head run, newest first."""
        ...


class Reports(Protocol):
    """Where the files of a check go."""

    def write(self, name: str, text: str) -> str:
        """Write one report file atomically; the path it now has. Raises InfrastructureError where it cannot be written."""
        ...
