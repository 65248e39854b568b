"""Journals in memory, which can refuse as a full disk does."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assay.core.envelope import Run
from assay.core.salvage import Noted
from assay.errors import InfrastructureError


@dataclass(slots=True)
class FakeJournal:
    """Satisfies `cell_ports.SampleJournal` and `queue_ports.OwnJournal`."""

    frames: dict[str, Run] = field(default_factory=dict)
    lines: list[Noted] = field(default_factory=list)
    ended: dict[str, Run] = field(default_factory=dict)
    full: bool = False

    def begin(self, run: Run) -> None:
        self._accept()
        self.frames[run.run_id] = run

    def add(self, noted: Noted) -> None:
        self._accept()
        assert noted.run_id in self.frames, "a process of a run that nobody has begun"
        self.lines.append(noted)

    def end(self, run: Run) -> None:
        self._accept()
        self.ended[run.run_id] = run

    def forget(self, run_ids: Iterable[str]) -> None:
        for run_id in run_ids:
            self.frames.pop(run_id, None)

    def _accept(self) -> None:
        if self.full:
            raise InfrastructureError("The disk is full.")


@dataclass(slots=True)
class FakeJournals:
    """Satisfies `queue_ports.Journals`. `orphans` are what workers that are gone have left."""

    own: FakeJournal = field(default_factory=FakeJournal)
    orphans: list[Run] = field(default_factory=list)

    def left(self) -> Iterator[Run]:
        while self.orphans:
            yield self.orphans.pop(0)
