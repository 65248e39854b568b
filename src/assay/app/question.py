"""From an event to the question that it asks: which commits, under whose config, with how much trust."""

from typing import assert_never

from assay.app.commits import Commits
from assay.core.comment_command import Command
from assay.core.event import Event, MergeGroup, PullRequest, Push
from assay.core.forge_facts import PullFacts
from assay.core.inputs import Inputs
from assay.core.model import Trust
from assay.core.values import dataclass
from assay.errors import UsageError
from assay.ports import Repo, Store

FIRST_PARENTS = 500
"""So far back a push looks for the last commit that was measured."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """The event leaves nothing to do, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be judged.

    `base` is what head's merge base is sought with, `base_name` what people call it; without one it is left to the history of
    head, as after a push. `rules` is the
    commit whose config is in force; from `extras`, if any, come benchmarks that it lacks. `branch` decides on the policy,
    `number` is the pull request's. `pinned` is the head that must not have moved, None where it cannot or was chosen by hand;
    `vouched` is whether somebody with rights has named this very head in full. `into` is the branch that the pull request goes into.
    """

    head: str
    base: str | None
    base_name: str
    branch: str | None
    trust: Trust
    rules: str
    extras: str | None = None
    number: int | None = None
    pinned: str | None = None
    to_default: bool = False
    vouched: bool = False
    into: str = ""


def ask(event: Event, inputs: Inputs, repo: Repo) -> Question | Nothing:
    """The question of an event. Raises UsageError where a commit of it is not in this clone."""
    match event:
        case PullRequest():
            return _of_pull_request(event, inputs, repo)
        case MergeGroup():
            return _of_merge_group(event, inputs, repo)
        case Push():
            return _of_push(event, inputs, repo)
        case _:
            assert_never(event)


def _of_pull_request(event: PullRequest, inputs: Inputs, repo: Repo) -> Question | Nothing:
    if event.action == "closed":
        return Nothing(f"Pull request {event.number} was closed, so there is nothing to check.")
    head = repo.resolve(inputs.head or event.head_sha)
    return Question(
        head=head,
        base=repo.resolve(inputs.base or event.base_sha),
        base_name=inputs.base or event.base_ref,
        # a fork's author chooses its branch's name, which must not choose the policy
        branch=None if event.fork else event.head_ref,
        trust=Trust.FORK if event.fork else Trust.MEMBER,
        rules=repo.resolve(event.base_sha),
        extras=None if event.fork else head,
        number=event.number,
        pinned=None if inputs.head else event.head_sha,
        into=event.base_ref,
    )


def _of_merge_group(event: MergeGroup, inputs: Inputs, repo: Repo) -> Question | Nothing:
    if event.action == "destroyed":
        return Nothing("The merge group was dissolved, so there is nothing to check.")
    head = repo.resolve(inputs.head or event.head_sha)
    base = repo.resolve(event.base_sha)
    return Question(
        head=head,
        base=repo.resolve(inputs.base) if inputs.base else base,
        base_name=inputs.base or event.base_ref.removeprefix("refs/heads/"),
        branch=None,
        trust=Trust.MEMBER,
        rules=base,
        extras=head,
    )


def _of_push(event: Push, inputs: Inputs, repo: Repo) -> Question | Nothing:
    if event.deleted:
        return Nothing("The branch was deleted, so there is nothing to check.")
    after = repo.resolve(event.after)
    head = repo.resolve(inputs.head) if inputs.head else after
    base = repo.resolve(inputs.base) if inputs.base else None
    if event.to_default:
        trust = Trust.DEFAULT if head == after else Trust.MEMBER
        return Question(head, base, inputs.base or "", event.branch, trust, rules=after, to_default=True)
    return Question(head, base, inputs.base or "", event.branch, Trust.MEMBER, rules=_rules_of_branch(event, repo, after), extras=head)


def _rules_of_branch(event: Push, repo: Repo, after: str) -> str:
    """The default branch where this clone has it, else the commit before, which the push did not bring alone."""
    try:
        return repo.resolve(f"refs/remotes/origin/{event.default_branch}")
    except UsageError:
        return repo.first_parent(after) or after


def question_of_pull(pull: PullFacts, repo: Repo, command: Command) -> Question:
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
        into=pull.base_ref,
    )


def _named(repo: Repo, ref: str) -> str:
    """A branch as the remote has it, else whatever git knows by that name."""
    try:
        return repo.resolve(f"refs/remotes/origin/{ref}")
    except UsageError:
        return repo.resolve(ref)


def commits_of(question: Question, repo: Repo, store: Store, benchmarks: tuple[str, ...]) -> Commits | Nothing:
    """Base and head. Raises InfrastructureError where the history at hand ends before their merge base.

    After a push to the default branch base is the nearest first-parent ancestor of which a clean run of any of these
    benchmarks is stored, so that what a cancelled job did not judge is judged now; else the commit before.
    """
    head = question.head
    if question.base is not None:
        start = repo.merge_base(question.base, head)
        return Commits(start, head, question.branch, (f"Base is {start[:10]}, where head left {question.base_name}.",))
    before = repo.first_parent(head)
    if before is None:
        return Nothing(f"Commit {head[:10]} is the first of its history, so there is nothing to judge it against.")
    measured = _measured_ancestor(question, repo, store, benchmarks)
    if measured is not None:
        return Commits(measured, head, question.branch, (f"Base is {measured[:10]}, the nearest commit before head that has a run.",))
    return Commits(before, head, question.branch, (f"Base is {before[:10]}, the commit before head.",))


def _measured_ancestor(question: Question, repo: Repo, store: Store, benchmarks: tuple[str, ...]) -> str | None:
    if not question.to_default:
        return None
    before = repo.first_parents(question.head, FIRST_PARENTS)
    measured = store.measured(benchmarks, before)
    return next((commit for commit in before if commit in measured), None)
