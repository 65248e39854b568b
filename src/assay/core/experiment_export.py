"""Sessions as JSON lines of pi-autoresearch, for the tools that read these."""

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta

from assay.core.experiment import ConfigPayload, ConfigRecord, HookPayload, HookRecord, Journal, RunRecord
from assay.core.experiment_import import EPOCH, STATUSES
from assay.core.model import Outcome
from assay.core.timestamp import moment

_WORDS = {outcome: word for word, outcome in STATUSES.items()}
_SHORT = 7


def export_lines(journal: Journal) -> Iterator[str]:
    """The session as JSON lines of pi-autoresearch. Runs without an outcome that it knows are left out."""
    number = 0
    for record in journal.records:
        if isinstance(record, ConfigRecord):
            yield _line(_config_line(journal, record.payload))
        elif isinstance(record, HookRecord):
            yield _line(_hook_line(record.payload))
        elif isinstance(record, RunRecord) and record.payload.status in _WORDS:
            number += 1
            yield _line(_run_line(number, record))


def _config_line(journal: Journal, config: ConfigPayload) -> dict[str, object]:
    return {
        "type": "config",
        "name": journal.header.name,
        "metricName": config.metric,
        "metricUnit": config.unit or "",
        "bestDirection": config.direction.value,
    }


def _run_line(number: int, record: RunRecord) -> dict[str, object]:
    row = record.payload
    line: dict[str, object] = {
        "run": number,
        "commit": (row.commit or row.head or "")[:_SHORT],
        "metric": row.primary_metric.value if row.primary_metric and row.status is not Outcome.ERRORED else 0,
        "metrics": {one.name: one.value for one in row.secondary_metrics},
        "status": _WORDS[row.status],
        "description": row.description or "",
        "timestamp": round((moment(record.created_at) - EPOCH) / timedelta(milliseconds=1)),
        "segment": record.segment - 1,
        "confidence": None,
    }
    return {**line, "asi": row.asi} if row.asi else line


def _hook_line(hook: HookPayload) -> dict[str, object]:
    return {
        "type": "hook",
        "stage": hook.hook.value,
        "exit_code": hook.exit_code,
        "duration_ms": hook.duration_ms,
        "stdout_bytes": len(hook.message.encode()),
        "timed_out": hook.timed_out,
    }


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
