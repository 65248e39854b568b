"""What becomes of each command: one entry a verb, with who may give it, on which pull requests, and who answers it.

A verb that starts code of the pull request's `orders` a run. All others are answered by their handler in the job that heard them; one
without a handler is not built yet, and says so.
"""

from collections.abc import Mapping

from assay.app import pull_commands
from assay.app.answers import following, status
from assay.app.approve import approve
from assay.app.attempts_log import Campaign
from assay.app.cancel import cancel
from assay.app.explain_head import analyse
from assay.app.office import Handler, Heard, Office
from assay.app.queue_comment import queue
from assay.core import replies
from assay.core.comment_command import Verb
from assay.core.forge_facts import Permission
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """`needs` is the least that the author may do here; `closed` is whether the command is taken on a pull request that is not open."""

    answer: Handler | None = None
    needs: Permission = Permission.WRITE
    closed: bool = False
    orders: bool = False

    @property
    def built(self) -> bool:
        return self.orders or self.answer is not None


def _help(_heard: Heard, _office: Office) -> str:
    return replies.help_text()


def _grant(heard: Heard, office: Office) -> str:
    runs = heard.command.grant or 0
    config = office.rules(heard).config  # without rules there is no limit to raise, and the answer says so
    office.purse.grant(heard.comment.number, heard.comment.author, runs)
    if config.attempts is not None:  # a person has looked at it, so what had stopped may go on
        Campaign(office.store(), office.clock, config, f"pull {heard.comment.number}").grant(runs, heard.comment.author)
    return replies.told(f"The pull request may take {runs} more runs.")


TABLE: Mapping[Verb, Entry] = {
    Verb.RUN: Entry(orders=True),
    Verb.STATUS: Entry(status, closed=True),
    Verb.NEXT: Entry(following, closed=True),
    Verb.KEEP: Entry(pull_commands.keep),
    Verb.DISCARD: Entry(pull_commands.discard),
    Verb.CANCEL: Entry(cancel, closed=True),
    Verb.ANALYSE: Entry(analyse, closed=True),
    Verb.REVIEW: Entry(),
    Verb.APPROVE: Entry(approve),
    Verb.FINALIZE: Entry(pull_commands.finalize, closed=True),
    Verb.GRANT: Entry(_grant, needs=Permission.ADMIN),
    Verb.QUEUE: Entry(queue, closed=True),
    Verb.HELP: Entry(_help, closed=True),
}
