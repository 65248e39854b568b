"""A command that was heard, and what its handler has at hand. Everything that costs something is made when it is first asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.app.purse import Purse
from assay.app.question import question_of_pull
from assay.app.rules import Rules, rules_of
from assay.core.comment_command import Command
from assay.core.event import Comment
from assay.core.forge_facts import Permission, PullFacts
from assay.core.inputs import Inputs
from assay.core.values import dataclass
from assay.forge_ports import Forge
from assay.ports import Clock, Repo
from assay.queue_ports import QueueBook
from assay.spend_ports import CommandStore

if TYPE_CHECKING:  # both know of orders, which are made with an office
    from assay.app.action import Bureau
    from assay.app.house import House
    from assay.app.pull_session import PullBook
    from assay.core.config import Config
    from assay.core.loop.status import Status

Bring = Callable[[PullFacts], None]
"""Sees that head and base of a pull request are in this clone."""


@dataclass(frozen=True, slots=True)
class Unheard:
    """Nothing follows from the comment, and why: for the log alone, or told to the author as well."""

    reason: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A command of somebody who may give it, with its pull request as it was read once."""

    comment: Comment
    command: Command
    pull: PullFacts
    permission: Permission


@dataclass(frozen=True, slots=True)
class Office:
    """What a job has for comments.

    `job` is the run of the workflow that this is. `house` and `bureau` are for handlers that need more than a look into the store,
    `report` makes the status report of a commit.
    A handler starts no code of a pull request's.
    """

    forge: Forge
    repo: Repo
    inputs: Inputs
    bring: Bring
    store: Callable[[], CommandStore]
    clock: Clock
    house: "Callable[[Config], House]"
    bureau: "Callable[[House, Config], Bureau]"
    report: "Callable[[Config, str], Status]"
    queue: Callable[[], QueueBook]
    pulls: "Callable[[], PullBook]"
    job: int | None = None

    @property
    def purse(self) -> Purse:
        return Purse(self.store(), self.clock)

    def rules(self, heard: Heard) -> Rules:
        """The rules that hold for the pull request, whose commits are fetched. Raises UsageError where there are none."""
        self.bring(heard.pull)
        return rules_of(question_of_pull(heard.pull, self.repo, heard.command), self.repo, self.inputs.config)


Handler = Callable[[Heard, Office], str]
"""Does what a command says, and gives the reply as Markdown (made by `core.replies`), empty where a reaction is enough.

A UsageError that it raises is the reply to a command that is refused; any other error ends the job.
"""
