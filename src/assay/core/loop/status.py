"""The report `assay.loop.status/1`: from parts that somebody has loaded to one value, with exactly one next action in it."""

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime

from assay.core.config import Config
from assay.core.loop.authority import Lag, Published, lag_of
from assay.core.loop.capabilities import Capabilities
from assay.core.loop.cells import SESSIONS_TO_LEARN, Cell, History, cell_of, history_of, ranked
from assay.core.loop.claims import Claim
from assay.core.loop.ladder import Action, Situation, choose
from assay.core.loop.ledger import Ledger, LedgerRow
from assay.core.loop.task import Task
from assay.core.loop.vocabulary import CellState
from assay.core.prior import Header
from assay.core.result import ReuseVerdict
from assay.core.timestamp import stamp
from assay.core.values import dataclass

SCHEMA = "assay.loop.status/1"


@dataclass(frozen=True, slots=True)
class Stored:
    """The catalog: the headers of all stored runs of the benchmarks, newest first, and what could not be read, by file."""

    headers: tuple[Header, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """All that the report is made of. `error` says why the list of tasks could not be put together.

    `measured` is when a task was last measured on this class of machines by whatever command, `sessions` how many sessions its
    metric has here. `verdicts` are the reuse verdicts that were asked for, by task. `spent` says why no GPU minute is left today.
    """

    now: datetime
    root: str
    config: Config
    here: Capabilities
    tasks: tuple[Task, ...] = ()
    error: str = ""
    stored: Stored = Stored()
    ledger: Ledger = Ledger()
    ledger_at: str = ""
    claims: tuple[Claim, ...] = ()
    measured: Mapping[str, datetime] = field(default_factory=dict)
    sessions: Mapping[str, int] = field(default_factory=dict)
    published: Published = Published()
    verdicts: Mapping[str, ReuseVerdict] = field(default_factory=dict)
    spent: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """The report. `next` is what to do first, `reused` are the due tasks for which a stored run answers."""

    parts: Parts
    cells: tuple[Cell, ...]
    lag: Lag
    next: Cell | None
    reused: tuple[str, ...]
    action: Action

    @property
    def generated_at(self) -> str:
        return stamp(self.parts.now)

    @property
    def problem(self) -> str:
        """Why nothing may be measured: an unreadable ledger cannot tell what is fresh, so minutes could be spent twice."""
        return problem_of(self.parts)

    def count(self, *states: CellState) -> int:
        return sum(one.state in states for one in self.cells)

    @property
    def verdict(self) -> ReuseVerdict | None:
        """That of the next task, else of the best task that a stored run answers."""
        wanted = (*((self.next.task.id,) if self.next else ()), *self.reused)
        return next((self.parts.verdicts[name] for name in wanted if name in self.parts.verdicts), None)


def status_of(parts: Parts) -> Status:
    """The report. Nothing is asked of the world, and the same parts give the same report."""
    cells = cells_of(parts)
    reused = tuple(one.task.id for one in candidates(cells) if answered(parts, one))
    following = next_of(parts, cells)
    lag = lag_of(parts.published, parts.ledger.rows)
    situation = Situation(
        unreadable=parts.stored.unreadable,
        runs=len(parts.stored.headers),
        problem=problem_of(parts),
        next=following,
        reused=reused,
        verdict=parts.verdicts.get(reused[0]) if reused else None,
        lag=lag,
        cells=cells,
    )
    return Status(parts, cells, lag, following, reused, choose(situation))


def cells_of(parts: Parts) -> tuple[Cell, ...]:
    """How all tasks stand, the best first."""
    here = parts.here
    return ranked(cell_of(task, history_for(parts, task.id), here, parts.claims, parts.now, parts.spent) for task in parts.tasks)


def history_for(parts: Parts, task: str) -> History:
    """What is known of one task on this class of machines."""
    here, rows = parts.here, parts.ledger.rows
    return history_of(task, here.machine, here.box, rows, parts.measured.get(task), parts.sessions.get(task, 0))


def candidates(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The due tasks that a schedule may run by itself, the best first."""
    return tuple(one for one in cells if one.due and one.task.runs_by_itself)


def insisted(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The tasks that a person wants run now: due or not, manual ones too, as long as they can run here and nobody is at them."""
    return tuple(one for one in cells if one.feasible and one.state is not CellState.RUNNING and one.task.is_a_command)


def answered(parts: Parts, cell: Cell) -> bool:
    """Whether a stored run answers for a due task. Until a metric has eight sessions none does, and now and then none may."""
    verdict = parts.verdicts.get(cell.task.id)
    return verdict is not None and verdict.reuse and may_reuse(cell, parts.config.reuse.remeasure)


def may_reuse(cell: Cell, remeasure: int) -> bool:
    """Whether a stored run may answer at all: evidence of the noise comes first, and one in `remeasure` is measured all the same."""
    learned = cell.history.sessions >= SESSIONS_TO_LEARN
    return learned and not (remeasure and (cell.history.reuses + 1) % remeasure == 0)


def next_of(parts: Parts, cells: tuple[Cell, ...]) -> Cell | None:
    """The best due task for which no stored run answers; one for a person only where there is no other."""
    by_itself = next((one for one in candidates(cells) if not answered(parts, one)), None)
    return by_itself or next((one for one in cells if one.due and not one.task.runs_by_itself), None)


def problem_of(parts: Parts) -> str:
    """Why the list of tasks is not to be relied on."""
    if parts.error:
        return parts.error
    lost = next(iter(parts.ledger.lost), None)
    return f"The ledger cannot be read at {lost.path}: {lost.reason}." if lost else ""


def with_row(parts: Parts, row: LedgerRow) -> Parts:
    """The same parts once a row has been added to the ledger."""
    return replace(parts, ledger=parts.ledger.joined(Ledger((row,))))
