"""The published table of results: rendered from the ledger between two markers of a document, and how far it lags behind.

The first marker tells up to which moment of the ledger the table goes, so that nothing else has to be remembered.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from assay.core import escape
from assay.core.loop.ledger import LedgerRow
from assay.core.model import UNKNOWN
from assay.core.numbers import change, number
from assay.core.timestamp import moment
from assay.core.values import dataclass

OPENING, CLOSING = "<!-- assay:results through=", "<!-- /assay:results -->"
EMPTY_BLOCK = f"{OPENING}never -->\n{CLOSING}"
_BLOCK = re.compile(r"<!-- assay:results through=(\S{1,40}) -->\r?\n(.*?)<!-- /assay:results -->", re.DOTALL)
_HEADS = ("benchmark", "metric", "value", "n", "against base", "machine", "commit", "measured", "run")


@dataclass(frozen=True, slots=True)
class Published:
    """The document as it stands. `text` is None where it is missing, `file` where the config names none."""

    file: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Lag:
    """How far the document is behind: the rows with a datum that are newer than it. `problem` says why that could not be told."""

    through: str
    newer: int
    problem: str = ""


def lag_of(published: Published, rows: Iterable[LedgerRow]) -> Lag:
    """What of the ledger is not public yet. A document that is missing or has no markers has nothing of it, and that is said."""
    gathered = [one for one in rows if one.result.gathered]
    if published.file is None:
        return Lag(UNKNOWN, 0, "the config names no document: `publish: {file: …}`")
    if published.text is None:
        return Lag(UNKNOWN, len(gathered), f"the document {published.file} is missing")
    through = through_of(published.text)
    if isinstance(through, str):
        return Lag(UNKNOWN, len(gathered), f"the document {published.file} {through}")
    newer = sum(through is None or one.at > through for one in gathered)
    return Lag(_mark(published.text), newer or len(_left_out(published.text, gathered)))


def _left_out(text: str, gathered: Iterable[LedgerRow]) -> list[LedgerRow]:
    """The newest data that the table lacks although it goes beyond them: rows that came late, or a table of a wrong clock."""
    table = _BLOCK.findall(text)[0][1]
    return [one for one in _newest(gathered).values() if one.run_id and f"`{one.run_id}`" not in table]


def through_of(text: str) -> datetime | str | None:
    """Up to which moment the table goes, None for never; as text what is wrong with the markers."""
    found = _BLOCK.findall(text)
    if len(found) != 1:
        return "has no markers for the table" if not found else "has the markers of the table more than once"
    if found[0][0] == "never":
        return None
    try:
        return moment(found[0][0])
    except ValueError:
        return "has a marker that names no moment"


def with_table(text: str, rows: Iterable[LedgerRow]) -> str:
    """The document with the table of these rows between its markers; all else stays. Raises ValueError without one pair of markers."""
    problem = through_of(text)
    if isinstance(problem, str) and "names no moment" not in problem:
        raise ValueError(problem)
    block = table_block(rows)
    if "\r\n" in text:
        block = block.replace("\n", "\r\n")
    return _BLOCK.sub(lambda _: block, text)


def table_block(rows: Iterable[LedgerRow]) -> str:
    """The markers and the table between them: of each benchmark and class of machines the newest datum."""
    gathered = [one for one in rows if one.result.gathered]
    newest = _newest(gathered)
    through = max((one.created_at for one in gathered), key=moment, default="never")
    table = "\n".join(_table(newest[key] for key in sorted(newest))) if newest else "The control loop has measured nothing yet."
    return f"{OPENING}{through} -->\n\n{table}\n\n{CLOSING}"


def _newest(gathered: Iterable[LedgerRow]) -> Mapping[tuple[str, str], LedgerRow]:
    return {(one.task, one.machine): one for one in sorted(gathered, key=lambda one: (one.at, one.id))}


def new_document() -> str:
    """What a document is that does not exist yet."""
    return (
        f"# Results\n\nWhat the benchmarks last showed on the default branch. The table is written by `assay publish`.\n\n{EMPTY_BLOCK}\n"
    )


def _table(rows: Iterable[LedgerRow]) -> Iterator[str]:
    yield f"| {' | '.join(_HEADS)} |"
    yield "|" + "---|" * len(_HEADS)
    for one in rows:
        yield f"| {' | '.join(_cells(one))} |"


def _cells(row: LedgerRow) -> tuple[str, ...]:
    unit = f" {escape.inline(row.unit, 20)}" if row.unit else ""
    shown = f"{number(row.number)}{unit}" if row.number is not None else "–"
    verdict = row.verdict.value if row.verdict else "–"
    against = f"{verdict} ({change(row.change)})" if row.change is not None else verdict
    return (
        escape.inline(row.task, 64),
        escape.inline(row.metric, 64) if row.metric else "–",
        shown,
        str(row.samples) if row.samples else "–",
        against,
        escape.inline(row.machine, 80),
        f"`{row.commit[:10]}`" if row.commit else "–",
        row.created_at[:10],
        f"`{row.run_id}`" if row.run_id else "–",
    )


def _mark(text: str) -> str:
    return str(_BLOCK.findall(text)[0][0])
