"""Which one thing to do next: nine kinds, of which the first whose condition holds is taken. Exactly one always does."""

from collections.abc import Callable

from assay.core.loop.authority import Lag
from assay.core.loop.cells import Cell
from assay.core.loop.vocabulary import ActionKind
from assay.core.model import Conclusion
from assay.core.numbers import count
from assay.core.result import ReuseVerdict
from assay.core.timestamp import stamp
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Action:
    """The next action: what to type, and why."""

    kind: ActionKind
    command: str
    detail: str


@dataclass(frozen=True, slots=True)
class Situation:
    """What the choice depends on. `reused` are the due tasks for which a stored run answers, `verdict` is that of the first."""

    unreadable: tuple[tuple[str, str], ...]
    runs: int
    problem: str
    next: Cell | None
    reused: tuple[str, ...]
    verdict: ReuseVerdict | None
    lag: Lag
    cells: tuple[Cell, ...]


def choose(at: Situation) -> Action:
    """The first rung that holds; the last one always does."""
    for kind, holds, say in _LADDER:
        if holds(at):
            return Action(kind, *say(at))
    raise AssertionError("the last rung always holds")


CONCLUSIONS = {
    ActionKind.REFRESH_CATALOG: Conclusion.ACTION_REQUIRED,
    ActionKind.POPULATE_CATALOG: Conclusion.ACTION_REQUIRED,
    ActionKind.FIX_BACKLOG: Conclusion.ACTION_REQUIRED,
    ActionKind.MANUAL_COLLECT: Conclusion.NEUTRAL,
    ActionKind.REUSE_RUN: Conclusion.SUCCESS,
    ActionKind.COLLECT_LOCAL: Conclusion.NEUTRAL,
    ActionKind.PUBLISH_AUTHORITY: Conclusion.NEUTRAL,
    ActionKind.RESOLVE_CAPABILITY: Conclusion.NEUTRAL,
    ActionKind.REVIEW_STATUS: Conclusion.SKIPPED,
}
"""What the check run `assay: status` concludes with."""


def _refresh(at: Situation) -> tuple[str, str]:
    path, why = at.unreadable[0]
    more = f", and {len(at.unreadable) - 1} more" if len(at.unreadable) > 1 else ""
    return "assay store flush", f"The store cannot be read at {path}: {why}{more}. Repair or remove it, or fetch the data branch again."


def _populate(at: Situation) -> tuple[str, str]:
    nothing = "No run of any benchmark is stored yet."
    if at.next and not at.next.task.runs_by_itself:
        return at.next.task.recipe, f"{nothing} {at.next.task.title} is for a person to start."
    ready = f"The best due task is {at.next.task.id}." if at.next else "No task is due here."
    return "assay loop --apply --max 1", f"{nothing} {ready}"


def _fix(at: Situation) -> tuple[str, str]:
    return "assay status --json", at.problem


def _manual(at: Situation) -> tuple[str, str]:
    passed = f" Stored runs answer for {', '.join(at.reused)}." if at.reused else ""
    return _next(at).task.recipe, f"{_next(at).task.title} is for a person to start: {_next(at).reason}.{passed}"


def _reuse(at: Situation) -> tuple[str, str]:
    run = at.verdict.run_id if at.verdict else "a stored run"
    detail = f"{count(len(at.reused), 'due task is', 'due tasks are')} answered by stored runs, the first by {run}. To measure all the same"
    return f"assay reuse --benchmark {at.reused[0]} --explain", f"{detail}: ASSAY_NO_REUSE=1 assay loop --apply"


def _collect(at: Situation) -> tuple[str, str]:
    passed = f" Stored runs answer for {', '.join(at.reused)}." if at.reused else ""
    return "assay loop --apply", f"{_next(at).task.id} is due: {_next(at).reason}.{passed}"


def _publish(at: Situation) -> tuple[str, str]:
    lag = at.lag
    since = lag.problem or f"the published table goes up to {lag.through}"
    return "assay publish", f"{count(lag.newer, 'result is', 'results are')} not public yet: {since}."


def _resolve(at: Situation) -> tuple[str, str]:
    gaps = sorted({one.gap or one.reason for one in at.cells})
    return "assay doctor", f"No task can run on this machine. What is lacking: {', '.join(gaps) or 'any task'}."


def _review(at: Situation) -> tuple[str, str]:
    later = min((one.until for one in at.cells if one.until), default=None)
    ahead = f" The first of them changes at {stamp(later)}." if later else ""
    return "assay walk", f"Nothing is due.{ahead}"


def _next(at: Situation) -> Cell:
    if at.next is None:
        raise AssertionError("this rung holds only where there is a next task")
    return at.next


_Rung = tuple[ActionKind, Callable[[Situation], bool], Callable[[Situation], tuple[str, str]]]
_LADDER: tuple[_Rung, ...] = (
    (ActionKind.REFRESH_CATALOG, lambda at: bool(at.unreadable), _refresh),
    (ActionKind.POPULATE_CATALOG, lambda at: at.runs == 0, _populate),
    (ActionKind.FIX_BACKLOG, lambda at: bool(at.problem), _fix),
    (ActionKind.MANUAL_COLLECT, lambda at: at.next is not None and not at.next.task.runs_by_itself, _manual),
    (ActionKind.REUSE_RUN, lambda at: bool(at.reused) and at.next is None, _reuse),
    (ActionKind.COLLECT_LOCAL, lambda at: at.next is not None, _collect),
    (ActionKind.PUBLISH_AUTHORITY, lambda at: at.lag.newer > 0, _publish),
    (ActionKind.RESOLVE_CAPABILITY, lambda at: not any(one.feasible for one in at.cells), _resolve),
    (ActionKind.REVIEW_STATUS, lambda _: True, _review),
)
