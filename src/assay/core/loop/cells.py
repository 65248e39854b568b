"""Cells: how each task stands on this class of machines at one moment. All of it follows from the ledger and what is stored."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from assay.core.loop.capabilities import Capabilities, gap_of
from assay.core.loop.claims import Claim
from assay.core.loop.ledger import LedgerRow
from assay.core.loop.task import Task
from assay.core.loop.vocabulary import CellState
from assay.core.numbers import count, duration
from assay.core.timestamp import moment, stamp
from assay.core.values import dataclass

FIRST_BACKOFF = timedelta(hours=1)
LONGEST_BACKOFF = timedelta(hours=8)
HELD_FOR = timedelta(hours=6)
REUSE_HOLDS = timedelta(days=1)
"""A stored run that has answered is not asked again for so long."""

SESSIONS_TO_LEARN = 8
LEARNING_RECHECK = timedelta(days=1)
"""Until a metric has so many sessions each task is due daily: from there comes what is known of its noise."""

NOVELTY_WEIGHT, VALUE_WEIGHT, STALENESS_WEIGHT = 0.45, 0.35, 0.20


@dataclass(frozen=True, slots=True)
class History:
    """What is known of a task on a class of machines.

    `gathered_at` is its newest datum, from the ledger or measured by any other command; `failures` counts those since. `held_at`
    is the newest hold of this very box, `gap_at` when that gap was last written down by any box of the class.
    """

    gathered_at: datetime | None = None
    failures: int = 0
    failed_at: datetime | None = None
    held_at: datetime | None = None
    held_by: str = ""
    reuses: int = 0
    reused_at: datetime | None = None
    sessions: int = 0
    gaps: tuple[tuple[str, datetime], ...] = ()

    def gap_at(self, gap: str) -> datetime | None:
        """When that gap was last written down."""
        return max((at for name, at in self.gaps if name == gap), default=None)


@dataclass(frozen=True, slots=True)
class Cell:
    """A task, how it stands, and why. `until` is when that ends by itself."""

    task: Task
    state: CellState
    score: float
    reason: str
    until: datetime | None = None
    gap: str = ""
    history: History = History()

    @property
    def feasible(self) -> bool:
        return self.state not in (CellState.BLOCKED, CellState.ELSEWHERE)

    @property
    def due(self) -> bool:
        return self.state is CellState.DUE


def history_of(
    task: str, machine: str, box: str, rows: Iterable[LedgerRow], measured_at: datetime | None = None, sessions: int = 0
) -> History:
    """Fold the rows of one cell. `measured_at` is when it was last measured outside the ledger."""
    own = [one for one in rows if (one.task, one.machine) == (task, machine)]
    gathered = max((one.at for one in own if one.result.gathered), default=None)
    newest = max((at for at in (gathered, measured_at) if at), default=None)
    later = [one for one in own if newest is None or one.at > newest]
    failed = [one.at for one in later if one.result.is_failure]
    reused = [one.at for one in later if one.reused]
    gaps = tuple((one.held_by, one.at) for one in own if one.held_by)
    holds = [one for one in later if one.held_by and one.box == box]
    last = max(holds, key=lambda one: one.at, default=None)
    return History(
        gathered_at=newest,
        failures=len(failed),
        failed_at=max(failed, default=None),
        held_at=last.at if last else None,
        held_by=(last.held_by or "") if last else "",
        reuses=len(reused),
        reused_at=max(reused, default=None),
        sessions=sessions,
        gaps=gaps,
    )


def backoff(failures: int) -> timedelta:
    """How long to wait after so many failures in a row: an hour, doubled each time, eight hours at the most."""
    return min(LONGEST_BACKOFF, FIRST_BACKOFF * (1 << min(max(failures - 1, 0), 10)))


def recheck_of(task: Task, sessions: int) -> timedelta:
    """How long a datum counts as fresh: what the config says, but a day until the metric has eight sessions."""
    said = timedelta(seconds=task.benchmark.recheck)
    return said if sessions >= SESSIONS_TO_LEARN else min(said, LEARNING_RECHECK)


def staleness(history: History, recheck: timedelta, now: datetime) -> float:
    """How much of the recheck window is over, from 0 to 1; 0 where there never was a datum."""
    if history.gathered_at is None:
        return 0.0
    if not recheck:
        return 1.0
    return min(1.0, max(0.0, (now - history.gathered_at) / recheck))


def score_of(task: Task, history: History, now: datetime) -> float:
    """What speaks for the task now: whether it is new, what it is worth, how stale its datum is."""
    novelty = float(history.gathered_at is None)
    stale = staleness(history, recheck_of(task, history.sessions), now)
    return NOVELTY_WEIGHT * novelty + VALUE_WEIGHT * task.value.weight + STALENESS_WEIGHT * stale


def cell_of(task: Task, history: History, here: Capabilities, claims: Iterable[Claim], now: datetime, spent: str = "") -> Cell:
    """How the task stands. `spent` says why tasks with a GPU have to wait for another day, empty where they have not."""
    score = score_of(task, history, now)
    gap = gap_of(task, here)
    if reason := here.elsewhere.get(task.id):
        return Cell(task, CellState.ELSEWHERE, score, reason, history=history)
    if gap:
        return Cell(task, CellState.BLOCKED, score, f"not feasible here: it lacks {gap}", gap=gap, history=history)
    state, until, reason = _standing(task, history, here, claims, now)
    if state is CellState.DUE and spent and task.benchmark.gpus:
        return Cell(task, CellState.WAITING, score, spent, history=history)
    return Cell(task, state, score, reason, until, history=history)


def _standing(
    task: Task, history: History, here: Capabilities, claims: Iterable[Claim], now: datetime
) -> tuple[CellState, datetime | None, str]:
    busy = next((one for one in claims if one.cell == (task.id, here.machine) and one.lasts(now)), None)
    if busy:
        return CellState.RUNNING, moment(busy.until), f"claimed by box {busy.box[:8]} until {busy.until}"
    recheck = recheck_of(task, history.sessions)
    ends: Mapping[CellState, tuple[datetime | None, timedelta, str]] = {
        CellState.FRESH: (history.gathered_at, recheck, "fresh, due again"),
        CellState.HELD: (history.held_at, HELD_FOR, f"held for {history.held_by}, probed again"),
        CellState.WAITING: (history.failed_at, backoff(history.failures), f"failed {count(history.failures, 'time')}, tried again"),
        CellState.REUSED: (history.reused_at, min(REUSE_HOLDS, recheck), "answered by a stored run, asked again"),
    }
    for state, (since, lasting, said) in ends.items():
        if since is not None and now < since + lasting:
            return state, since + lasting, f"{said} at {stamp(since + lasting)}"
    return CellState.DUE, None, _why_due(history, recheck, now)


def _why_due(history: History, recheck: timedelta, now: datetime) -> str:
    if history.gathered_at is None:
        return "never collected on this class of machines"
    age = duration(max(0.0, (now - history.gathered_at).total_seconds()))
    return f"overdue: collected {age} ago, due again after {duration(recheck.total_seconds())}"


def ranked(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Feasible ones first, then by score, value and id: the same order whenever the facts are the same."""
    return tuple(sorted(cells, key=lambda one: (not one.feasible, -one.score, -one.task.value.rank, one.task.id)))
