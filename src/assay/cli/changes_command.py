"""`assay changes`: histories as JSON lines in, their change points out, each line as soon as it is read."""

import json
from collections.abc import Callable, Mapping, Sequence

from assay.cli.json_lines import columns, harmless, rows_of, write_line
from assay.core import numbers
from assay.core.change_rows import changes_in, read_history

_HEADER = ("id", "what", "at", "before", "after", "change", "meaning")
_WIDTHS = (24, 12, 6, 10, 10, 10)
_SHOWN = 10
_NOISE = "the noise changed with the level: a machine or its neighbours rather than the code"

Answer = Mapping[str, object]


def changes(source: str, as_json: bool) -> int:
    """Find the changes in the histories of a file, or of standard input for `-`. The exit code is 0 whatever is found.

    Raises UsageError for a file that cannot be read and a line that is no history.
    """
    show: Callable[[Answer], str] = _json if as_json else _table
    if not as_json:
        write_line(columns(_HEADER, _WIDTHS))
    for where, line in rows_of(source):
        write_line(show(changes_in(read_history(line, where))))
    return 0


def _json(found: Answer) -> str:
    return json.dumps(found, allow_nan=False)


def _table(found: Answer) -> str:
    """A line for each border, in order, and one for each peculiarity; one that says so where there is nothing."""
    name = harmless(str(found["id"]))
    steps = [(one, "step", str(one["verdict"] or "no direction declared")) for one in _points(found, "change_points")]
    borders = [*steps, *((one, "noise change", _NOISE) for one in _points(found, "noise_changes"))]
    rows = [_border(name, *one) for one in sorted(borders, key=lambda one: str(one[0]["index"]).zfill(12))]
    rows += [_remark(name, what, text) for what, text in _remarks(found)]
    return "\n".join(rows or [_remark(name, "no step", "one level throughout")])


def _points(found: Answer, key: str) -> Sequence[Answer]:
    points = found[key]
    return points if isinstance(points, list) else []


def _border(name: str, point: Answer, what: str, meaning: str) -> str:
    before, after, change = point["before"], point["after"], point["relative_change"]
    cells = (
        name,
        what,
        str(point["index"]),
        numbers.number(before) if isinstance(before, float) else "–",
        numbers.number(after) if isinstance(after, float) else "–",
        numbers.change(change) if isinstance(change, float) else "–",
        meaning,
    )
    return columns(cells, _WIDTHS)


def _remark(name: str, what: str, text: str) -> str:
    return columns((name, what, "", "", "", "", text), _WIDTHS)


def _remarks(found: Answer) -> list[tuple[str, str]]:
    outliers = found["outliers"] if isinstance(found["outliers"], list) else []
    more = f" and {len(outliers) - _SHOWN} more" if len(outliers) > _SHOWN else ""
    at = ", ".join(map(str, outliers[:_SHOWN])) + more
    remarks = [("outliers", f"at {at}: no level of their own")] if outliers else []
    return [*remarks, ("two modes", "the values gather around two levels in turn")] if found["modes"] == 2 else remarks
