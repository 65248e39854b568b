"""What became of an outbox that was sent."""

from dataclasses import field

from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.outcomes import Outcome
from assay.core.values import dataclass
from assay.ports import Unreadable


@dataclass(frozen=True, slots=True)
class Flushed:
    """What became of the outbox: what the branch has now, what still waits and why, what it has otherwise, what is unreadable."""

    landed: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    outcome: Outcome = field(default_factory=lambda: Outcome(Kind.DONE))

    @property
    def clean(self) -> bool:
        """Whether nothing is left for anybody to do."""
        return not (self.waiting or self.conflicts or self.unreadable)
