"""What the runner needs of the accelerators of a box. A protocol only; an adapter satisfies it, tests stand in for the library below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a command loads what it uses, not all that a port speaks of
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from assay.core.devices import Sighting


class Devices(Protocol):
    """The accelerators of this box, for the runner: who may use them, and what they do meanwhile."""

    def claims(self, variables: Mapping[str, str], count: int) -> tuple[str, ...]:
        """What a process with these variables that needs `count` GPUs has to claim, the same whichever name it has for a card."""
        ...

    def watched(
        self, variables: Mapping[str, str], count: int, clock_mhz: int | None, warnings: list[str]
    ) -> AbstractContextManager[Callable[[], tuple[Sighting, ...]]]:
        """Watch the cards of such a process from just before it starts until it has ended; called then, the answer is what was seen.

        Their clocks are held at `clock_mhz` meanwhile, where that is given and allowed; what could not be had is a sentence more
        in `warnings`. The claims have to be held around it.
        """
        ...
