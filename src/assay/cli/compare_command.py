"""`assay compare`: JSON lines in, one answer a line out, each as soon as its line is read."""

import json
from collections.abc import Callable

from assay.cli.json_lines import columns, harmless, rows_of, write_line
from assay.core import numbers
from assay.core.compare_rows import as_answer, compared, other_tests, read_row, without_shared_shift
from assay.core.further import Statistic
from assay.errors import UsageError

_HEADER = ("id", "verdict", "change", "interval", "p", "n", "why")
_WIDTHS = (24, 10, 10, 22, 9, 7)


def compare(source: str, alpha: float, as_json: bool, *, suite: bool = False, tests: bool = False) -> int:
    """Compare the rows of a file, or of standard input for `-`. The exit code is 0 whatever the verdicts: this is no gate.

    The rows of a `suite` were measured together: a shift that all share is the machine's. `tests` adds other statistics.

    Raises UsageError for a file that cannot be read, a line that is no row and an alpha outside 0 to 0.5.
    """
    if not 0.0 < alpha <= 0.5:
        raise UsageError(f"--alpha is {alpha}, which is no level of a test", hint="Give a number above 0 and at most 0.5, such as 0.05.")
    show: Callable[[dict[str, object]], str] = _json if as_json else _table_row
    if not as_json:
        write_line(columns(_HEADER, _WIDTHS))
    rows = (read_row(line, where) for where, line in rows_of(source))
    compared_rows = ((row, compared(row, alpha)) for row in rows)
    for row, found in without_shared_shift(list(compared_rows)) if suite else compared_rows:
        extra = {"tests": other_tests(row, alpha)} if tests else {}
        write_line(show(as_answer(row, found) | extra))
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
    return "\n".join([columns(cells, _WIDTHS), *_test_lines(found)])


def _test_lines(found: dict[str, object]) -> list[str]:
    tests = found.get("tests", [])
    return [f"  {Statistic(**one)}" for one in tests] if isinstance(tests, list) else []
