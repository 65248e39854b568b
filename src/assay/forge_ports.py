"""What the order of work needs of a forge and of its jobs. Protocols only; adapters satisfy them, tests have one fake each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from assay.core.values import dataclass

if TYPE_CHECKING:  # a command loads what it uses, not all that a port speaks of
    from collections.abc import Mapping
    from datetime import datetime

    from assay.core.branch_rules import BranchFacts
    from assay.core.check_run import CheckRun
    from assay.core.effects import EditIssue, OpenIssue, ProposeFile
    from assay.core.forge_facts import Notice, Permission, PullFacts, Reaction, RunState
    from assay.core.loose_ends import LooseEnd, LooseEnds, Opened, Owed


@dataclass(frozen=True, slots=True)
class Posted:
    """Something that now stands on the forge."""

    id: int
    url: str


class Jobs(Protocol):
    """The runs of workflows in the repository. All raise ForgeError."""

    def unfinished(self) -> frozenset[int]:
        """The runs that wait or go on."""
        ...

    def unfinished_on(self, commit: str) -> frozenset[int]:
        """Those that a pull request with this head started and that are ours: one has a check run or an artifact of Assay's."""
        ...

    def end(self, run: int) -> bool:
        """Ask for the end of a run. False where it has ended already."""
        ...


class Forge(Jobs, Protocol):
    """The forge, as far as reporting needs it. Each call is idempotent: it finds its own earlier work and updates it.

    All raise ForgeError (an InfrastructureError) that tells a missing permission from an outage.
    """

    def upsert_comment(self, number: int, body: str, marker: str, known: int | None = None, since: datetime | None = None) -> Posted:
        """Make or update our one comment on a pull request; `known` is the id under which it was seen last.

        It is ours only if `marker` is at the very start of its body and its author is our own login and a bot. With `since` one
        that was changed after that moment is left as it is: it says something newer.
        """
        ...

    def update_comment(self, number: int, body: str, marker: str, known: int | None = None, since: datetime | None = None) -> Posted | None:
        """Bring our one comment up to date if there is one; None where there is none."""
        ...

    def withdraw_comment(self, comment: int) -> None:
        """Remove a comment of ours that should not have been made; one that is gone is as good."""
        ...

    def open_check(self, name: str, commit: str, external_id: str, title: str, *, new: bool = False) -> Posted:
        """Make a check run `in_progress`, or find the one with this name and `external_id` on that commit.

        A `new` one has an id that nobody can have used before, so it is not looked for first.
        """
        ...

    def close_check(self, check: Posted | None, payload: CheckRun) -> Posted:
        """Complete a check run; without one that was opened, make it completed."""
        ...

    def end_check(self, payload: CheckRun, *, make: bool) -> Posted | None:
        """Complete the check run of that name and `external_id`, unless it is completed already.

        Where the commit has none, one is made if asked for, else the answer is None.
        """
        ...

    def run_state(self, run: int) -> RunState:
        """Whether a workflow run still goes on; unknown where the token may not ask, or there is none of that number."""
        ...

    def head_of(self, number: int) -> str:
        """The sha that the head of a pull request is at now."""
        ...

    def pull(self, number: int) -> PullFacts:
        """A pull request as it is now."""
        ...

    def pull_of_branch(self, owner: str, branch: str, commit: str) -> PullFacts | None:
        """The one open pull request from that branch of that owner's whose head is this commit; None where there is none, or several."""
        ...

    def artifacts(self, run: int, prefix: str) -> Mapping[str, bytes]:
        """What a run of a workflow uploaded under names that begin so: zip files of strangers."""
        ...

    def permission_of(self, login: str) -> Permission:
        """What somebody may do here. An answer that is not understood is a ForgeError, never a permission."""
        ...

    def pushed(self, branch: str, commit: str) -> datetime | None:
        """When a branch of this repository last came to a commit, by whatever kind of push; None where the forge cannot tell."""
        ...

    def label(self, number: int, name: str) -> None:
        """Put a label on a pull request; one that is there already is enough."""
        ...

    def branch_facts(self, branch: str, into: str) -> BranchFacts:
        """What bears on writing to a branch of this repository whose pull request goes into `into`."""
        ...

    def react(self, comment: int, reaction: Reaction) -> None:
        """Put our reaction beside a comment; one that is there already is enough."""
        ...


class Notices(Protocol):
    """Issues of ours, and pull requests that change a file: what speaks to everybody and not under one pull request.

    All raise ForgeError. Something is ours only if its author is our own login and a bot.
    """

    def issues(self) -> tuple[Notice, ...]:
        """Our issues, open and closed, the newest change first; as many as one page has."""
        ...

    def open_issue(self, effect: OpenIssue, marker: str) -> Posted:
        """Make an issue whose body begins with this marker, or find the open one that does."""
        ...

    def edit_issue(self, effect: EditIssue) -> None: ...

    def propose(self, effect: ProposeFile) -> Posted:
        """The pull request. Nothing is sent where all of it is there already, and nothing is ever pushed by force."""
        ...


class Ends(Protocol):
    """Keeps what a job has begun, and what it could not post, for the job after it.

    All raise InfrastructureError where the disk refuses.
    """

    def begin(self, opened: Opened) -> None:
        """Write ahead that something begins; it is out of this machine when this returns, if the store can be reached at all."""
        ...

    def owe(self, owed: Owed) -> None:
        """Keep a report that is still to be posted, in place of an older one for the same place."""
        ...

    def settle(self, end: LooseEnd) -> None:
        """Forget a loose end, which is tied up, unless a newer one has taken its place."""
        ...

    def found(self) -> LooseEnds:
        """All that are known, of all jobs, this one included."""
        ...


class JobFiles(Protocol):
    """What a step of a GitHub job leaves behind: its summary and its outputs."""

    def summary(self, text: str) -> None: ...

    def output(self, name: str, value: str) -> None: ...
