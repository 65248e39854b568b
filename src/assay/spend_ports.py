"""What commands need of a store beyond what a check does. A protocol only."""

from typing import Protocol

from assay.core.budget import Judge, Refusal, Spend
from assay.ports import Store


class CommandStore(Store, Protocol):
    """A store that keeps an account for many who spend at the same time."""

    def reserve(self, spend: Spend, judge: Judge) -> Refusal | None:
        """Write down a spend unless what all others have spent by then speaks against it; why it does, None where it is written.

        Between the judgement and the writing nobody spends; `judge` may be asked more than once. Raises InfrastructureError where it
        cannot be written, and what `judge` raises.
        """
        ...
