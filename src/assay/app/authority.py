"""Publish the table of results: into the document of a working tree, or by a pull request."""

from collections.abc import Callable

from assay.core.effects import ProposeFile
from assay.core.loop.authority import Published
from assay.core.loop.ledger import Ledger
from assay.core.loop.proposal import Edition, edition_of, proposal_of
from assay.core.values import dataclass
from assay.errors import UsageError
from assay.forge_ports import Notices, Posted
from assay.loop_ports import Documents


@dataclass(frozen=True, slots=True)
class Publishing:
    """What was published: the edition, and where it is now. `path` or `pull` is None where it went the other way, or nothing changed."""

    edition: Edition
    path: str | None = None
    pull: Posted | None = None


def publish(published: Published, ledger: Ledger, put: Callable[[Edition], Publishing]) -> Publishing:
    """Publish what the ledger has, by `put` where that changes anything.

    Raises UsageError where there is no document to publish in, or a line of the ledger cannot be read: a table that leaves
    something out says so nowhere.
    """
    if ledger.lost:
        lost = ledger.lost[0]
        raise UsageError(f"The ledger cannot be read at {lost.path}: {lost.reason}.", hint="Repair that line by hand, then publish.")
    edition = edition_of(published, ledger.rows)
    return put(edition) if edition.changed else Publishing(edition)


def into_tree(documents: Documents) -> Callable[[Edition], Publishing]:
    """Writes the document of the working tree, which is left to be committed."""
    return lambda edition: Publishing(edition, path=documents.write(edition.file, edition.text))


def as_pull_request(notices: Notices, branch: str, start: str) -> Callable[[Edition], Publishing]:
    """Opens or updates the one pull request; the tree stays as it is."""

    def propose(edition: Edition) -> Publishing:
        effect: ProposeFile = proposal_of(edition, branch, start)
        return Publishing(edition, pull=notices.propose(effect))

    return propose
