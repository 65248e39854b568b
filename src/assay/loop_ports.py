"""What the control loop needs of the outside world besides `ports`, apart from it so that a check need not load it."""

from datetime import datetime
from typing import Protocol

from assay.core.config import Config
from assay.core.loop.capabilities import Capabilities
from assay.core.loop.claims import Claim, Claims
from assay.core.loop.ledger import Ledger, LedgerRow
from assay.core.loop.task import Task
from assay.core.prior import Header
from assay.ports import Store, Unreadable


class LedgerBook(Protocol):
    """The ledger of a store: rows are added, claims come and go."""

    @property
    def place(self) -> str:
        """Where it is kept, for people."""
        ...

    def rows(self) -> Ledger:
        """All rows; lines that cannot be read are among the lost, never left out in silence."""
        ...

    def claims(self) -> Claims:
        """Who is at what. Raises InfrastructureError where that cannot be read."""
        ...

    def claim(self, wanted: Claim, now: datetime) -> Claim | None:
        """Take or renew a claim, and answer None; or the claim of somebody else that lasts.

        Raises InfrastructureError where it cannot be written: who cannot say that they are at it must not begin.
        """
        ...

    def release(self, claim: Claim) -> None:
        """Give a claim back. That this fails does no harm: it runs out."""
        ...

    def append(self, row: LedgerRow) -> None:
        """Add a row, whole or not at all; once it is there, adding it again changes nothing.

        What a remote refuses waits on this disk. Raises InfrastructureError where that refuses too.
        """
        ...


class LoopStore(Store, Protocol):
    """A store that keeps a ledger, and can tell what it holds."""

    @property
    def ledger(self) -> LedgerBook: ...

    def listed(self, benchmark: str) -> tuple[tuple[Header, ...], tuple[Unreadable, ...]]:
        """What is known of all runs of a benchmark without reading them, newest first and without hidden ones; what is unreadable."""
        ...


class Prober(Protocol):
    """Looks at what this box can do."""

    def capabilities(self, config: Config, tasks: tuple[Task, ...]) -> Capabilities: ...


class Documents(Protocol):
    """The published document of a working tree."""

    def read(self, path: str) -> str | None:
        """Its text, None where it does not exist. Raises UsageError for a link, a folder, or no text."""
        ...

    def write(self, path: str, text: str) -> str:
        """Write it whole or not at all; where it is. Raises InfrastructureError where the disk refuses."""
        ...
