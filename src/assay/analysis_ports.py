"""What an analysis needs of the outside world: who answers, and where its files go. Protocols only; tests have one fake each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from assay.core.fusion.exchange import Ask, Reply
    from assay.core.fusion.state import Artifact, Manifest


class Analyst(Protocol):
    """Whoever answers a question about a result: a function, a model behind an API, a program."""

    async def answer(self, ask: Ask) -> Reply:
        """The answer. Raises AnalysisError, which keeps what was spent and said until then, also where it is cancelled."""
        ...


class AnalysisFolder(Protocol):
    """The files of one analysis, readable by nobody else. All raise AnalysisError where the disk refuses."""

    @property
    def path(self) -> str: ...

    def write(self, name: str, text: str) -> Artifact:
        """Write one file, whole or not at all."""
        ...

    def publish(self, manifest: Manifest) -> None:
        """Put the manifest in the place of the one before."""
        ...


class Analyses(Protocol):
    """Where the files of analyses are kept."""

    def create(self, analysis_id: str, *, durable: bool) -> AnalysisFolder:
        """The folder of a new analysis. With `durable` its files outlive a crash of the machine: something was paid for them."""
        ...
