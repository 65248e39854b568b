"""What a command hands to the order of work of experiments, and what all its stages share."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from assay.core.config import GitConfig
from assay.core.experiment import HookName, Journal
from assay.core.experiment_edits import Mark
from assay.core.experiment_rules import unknown_session
from assay.core.globs import Globs
from assay.core.keepable import KeepRules
from assay.core.timestamp import stamp
from assay.core.values import dataclass
from assay.errors import InfrastructureError
from assay.experiment_ports import BranchMaker, Exclusion, ExperimentTree, Handles, SessionBook, Sessions, SparedFiles
from assay.ports import Clock, Observer, Runner, Unreadable


@dataclass(frozen=True, slots=True)
class Laboratory:
    """One of each port. `tree` and `branches`, which makes review branches in its repository, are None outside of git.

    `folder` is where commands run unless the session names another, `environment` makes the variables of a process, whose own
    folders live as long as the context, `machine` names the class of this machine, `logs` makes a folder for the output of a run,
    and `hooks` names the script of a hook, if it is to be run.
    """

    sessions: Sessions
    tree: ExperimentTree | None
    branches: BranchMaker | None
    spared: SparedFiles
    runner: Runner
    handles: Handles
    exclusion: Exclusion
    clock: Clock
    observer: Observer
    git: GitConfig
    folder: str
    environment: Callable[[Mapping[str, str]], AbstractContextManager[Mapping[str, str]]]
    machine: Callable[[], str]
    logs: Callable[[str], str]
    hooks: Callable[[HookName], str | None]

    def now(self) -> str:
        return stamp(self.clock.now())

    def mark(self) -> Mark:
        """The id and the time of a record that is written now."""
        return Mark(self.clock.new_id("rec"), self.now())

    @property
    def place(self) -> str:
        """The name under which one at a time has the tree."""
        return f"tree:{self.tree.root if self.tree else self.folder}"

    @property
    def keep_rules(self) -> KeepRules:
        return KeepRules(self.git.allow, self.git.max_file)

    def commits_here(self, branch: str | None) -> bool:
        """Whether a keep is a commit on this branch, or recorded only."""
        return self.git.keep == "branch" or (self.git.keep == "auto" and self._experiments_on(branch))

    def restores_here(self, branch: str | None) -> bool:
        """Whether a discard brings this branch back to its baseline, or is reported only."""
        return self.git.on_discard == "restore" or (self.git.on_discard == "auto" and self._experiments_on(branch))

    def _experiments_on(self, branch: str | None) -> bool:
        return branch is not None and Globs(self.git.experiment_branches).matches(branch)


def find_session(book: SessionBook, session_id: str) -> Journal:
    """One session. Raises UnknownSessionError, and InfrastructureError for one that is damaged."""
    found = book.get(session_id)
    if isinstance(found, Journal):
        return found
    if found is None:
        raise unknown_session(session_id, (one.id for one in readable(book.all())))
    raise InfrastructureError(
        f"The session {found.path} cannot be read: {found.reason}.", hint="Repair that line, or take the file out of the store."
    )


def readable(found: tuple[Journal | Unreadable, ...]) -> tuple[Journal, ...]:
    """Those sessions that could be read."""
    return tuple(one for one in found if isinstance(one, Journal))
