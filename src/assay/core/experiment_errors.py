"""What an experiment can be refused for, each with a code that stays the same for programs and a sentence of its own for people."""

from typing import ClassVar

from assay.errors import InfrastructureError, UsageError


class RefusedError(UsageError):
    """A request that cannot be granted as given. Nothing was recorded and nothing changed."""

    code: ClassVar[str] = "refused"


class UnknownSessionError(RefusedError):
    """No session has that id."""

    code = "unknown_session"


class UnknownRunError(RefusedError):
    """The session has no such run, or nothing of that handle is queued or running."""

    code = "unknown_run"


class SessionNotActiveError(RefusedError):
    """The session is being finalized, or has been."""

    code = "session_not_active"


class MaxIterationsError(RefusedError):
    """The segment has had all the runs it may have."""

    code = "max_iterations"


class AlreadyLoggedError(RefusedError):
    """What became of the run is recorded already."""

    code = "already_logged"


class OutcomeRefusedError(RefusedError):
    """The run is not what the outcome takes: no metric, no clean end, no checks, no baseline."""

    code = "outcome_refused"


class TreeBusyError(RefusedError):
    """Something else works in the same tree."""

    code = "tree_busy"


class GitNotConfiguredError(RefusedError):
    """Git is needed, and the folder is in no git repository, or in one that this cannot work on."""

    code = "git_not_configured"


class NoRepositoryError(GitNotConfiguredError):
    """The folder is in no git repository at all."""


class TreeMovedError(RefusedError):
    """The tree or the branch is not what the run left."""

    code = "tree_moved"


class PlanError(RefusedError):
    """The groups of a finalize cannot be made as planned."""

    code = "plan_error"


class ImportRefusedError(RefusedError):
    """A ledger that is not understood."""

    code = "import_error"


class NoKeptRunsError(RefusedError):
    """There is nothing to finalize."""

    code = "no_kept_runs"


class BranchExistsError(RefusedError):
    """A branch that a finalize would make is there already."""

    code = "branch_exists"


class GitConflictError(InfrastructureError):
    """Git cannot do it without losing something. Everything is as it was before."""

    code: ClassVar[str] = "git_conflict"


class RestoreConflictError(GitConflictError):
    """The tree cannot go back to its baseline."""

    code = "restore_conflict"


class MergeBaseError(GitConflictError):
    """The branch and the one it is to be merged into have no common ancestor."""

    code = "merge_base_error"


class CherryPickConflictError(GitConflictError):
    """A kept commit does not apply without others."""

    code = "cherry_pick_conflict"


class HeadMovedError(GitConflictError):
    """Somebody has changed the branch meanwhile."""

    code = "superseded"
