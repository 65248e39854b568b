"""The ledger's part of `assay store flush`: rows of an uploaded outbox are taken in, and rows that still wait are told of."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.adapters.store_branch import BranchStore
    from assay.adapters.store_directory import DirectoryStore
    from assay.core.loop.ledger import Ledger


def rows_in(folder: Path) -> "Ledger":
    """The rows in a folder in the layout of a store, and its lines that cannot be read."""
    from assay.adapters.ledger_files import DirectoryLedger

    return DirectoryLedger(folder).rows()


def unread(folder: Path, ledger: "Ledger") -> tuple[str, ...]:
    """Sentences on the lines that were not taken."""
    return tuple(f"{folder}/{one.path} cannot be read and was not taken: {one.reason}." for one in ledger.lost)


def take_in(ledger: "Ledger", place: "BranchStore | DirectoryStore") -> None:
    """Add the rows to a store in a folder, or to what waits for a data branch. Raises InfrastructureError where the disk refuses."""
    from assay.adapters.store_branch import BranchStore

    keep = place.ledger.keep if isinstance(place, BranchStore) else place.ledger.append
    for row in ledger.rows:
        keep(row)


def still_waiting(place: "BranchStore | DirectoryStore") -> tuple[str, ...]:
    """A sentence on the rows that a data branch has not got."""
    from assay.adapters.store_branch import BranchStore
    from assay.core.numbers import count

    if not isinstance(place, BranchStore) or not (waiting := place.ledger.waiting):
        return ()
    return (f"{count(waiting, 'row')} of the ledger could not be sent to `{place.name}`, and wait in {place.outbox}.",)
