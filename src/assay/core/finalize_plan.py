"""Which kept runs of a session go into which review branch."""

import re
from collections.abc import Iterable, Sequence

from assay.core import escape, numbers
from assay.core.canonical import loads
from assay.core.data_ref import is_safe_ref
from assay.core.effects import BranchWish
from assay.core.experiment_errors import NoKeptRunsError, PlanError
from assay.core.experiment_state import SessionState, Trial
from assay.core.values import dataclass

MAX_SLUG = 40
_GROUP_KEYS = {"title", "branch", "runs"}
_HINT = 'A plan is JSON such as {"groups": [{"title": "Tiling", "runs": ["run-…", "run-…"]}]}'


@dataclass(frozen=True, slots=True)
class Group:
    """The kept runs of one branch, in the order of their commits."""

    title: str
    branch: str
    trials: tuple[Trial, ...]

    @property
    def runs(self) -> tuple[str, ...]:
        return tuple(one.run for one in self.trials)

    @property
    def commits(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.newest.commit for one in self.trials if one.newest.commit))

    @property
    def wish(self) -> BranchWish:
        return BranchWish(self.branch, self.title, self.commits)


@dataclass(frozen=True, slots=True)
class Plan:
    """All groups, and what a person should know of what is in none of them."""

    groups: tuple[Group, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroupWish:
    """A group as a person has written it down."""

    title: str | None
    branch: str | None
    runs: tuple[str, ...]


def parse_plan(text: str) -> tuple[GroupWish, ...]:
    """The groups of a plan file. Raises PlanError that says which of them is wrong."""
    try:
        document = loads(text)
    except ValueError as error:
        raise PlanError(f"The plan is no JSON: {error}.", hint=_HINT) from error
    groups = document.get("groups") if isinstance(document, dict) else None
    if not isinstance(groups, list) or not groups or (isinstance(document, dict) and set(document) != {"groups"}):
        raise PlanError("The plan has no list `groups`, or something beside it.", hint=_HINT)
    return tuple(_group_wish(number, one) for number, one in enumerate(groups, 1))


def plan_groups(state: SessionState, wishes: Sequence[GroupWish] | None = None) -> Plan:
    """The groups of a session: as wished, else by `asi.group`, else by segment. Raises NoKeptRunsError, PlanError."""
    with_commit = [one for one in state.kept if one.newest.commit]
    if not with_commit:
        raise NoKeptRunsError(
            f"{state.journal.id} has no kept run with a commit, so there is nothing to finalize.", hint="Keep a run first."
        )
    named = _wished(with_commit, wishes) if wishes is not None else _by_asi(with_commit)
    groups = tuple(_named_groups(state.journal.id, named))
    _require_distinct(groups)
    return Plan(groups, tuple(_warnings(state, groups)))


def slug(title: str) -> str:
    """A title as a part of a branch's name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:MAX_SLUG].strip("-") or "group"


def _group_wish(number: int, value: object) -> GroupWish:
    if not isinstance(value, dict) or not set(value) <= _GROUP_KEYS:
        raise PlanError(f"Group {number} of the plan has other keys than {', '.join(sorted(_GROUP_KEYS))}.", hint=_HINT)
    title, branch, runs = value.get("title"), value.get("branch"), value.get("runs")
    if not isinstance(runs, list) or not runs or not all(isinstance(run, str) for run in runs):
        raise PlanError(f"Group {number} of the plan names no runs.", hint=_HINT)
    if not all(text is None or (isinstance(text, str) and text.strip()) for text in (title, branch)):
        raise PlanError(f"Group {number} of the plan has a title or a branch that is no text.", hint=_HINT)
    return GroupWish(title, branch, tuple(runs))


def _wished(kept: Sequence[Trial], wishes: Sequence[GroupWish]) -> list[tuple[str, str | None, tuple[Trial, ...]]]:
    by_id = {one.run: one for one in kept}
    named = [run for wish in wishes for run in wish.runs]
    if unknown := [run for run in named if run not in by_id]:
        raise PlanError(f"The plan names {escape.plain(unknown[0], 60)}, which is no kept run with a commit.", hint="Name kept runs only.")
    if twice := [run for run in named if named.count(run) > 1]:
        raise PlanError(f"The plan names {twice[0]} twice.", hint="A run belongs to one group.")
    return [(wish.title or f"Group {number}", wish.branch, tuple(by_id[run] for run in wish.runs)) for number, wish in enumerate(wishes, 1)]


def _by_asi(kept: Iterable[Trial]) -> list[tuple[str, str | None, tuple[Trial, ...]]]:
    groups: dict[tuple[str, str], list[Trial]] = {}
    for one in kept:
        named = one.newest.asi.get("group")
        title = named.strip() if isinstance(named, str) else ""
        groups.setdefault(("asi", title) if title else ("segment", f"Segment {one.segment}"), []).append(one)
    return [(title, None, tuple(trials)) for (_, title), trials in groups.items()]


def _named_groups(session: str, named: Iterable[tuple[str, str | None, tuple[Trial, ...]]]) -> Iterable[Group]:
    for number, (title, branch, trials) in enumerate(named, 1):
        name = branch or f"experiment/{session.lower()}/{slug(title)}-{number}"
        if not is_safe_ref(f"refs/heads/{name}"):
            raise PlanError(f"{escape.plain(name, 80)!r} is no safe name of a branch.", hint="Use letters, digits, - _ . and / alone.")
        yield Group(escape.plain(title, 100), name, trials)


def _require_distinct(groups: Sequence[Group]) -> None:
    names = [one.branch for one in groups]
    if twice := [name for name in names if names.count(name) > 1]:
        raise PlanError(f"Two groups want the branch {twice[0]}.", hint="Give each group a branch of its own.")


def _warnings(state: SessionState, groups: Sequence[Group]) -> Iterable[str]:
    planned = {run for group in groups for run in group.runs}
    for one in state.kept:
        if not one.newest.commit:
            yield f"{one.run} was kept without a commit, so it is in no branch."
        elif one.run not in planned:
            yield f"{one.run} is kept and in no group of the plan."
    if waiting := [one for one in state.trials if not one.settled]:
        yield f"{numbers.count(len(waiting), 'run')} without an outcome, such as {waiting[0].run}."
