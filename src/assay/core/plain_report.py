"""The result of a check as plain text for a terminal or a log: verdict first, a small aligned table, what to do, where the files are."""

import textwrap

from assay.core import escape, numbers, wording
from assay.core.comparison import Comparison
from assay.core.model import Role, Status
from assay.core.result import BenchmarkResult, CheckResult
from assay.core.view import change_of, headline, role_of, verdict_of, worst_first

_HEADS = ("metric", "role", "base", "head", "change (interval)", "n", "verdict")
_WARNINGS_SHOWN = 10
_SECONDARY_SHOWN = 10
_VERBATIM = ("  | ", "Reproduce: ")
"""How lines begin that are for copying, or are somebody else's: they are never folded."""


def plain_report(result: CheckResult, columns: int | None = None) -> str:
    """All of it, ending with a newline, without any colour. Lines are folded, and tables given up, to fit into `columns`."""
    blocks = [] if len(result.benchmarks) == 1 else [[headline(result, wording.PLAIN)]]
    blocks += [_benchmark(one, columns) for one in worst_first(result)]
    blocks.append(_closing(result))
    return "\n\n".join("\n".join(_folded(line, columns) for line in block) for block in blocks if block) + "\n"


def _folded(line: str, columns: int | None) -> str:
    if columns is None or len(line) <= columns or line.startswith(_VERBATIM):
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(line, columns, subsequent_indent=f"{indent}  ", break_long_words=False, break_on_hyphens=False)


def _benchmark(one: BenchmarkResult, columns: int | None) -> list[str]:
    lines = [f"{escape.plain(one.name, 100)}: {wording.headline(one, wording.PLAIN)}"]
    if not wording.unmeasured(one):
        lines.append(f"  {escape.plain(wording.sentence(one.reason), 600)}")
    if one.outcome:
        lines.append(f"  Outcome: {one.outcome.value}, by the policy {escape.plain(one.policy, 20)}")
    lines.append(f"  Next: {wording.next_step(one, wording.PLAIN)}")
    secondary = [each for each in one.comparisons if each.spec.role is Role.SECONDARY]
    lines += _doubts(one)
    lines += comparison_table((*wording.judged(one), *secondary[:_SECONDARY_SHOWN]), columns)
    lines += _left_out(len(secondary) - _SECONDARY_SHOWN, "secondary metric")
    lines += [f"  warning: {escape.plain(warning)}" for warning in one.warnings[:_WARNINGS_SHOWN]]
    lines += _left_out(len(one.warnings) - _WARNINGS_SHOWN, "warning")
    return lines + _tail(one) + _origin(one)


def _doubts(one: BenchmarkResult) -> list[str]:
    """Who of the analysts doubts that the evidence carries the decision. The rest of the analysis is for the comment."""
    told = one.analysis.dissent if one.analysis else ()
    return [f"  Doubt: {escape.plain(f'{who}: {what}', 600)}" for who, what in told]


def comparison_table(comparisons: tuple[Comparison, ...], columns: int | None = None) -> list[str]:
    """A table, or a line for each metric where that would be broken by a narrow terminal."""
    if not comparisons:
        return []
    cells = [_cells(comparison) for comparison in comparisons]
    rows = [_HEADS, *cells]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    table = [f"  {'  '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))}".rstrip() for row in rows]
    if columns is None or max(map(len, table)) <= columns:
        return table
    return [f"  {metric}, {role}: {verdict}; {base} → {head}, {change}, n {n}" for metric, role, base, head, change, n, verdict in cells]


def _cells(comparison: Comparison) -> tuple[str, ...]:
    unit = f" ({escape.plain(comparison.spec.unit, 20)})" if comparison.spec.unit else ""
    return (
        escape.plain(comparison.spec.name, 40) + unit,
        role_of(comparison),
        wording.value(comparison.base),
        wording.value(comparison.head),
        change_of(comparison),
        f"{len(comparison.base)}/{len(comparison.head)}",
        verdict_of(comparison),
    )


def _tail(one: BenchmarkResult) -> list[str]:
    if not one.output_tail:
        return []
    return ["  Last output:", *(f"  | {line}" for line in escape.visible_lines(one.output_tail))]


def _origin(one: BenchmarkResult) -> list[str]:
    if one.status is not Status.REUSED:
        return []
    verdict = one.reuse
    run = (verdict.run_id if verdict else None) or one.run_id or "a stored run"
    commit = f" of commit {escape.plain(verdict.commit)[:7]}" if verdict and verdict.commit else ""
    age = f", {escape.plain(one.reused_age, 60)}" if one.reused_age else ""
    return [f"  Reused {escape.plain(run, 60)}{commit}{age}; nothing ran."]


def _closing(result: CheckResult) -> list[str]:
    lines = [f"{escape.plain(name, 60)}: {escape.plain(path)}" for name, path in result.files.items()]
    return lines + ([f"Reproduce: {escape.plain(result.reproduce, 1000)}"] if result.reproduce else [])


def _left_out(amount: int, what: str) -> list[str]:
    return [f"  … and {numbers.count(amount, f'more {what}')}, see summary.md"] if amount > 0 else []
