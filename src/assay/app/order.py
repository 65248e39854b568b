"""What a job is to do: the question of its event, under which rules, with which of its inputs changed by a command."""

from collections.abc import Callable
from dataclasses import field, replace

from assay.app.check import choose
from assay.app.command import Ear, vouched, who_forced
from assay.app.command_table import TABLE
from assay.app.office import Bring, Heard, Office, Unheard
from assay.app.question import Nothing, Question, ask, question_of_pull
from assay.app.rules import Rules, rules_of
from assay.core import replies
from assay.core.command_config import with_command
from assay.core.comment_command import Command, Verb, parse_comment
from assay.core.event import Comment, Event, Started, Timer, WorkflowRun, never_runs
from assay.core.forge_facts import Permission, PullFacts
from assay.core.inputs import Inputs
from assay.core.values import dataclass
from assay.errors import UsageError
from assay.forge_ports import Forge
from assay.ports import Repo

NO_COMMAND = Command(Verb.RUN)
_NO_CHECK = "A schedule or a dispatch starts the control loop, which is no check of a change: there is nothing to plan or report."
_LET_DECIDE = "Leave the input mode out, or give mode: schedule."


@dataclass(frozen=True, slots=True)
class Order:
    """A question with the rules that it is judged by, in which what a command changes of the config is changed.

    `forced_by` says who asked for a fresh run, None where nobody did.
    """

    question: Question
    rules: Rules
    inputs: Inputs
    command: Command = field(default=NO_COMMAND)
    forced_by: str | None = None


def order_of(event: Started, office: Office) -> Order | Nothing:
    """What an event orders to run. The store is opened for a command alone.

    Raises UsageError for an event that cannot be acted upon; what is wrong with a command is answered instead.
    """
    match event:
        case Comment():
            return _commanded(Ear(office.forge, office.inputs.bot_login), event, office)
        case WorkflowRun():
            raise never_runs("workflow_run")
        case Timer():
            raise UsageError(_NO_CHECK, hint=_LET_DECIDE)
        case _:
            return _asked(event, office.inputs, office.repo)


def _asked(event: Event, inputs: Inputs, repo: Repo) -> Order | Nothing:
    question = ask(event, inputs, repo)
    return question if isinstance(question, Nothing) else Order(question, rules_of(question, repo, inputs.config), inputs)


def reported_order(
    event: Started, inputs: Inputs, repo: Repo, forge: Forge, bring: Bring, pinned: Callable[[], str | None] = lambda: None
) -> Order | Nothing:
    """What was ordered by an event whose cells are to be reported. Nothing is run for it, so nobody is asked to vouch again.

    The input `head`, which a workflow hands on from the job that planned, is the commit that a command had pinned;
    where it is empty, since nothing had to run, `pinned` looks it up.
    """
    match event:
        case Comment():
            return _reported_command(event, inputs, repo, forge, bring, pinned)
        case WorkflowRun():
            pull = forge.pull_of_branch(event.head_owner, event.head_branch, event.head_sha)
            if pull is None:
                return Nothing("No open pull request has the head that the workflow ran on, so there is nowhere to report to.")
            return _ordered(pull, NO_COMMAND, inputs, repo, bring)
        case Timer():
            raise UsageError(_NO_CHECK, hint=_LET_DECIDE)
        case _:
            return _asked(event, inputs, repo)


def _reported_command(
    comment: Comment, inputs: Inputs, repo: Repo, forge: Forge, bring: Bring, pinned: Callable[[], str | None]
) -> Order | Nothing:
    command = parse_comment(comment.body) if comment.fresh and comment.on_pull and not comment.bot else None
    if not isinstance(command, Command) or command.verb is not Verb.RUN:
        return Nothing("The comment orders no run, so there is nothing to report.")
    if not forge.permission_of(comment.author).covers(Permission.WRITE):
        return Nothing("The author of the comment has no right to write to this repository, so nothing was run for it.")
    pull = forge.pull(comment.number)
    order = _ordered(replace(pull, head_sha=inputs.head or pinned() or pull.head_sha), command, replace(inputs, head=None), repo, bring)
    return replace(order, forced_by=who_forced(comment, command))


def _ordered(pull: PullFacts, command: Command, inputs: Inputs, repo: Repo, bring: Bring) -> Order:
    bring(pull)
    question = question_of_pull(pull, repo, command)
    rules = rules_of(question, repo, inputs.config)
    choose(rules.config, command.benchmarks)
    names = command.benchmarks or inputs.benchmarks
    rules = replace(rules, config=with_command(rules.config, command))
    return Order(question, rules, replace(inputs, benchmarks=names), command)


def _commanded(ear: Ear, comment: Comment, office: Office) -> Order | Nothing:
    heard = ear.hear(comment)
    if isinstance(heard, Heard):
        try:
            found = _obeyed(ear, heard, office)
        except UsageError as error:
            found = ear.refuse(comment, replies.refusal(error.message, error.hint or ""))
        if isinstance(found, Order):
            return found
        heard = found
    return Nothing(" ".join((heard.reason, *ear.told)))


def _obeyed(ear: Ear, heard: Heard, office: Office) -> Order | Unheard:
    handler = TABLE[heard.command.verb].answer
    if handler is not None:
        return ear.obey(heard, handler, office)
    order = _ordered(heard.pull, heard.command, office.inputs, office.repo, office.bring)
    question = replace(order.question, vouched=vouched(heard, office.purse))
    order = replace(order, question=question, forced_by=who_forced(heard.comment, heard.command))
    return ear.admit(heard, order.rules.config, office) or order
