"""What is to become of the published document, as values: its new text, and the pull request that brings it."""

from collections.abc import Iterable

from assay.core import escape
from assay.core.effects import ProposeFile
from assay.core.loop.authority import Lag, Published, lag_of, new_document, with_table
from assay.core.loop.ledger import LedgerRow
from assay.core.numbers import count
from assay.core.values import dataclass
from assay.errors import UsageError

MARKER = "<!-- assay:publish -->"
SCHEMA = "assay.loop.publish/1"


@dataclass(frozen=True, slots=True)
class Edition:
    """The document with the table of now. `lag` is that of the document as it was; `changed` is whether it differs."""

    file: str
    text: str
    lag: Lag
    changed: bool


def edition_of(published: Published, rows: Iterable[LedgerRow]) -> Edition:
    """The next edition. Raises UsageError where the config names no document, or the document has no place for the table."""
    if published.file is None:
        raise UsageError("The config names no document to publish in.", hint="Add `publish: {file: docs/results.md}`.")
    known = tuple(rows)
    try:
        text = with_table(published.text if published.text is not None else new_document(), known)
    except ValueError as error:
        hint = "Put `<!-- assay:results through=never -->` and `<!-- /assay:results -->` on two lines, once, where the table belongs."
        raise UsageError(f"The document {published.file} {error}.", hint=hint) from error
    return Edition(published.file, text, lag_of(published, known), text != published.text)


def proposal_of(edition: Edition, branch: str, start: str) -> ProposeFile:
    """The pull request for an edition."""
    file = escape.inline(edition.file, 200)
    news = count(edition.lag.newer, "result of the control loop is", "results of the control loop are")
    body = (
        f"{MARKER}\n{news} not in {file} yet. This brings the table between its markers up to date and touches nothing else.\n\n"
        "It is kept up to date until it is merged.\n"
    )
    return ProposeFile(
        path=edition.file,
        text=edition.text,
        branch=branch,
        start=start,
        title=f"Bring {edition.file} up to date",
        body=body,
        marker=MARKER,
    )
