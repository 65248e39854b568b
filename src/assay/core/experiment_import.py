"""Sessions from the ledgers of other experiment loops: the JSON lines of pi-autoresearch, and a results.tsv.

Reading is strict. A line that is not understood is an error that names it: a ledger that is read half tells another story.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.core.canonical import loads
from assay.core.experiment import (
    ChecksResult,
    ChecksState,
    ConfigPayload,
    Header,
    HookName,
    HookPayload,
    Journal,
    MetricValue,
    RunPayload,
    RunRecord,
    SessionStatus,
)
from assay.core.experiment_errors import ImportRefusedError
from assay.core.experiment_state import SessionState
from assay.core.model import UNKNOWN, Cause, Direction, Outcome
from assay.core.timestamp import stamp
from assay.core.values import dataclass

STATUSES: Mapping[str, Outcome] = {
    "keep": Outcome.KEEP,
    "discard": Outcome.DISCARD,
    "crash": Outcome.ERRORED,
    "checks_failed": Outcome.CHECKS_FAILED,
}
_COMMIT = re.compile(r"[0-9a-f]{4,64}")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS = 253_402_300_799_000


@dataclass(frozen=True, slots=True)
class Minting:
    """What new rows need from outside: ids by prefix, the present moment, and the name of what is read, for errors."""

    new_id: Callable[[str], str]
    now: str
    where: str


@dataclass(frozen=True, slots=True)
class _Row:
    """One run of a foreign ledger."""

    status: str
    value: float | None
    secondary: Mapping[str, float]
    commit: str
    description: str
    at: str
    asi: Mapping[str, Any]


def import_session(text: str, name: str | None, project: str | None, minting: Minting) -> Journal:
    """The session that a ledger tells of. Raises ImportRefusedError that names the line."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if any(line.lstrip().startswith("{") for line in lines[:1]):
        return _Import(minting, name, project).of_json_lines(lines)
    if lines and "\t" in lines[0]:
        return _Import(minting, name, project).of_table(lines)
    raise ImportRefusedError(f"{minting.where} is neither JSON lines nor a table with tabs.", hint="Name a log.jsonl or a results.tsv.")


class _Import:
    """A journal that grows line by line."""

    def __init__(self, minting: Minting, name: str | None, project: str | None) -> None:
        self.minting = minting
        self.name = name
        self.project = project
        self.journal: Journal | None = None
        self.number = 0

    def of_json_lines(self, lines: list[str]) -> Journal:
        for self.number, line in enumerate(lines, 1):
            if line.strip():
                self._json_line(self._object(line))
        return self._begun()

    def of_table(self, lines: list[str]) -> Journal:
        self.number = 1
        columns = [column.strip() for column in lines[0].split("\t")]
        if columns[:1] != ["commit"] or not {"status", "description"} <= set(columns) or len(columns) < 4:
            raise self._refused("its columns are not: commit, the metric, …, status, description")
        self._configure(self.name or "results", columns[1], "lower", None)
        for self.number, line in enumerate(lines[1:], 2):
            if line.strip():
                self._table_row(columns, line.split("\t"))
        return self._begun()

    def _json_line(self, one: dict[str, Any]) -> None:
        kind = one.get("type", "run")
        if kind == "config":
            metric, unit = self._text(one, "metricName"), one.get("metricUnit") or None
            self._configure(self.name or self._text(one, "name"), metric, one.get("bestDirection", "lower"), unit)
        elif kind == "hook":
            self._hook(one)
        elif kind == "run" and isinstance(one.get("run"), int):
            self._add(self._run_of(one))
        else:
            raise self._refused("it is neither a config, a run nor a hook")

    def _run_of(self, one: dict[str, Any]) -> _Row:
        metrics, asi = one.get("metrics") or {}, one.get("asi") or {}
        if not isinstance(metrics, dict) or not isinstance(asi, dict):
            raise self._refused("its metrics or its asi are no object")
        secondary = {str(key): self._number(value) for key, value in metrics.items() if value is not None}
        value = None if one.get("metric") is None else self._number(one["metric"])
        at = self._moment(one.get("timestamp"))
        return _Row(str(one.get("status")), value, secondary, str(one.get("commit") or ""), str(one.get("description") or ""), at, asi)

    def _table_row(self, columns: list[str], cells: list[str]) -> None:
        if len(cells) != len(columns):
            raise self._refused(f"it has {len(cells)} cells, and the table {len(columns)} columns")
        row = dict(zip(columns, (cell.strip() for cell in cells), strict=True))
        values = {name: self._number(row[name]) for name in columns if name not in ("commit", "status", "description")}
        primary = values.pop(columns[1])
        self._add(_Row(row["status"], primary, values, row["commit"], row["description"], self.minting.now, {}))

    def _configure(self, name: str, metric: str, direction: object, unit: object) -> None:
        if direction not in tuple(Direction) or not metric or not (unit is None or isinstance(unit, str)):
            raise self._refused("its metric, its unit or its direction is none")
        config = ConfigPayload(
            metric=metric,
            direction=Direction(str(direction)),
            unit=unit,
            max_iterations=None,
            rules=None,
            ideas=None,
            working_dir=None,
            tags=(),
            checks=None,
        )
        if self.journal is None:
            self.journal = Journal(self._header(name))
        has_runs = any(isinstance(one, RunRecord) and one.segment == self.journal.segment for one in self.journal.records)
        self.journal = self.journal.plus(config, self.minting.new_id("rec"), self.minting.now, self.journal.segment + has_runs)

    def _header(self, name: str) -> Header:
        return Header(
            schema="assay.session/1",
            session=self.minting.new_id("exp"),
            name=name or "imported",
            project=self.project,
            status=SessionStatus.ACTIVE,
            created_at=self.minting.now,
            updated_at=self.minting.now,
            finalized_at=None,
        )

    def _hook(self, one: dict[str, Any]) -> None:
        if one.get("stage") not in tuple(HookName):
            raise self._refused("its stage is neither before nor after")
        code, duration = one.get("exit_code"), one.get("duration_ms")
        payload = HookPayload(
            hook=HookName(one["stage"]),
            exit_code=code if isinstance(code, int) else None,
            duration_ms=max(0, round(duration)) if isinstance(duration, int | float) else 0,
            timed_out=one.get("timed_out") is True,
            message="",
            stderr="",
        )
        self.journal = self._begun().plus(payload, self.minting.new_id("rec"), self.minting.now)

    def _add(self, row: _Row) -> None:
        """Both rows of a run. A crash has no number, whatever stands in its place."""
        if row.status not in STATUSES:
            raise self._refused(f"its status is {row.status[:40]!r}, not one of {', '.join(STATUSES)}")
        outcome, journal = STATUSES[row.status], self._begun()
        if row.value is None and outcome in (Outcome.KEEP, Outcome.DISCARD):
            raise self._refused(f"a {outcome} needs a number")
        crashed = outcome is Outcome.ERRORED
        payload = _payload(self.minting.new_id("run"), SessionState(journal).config, row, crashed=crashed)
        journal = journal.plus(payload, self.minting.new_id("rec"), row.at)
        commit = row.commit if _COMMIT.fullmatch(row.commit) and outcome is Outcome.KEEP else None
        final = payload.model_copy(update={"status": outcome, "commit": commit, "description": row.description or None})
        self.journal = journal.plus(final, self.minting.new_id("rec"), row.at)

    def _begun(self) -> Journal:
        if self.journal is None:
            raise self._refused("a config has to stand before it")
        return self.journal

    def _object(self, line: str) -> dict[str, Any]:
        try:
            one = loads(line)
        except ValueError as error:
            raise self._refused(f"it is no JSON: {error}") from error
        if not isinstance(one, dict):
            raise self._refused("it is no JSON object")
        return one

    def _text(self, one: Mapping[str, Any], key: str) -> str:
        value = one.get(key)
        if not isinstance(value, str) or not value:
            raise self._refused(f"it has no {key}")
        return value

    def _number(self, value: object) -> float:
        try:
            number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise self._refused(f"{str(value)[:40]!r} is no number")
        return number

    def _moment(self, value: object) -> str:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LAST_MS:
            return stamp(EPOCH + timedelta(milliseconds=round(value)))
        return self.minting.now

    def _refused(self, why: str) -> ImportRefusedError:
        return ImportRefusedError(f"{self.minting.where}:{self.number}: {why}.", hint="Correct that line. Nothing was imported.")


def _payload(run: str, config: ConfigPayload, row: _Row, *, crashed: bool) -> RunPayload:
    value = None if crashed or row.value is None else MetricValue(name=config.metric, value=row.value, unit=config.unit)
    return RunPayload(
        run=run,
        status=Outcome.PENDING,
        ended=True,
        primary_metric=value,
        secondary_metrics=tuple(MetricValue(name=name, value=number, unit=None) for name, number in row.secondary.items() if name),
        parse_warnings=0,
        exit_code=None,
        cause=Cause.EXIT if crashed else None,
        detail="a crash, as the imported ledger says" if crashed else "",
        duration_ms=None,
        checks=ChecksResult(state=ChecksState.NOT_CONFIGURED, exit_code=None, duration_ms=None),
        command=(),
        log_file=None,
        machine=UNKNOWN,
        head=None,
        branch=None,
        tree=None,
        description=None,
        asi=dict(row.asi),
        commit=None,
        reverted_to=None,
        discarded=None,
    )
