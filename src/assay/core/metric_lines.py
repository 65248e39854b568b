"""Reads METRIC lines out of a process's output as it comes: bytes in any pieces, linear time, bounded memory.

Lines end at LF, CRLF and bare CR, since progress bars end theirs with CR. Text without the word METRIC is only searched, never split.
"""

import re
from collections.abc import Callable, Iterable

from assay.core.metric_grammar import (
    KEYWORD,
    STRICT_HEAD,
    Dialect,
    Pair,
    looks_like_metric,
    pair_fault,
    split_strict,
    split_wide,
    trimmed_unit,
)
from assay.core.metric_refusal import strict_refusal, wide_refusal
from assay.core.metric_table import MAX_NAMES, MAX_TEXT, MAX_VALUES, Loss, MetricTable
from assay.core.model import Metric, MetricReading, MetricWarning
from assay.core.terminal_text import BLANKS, BOM, ESC, SEQUENCE, decoded, shown

__all__ = ["MAX_LINE", "MAX_WARNINGS", "Dialect", "MetricReader", "reading_json", "select_primary"]

MAX_LINE = 65_536
"""Bytes of a line, escape sequences counted; a longer one is never a metric."""

MAX_WARNINGS = 1_000
MAX_WARNING_TEXT = 120

_WORD = KEYWORD.encode()
_PLAIN_LINE = rb"[ \t]*+" + STRICT_HEAD.encode() + rb"(?:\(([^)\n\x1b]++)\)[ \t]*+)?(?=\n)"
_ANY_LINE = rb"(?:[ \t]++|" + SEQUENCE + rb")*+" + (b"(?:" + SEQUENCE + b")*+").join(bytes([char]) for char in _WORD)
_LINE = re.compile(rb"\n(?:" + _PLAIN_LINE + b"|" + _ANY_LINE + b")")
"""A strict metric line without frills, with its groups; or where a line begins that shows METRIC first, whatever colours
stand before and between its letters."""


class MetricReader:
    """Takes the output of one process, then gives its reading.

    `keep` names metrics that are let in even after the bound on names is reached.
    """

    def __init__(self, dialect: Dialect = Dialect.STRICT, *, keep: Iterable[str] = ()) -> None:
        self._dialect = dialect
        self._table = MetricTable(keep)
        self._warnings: list[MetricWarning] = []
        self._lost_warnings = Loss()
        self._lines = 0
        self._open = bytearray()
        self._after_cr = False

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; where they are cut does not matter."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if not chunk:
            return
        self._after_cr = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        if first < 0:
            self._extend(chunk, 0, len(chunk))
            return
        self._extend(chunk, 0, first)
        self._end_line()
        self._scan(chunk, first, last)
        self._extend(chunk, last + 1, len(chunk))

    def finish(self) -> MetricReading:
        """All that was read; a last line without an end counts."""
        if self._open:
            self._end_line()
        warnings = (*self._warnings, *self._losses())
        return MetricReading(self._table.metrics(), self._table.samples(), warnings, self._lines)

    def _extend(self, chunk: bytes, begin: int, end: int) -> None:
        """Add to the line that has not ended yet; one byte over the limit is kept to tell that it was passed."""
        room = MAX_LINE + 1 - len(self._open)
        self._open += chunk[begin : min(end, begin + room)]

    def _end_line(self) -> None:
        self._lines += 1
        if self._open:
            self._read(bytes(self._open), self._lines)
            self._open.clear()

    def _scan(self, chunk: bytes, first: int, last: int) -> None:
        """Read the whole lines between two line ends. The one that ends at `first` has been counted."""
        counted = first + 1
        if _WORD in chunk or ESC in chunk:
            for found in _LINE.finditer(chunk, first, last + 1):
                begin = found.start() + 1
                self._lines += chunk.count(b"\n", counted, begin)
                counted = begin
                if not (found.lastindex and self._count_plain(found)):
                    end = chunk.find(b"\n", begin)
                    self._read(chunk[begin : min(end, begin + MAX_LINE + 1)], self._lines + 1)
        self._lines += chunk.count(b"\n", counted, last + 1)

    def _count_plain(self, found: re.Match[bytes]) -> bool:
        """Count a line that needs no cleaning. False leaves it to `_read`, which knows the reasons."""
        name, number, unit = found.group(1).decode(), found[2], found[3]
        if found.end() - found.start() - 1 > MAX_LINE or pair_fault(name, number):
            return False
        self._table.add(name, float(number), trimmed_unit(unit.decode("utf-8", "replace")) if unit else None, self._lines + 1)
        return True

    def _read(self, raw: bytes, number: int) -> None:
        text = decoded(raw.removeprefix(BOM) if number == 1 else raw).strip(BLANKS)
        if not looks_like_metric(text):
            return
        if len(raw) > MAX_LINE:
            self._warn(number, text, lambda: f"the line is longer than {MAX_LINE:,} bytes")
        elif self._dialect is Dialect.WIDE:
            self._read_wide(text, number)
        else:
            self._read_strict(text, number)

    def _read_strict(self, text: str, number: int) -> None:
        pair = split_strict(text)
        if pair is None:
            self._warn(number, text, lambda: strict_refusal(text))
        else:
            self._take(pair, number, text)

    def _read_wide(self, text: str, number: int) -> None:
        pairs, rest = split_wide(text)
        if rest or not pairs:
            self._warn(number, text, lambda: wide_refusal(text, pairs, rest))
            return
        for pair in pairs:
            self._take(pair, number, text)

    def _take(self, pair: Pair, number: int, text: str) -> None:
        name, digits, unit = pair
        if fault := pair_fault(name, digits):
            self._warn(number, text, lambda: fault)
        else:
            self._table.add(name, float(digits), trimmed_unit(unit), number)

    def _warn(self, number: int, text: str, reason: Callable[[], str]) -> None:
        """Keep a warning, or count it: a flood of refused lines must not cost their reasons."""
        if len(self._warnings) < MAX_WARNINGS:
            self._warnings.append(MetricWarning(number, reason(), shown(text, MAX_WARNING_TEXT)))
        else:
            self._lost_warnings.add(number)

    def _losses(self) -> list[MetricWarning]:
        names, samples = self._table.lost_metrics, self._table.lost_samples
        told = (
            (self._lost_warnings, f"warnings are not kept (at most {MAX_WARNINGS:,})"),
            (names, f"metrics are not kept (at most {MAX_NAMES:,} names, {MAX_TEXT:,} characters of names and units)"),
            (samples, f"samples are not kept (at most {MAX_VALUES:,}), the last value of each name still counts"),
        )
        return [MetricWarning(loss.line, f"{what}; from this line on: {loss.count:,}", "") for loss, what in told if loss.count]


def select_primary(reading: MetricReading, name: str | None) -> Metric | None:
    """The metric of that name, or None where it is missing; without a name the first one that was printed."""
    if name is not None:
        return reading.get(name)
    return reading.metrics[0] if reading.metrics else None


def reading_json(reading: MetricReading, primary_name: str | None) -> dict[str, object]:
    """What `assay metrics --json` prints. A named primary that is missing is null, and all others are secondary."""
    primary = select_primary(reading, primary_name)
    return {
        "primary": primary and _metric_json(primary),
        "secondary": [_metric_json(metric) for metric in reading.metrics if metric is not primary],
        "samples": {name: list(values) for name, values in reading.samples.items()},
        "warnings": [{"line": warning.line, "reason": warning.reason, "text": warning.text} for warning in reading.warnings],
    }


def _metric_json(metric: Metric) -> dict[str, object]:
    return {"name": metric.name, "value": metric.value, "unit": metric.unit}
