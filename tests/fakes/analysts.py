"""Analysts that answer as a test says, and a folder of analyses in memory."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from assay.core.fusion.exchange import Ask, Reply
from assay.core.fusion.failure import AnalysisError, Code, Spent
from assay.core.fusion.routes import Route
from assay.core.fusion.state import Artifact, Manifest
from assay.core.fusion.usage import Usage

Answering = Callable[[Ask], Awaitable[Reply]]


@dataclass
class FakeAnalyst:
    """Satisfies `analysis_ports.Analyst`. `turns` are taken one by one, the last for ever; `asked` are all questions of all analysts."""

    turns: tuple[Answering, ...]
    asked: list[Ask]
    taken: int = 0

    async def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        turn = self.turns[min(self.taken, len(self.turns) - 1)]
        self.taken += 1
        return await turn(ask)


def says(text: str, tokens: int = 2) -> Answering:
    """An answer that costs some tokens."""

    async def turn(_: Ask) -> Reply:
        return Reply(text, Usage(output=tokens), "some-model")

    return turn


def fails(
    code: Code = Code.CHILD_EXIT_FAILED, tokens: int = 0, *, partial: str = "", transient: bool = False, created: bool = True
) -> Answering:
    """A failure that had cost some tokens."""

    async def turn(_: Ask) -> Reply:
        spent = Spent(Usage(output=tokens), partial)
        raise AnalysisError(code, "The child failed.", transient=transient, child_created=created, spent=spent)

    return turn


def hangs(tokens: int = 0, begun: asyncio.Event | None = None) -> Answering:
    """No answer until it is cancelled, which then had cost some tokens."""

    async def turn(_: Ask) -> Reply:
        if begun:
            begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise AnalysisError(Code.CHILD_CANCELLED, "The child was cancelled.", spent=Spent(Usage(output=tokens))) from None
        raise AssertionError("nobody sets it")

    return turn


@dataclass
class FakePanel:
    """The analysts by the text of their route."""

    answers: Mapping[str, tuple[Answering, ...]]
    asked: list[Ask] = field(default_factory=list)
    analysts: dict[str, FakeAnalyst] = field(default_factory=dict)

    def __call__(self, route: Route) -> FakeAnalyst:
        if route.text not in self.analysts:
            self.analysts[route.text] = FakeAnalyst(self.answers[route.text], self.asked)
        return self.analysts[route.text]


@dataclass
class FakeFolder:
    """Satisfies `analysis_ports.AnalysisFolder`. A name in `refuses` cannot be written, nor can a manifest of a state in it."""

    path: str
    refuses: set[str]
    texts: dict[str, str] = field(default_factory=dict)
    manifests: list[Manifest] = field(default_factory=list)

    def write(self, name: str, text: str) -> Artifact:
        if name in self.refuses:
            raise AnalysisError(Code.ARTIFACT_ERROR, f"{name} could not be written: the disk is full.")
        self.texts[name] = text
        data = text.encode()
        return Artifact(name, len(data), hashlib.sha256(data).hexdigest())

    def publish(self, manifest: Manifest) -> None:
        if manifest.state.value in self.refuses:
            raise AnalysisError(Code.ARTIFACT_ERROR, "manifest.json could not be written: the disk is full.")
        self.manifests.append(manifest)


@dataclass
class FakeAnalyses:
    """Satisfies `analysis_ports.Analyses`."""

    refuses: set[str] = field(default_factory=set)
    folders: list[FakeFolder] = field(default_factory=list)

    def create(self, analysis_id: str, *, durable: bool) -> FakeFolder:
        if "create" in self.refuses:
            raise AnalysisError(Code.ARTIFACT_ERROR, "The folder of an analysis could not be made.")
        self.folders.append(FakeFolder(f"/analyses/{analysis_id}", self.refuses))
        return self.folders[-1]
