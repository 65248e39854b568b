"""From a comment to what it orders: who wrote it, what it says, and at which commit; nothing is executed here.

The order is that of trust. What a stranger wrote costs one question of the forge; only somebody with rights gets an answer in words.
"""

from dataclasses import field

from assay.app.purse import Purse
from assay.app.question import Question
from assay.core import replies
from assay.core.budget import Wish
from assay.core.comment_command import Command, Malformed, Verb, parse_comment
from assay.core.config import Config
from assay.core.event import Comment
from assay.core.forge_facts import Permission, PullFacts, Reaction
from assay.core.inputs import ForkRule, stricter
from assay.core.model import Trust
from assay.core.values import dataclass
from assay.errors import ForgeError, UsageError
from assay.forge_ports import Forge
from assay.ports import Repo

NOT_YET = "This command is not built yet."
_AGAIN = "Look at what is there now, then give the command again."


@dataclass(frozen=True, slots=True)
class Unheard:
    """Nothing follows from the comment, and why: for the log alone, or told to the author as well."""

    reason: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A command of somebody who may write here, on an open pull request, with its head as it was read once."""

    comment: Comment
    command: Command
    pull: PullFacts
    permission: Permission


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
        if parsed.verb is Verb.HELP:
            self.answer(comment, replies.help_text())
            return Unheard("The commands were listed in a reply.")
        if parsed.verb not in (Verb.RUN, Verb.GRANT):
            return self.refuse(comment, replies.refusal(NOT_YET))
        self._react(comment, Reaction.EYES)
        pull = self.forge.pull(comment.number)
        if not pull.open:
            return self.refuse(comment, replies.refusal("The pull request is closed, so nothing is run on it."))
        return Heard(comment, parsed, pull, permission)

    def admit(self, heard: Heard, config: Config, allow_forks: ForkRule, purse: Purse) -> Unheard | None:
        """Why a heard command is not obeyed under the base branch's config, None where it is. An author who is let down is told.

        Its runs are taken from the purse last, when nothing else speaks against it.
        """
        problem = _forbidden(heard, config, allow_forks) or self._unpinned(heard) or purse.take(config.budget, _wish(heard, config))
        if problem:
            return self.refuse(heard.comment, replies.refusal(*problem))
        self._react(heard.comment, Reaction.ROCKET)
        return None

    def grant(self, heard: Heard, runs: int, purse: Purse) -> Unheard:
        """Give the pull request more runs, if the author may."""
        if not heard.permission.covers(Permission.ADMIN):
            return self.refuse(heard.comment, replies.refusal("More runs are granted by somebody with admin rights."))
        purse.grant(heard.comment.number, heard.comment.author, runs)
        self._react(heard.comment, Reaction.ROCKET)
        self.answer(heard.comment, replies.refusal(f"The pull request may take {runs} more runs."))
        return Unheard(f"The pull request was granted {runs} more runs.")

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
        if comment.bot or comment.author == self.bot_login:
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

    def _unpinned(self, heard: Heard) -> tuple[str, str] | None:
        """Why it is not certain that the author saw this head, None where it is: a named sha, or a push before the comment."""
        head, sha = heard.pull.head_sha, heard.command.sha
        if sha:
            return None if sha == head else (f"The head of the pull request is {head}, not the commit that the command names.", _AGAIN)
        if heard.pull.fork:  # the forge keeps no record of when a fork was pushed
            return "A fork's code is run at a commit that the command names in full.", f"Read the change, then add sha={head}."
        try:
            pushed = self.forge.pushed(heard.pull.head_ref, head)
        except ForgeError as error:
            self.told.append(error.message)
            return None
        if pushed is not None and pushed >= heard.comment.created_at:
            return f"Head {head[:10]} was pushed after the command was written.", _AGAIN
        return None


def _forbidden(heard: Heard, config: Config, allow_forks: ForkRule) -> tuple[str, str] | None:
    if not heard.permission.covers(Permission(config.permissions.run)):
        return "Here only somebody with admin rights may start a run.", "`permissions.run` of the config says so."
    if heard.pull.fork and stricter(allow_forks, ForkRule(config.permissions.forks)) is ForkRule.DENY:
        how = "`permissions.forks: sha` in the config and the input `allow-forks: sha` would let it, both."
        return "Code of a fork is not run here.", how
    return None


def _wish(heard: Heard, config: Config) -> Wish:
    chosen = [one for name, one in config.benchmarks.items() if not heard.command.benchmarks or name in heard.command.benchmarks]
    return Wish(heard.comment.number, heard.comment.author, len(chosen), any(one.gpus for one in chosen))


def who_forced(comment: Comment, command: Command) -> str | None:
    """Who asked for a fresh run, None where the command does not."""
    return f"{comment.author} by a comment" if command.no_reuse else None


def question_of(pull: PullFacts, repo: Repo, command: Command) -> Question:
    """What is asked of a pull request: its head against the merge base with its base, or with what `vs=` names.

    Raises UsageError where a commit of it is not in this clone.
    """
    base_sha = repo.resolve(pull.base_sha)
    return Question(
        head=repo.resolve(pull.head_sha),
        base=_named(repo, command.against) if command.against else base_sha,
        base_name=command.against or pull.base_ref,
        branch=None if pull.fork else pull.head_ref,
        trust=Trust.FORK if pull.fork else Trust.MEMBER,
        rules=base_sha,
        extras=None if pull.fork else pull.head_sha,
        number=pull.number,
        pinned=pull.head_sha,
        vouched=command.sha is not None,
    )


def _named(repo: Repo, ref: str) -> str:
    """A branch as the remote has it, else whatever git knows by that name."""
    try:
        return repo.resolve(f"refs/remotes/origin/{ref}")
    except UsageError:
        return repo.resolve(ref)
