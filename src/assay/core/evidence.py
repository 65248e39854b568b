"""From the processes of a session to values that can be compared: which process failed and how, which numbers count."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from statistics import fmean

from assay.core.devices import disturbance
from assay.core.model import Cause, Completed, Direction, Side
from assay.core.values import dataclass

WALL_TIME = "wall_time"
"""The metric of a command that prints none: seconds from exec to exit."""

TAIL_LINES = 20
TAIL_CHARACTERS = 16_384


class Stage(StrEnum):
    """Where in a side's life a process stands."""

    CHECKOUT = "checkout"
    SETUP = "setup"
    PILOT = "pilot"
    BENCHMARK = "benchmark"
    CHECKS = "checks"


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """One process of a session. `unit` is None for a warm-up, whose numbers are dropped."""

    side: Side
    order: int
    unit: int | None
    seed: int | None
    completed: Completed

    @property
    def warmup(self) -> bool:
        return self.unit is None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a side has no measurement. `detail` is our own sentence; `tail` is the process's last output, untrusted."""

    stage: Stage
    cause: Cause
    detail: str
    tail: tuple[str, ...] = ()
    log_file: str = ""


def value_of(record: ProcessRecord, metric: str) -> float | None:
    """The one value that this process contributes to a metric: the last it printed, or its duration for `wall_time`."""
    found = record.completed.reading.get(metric)
    if found is not None:
        return found.value
    return record.completed.duration_s if metric == WALL_TIME else None


def failure_of(completed: Completed, stage: Stage, primary: str | None = None) -> Failure | None:
    """What keeps a finished process from being a measurement: how it ended, or that it did not print the primary metric."""
    if completed.cause is not None:
        return Failure(stage, completed.cause, completed.detail or completed.cause.value, tail_of(completed), completed.log_file)
    if primary is None or primary == WALL_TIME or completed.reading.get(primary):
        return None
    return Failure(stage, Cause.NO_METRIC, _missing(primary, completed), tail_of(completed), completed.log_file)


def bare_primary(head: Completed, base: Iterable[ProcessRecord], better: Direction | None) -> str | Failure:
    """What a bare command is judged by: the first metric that head prints, else its wall time.

    Its time stands in for a metric only where none was meant: not where the base prints one, where a line of head's was
    refused, or where higher is to be better.
    """
    if head.reading.metrics:
        return head.reading.metrics[0].name
    names = printed_names(base)
    if names:
        return names[0]
    refused = next(iter(head.reading.warnings), None)
    if refused is None and better is not Direction.HIGHER:
        return WALL_TIME
    why = f"line {refused.line} looks like a metric and was refused: {refused.reason}" if refused else "its time can only be better lower"
    return Failure(Stage.BENCHMARK, Cause.NO_METRIC, f"it ended well but printed no metric: {why}", tail_of(head), head.log_file)


def _missing(primary: str, completed: Completed) -> str:
    reading = completed.reading
    found = ", ".join(metric.name for metric in reading.metrics[:10])
    refused = next((warning for warning in reading.warnings if primary in warning.text), None)
    if refused:
        said = f"line {refused.line} was refused: {refused.reason}"
    elif re.search(rf"(?m)^.*\S.*\bMETRIC\s+{re.escape(primary)}\b", completed.stdout[-TAIL_CHARACTERS:]):
        said = "the word METRIC has to begin its line, and something stands before it"
    else:
        said = f"it printed {found}" if found else "it printed no METRIC line at all"
    return f'it ended well but printed no metric {primary}; {said}. Make it print the line "METRIC {primary}=<number>"'


def tail_of(completed: Completed) -> tuple[str, ...]:
    """The last lines of a process for a person to read: of stderr where it said anything, and of stdout."""
    out, err = completed.stdout.splitlines(), completed.stderr.splitlines()
    half = TAIL_LINES // 2
    of_err = min(len(err), max(half, TAIL_LINES - len(out)))
    of_out = min(len(out), TAIL_LINES - of_err)
    return tuple(line[:500] for line in (*out[len(out) - of_out :], *err[len(err) - of_err :]))


def unit_values(records: Iterable[ProcessRecord], metric: str) -> dict[int, float]:
    """One value for each unit that has one: the mean over its repeats. Warm-ups are left out."""
    found: dict[int, list[float]] = {}
    for record in records:
        value = value_of(record, metric)
        if record.unit is not None and value is not None:
            found.setdefault(record.unit, []).append(value)
    return {unit: fmean(values) for unit, values in found.items()}


def printed_names(records: Iterable[ProcessRecord]) -> tuple[str, ...]:
    """All metric names in the order of first sight."""
    return tuple(dict.fromkeys(metric.name for record in records for metric in record.completed.reading.metrics))


def unit_of(records: Iterable[ProcessRecord], metric: str) -> str | None:
    """The unit that a metric was last printed with."""
    units = [found.unit for record in records if (found := record.completed.reading.get(metric))]
    return units[-1] if units else None


def disturbance_of(records: Iterable[ProcessRecord]) -> str:
    """What disturbed the GPUs while processes were measured, warm-ups apart; empty where nothing is known to have."""
    return disturbance(record.completed.sightings for record in records if not record.warmup)


def equal_within_units(records: Sequence[ProcessRecord], metrics: Iterable[str]) -> bool:
    """Whether every repeat of a unit gave the same numbers: then further repeats are no further evidence."""
    for metric in metrics:
        seen: dict[tuple[Side, int], float | None] = {}
        for record in records:
            if record.unit is not None and seen.setdefault((record.side, record.unit), value_of(record, metric)) != value_of(
                record, metric
            ):
                return False
    return True


def process_warnings(records: Iterable[ProcessRecord]) -> tuple[str, ...]:
    """What went wrong beside the processes, each thing once."""
    return tuple(dict.fromkeys(warning for record in records for warning in record.completed.warnings))


def reading_warnings(records: Iterable[ProcessRecord], limit: int = 3) -> tuple[str, ...]:
    """Refused METRIC lines as sentences, each kind once. They quote the line and are untrusted."""
    seen: dict[str, str] = {}
    for record in records:
        for warning in record.completed.reading.warnings:
            said = f"{warning.reason}: {warning.text}"
            seen.setdefault(said, f"{record.side.value}: line {warning.line}: {said}")
    texts = tuple(seen.values())
    return texts if len(texts) <= limit else (*texts[:limit], f"{len(texts) - limit} further refused METRIC lines, see the log files")
