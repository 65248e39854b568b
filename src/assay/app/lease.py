"""A claim that is renewed while its task goes on: between two processes, so that nothing of ours runs beside one."""

from datetime import datetime

from assay.core.events import Event, ProcessEnded, Remark, StageStarted
from assay.core.loop.claims import LEASE, Claim, claim
from assay.errors import InfrastructureError
from assay.loop_ports import LedgerBook
from assay.ports import Clock, Observer

RENEW_AFTER = LEASE / 3


class Lease:
    """Satisfies `ports.Observer`: it hands on all it hears, and renews the claim when the last time was a while ago."""

    def __init__(self, ledger: LedgerBook, held: Claim, clock: Clock, observer: Observer, process_s: float) -> None:
        self._ledger = ledger
        self._held = held
        self._clock = clock
        self._observer = observer
        self._process_s = process_s
        self._renewed: datetime = clock.now()

    def note(self, event: Event) -> None:
        self._observer.note(event)
        if isinstance(event, ProcessEnded | StageStarted):
            self._renew()

    def _renew(self) -> None:
        """That this fails is told once a while, and the work goes on: what was measured counts, whoever else measures it."""
        now = self._clock.now()
        if now - self._renewed < RENEW_AFTER:
            return
        self._renewed = now
        held = self._held
        try:
            self._ledger.claim(claim(held.cell, held.box, held.holder, now, self._process_s), now)
        except InfrastructureError as error:
            self._observer.note(Remark(error.message))

    def give_back(self) -> None:
        """Let others have it. A claim that stays runs out by itself."""
        try:
            self._ledger.release(self._held)
        except InfrastructureError as error:
            self._observer.note(Remark(error.message))
