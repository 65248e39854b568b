"""`assay compare`: JSON lines in, one answer a line out, each as soon as its line is read."""

import json
from collections.abc import Callable

from assay.cli.json_lines import columns, harmless, rows_of, write_line
from assay.core import numbers
from assay.core.compare_rows import answer, read_row
from assay.errors import UsageError

_HEADER = ("id", "verdict", "change", "interval", "p", "n", "why")
_WIDTHS = (24, 10, 10, 22, 9, 7)


def compare(source: str, alpha: float, as_json: bool) -> int:
    """Compare the rows of a file, or of standard input for `-`. The exit code is 0 whatever the verdicts: this is no gate.

    Raises UsageError for a file that cannot be read, a line that is no row and an alpha outside 0 to 0.5.
    """
    if not 0.0 < alpha <= 0.5:
        raise UsageError(f"--alpha is {alpha}, which is no level of a test", hint="Give a number above 0 and at most 0.5, such as 0.05.")
    show: Callable[[dict[str, object]], str] = _json if as_json else _table_row
    if not as_json:
        write_line(columns(_HEADER, _WIDTHS))
    for where, line in rows_of(source):
        write_line(show(answer(read_row(line, where), alpha)))
    return 0


def _json(found: dict[str, object]) -> str:
    return json.dumps(found, allow_nan=False)


def _table_row(found: dict[str, object]) -> str:
    change, interval, p = found["relative_change"], found["interval"], found["p"]
    base, head = found["n"] if isinstance(found["n"], list) else ("", "")
    cells = (
        harmless(str(found["id"])),
        str(found["verdict"]),
        numbers.change(change) if isinstance(change, float) else "–",
        numbers.interval((interval[0], interval[1])) if isinstance(interval, list) else "–",
        f"{p:.2g}" if isinstance(p, float) else "–",
        f"{base}+{head}",
        str(found["reason"]),
    )
    return columns(cells, _WIDTHS)
