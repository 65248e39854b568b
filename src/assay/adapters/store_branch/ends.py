"""Loose ends on a data branch: written ahead of what they speak of, and removed when that is done."""

from typing import TYPE_CHECKING

from assay.adapters.store_branch.delivery import Patience
from assay.adapters.store_branch.outbox import Outbox
from assay.adapters.store_branch.reading import Reader
from assay.core.loose_ends import LooseEnd, LooseEnds, Opened, Owed, settled

if TYPE_CHECKING:
    from assay.adapters.store_branch.store import BranchStore

AHEAD = Patience(races=4, race_s=5.0, silences=1, call_s=10.0)
"""What is written ahead must not hold up what it is written for; where it cannot be sent it goes with what comes next."""


class BranchEnds:
    """Satisfies `forge_ports.Ends`."""

    def __init__(self, store: "BranchStore", outbox: Outbox, reader: Reader) -> None:
        self._store = store
        self._outbox = outbox
        self._reader = reader

    def begin(self, opened: Opened) -> None:
        """Write it ahead and send it, also inside a batch. Raises InfrastructureError where this disk refuses."""
        self._outbox.add(opened)
        self._store.flush(patience=AHEAD)

    def owe(self, owed: Owed) -> None:
        """Keep a report for the next job, in place of an older one. Raises InfrastructureError where this disk refuses."""
        self._store.keep(owed)

    def settle(self, end: LooseEnd) -> None:
        """Remove it, unless a newer one has taken its place. Raises InfrastructureError where this disk refuses."""
        self._store.keep(settled(end))

    def found(self) -> LooseEnds:
        """All loose ends on the branch and on their way to it; what cannot be read is left out."""
        gone = {one.of: one.content for one in self._outbox.settled()}
        mine = self._outbox.loose_ends()
        both = {one.path: one for one in (*self._reader.opened(), *self._reader.owed(), *mine) if isinstance(one, Opened | Owed)}
        left = [one for one in both.values() if gone.get(one.path) != settled(one).content]
        left.sort(key=lambda one: one.created_at)
        return LooseEnds(
            tuple(one for one in left if isinstance(one, Opened)),
            tuple(one for one in left if isinstance(one, Owed)),
        )
