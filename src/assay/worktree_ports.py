"""What the order of work needs of the places where commits are laid out. Protocols only; tests have one fake each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from assay.core.values import dataclass

if TYPE_CHECKING:  # a command loads what it uses, not all that a port speaks of
    from collections.abc import Mapping

    from assay.core.config import Benchmark
    from assay.core.model import Side
    from assay.core.process import Account


@dataclass(frozen=True, slots=True)
class Worktree:
    """A commit laid out on disk, with the environment that its processes run in.

    `cwd` is the benchmark's working directory inside `root`. What is the user's: nothing below `read_only`, and in setup
    nothing below `read_only_in_setup`, may be written to, save below `writable`.
    `notes` are sentences for the report: what could not be had, such as another user account.
    """

    side: Side
    commit: str
    root: str
    cwd: str
    env: Mapping[str, str]
    account: Account | None = None
    notes: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    read_only_in_setup: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()


class Worktrees(Protocol):
    """Makes and removes the worktrees of one check. The user's own checkout is never one of them."""

    def prepare(self, side: Side, commit: str, benchmark: Benchmark) -> Worktree:
        """Check the commit out at its full sha, with inputs and caches linked and an environment of its own.

        Raises UsageError for an input that does not exist, UnfitCommitError for a commit that cannot take this benchmark,
        such as one without its `workdir` or with a file of its own in an input's place, InfrastructureError where git or the disk refuses.
        """
        ...

    def enter(self, worktree: Worktree) -> None:
        """Its processes come next: no other worktree can be reached from now on, as far as this system lets us see to it."""
        ...

    def leave(self, worktree: Worktree) -> tuple[str, ...]:
        """Its process has ended: what has meanwhile changed in the other worktrees, by side and path. The paths are untrusted."""
        ...

    def changed_files(self, worktree: Worktree) -> tuple[str, ...]:
        """The tracked files of a worktree that are no longer those of its commit. They are untrusted."""
        ...

    def shared_state(self) -> Mapping[str, str]:
        """A fingerprint of everything outside the worktrees that a setup could change for both sides.

        Two equal answers, before and after setup, are the evidence that the sides are isolated. Keys are paths for people.
        """
        ...

    def foreign_editables(self, worktree: Worktree) -> tuple[str, ...]:
        """Packages that a process in this worktree would import from the user's own checkout."""
        ...

    def input_identities(self, benchmark: Benchmark) -> Mapping[str, str]:
        """For each input path its identity: a hash for what is small enough to read, else sizes and times."""
        ...
