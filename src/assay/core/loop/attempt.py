"""From the result of a check to the row of the ledger that tells of it."""

from datetime import datetime

from assay.core.comparison import Comparison
from assay.core.loop.ledger import ROW_SCHEMA, LedgerRow
from assay.core.loop.task import Task
from assay.core.loop.vocabulary import Result
from assay.core.model import Conclusion, Outcome, Role, Status
from assay.core.numbers import centre
from assay.core.result import BenchmarkResult
from assay.core.timestamp import stamp
from assay.core.values import dataclass

MAX_NOTE = 300


@dataclass(frozen=True, slots=True)
class Origin:
    """Who attempts it: the id and the moment of the row, the box and its class."""

    id: str
    now: datetime
    box: str
    machine: str


def result_of(one: BenchmarkResult) -> Result:
    """What an attempt came to. Without a sample of the primary metric nothing was gathered, however the process ended."""
    if one.conclusion is Conclusion.TIMED_OUT:
        return Result.TIMEOUT
    if one.outcome is Outcome.CHECKS_FAILED:
        return Result.DEGRADED
    if one.status in (Status.REUSED, Status.SKIPPED):
        return Result.SKIPPED
    if one.status is Status.FAILED and one.outcome is Outcome.PENDING:  # its time was over before there was a number
        return Result.TIMEOUT
    primary = primary_of(one)
    if one.status is Status.FAILED or one.outcome is Outcome.ERRORED or primary is None or not primary.head:
        return Result.FAILED
    return Result.PASSED if one.checks == "passed" else Result.COLLECTED


def primary_of(one: BenchmarkResult) -> Comparison | None:
    return next((each for each in one.comparisons if each.spec.role is Role.PRIMARY), None)


def row_of(task: Task, one: BenchmarkResult, origin: Origin, base: str, head: str) -> LedgerRow:
    """The row of a measured, failed or reused attempt."""
    result, primary = result_of(one), primary_of(one)
    seconds = one.duration_s
    found: dict[str, object] = {
        "result": result,
        "run_id": one.run_id,
        "base_run_id": one.base_run.run_id if one.base_run else None,
        "commit": head,
        "base": base,
        "duration_s": seconds,
        "gpu_minutes": task.benchmark.gpus * (seconds or 0.0) / 60,
        "reused": one.status is Status.REUSED,
        "note": one.reason[:MAX_NOTE],
    }
    if primary is not None and result.gathered:
        found |= {
            "metric": primary.spec.name,
            "unit": primary.spec.unit,
            "better": primary.spec.better,
            "number": centre(primary.head),
            "base_number": centre(primary.base),
            "samples": len(primary.head),
            "verdict": primary.verdict,
            "change": primary.relative_change,
        }
    return _row(task, origin, found)


def reuse_row(task: Task, origin: Origin, run_id: str | None, commit: str) -> LedgerRow:
    """The row of a task for which a stored run answers."""
    note = f"{run_id} answers" if run_id else "a stored run answers"
    return _row(task, origin, {"result": Result.SKIPPED, "run_id": run_id, "commit": commit, "reused": True, "note": note})


def held_row(task: Task, origin: Origin, gap: str, note: str = "") -> LedgerRow:
    """The row of an attempt that could not be made for lack of something."""
    return _row(task, origin, {"result": Result.SKIPPED, "held_by": gap[:MAX_NOTE] or "unknown", "note": note[:MAX_NOTE]})


def failed_row(task: Task, origin: Origin, note: str) -> LedgerRow:
    """The row of an attempt that something outside of the benchmark ended."""
    return _row(task, origin, {"result": Result.FAILED, "note": note[:MAX_NOTE]})


def _row(task: Task, origin: Origin, found: dict[str, object]) -> LedgerRow:
    blank: dict[str, object] = {
        "schema": ROW_SCHEMA,
        "id": origin.id,
        "created_at": stamp(origin.now),
        "task": task.id,
        "source": task.source,
        "value": task.value,
        "box": origin.box,
        "machine": origin.machine,
        "command": task.recipe,
        "run_id": None,
        "base_run_id": None,
        "commit": None,
        "base": None,
        "metric": None,
        "unit": None,
        "better": None,
        "number": None,
        "base_number": None,
        "samples": 0,
        "verdict": None,
        "change": None,
        "duration_s": None,
        "gpu_minutes": 0.0,
        "held_by": None,
        "reused": False,
        "note": "",
    }
    return LedgerRow.model_validate(blank | found)
