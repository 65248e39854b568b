"""Makes a report fit its place by leaving out whole sections, the least important first. No text is ever cut in two."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from assay.core.view import BenchmarkView, ReportView, Table

COMMENT_CHARACTERS = 65_536
CHECK_BYTES = 65_535
SUMMARY_BYTES = 1024 * 1024

_ROWS_KEPT = (20, 8, 3, 1, 0)

T = TypeVar("T")


def characters(text: str) -> int:
    """The length of a comment in UTF-16 code units, the greater of the two ways in which a server may count characters."""
    return len(text.encode("utf-16-le")) // 2


def utf8_bytes(text: str) -> int:
    """The length of a check run's texts and of a step summary."""
    return len(text.encode())


def fitted(view: T, shorter: Callable[[T], Iterator[T]], write: Callable[[T], str], measure: Callable[[str], int], limit: int) -> str:
    """The text of the first view that fits, the whole one or one of the `shorter` ones in their order.

    Raises ValueError where even the shortest does not fit, which would be a mistake of ours.
    """
    text = write(view)
    if measure(text) <= limit:
        return text
    for candidate in shorter(view):
        text = write(candidate)
        if measure(text) <= limit:
            return text
    raise ValueError(f"a report of {measure(text)} does not fit into {limit}")


def shorter_reports(pointer: str) -> Callable[[ReportView], Iterator[ReportView]]:
    """Ever shorter views of a report: sections first, then rows, then whole benchmarks from the end."""

    def shorten(view: ReportView) -> Iterator[ReportView]:
        view = replace(view, pointer=pointer)
        for benchmarks in _together(view.benchmarks):
            view = replace(view, benchmarks=benchmarks)
            yield view
        view = replace(view, remarks=_some(view.remarks, 3), reproduce="")
        yield view
        kept = len(view.benchmarks)
        while kept:
            kept //= 2
            left_out = len(view.benchmarks) - kept
            yield replace(view, benchmarks=view.benchmarks[:kept], more=f"… and {left_out} more benchmarks")

    return shorten


def shorter_benchmarks(view: BenchmarkView) -> Iterator[BenchmarkView]:
    """Ever shorter views of a benchmark, each without what the one before it lacked."""
    yield (view := replace(view, analysis=None))
    yield (view := replace(view, tail=""))
    yield (view := replace(view, facts=()))
    yield (view := replace(view, secondary=Table()))
    for kept in _ROWS_KEPT:
        yield replace(view, main=_first(view.main, kept), notes=_some(view.notes, kept), warnings=_some(view.warnings, kept))


def _together(benchmarks: tuple[BenchmarkView, ...]) -> Iterator[tuple[BenchmarkView, ...]]:
    """All benchmarks one step shorter at a time."""
    return zip(*(shorter_benchmarks(one) for one in benchmarks), strict=True)


def _first(table: Table, kept: int) -> Table:
    left_out = len(table.rows) - kept
    return replace(table, rows=table.rows[:kept], more=f"… and {left_out} more") if left_out > 0 else table


def _some(lines: tuple[str, ...], kept: int) -> tuple[str, ...]:
    left_out = len(lines) - kept
    return (*lines[:kept], f"… and {left_out} more") if left_out > 0 else lines
