"""What the order of work of experiments needs of the outside world besides `ports`, apart from it so that a check need not load it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from assay.core.effects import KeepChange, MakeBranches, RestoreBaseline, RestoreCommit
from assay.core.experiment import Journal
from assay.core.keepable import KeepRules
from assay.core.tree_facts import CheckedOut, Kept, Made, Restored, Snapshot, Spared
from assay.core.values import dataclass
from assay.ports import Unreadable


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run that is queued or running on this box."""

    handle: str
    session: str
    active: bool


class SessionBook(Protocol):
    """The sessions of a store as they stand."""

    def get(self, session_id: str) -> Journal | Unreadable | None:
        """One session, None where the store has none of that id."""
        ...

    def all(self) -> tuple[Journal | Unreadable, ...]:
        """All sessions, newest first."""
        ...


class Sessions(SessionBook, Protocol):
    """The sessions of a store, and the one way to change one."""

    def change(self, edit: Callable[[SessionBook], Journal]) -> Journal:
        """Store what `edit` makes of the sessions, whole or not at all; it may be asked again while others write.

        What it raises leaves everything as it is. Raises InfrastructureError where the store cannot be written.
        """
        ...


class Registration(Protocol):
    """A run that others on this box can see and cancel, as long as it is held."""

    def activate(self) -> None:
        """From queued to running."""
        ...

    def cancelled(self) -> bool:
        """Whether anybody has asked for its end."""
        ...

    def watch(self, end: Callable[[], object]) -> AbstractContextManager[None]:
        """Call `end` as soon as somebody asks for the end, while the context lasts."""
        ...


class Handles(Protocol):
    """The runs of this box that are queued or running, whichever process they belong to."""

    def register(self, handle: str, session: str) -> AbstractContextManager[Registration]:
        """Make a run known; it is forgotten at the end, also where this process is killed."""
        ...

    def live(self, session: str | None = None) -> tuple[LiveRun, ...]:
        """What is queued or running, of one session or of all."""
        ...

    def cancel(self, handle: str) -> bool:
        """Ask for the end of a run. False where nothing of that handle is queued or running."""
        ...


class Exclusion(Protocol):
    """Lets one at a time have a thing that the processes of this box share, such as a working tree."""

    def held(self, name: str, give_up: Callable[[], bool]) -> AbstractContextManager[bool]:
        """Have it alone; false where `give_up` came true first. It is asked again and again while another one has it."""
        ...


class ExperimentTree(Protocol):
    """The user's own working tree, in which experiments run. What has run in it is foreign: no git of ours obeys what lies there.

    All raise InfrastructureError where git or the disk refuses.
    """

    @property
    def root(self) -> str: ...

    def checked_out(self) -> CheckedOut: ...

    def untracked(self) -> frozenset[str]:
        """The paths of new files that no pattern ignores."""
        ...

    def snapshot(self, rules: KeepRules, spared: frozenset[str] = frozenset()) -> Snapshot | None:
        """The tree as a keep would commit it now, new files that are `spared` left out; None before the first commit.

        Nothing of the user's changes.
        """
        ...

    def keep(self, effect: KeepChange) -> Kept: ...

    def restore(self, effect: RestoreBaseline) -> Restored:
        """Raises RestoreConflictError, with everything as it was, where something would be lost."""
        ...


class BranchMaker(Protocol):
    """Makes review branches out of kept commits, without touching the tree, the index or what is checked out."""

    def preview(self, effect: MakeBranches) -> Made:
        """What making them would meet; nothing is made. Branches that share files are warned of."""
        ...

    def make(self, effect: MakeBranches) -> Made:
        """Make all of them.

        Raises MergeBaseError, PlanError for branches that share files or do not add up, CherryPickConflictError,
        BranchExistsError; nothing is made then.
        """
        ...

    def unmake(self, made: Made) -> None:
        """Remove those that are new and still at their tip."""
        ...


class BranchWriter(Protocol):
    """Writes to branches on the forge, never by force."""

    def restore(self, effect: RestoreCommit) -> str:
        """Add one commit whose tree is the baseline and what is preserved; the branch's tip.

        Where the head has that tree already nothing is made. Raises HeadMovedError where the branch is elsewhere by now,
        RestoreConflictError, and InfrastructureError for a remote that refuses.
        """
        ...

    def grown_from(self, commit: str, head: str) -> bool:
        """Whether a head lies on top of a commit; false where one of them is not in this clone."""
        ...


class SparedFiles(Protocol):
    """Remembers the new files in a tree that are not a run's."""

    def load(self, session: str) -> Spared | None:
        """None where nobody has looked yet."""
        ...

    def save(self, session: str, files: Spared) -> None: ...
