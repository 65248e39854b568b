"""What a job is to do: the question of its event, under which rules, with which of its inputs changed by a command."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from assay.app.check import choose
from assay.app.command import Ear, Heard, Unheard, question_of
from assay.app.question import Nothing, Question, ask
from assay.app.rules import Rules, rules_of
from assay.core import replies
from assay.core.command_config import with_command
from assay.core.event import Comment, Started
from assay.core.forge_facts import PullFacts
from assay.core.inputs import Inputs
from assay.errors import UsageError
from assay.ports import Forge, Repo


@dataclass(frozen=True, slots=True)
class Order:
    """A question with the rules that it is judged by. `forced_by` says who asked for a fresh run, None where nobody did."""

    question: Question
    rules: Rules
    inputs: Inputs
    forced_by: str | None = None


def order_of(event: Started, inputs: Inputs, repo: Repo, forge: Forge, bring: Callable[[PullFacts], None]) -> Order | Nothing:
    """What an event orders. `bring` has to see that head and base of a pull request are in this clone.

    Raises UsageError for an event that cannot be acted upon; what is wrong with a command is answered instead.
    """
    if isinstance(event, Comment):
        return _commanded(Ear(forge, inputs.bot_login), event, inputs, repo, bring)
    question = ask(event, inputs, repo)
    return question if isinstance(question, Nothing) else Order(question, rules_of(question, repo, inputs.config), inputs)


def _commanded(ear: Ear, comment: Comment, inputs: Inputs, repo: Repo, bring: Callable[[PullFacts], None]) -> Order | Nothing:
    heard = ear.hear(comment)
    if isinstance(heard, Heard):
        try:
            found = _obeyed(ear, heard, inputs, repo, bring)
        except UsageError as error:
            found = ear.refuse(comment, replies.refusal(error.message, error.hint or ""))
        if isinstance(found, Order):
            return found
        heard = found
    return Nothing(" ".join((heard.reason, *ear.told)))


def _obeyed(ear: Ear, heard: Heard, inputs: Inputs, repo: Repo, bring: Callable[[PullFacts], None]) -> Order | Unheard:
    bring(heard.pull)
    question = question_of(heard, repo)
    rules = rules_of(question, repo, inputs.config)
    choose(rules.config, heard.command.benchmarks)
    config = with_command(rules.config, heard.command)
    refused = ear.admit(heard, rules.config, inputs.allow_forks)
    if refused is not None:
        return refused
    names = heard.command.benchmarks or inputs.benchmarks
    return Order(question, replace(rules, config=config), replace(inputs, benchmarks=names), heard.forced_by)
