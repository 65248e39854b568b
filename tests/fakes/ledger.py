"""A ledger in memory, and a prober that says what a test wants."""

from dataclasses import dataclass, field
from datetime import datetime

from assay.core.config import Config
from assay.core.loop.capabilities import Capabilities
from assay.core.loop.claims import Claim, Claims
from assay.core.loop.ledger import BadLine, Ledger, LedgerRow, ledger_of
from assay.core.loop.task import Task
from assay.errors import InfrastructureError


@dataclass(slots=True)
class FakeLedger:
    """Satisfies `loop_ports.LedgerBook`. With `refuses` set every write fails."""

    kept: list[LedgerRow] = field(default_factory=list)
    lost: list[BadLine] = field(default_factory=list)
    held: Claims = field(default_factory=Claims)
    refuses: str = ""
    taken: list[Claim] = field(default_factory=list)

    @property
    def place(self) -> str:
        return "memory:ledger"

    def rows(self) -> Ledger:
        return ledger_of(self.kept, self.lost)

    def claims(self) -> Claims:
        return self.held

    def claim(self, wanted: Claim, now: datetime) -> Claim | None:
        self._accept()
        self.taken.append(wanted)
        other = self.held.in_the_way(wanted, now)
        if other is None:
            self.held = self.held.having(wanted, now)
        return other

    def release(self, claim: Claim) -> None:
        self._accept()
        self.held = self.held.without(claim)

    def append(self, row: LedgerRow) -> None:
        self._accept()
        self.kept.append(row)

    def _accept(self) -> None:
        if self.refuses:
            raise InfrastructureError(self.refuses, hint="Free the disk.")


@dataclass(slots=True)
class FakeProber:
    """Satisfies `loop_ports.Prober`."""

    here: Capabilities

    def capabilities(self, config: Config, tasks: tuple[Task, ...]) -> Capabilities:
        return self.here
