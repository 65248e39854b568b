"""Has the results of a check analysed once they stand. Whatever becomes of that, the decisions are what they were."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.app.analyse import Desk, Fused, Order, Panel, fuse
from assay.app.check import Checked, Grounds
from assay.core.config import Config
from assay.core.fusion.digest import Subject, digest_of
from assay.core.fusion.failure import AnalysisError, Code
from assay.core.fusion.history import past_of
from assay.core.model import UNKNOWN, Status
from assay.core.result import BenchmarkResult, CheckResult
from assay.core.window import Classifier
from assay.errors import AssayError, CancelledError
from assay.ports import Repo

FAR_BACK = 400
"""So many of the newest stored runs are looked through for those that head may be held against."""

AT_ONCE = 2
"""So many benchmarks are analysed at a time: each asks several models already."""


@dataclass(frozen=True, slots=True)
class Explainer:
    """Analyses by a panel. `secrets` are values that no analyst and no report may see."""

    panel: Panel
    desk: Desk
    repo: Repo
    config: Config
    secrets: tuple[str, ...] = ()

    def explain(self, checked: Checked) -> "Explained":
        """The same check with an analysis for each benchmark that has something to explain. Raises CancelledError alone."""
        results = asyncio.run(self._all(checked))
        if ends := [one for one in results.values() if isinstance(one, CancelledError)]:
            raise ends[0]
        fused = {name: one for name, one in results.items() if isinstance(one, Fused)}
        failures = {name: _typed(one) for name, one in results.items() if not isinstance(one, Fused)}
        remarks = tuple(map(_remark, failures.items()))
        return Explained(replace(checked, result=_with(checked.result, fused, remarks)), fused, failures, remarks)

    async def _all(self, checked: Checked) -> "Mapping[str, Fused | BaseException]":
        room = asyncio.Semaphore(AT_ONCE)
        wanted = [one for one in checked.result.benchmarks if one.status is not Status.SKIPPED]
        tasks = {one.name: asyncio.create_task(self._one(one, checked, room)) for one in wanted}
        if tasks:
            await asyncio.wait(tasks.values())
        return {name: task.exception() or task.result() for name, task in tasks.items()}

    async def _one(self, one: BenchmarkResult, checked: Checked, room: asyncio.Semaphore) -> Fused:
        async with room:
            digest = digest_of(self._subject(one, checked.result, checked.grounds.get(one.name, Grounds())))
            return await fuse(Order(digest, one.name, one.run_id, self.panel), self.desk)

    def _subject(self, one: BenchmarkResult, result: CheckResult, grounds: Grounds) -> Subject:
        return Subject(
            result=one,
            base=result.base,
            head=result.head,
            base_run=grounds.base_run,
            head_run=grounds.head_run,
            past=past_of(grounds.stored(FAR_BACK), grounds.head_run),
            changed=self._changed(one.name, result),
            secrets=self.secrets,
        )

    def _changed(self, name: str, result: CheckResult) -> tuple[tuple[str, str], ...] | None:
        """The paths that differ, each with its rung; None where git cannot tell, which is then said."""
        try:
            changes = self.repo.changes(result.base, result.head)
        except AssayError:
            return None
        benchmark = self.config.benchmarks.get(name)
        if benchmark is None:
            return tuple((change.path, UNKNOWN) for change in changes)
        classifier = Classifier.of(self.config, benchmark)
        return tuple((change.path, str(classifier.standing(change))) for change in changes)


@dataclass(frozen=True, slots=True)
class Explained:
    """The check with its analyses, and what came of each: done, or why not. `remarks` say the latter."""

    checked: Checked
    fused: Mapping[str, Fused]
    failures: Mapping[str, AnalysisError]
    remarks: tuple[str, ...] = ()


def _remark(failure: tuple[str, AnalysisError]) -> str:
    name, error = failure
    where = f" ({error.where})" if error.where else ""
    return f"The analysis of {name} failed{where}, on which no decision depends. {error.message} {error.hint}".strip()


def _with(result: CheckResult, fused: Mapping[str, Fused], remarks: tuple[str, ...]) -> CheckResult:
    benchmarks = tuple(replace(one, analysis=fused[one.name].narrative) if one.name in fused else one for one in result.benchmarks)
    return replace(result, benchmarks=benchmarks, remarks=(*result.remarks, *remarks))


def _typed(failure: BaseException | Fused) -> AnalysisError:
    if isinstance(failure, AnalysisError):
        return failure
    return AnalysisError(Code.ORCHESTRATION_FAILED, f"It failed by a mistake of Assay's own: {type(failure).__name__}.")
