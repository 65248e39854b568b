"""What changed between base and head, in numbers: files and lines by kind, and the files with the most lines."""

from collections.abc import Callable, Iterable

from assay.core.model import UNKNOWN
from assay.core.tree import LineCounts, Lines

MOST_PATHS = 2000
"""In more changed files than this lines are not counted, for that would take longer than the analysis."""

_SHOWN = 20
_NO_LINES = Lines(0, 0)


def diff_facts(
    changed: tuple[tuple[str, str], ...] | None, lines: LineCounts | None, write: Callable[[str, int], str]
) -> dict[str, object] | str:
    """The part of a digest that tells of the change. `changed` is each path with its rung; `write` makes a stranger's text harmless."""
    if changed is None:
        return UNKNOWN
    paths = [path for path, _ in changed]
    rungs = sorted({rung for _, rung in changed})
    within = {rung: [path for path, own in changed if own == rung] for rung in rungs}
    facts: dict[str, object] = {"files": len(changed), "by_rung": {rung: len(within[rung]) for rung in rungs}}
    if lines is None:
        return facts | {"lines": UNKNOWN, "paths": [write(path, 120) for path in paths[:_SHOWN]]}
    largest = sorted(paths, key=lambda path: (-sum(lines.get(path) or _NO_LINES), path))
    return facts | {
        "lines": _sum(paths, lines),
        "lines_by_rung": {rung: _sum(within[rung], lines) for rung in rungs},
        "binary_files": sum(lines.get(path, _NO_LINES) is None for path in paths),
        "paths": [_path(path, lines.get(path), write) for path in largest[:_SHOWN]],
    }


def _sum(paths: Iterable[str], lines: LineCounts) -> dict[str, int]:
    counted = [lines.get(path) or _NO_LINES for path in paths]
    added, removed = sum(one.added for one in counted), sum(one.removed for one in counted)
    return {"added": added, "removed": removed, "changed": added + removed}


def _path(path: str, one: Lines | None, write: Callable[[str, int], str]) -> dict[str, object]:
    return {"path": write(path, 120), "added": one.added if one else None, "removed": one.removed if one else None}
