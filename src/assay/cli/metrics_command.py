"""`assay metrics`: METRIC lines of a file or of standard input as JSON, or as a table for people.

Its start-up cost is a promise to users, so it imports the reader and little else.
"""

import json
import sys
from pathlib import Path
from typing import BinaryIO

from assay.core.escape import plain
from assay.core.metric_lines import Dialect, MetricReader, reading_json, select_primary
from assay.core.model import Metric, MetricReading
from assay.errors import NothingMeasuredError, UsageError

_CHUNK = 1 << 18
_MAX_ROWS = 100
_MAX_CELL = 60


def metrics(source: str, primary: str | None, dialect: str, as_json: bool) -> int:
    """Read FILE, or standard input for `-`, print what it holds and return the exit code.

    The code is 3 where no metric was printed or the named primary is missing; what was read is printed all the same.
    Raises UsageError for an unknown dialect and for a source that cannot be read.
    """
    reading = _read(source, MetricReader(_dialect(dialect), keep=[primary] if primary else []))
    if as_json:
        sys.stdout.write(json.dumps(reading_json(reading, primary), allow_nan=False, sort_keys=True) + "\n")
    else:
        sys.stdout.write(_table(reading, select_primary(reading, primary)))
        sys.stderr.write(_warnings(reading))
    if complaint := _missing(reading, primary):
        sys.stderr.write(complaint)
        return NothingMeasuredError.exit_code
    return 0


def _dialect(name: str) -> Dialect:
    try:
        return Dialect(name)
    except ValueError as error:
        valid = " or ".join(Dialect)
        raise UsageError(f"unknown dialect {plain(name, _MAX_CELL)!r}", hint=f"Use --dialect {valid}.") from error


def _read(source: str, reader: MetricReader) -> MetricReading:
    try:
        if source == "-":
            return _drain(sys.stdin.buffer, reader)
        with Path(source).open("rb", buffering=0) as file:
            return _drain(file, reader)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot read {plain(source, 200)}: {reason}", hint="Name a file that can be read, or - for standard input."
        ) from error


def _drain(stream: BinaryIO, reader: MetricReader) -> MetricReading:
    while chunk := stream.read(_CHUNK):
        reader.feed(chunk)
    return reader.finish()


def _table(reading: MetricReading, primary: Metric | None) -> str:
    ordered = sorted(reading.metrics, key=lambda metric: metric is not primary)
    rows = [_row(metric, reading, "primary" if metric is primary else "secondary") for metric in ordered[:_MAX_ROWS]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if len(ordered) > _MAX_ROWS:
        lines.append(f"… and {len(ordered) - _MAX_ROWS:,} more (--json has all)")
    return "".join(line + "\n" for line in lines)


def _row(metric: Metric, reading: MetricReading, role: str) -> tuple[str, ...]:
    count = len(reading.samples[metric.name])
    samples = "1 sample" if count == 1 else f"{count:,} samples"
    return role, plain(metric.name, _MAX_CELL), f"{metric.value:.12g}", plain(metric.unit or "", _MAX_CELL), samples


def _warnings(reading: MetricReading) -> str:
    lines = [f"line {one.line}: {one.reason}{': ' + one.text if one.text else ''}\n" for one in reading.warnings[:_MAX_ROWS]]
    if len(reading.warnings) > _MAX_ROWS:
        lines.append(f"… and {len(reading.warnings) - _MAX_ROWS:,} more warnings (--json has all)\n")
    return "".join(lines)


def _missing(reading: MetricReading, primary: str | None) -> str:
    """What to tell where nothing was measured, or not what was asked for."""
    if select_primary(reading, primary) is not None:
        return ""
    wanted = f"no metric named {plain(primary, _MAX_CELL)}" if primary is not None else "no METRIC line"
    names = [plain(metric.name, _MAX_CELL) for metric in reading.metrics]
    more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
    found = f"Found: {', '.join(names[:20])}{more}." if names else f"Print a line such as: METRIC {plain(primary or 'name', _MAX_CELL)}=1.5"
    return f"{wanted} in {reading.lines:,} lines. {found}\n"
