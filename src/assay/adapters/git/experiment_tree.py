"""A working tree in which experiments run, behind the port `ExperimentTree`. No git of ours ever obeys what lies in it."""

from assay.adapters.git.dot_git import DotGit, find_dot_git
from assay.adapters.git.keep import head_commit, keep, snapshot
from assay.adapters.git.private_view import locked_view, private_view
from assay.adapters.git.restore import restore
from assay.adapters.git.review_branches import GitBranchMaker
from assay.adapters.git.tree_state import look
from assay.core.effects import KeepChange, RestoreBaseline
from assay.core.experiment_errors import GitNotConfiguredError
from assay.core.keepable import KeepRules
from assay.core.tree_facts import CheckedOut, Kept, Restored, Snapshot


class GitTree:
    """Satisfies `experiment_ports.ExperimentTree`."""

    def __init__(self, dot_git: DotGit) -> None:
        self._dot_git = dot_git

    @classmethod
    def around(cls, folder: str) -> "GitTree":
        """The tree that holds a folder. Raises GitNotConfiguredError where there is none."""
        return cls(find_dot_git(folder))

    @property
    def dot_git(self) -> DotGit:
        """Where its git folder is."""
        return self._dot_git

    @property
    def branch_maker(self) -> GitBranchMaker:
        """What makes review branches in the same repository."""
        return GitBranchMaker(self._dot_git)

    @property
    def root(self) -> str:
        return str(self._dot_git.root)

    def checked_out(self) -> CheckedOut:
        head = self._dot_git.head()
        with private_view(self._dot_git) as view:
            commit = head_commit(view)
        return CheckedOut(commit, head.removeprefix("refs/heads/") if head.startswith("refs/") else None)

    def untracked(self) -> frozenset[str]:
        with private_view(self._dot_git) as view:
            return frozenset(look(view).untracked)

    def snapshot(self, rules: KeepRules, spared: frozenset[str] = frozenset()) -> Snapshot | None:
        with private_view(self._dot_git) as view:
            head = head_commit(view)
            return None if head is None else snapshot(view, head, rules, spared)

    def keep(self, effect: KeepChange) -> Kept:
        with locked_view(self._dot_git) as (view, lock):
            return keep(view, lock, effect)

    def restore(self, effect: RestoreBaseline) -> Restored:
        with locked_view(self._dot_git) as (view, lock):
            if head_commit(view) is None:
                raise GitNotConfiguredError("The branch has no commit yet.", hint="Make the first one: git add -A && git commit")
            return restore(view, lock, effect, KeepRules(("**",), 0).looks_secret)
