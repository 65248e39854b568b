"""What one tick of the loop came to: its attempts, why it stopped, whether that is healthy, and the exit code that says so."""

from collections.abc import Iterable

from assay.core.escape import plain
from assay.core.loop.cells import Cell
from assay.core.loop.ledger import LedgerRow
from assay.core.loop.status import Status
from assay.core.loop.status_json import action_json
from assay.core.loop.status_text import action_lines
from assay.core.loop.vocabulary import CellState
from assay.core.numbers import count, duration, number
from assay.core.timestamp import stamp
from assay.core.values import dataclass
from assay.errors import NothingMeasuredError

SCHEMA = "assay.loop.tick/1"
ATTEMPT_FAILED = 1


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick. `planned` are the tasks that would be run, in a dry run; `passed_over` says why others were not begun.

    `before` is the report at its start and `after` that at its end.
    """

    applied: bool
    rows: tuple[LedgerRow, ...]
    planned: tuple[str, ...]
    passed_over: tuple[str, ...]
    stop: str
    before: Status
    after: Status

    @property
    def attempted(self) -> tuple[LedgerRow, ...]:
        """The rows of what was really run."""
        return tuple(one for one in self.rows if one.result.gathered or one.result.is_failure)

    @property
    def measured(self) -> int:
        return sum(one.result.gathered for one in self.rows)

    @property
    def failed(self) -> int:
        return sum(one.result.is_failure for one in self.rows)

    @property
    def exit_code(self) -> int:
        """1 where an attempt failed, 3 where something was due and nothing came of it, 0 else, also where nothing was due."""
        if not self.applied:
            return 0
        if self.failed:
            return ATTEMPT_FAILED
        return 0 if self.measured or not self._owing else NothingMeasuredError.exit_code

    @property
    def healthy(self) -> bool:
        """Whether it is certain that the loop works: something was measured, and nothing failed. Idle is not healthy."""
        return self.applied and self.exit_code == 0 and self.measured > 0

    @property
    def _owing(self) -> bool:
        """Whether a datum was due: of a task that could be run, or of any at all where no cell has one."""
        seen_to = {one.task.id for one in self.after.cells if one.state in (CellState.FRESH, CellState.RUNNING)}  # by another box
        due = [one for one in self.before.cells if one.due and one.task.runs_by_itself and not self._answered(one)]
        due = [one for one in due if one.task.id not in seen_to]
        return bool(due) or (bool(stuck(self.before.cells)) and not self.before.count(CellState.FRESH, CellState.REUSED, CellState.RUNNING))

    def _answered(self, cell: Cell) -> bool:
        return any(one.reused and one.task == cell.task.id for one in self.rows)


def stuck(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The cells that a schedule would run and cannot."""
    states = (CellState.BLOCKED, CellState.HELD, CellState.WAITING)
    return tuple(one for one in cells if one.state in states and not one.task.benchmark.manual)


def stop_of(cells: Iterable[Cell], attempted: int) -> str:
    """Why nothing more is begun, in neutral words."""
    known = tuple(cells)
    gaps = sorted({one.gap or one.reason for one in stuck(known)})
    blocked = f"; the next datum is blocked on: {', '.join(gaps)}" if gaps else ""
    if attempted:
        return f"went through all that was due{blocked}"
    fresh = sum(one.state is CellState.FRESH for one in known)
    if fresh:
        return f"saturated: {fresh} of {count(len(known), 'task')} fresh{blocked}"
    return f"nothing to collect{blocked}"


def as_json(tick: Tick) -> dict[str, object]:
    """The tick as JSON."""
    return {
        "schema": SCHEMA,
        "generated_at": tick.before.generated_at,
        "applied": tick.applied,
        "attempts": [_attempt(one) for one in tick.rows],
        "planned": list(tick.planned),
        "passed_over": list(tick.passed_over),
        "stop": tick.stop,
        "measured": tick.measured,
        "failed": tick.failed,
        "healthy": tick.healthy,
        "exit_code": tick.exit_code,
        "states": {state.value: tick.after.count(state) for state in CellState},
        "next_action": action_json(tick.after.action),
    }


def _attempt(row: LedgerRow) -> dict[str, object]:
    facts = row.model_dump(mode="json")
    return {name: facts[name] for name in ("id", "task", "result", "run_id", "number", "unit", "verdict", "duration_s", "held_by", "note")}


def as_text(tick: Tick) -> str:
    """The tick for people."""
    lines = [*(attempt_line(one) for one in tick.rows), *(f"would run {name}" for name in tick.planned), *tick.passed_over]
    lines += [f"stopped: {tick.stop}"]
    if not tick.applied and tick.planned:
        lines.append("This was a dry run: nothing was measured or written. `assay loop --apply` does it.")
    later = min((one.until for one in tick.after.cells if one.until), default=None)
    if tick.applied and not tick.attempted and later:
        lines.append(f"idle until {stamp(later)} at the latest")
    return "\n".join([*(plain(line, 400) for line in lines), "", *action_lines(tick.after)])


def attempt_line(row: LedgerRow) -> str:
    """One attempt on a line. It may hold what strangers wrote."""
    value = f" {row.metric} {number(row.number)}{f' {row.unit}' if row.unit else ''}" if row.number is not None else ""
    verdict = f", {row.verdict.value} against {row.base[:10]}" if row.verdict and row.base else ""
    took = f" in {duration(row.duration_s)}" if row.duration_s is not None else ""
    why = f" ({row.held_by or row.note})" if not row.result.gathered and (row.held_by or row.note) else ""
    return f"{row.task}: {row.result.value}{value}{verdict}{took}{why}"
