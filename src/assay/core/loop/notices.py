"""What is said of regressions and of the status to everybody, as effects: found by a hidden marker, edited in place, closed when over."""

import shlex
from collections.abc import Iterable, Iterator

from assay.core import escape
from assay.core.canonical import sha256
from assay.core.effects import EditIssue, OpenIssue
from assay.core.escape import plain
from assay.core.forge_facts import Notice
from assay.core.loop.ledger import LedgerRow
from assay.core.loop.regression import AT_MOST, Standing, worst_first
from assay.core.loop.status import Status
from assay.core.loop.status_text import status_markdown
from assay.core.numbers import change, number
from assay.core.values import dataclass

STATUS_MARKER = "<!-- assay:status -->"


@dataclass(frozen=True, slots=True)
class Said:
    """An effect, the start of the body by which the issue is found, and what it is about for the log."""

    effect: OpenIssue | EditIssue
    marker: str
    about: str


def regression_marker(standing: Standing) -> str:
    """How the body of the issue of a cell begins, whichever regression of it that tells of."""
    key = sha256("\0".join(standing.key))[:16]
    return f"<!-- assay:regression key={key} "


def of_regressions(found: Iterable[Standing], issues: Iterable[Notice]) -> Iterator[Said]:
    """What to do about all regressions: at most five new issues, the worst first; updates and closings of those that are there.

    An issue that a person has closed while its regression goes on stays closed until there is another one.
    """
    known, opened = tuple(issues), 0
    for standing in worst_first(found):
        marker = regression_marker(standing)
        mine = [one for one in known if one.body.startswith(marker)]
        there = next((one for one in mine if one.open), None)
        if there:
            yield from _edited(standing, there, marker)
        elif standing.open and opened < AT_MOST and not any(_first_of(one) == standing.first.id for one in mine):
            opened += 1
            yield Said(OpenIssue(_title(standing), _body(standing)), marker, _title(standing))


def of_status(status: Status, issues: Iterable[Notice]) -> Iterator[Said]:
    """The one rolling issue with the status."""
    title, body = "Assay: status of the control loop", f"{STATUS_MARKER}\n{status_markdown(status)}\n"
    there = next((one for one in issues if one.open and one.body.startswith(STATUS_MARKER)), None)
    if there is None:
        yield Said(OpenIssue(title, body), STATUS_MARKER, title)
    elif (there.title, there.body) != (title, body):
        yield Said(EditIssue(there.number, title, body), STATUS_MARKER, title)


def _edited(standing: Standing, there: Notice, marker: str) -> Iterator[Said]:
    title, body = _title(standing), _body(standing)
    if not standing.open or (there.title, there.body) != (title, body):
        yield Said(EditIssue(there.number, title, body, closed=not standing.open), marker, title)


def _first_of(issue: Notice) -> str:
    """The row that the issue was opened for, as its marker says."""
    return issue.body.partition(" first=")[2].partition(" ")[0]


def _title(standing: Standing) -> str:
    first = standing.first
    how = f"{change(first.change)} {first.metric or ''}".strip() if first.change is not None else "worse"
    return plain(f"Regression: {first.task} on {first.machine}: {how}", 200)


def _body(standing: Standing) -> str:
    first, last = standing.first, standing.last
    marker = f"{regression_marker(standing)}first={first.id} -->"
    if standing.open:
        state = "It goes on: each scheduled measurement is held against the commit before it until it is no longer worse than that."
    else:
        state = f"It is over: {_measured(last)}."
    rows = [
        ("benchmark", escape.inline(first.task, 64)),
        ("machine", escape.inline(first.machine, 100)),
        ("metric", escape.inline(first.metric or "-", 64)),
        ("good", f"`{(first.base or '-')[:12]}`: {_value(first.base_number, first)}"),
        ("first seen", f"{_measured(first)}"),
        ("last measured", f"{_measured(last)}"),
    ]
    table = "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])
    again = f"assay check --base {first.base} --head {last.commit} --benchmark {shlex.quote(first.task)} --no-reuse"
    return f"{marker}\n{state}\n\n{table}\n\nTo measure it again:\n\n{escape.fence([again])}\n"


def _measured(row: LedgerRow) -> str:
    how = f" ({change(row.change)})" if row.change is not None else ""
    return f"{row.created_at}, commit `{(row.commit or '-')[:12]}`: {_value(row.number, row)}{how}"


def _value(value: float | None, row: LedgerRow) -> str:
    if value is None:
        return "-"
    return f"{number(value)} {escape.inline(row.unit, 20)}" if row.unit else number(value)
