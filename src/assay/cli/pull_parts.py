"""What a job keeps the sessions of pull requests with, and their end when one was merged."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.cli.stores import PUSH_TOKENS
from assay.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.adapters.branch_writer import RemoteBranchWriter
    from assay.adapters.store_branch.remote import Remote
    from assay.app.pull_session import PullBook
    from assay.app.question import Nothing
    from assay.cli.job_parts import Site
    from assay.cli.stores import JobStore
    from assay.core.effects import RestoreCommit


@dataclass(frozen=True, slots=True)
class _Writer:
    """Satisfies `experiment_ports.BranchWriter`. That a checkout is of a kind it cannot work on is nothing to a check that writes none."""

    root: str
    remote: "Remote"

    def restore(self, effect: "RestoreCommit") -> str:
        return self._made().restore(effect)

    def grown_from(self, commit: str, head: str) -> bool:
        return self._made().grown_from(commit, head)

    def _made(self) -> "RemoteBranchWriter":
        from assay.adapters.branch_writer import RemoteBranchWriter
        from assay.adapters.git.dot_git import find_dot_git

        return RemoteBranchWriter(find_dot_git(self.root), self.remote)


def open_pulls(site: "Site", kept: "JobStore") -> "PullBook":
    """The sessions on the data branch, and a writer of branches; made before any foreign code runs, for it reads where `origin` is."""
    from assay.adapters.clock import SystemClock
    from assay.adapters.store_branch import locate, token_for
    from assay.adapters.store_branch.remote import Remote
    from assay.app.pull_session import PullBook
    from assay.cli.job_parts import patient_forge

    place = locate(site.repo.root, trusted=site.trusted)
    remote = Remote.parse(place.remote, site.repo.root, token_for(place.remote, site.tokens))
    return PullBook(
        sessions=kept.store.sessions,
        writer=_Writer(site.repo.root, remote),
        forge=patient_forge(site),
        repo=site.repo,
        clock=SystemClock(),
        push_token=any(site.tokens.get(name, "").strip() for name in PUSH_TOKENS),
    )


def ended(site: "Site", store: "Callable[[], JobStore]") -> "Nothing | None":
    """The end of the sessions of a pull request that was merged; None where the event is another one.

    Raises InfrastructureError where the store cannot be written, save for a fork's event, whose token can only read.
    """
    from assay.app.pull_end import end_sessions
    from assay.app.question import Nothing
    from assay.core.event import PullRequest

    event = site.event
    if not isinstance(event, PullRequest) or not event.ended:
        return None
    try:
        ended = end_sessions(open_pulls(site, store()), event.number, f"Merged into {event.base_ref} at {event.head_sha}.")
    except InfrastructureError as error:
        if not event.fork:
            raise
        return Nothing(f"The sessions of pull request {event.number} stay open: {error.message}")
    return Nothing(f"Pull request {event.number} was merged: {len(ended) or 'no'} session{'s' if len(ended) != 1 else ''} finalized.")
