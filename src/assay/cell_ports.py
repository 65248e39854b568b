"""What cells need of the outside world that are measured elsewhere: a journal there, and a way to the place from here."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from assay.core.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.envelope import Run
    from assay.core.salvage import Noted


class SampleJournal(Protocol):
    """Where a cell writes down what it measures, so that nothing is lost with it. All raise InfrastructureError where the disk refuses."""

    def begin(self, run: Run) -> None:
        """The envelope as it is when the first process of its side has ended."""
        ...

    def add(self, noted: Noted) -> None:
        """One more process; on disk before the next one starts."""
        ...

    def end(self, run: Run) -> None:
        """The envelope as it came to be, in the place of all that was noted before."""
        ...


class Phase(StrEnum):
    """How far a cell has come."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class CellNews:
    """What is known of a cell. `detail` is a sentence for people; `lines` is output that was not told before. Both are untrusted."""

    phase: Phase
    detail: str = ""
    lines: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        return self.phase in (Phase.DONE, Phase.LOST)


class Place(Protocol):
    """Where cells are measured that are not measured here: a cluster, another machine."""

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    def send(self, cells: tuple[str, ...]) -> None:
        """Have these cells measured, by the names of their benchmarks. One that is under way already is not sent again.

        Raises InfrastructureError where the place cannot be reached or refuses, UsageError for what it will never take.
        """
        ...

    def look(self) -> Mapping[str, CellNews]:
        """How far the cells are that were sent. What is done lies in the hand-over folder by then.

        Raises InfrastructureError where the place cannot be asked now, which says nothing about the cells.
        """
        ...

    def cancel(self) -> None:
        """End all that was sent and has not ended, and fetch what it had measured. Raises InfrastructureError where that fails."""
        ...
