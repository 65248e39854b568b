"""From a comment to what it orders: who wrote it, what it says, and at which commit; nothing is executed here.

The order is that of trust. What a stranger wrote costs one question of the forge; only somebody with rights gets an answer in words.
"""

from dataclasses import field

from assay.app.command_table import TABLE
from assay.app.office import Handler, Heard, Office, Unheard
from assay.app.purse import Purse
from assay.app.rights import forbidden, unseen
from assay.core import replies
from assay.core.budget import Spent, Wish
from assay.core.comment_command import Command, Malformed, parse_comment
from assay.core.config import Config
from assay.core.event import Comment
from assay.core.forge_facts import Permission, Reaction
from assay.core.values import dataclass
from assay.errors import AssayError, ForgeError, InfrastructureError, UsageError
from assay.forge_ports import Forge

NOT_YET = "This command is not built yet."


@dataclass(frozen=True, slots=True)
class Ear:
    """Hears comments on a repository's pull requests. `told` collects what could not be answered, for the log."""

    forge: Forge
    bot_login: str
    told: list[str] = field(default_factory=list)

    def hear(self, comment: Comment) -> Heard | Unheard:
        """The command of a comment. Raises ForgeError where the pull request cannot be read."""
        if reason := self._deaf_to(comment):
            return Unheard(reason)
        parsed = parse_comment(comment.body)
        if parsed is None:
            return Unheard("No line of the comment is a command.")
        permission = self._permission(comment)
        if not permission.covers(Permission.WRITE):
            self._react(comment, Reaction.CONFUSED)
            return Unheard("The author of the comment has no right to write to this repository, so nothing was done.")
        if isinstance(parsed, Malformed):
            return self.refuse(comment, replies.malformed(parsed))
        entry = TABLE[parsed.verb]
        if not entry.built:
            return self.refuse(comment, replies.refusal(NOT_YET))
        if not permission.covers(entry.needs):
            return self.refuse(comment, replies.refusal(f"The command {parsed.verb} is for somebody with {entry.needs} rights."))
        self._react(comment, Reaction.EYES)
        pull = self.forge.pull(comment.number)
        if not pull.open and not entry.closed:
            return self.refuse(comment, replies.refusal(f"The pull request is closed, and {parsed.verb} is for open ones."))
        return Heard(comment, parsed, pull, permission)

    def admit(self, heard: Heard, config: Config, office: Office) -> Unheard | None:
        """Why a heard command is not obeyed under the base branch's config, None where it is. An author who is let down is told.

        Its runs are taken from the purse last, when nothing else speaks against it.
        """
        purse = office.purse
        try:
            problem = (
                forbidden(heard, config, office.inputs.allow_forks)
                or unseen(heard, self.forge, self.told, vouched=vouched(heard, purse))
                or purse.take(config.budget, _wish(heard, config, office.job), lambda spent: self._running(heard, spent, office.job))
            )
        except InfrastructureError as error:
            self.refuse(heard.comment, replies.refusal(error.message, error.hint))
            raise
        if problem:
            return self.refuse(heard.comment, replies.refusal(*problem))
        self._react(heard.comment, Reaction.ROCKET)
        return None

    def _running(self, heard: Heard, spent: Spent, job: int | None) -> tuple[str, str] | None:
        """That the very same is being done already, None where it is not or the forge cannot tell."""
        begun = spent.jobs(heard.comment.number, (heard.pull.head_sha, heard.command.words)) - {job}
        try:
            going = self.forge.unfinished() & begun if begun else begun
        except ForgeError as error:
            self.told.append(error.message)
            return None
        how = "Wait for its report, or give the command `cancel` first."
        return ("The same command is being obeyed for this very head already.", how) if going else None

    def obey(self, heard: Heard, handler: Handler, office: Office) -> Unheard:
        """Have a command answered. Raises what the handler raises; what is no fault of the command's is said to its author first."""
        try:
            text = handler(heard, office)
        except UsageError:
            raise
        except AssayError as error:
            self.refuse(heard.comment, replies.refusal(error.message, error.hint))
            raise
        self._react(heard.comment, Reaction.ROCKET)
        if text:
            self.answer(heard.comment, text)
        return Unheard(f"The command {heard.command.verb} was obeyed.")

    def answer(self, comment: Comment, text: str) -> None:
        """Our one reply to a comment."""
        marker = replies.reply_marker(comment.comment_id)
        try:
            self.forge.upsert_comment(comment.number, f"{marker}\n{text}\n", marker)
        except ForgeError as error:
            self.told.append(error.message)

    def refuse(self, comment: Comment, text: str) -> Unheard:
        self._react(comment, Reaction.CONFUSED)
        self.answer(comment, text)
        return Unheard("The command was refused, and the reply says why.")

    def _deaf_to(self, comment: Comment) -> str:
        if not comment.fresh:
            return "Only a new comment is obeyed, not one that was edited or deleted."
        if not comment.on_pull:
            return "The comment is not on a pull request."
        if comment.bot or comment.author.casefold() == self.bot_login.casefold():
            return "A program wrote the comment, and programs are not obeyed."
        return ""

    def _permission(self, comment: Comment) -> Permission:
        """What the author may do; nothing where the forge does not say so clearly."""
        try:
            return self.forge.permission_of(comment.author)
        except ForgeError as error:
            self.told.append(error.message)
            return Permission.NONE

    def _react(self, comment: Comment, reaction: Reaction) -> None:
        try:
            self.forge.react(comment.comment_id, reaction)
        except ForgeError as error:
            self.told.append(error.message)


def vouched(heard: Heard, purse: Purse) -> bool:
    """Whether somebody with rights has named this head in full: in the command, or before, of a fork's."""
    return heard.command.sha is not None or (heard.pull.fork and purse.spent().vouched(heard.comment.number, heard.pull.head_sha))


def _wish(heard: Heard, config: Config, job: int | None) -> Wish:
    chosen = [one for name, one in config.benchmarks.items() if not heard.command.benchmarks or name in heard.command.benchmarks]
    gpu = any(one.gpus for one in chosen)
    return Wish(heard.comment.number, heard.comment.author, len(chosen), gpu, heard.pull.head_sha, heard.command.words, job)


def who_forced(comment: Comment, command: Command) -> str | None:
    """Who asked for a fresh run, None where the command does not."""
    return f"{comment.author} by a comment" if command.no_reuse else None
