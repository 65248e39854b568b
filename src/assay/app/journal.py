"""The manifest of one analysis and the files it speaks of: one writer, one step at a time, on disk before anybody is told."""

from collections.abc import Mapping
from dataclasses import replace

from assay.analysis_ports import AnalysisFolder
from assay.app.panel import Desk, Order
from assay.core.fusion.events import StateReached
from assay.core.fusion.failure import AnalysisError
from assay.core.fusion.state import Attempt, Manifest, State
from assay.core.timestamp import stamp


class Journal:
    """Keeps the manifest. Every method that writes raises AnalysisError where the disk refuses."""

    def __init__(self, order: Order, desk: Desk) -> None:
        self._desk = desk
        self._durable = order.panel.durable
        self._folder: AnalysisFolder | None = None
        now = stamp(desk.clock.now())
        self.manifest = Manifest(
            analysis_id=desk.clock.new_id("ana"),
            run_id=order.run_id,
            benchmark=order.benchmark,
            created_at=now,
            updated_at=now,
            routes=order.panel.to_json(),
            quorum=order.panel.quorum,
        )

    @property
    def opened(self) -> bool:
        return self._folder is not None

    @property
    def path(self) -> str:
        """The folder of the analysis."""
        return self._files.path

    def open(self, files: Mapping[str, str]) -> None:
        """Make the folder with its first files, and publish the first state."""
        self._folder = self._desk.analyses.create(self.manifest.analysis_id, durable=self._durable)
        for name, text in files.items():
            self.write(name, text)
        self._files.publish(self.manifest)
        self._tell()

    def write(self, name: str, text: str) -> str:
        """Write a file and note it; its name."""
        artifact = self._files.write(name, text)
        self.manifest = replace(self.manifest, artifacts={**self.manifest.artifacts, name: artifact})
        return name

    def note(self, **facts: object) -> None:
        """Note facts that go to disk with the next state."""
        self.manifest = replace(self.manifest, **facts)  # type: ignore[arg-type] # the names are those of Manifest

    def limit(self, sentence: str) -> None:
        """Note what a reader has to know of how the analysis came about."""
        self.note(limitations=(*self.manifest.limitations, sentence))

    def record(self, attempt: Attempt) -> None:
        """Note an attempt. What was paid for is on disk at once; of all else the next state tells."""
        self.note(attempts=(*self.manifest.attempts, attempt))
        if self._durable:
            self._files.publish(self.manifest)

    def advance(self, state: State, error: AnalysisError | None = None) -> None:
        """Take the next state: on disk first, then told. An end is told by whoever knows what came of it."""
        advanced = replace(self.manifest, error=error).advanced(state, stamp(self._desk.clock.now()))
        self._files.publish(advanced)
        self.manifest = advanced
        if not state.terminal:
            self._tell()

    def _tell(self) -> None:
        self._desk.observe(StateReached(self.manifest.analysis_id, self.manifest.benchmark, self.manifest.state.value))

    @property
    def _files(self) -> AnalysisFolder:
        assert self._folder is not None, "nothing is written before the folder is made"
        return self._folder
