"""Tells a journal of each process of a session, so that a machine that dies takes no sample with it."""

from collections.abc import Callable

from assay.app.record import Ending, noted_of
from assay.app.session import Session
from assay.cell_ports import SampleJournal
from assay.core.envelope import Run
from assay.core.events import Remark
from assay.core.evidence import ProcessRecord
from assay.core.model import Side
from assay.errors import InfrastructureError
from assay.ports import Observer


class Noting:
    """One session's. A journal that cannot be written is told once and ends nothing: the session itself may still come to its end."""

    def __init__(self, journal: SampleJournal, session: Session, observer: Observer, envelope: Callable[[Side, Ending], Run]) -> None:
        self._journal = journal
        self._session = session
        self._observer = observer
        self._envelope = envelope
        self._begun: set[Side] = set()
        self._failed = False

    def note(self, record: ProcessRecord) -> None:
        """Note a process that has ended; before the first of a side, what its run is."""
        if self._failed:
            return
        try:
            if record.side not in self._begun:
                self._journal.begin(self._envelope(record.side, Ending.BROKEN_OFF))
                self._begun.add(record.side)
            self._journal.add(
                noted_of(self._session.sides[record.side].run_id, record, self._session.primary, gpus=self._session.needs_gpu)
            )
        except InfrastructureError as error:
            self._failed = True
            self._observer.note(Remark(f"What is measured is not written down meanwhile: {error.message}"))
