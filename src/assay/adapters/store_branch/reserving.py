"""A spend that is judged on the very tip that it is written on: two that are made at the same time cannot both take the last run."""

from dataclasses import field

from assay.adapters.store_branch.delivery import Deliverer
from assay.adapters.store_branch.edit import Edit
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.reading import records_at
from assay.adapters.store_branch.snapshot import Snapshot
from assay.adapters.stored_records import encoded, spent_of
from assay.core.budget import Judge, Refusal, Spend, Spent
from assay.core.store_layout import SPEND
from assay.core.values import dataclass
from assay.errors import InfrastructureError


@dataclass(slots=True)
class Reservation:
    """The edit that adds a spend to a tip, unless what was spent by then speaks against it. It remembers the last answer.

    `waiting` is what this disk has and the branch has not.
    """

    spend: Spend
    judge: Judge
    waiting: Spent
    refused: Refusal | None = field(default=None)

    def __call__(self, snapshot: Snapshot) -> Edit:
        if self.spend.path in snapshot.blobs([self.spend.path]):  # it got there, and the answer was lost on its way
            self.refused = None
            return Edit("")
        there = spent_of(records_at(snapshot, Spend, SPEND)).with_(self.waiting)
        self.refused = self.judge(there)
        return Edit("") if self.refused else Edit("Add 1 spend", {self.spend.path: encoded(self.spend)})

    def sent(self, deliverer: Deliverer, name: str) -> Refusal | None:
        """Write it; why it was not to be. To be called while the repository is held.

        Raises InfrastructureError where it cannot be written: what is not on the account is not to be had.
        """
        outcome = deliverer.deliver(self)
        if outcome.kind is not Kind.DONE:
            what = f"What the command takes could not be written to the data branch `{name}`: {outcome.reason}."
            raise InfrastructureError(what, hint=outcome.hint or "Give the command again when the branch can be written to.")
        return self.refused
