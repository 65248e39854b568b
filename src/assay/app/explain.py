"""Has the results of a check analysed once they stand. Whatever becomes of that, the decisions are what they were."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from assay.app.analyse import fuse
from assay.app.check import Checked, Grounds
from assay.app.decided import FAR_BACK, decided, stored_result
from assay.app.panel import Desk, Fused, Order, Panel
from assay.core.analysis_file import analysis_files
from assay.core.check_run import CheckRun
from assay.core.config import Config
from assay.core.envelope import Run, StoredDecision
from assay.core.fusion.check import analyses_told, analysis_check
from assay.core.fusion.diff_facts import MOST_PATHS
from assay.core.fusion.digest import Subject, digest_of
from assay.core.fusion.failure import AnalysisError, Code
from assay.core.fusion.history import past_of
from assay.core.model import UNKNOWN, Status
from assay.core.result import BenchmarkResult, CheckResult
from assay.core.tree import LineCounts
from assay.core.values import dataclass
from assay.core.window import Classifier
from assay.errors import AssayError, CancelledError, InfrastructureError
from assay.ports import Repo, Store

AT_ONCE = 2
"""So many benchmarks are analysed at a time: each asks several models already."""


@dataclass(frozen=True, slots=True)
class Explainer:
    """Analyses by a panel. `secrets` are values that no analyst and no report may see.

    Runs that a check does not hand over, such as those of cells, are looked up in the `store`, and completed analyses are kept there.
    """

    panel: Panel
    desk: Desk
    repo: Repo
    config: Config
    secrets: tuple[str, ...] = ()
    store: Store | None = None

    def explain(self, checked: Checked) -> "Explained":
        """The same check with an analysis for each benchmark that has something to explain. Raises CancelledError alone."""
        wanted = [one for one in checked.result.benchmarks if one.status is not Status.SKIPPED]
        subjects = {one.name: partial(self._subject, one, checked) for one in wanted}
        fused, failures = _told_apart(asyncio.run(self._all(subjects)))
        remarks = (*map(_remark, failures.items()), *self._kept(checked.result, fused))
        return Explained(replace(checked, result=_with(checked.result, fused, remarks)), fused, failures, remarks, self.panel.durable)

    async def _all(self, subjects: "Mapping[str, Callable[[], Subject]]") -> "Mapping[str, Fused | BaseException]":
        room = asyncio.Semaphore(AT_ONCE)
        tasks = {name: asyncio.create_task(self._one(subject, room)) for name, subject in subjects.items()}
        if tasks:
            await asyncio.wait(tasks.values())
        return {name: task.exception() or task.result() for name, task in tasks.items()}

    async def _one(self, subject_of: Callable[[], Subject], room: asyncio.Semaphore) -> Fused:
        async with room:
            subject = subject_of()
            return await fuse(Order(digest_of(subject), subject.result.name, subject.result.run_id, self.panel), self.desk)

    def _kept(self, result: CheckResult, fused: Mapping[str, Fused]) -> tuple[str, ...]:
        """Keep the analyses in the store. What reused numbers are told of offline is made again for nothing, and not kept twice."""
        reused = {one.name for one in result.benchmarks if one.status is Status.REUSED}
        return self.keep([one for name, one in fused.items() if one.durable or name not in reused], self.store)

    def keep(self, fused: Sequence[Fused], store: Store | None) -> tuple[str, ...]:
        """Put completed analyses into a store; why that failed, if it did, for the analysis stands without."""
        files = [
            file
            for one in fused
            for file in analysis_files(one.manifest.analysis_id, one.manifest.to_json(), one.evaluation, one.merged, self.secrets)
        ]
        if store is None or not files:
            return ()
        try:
            store.add_analyses(tuple(files))
        except InfrastructureError as error:
            return (f"The analysis could not be stored, on which no decision depends. {error.message} {error.hint}".strip(),)
        return ()

    def explain_run(self, run_id: str, store: Store) -> Fused:
        """The analysis of the newest decision on a stored head run, whenever it was made.

        Raises UsageError where there is no such run or no decision on it, AnalysisError where the analysis fails.
        """
        subject = partial(self._stored_subject, decided(run_id, store), store)
        return asyncio.run(self._one(subject, asyncio.Semaphore()))

    def explain_stored(self, decisions: Sequence[tuple[StoredDecision, Run]], store: Store) -> "Told":
        """The analyses of stored decisions on head runs, which are kept beside them. Raises CancelledError alone."""
        subjects = {one[0].benchmark: partial(self._stored_subject, one, store) for one in decisions}
        fused, failures = _told_apart(asyncio.run(self._all(subjects)))
        return Told(fused, failures, self.keep(tuple(fused.values()), store))

    def _stored_subject(self, found: tuple[StoredDecision, Run], store: Store) -> Subject:
        decision, head = found
        base = store.find_run(decision.base_run) if decision.base_run else None
        base_run = base if isinstance(base, Run) else None
        result = stored_result(decision, base_run, head)
        base_commit = decision.base or decision.head
        return Subject(
            result=result,
            base=base_commit,
            head=decision.head,
            base_run=base_run,
            head_run=head,
            past=past_of(store.recent(decision.benchmark, FAR_BACK), head),
            changed=(changed := self._changed(result.name, base_commit, decision.head)),
            lines=self._lines(changed, base_commit, decision.head),
            secrets=self.secrets,
        )

    def _grounds(self, one: BenchmarkResult, checked: Checked) -> Grounds:
        found = checked.grounds.get(one.name)
        if found or self.store is None or one.run_id is None:
            return found or Grounds()
        head = self.store.find_run(one.run_id)
        base = self.store.find_run(one.base_run.run_id) if one.base_run else None
        recent = partial(self.store.recent, one.name)
        return Grounds(base if isinstance(base, Run) else None, head if isinstance(head, Run) else None, recent)

    def _subject(self, one: BenchmarkResult, checked: Checked) -> Subject:
        result, grounds = checked.result, self._grounds(one, checked)
        return Subject(
            result=one,
            base=result.base,
            head=result.head,
            base_run=grounds.base_run,
            head_run=grounds.head_run,
            past=past_of(grounds.stored(FAR_BACK), grounds.head_run),
            changed=(changed := self._changed(one.name, result.base, result.head)),
            lines=self._lines(changed, result.base, result.head),
            secrets=self.secrets,
        )

    def _changed(self, name: str, base: str, head: str) -> tuple[tuple[str, str], ...] | None:
        """The paths that differ, each with its rung; None where git cannot tell, which is then said."""
        try:
            changes, links = self.repo.changes(base, head), self.repo.links(head)
        except AssayError:
            return None
        benchmark = self.config.benchmarks.get(name)
        if benchmark is None:
            return tuple((change.path, UNKNOWN) for change in changes)
        classifier = Classifier.of(self.config, benchmark).through(links)
        return tuple((change.path, str(classifier.standing(change))) for change in changes)

    def _lines(self, changed: tuple[tuple[str, str], ...] | None, base: str, head: str) -> LineCounts | None:
        """Lines by path; None where they cannot be counted here, or not in a moment."""
        if changed is None or len(changed) > MOST_PATHS:
            return None
        try:
            return self.repo.line_counts(base, head)
        except AssayError:
            return None


@dataclass(frozen=True, slots=True)
class Told:
    """The analyses of stored decisions by benchmark: done, or why not. `remarks` are for the log."""

    fused: Mapping[str, Fused]
    failures: Mapping[str, AnalysisError]
    remarks: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """All of them for a comment, every foreign text escaped."""
        return analyses_told({name: one.narrative for name, one in self.fused.items()}, self.failures)


@dataclass(frozen=True, slots=True)
class Explained:
    """The check with its analyses, and what came of each: done, or why not. `remarks` say the latter, `models` whether any was asked."""

    checked: Checked
    fused: Mapping[str, Fused]
    failures: Mapping[str, AnalysisError]
    remarks: tuple[str, ...] = ()
    models: bool = False

    @property
    def check(self) -> CheckRun | None:
        """The check run that tells of them, where one failed or a model was asked; else the comment says all there is."""
        if not self.failures and not (self.fused and self.models):
            return None
        return analysis_check(self.checked.result.head, {name: one.narrative for name, one in self.fused.items()}, self.failures)


def _remark(failure: tuple[str, AnalysisError]) -> str:
    name, error = failure
    where = f" ({error.where})" if error.where else ""
    return f"The analysis of {name} failed{where}, on which no decision depends. {error.message} {error.hint}".strip()


def _with(result: CheckResult, fused: Mapping[str, Fused], remarks: tuple[str, ...]) -> CheckResult:
    benchmarks = tuple(replace(one, analysis=fused[one.name].narrative) if one.name in fused else one for one in result.benchmarks)
    return replace(result, benchmarks=benchmarks, remarks=(*result.remarks, *remarks))


def _told_apart(results: "Mapping[str, Fused | BaseException]") -> tuple[dict[str, Fused], dict[str, AnalysisError]]:
    """What was done and what failed. Raises the CancelledError that one of them ended with."""
    if ends := [one for one in results.values() if isinstance(one, CancelledError)]:
        raise ends[0]
    fused = {name: one for name, one in results.items() if isinstance(one, Fused)}
    return fused, {name: _typed(one) for name, one in results.items() if not isinstance(one, Fused)}


def _typed(failure: BaseException | Fused) -> AnalysisError:
    if isinstance(failure, AnalysisError):
        return failure
    return AnalysisError(Code.ORCHESTRATION_FAILED, f"It failed by a mistake of Assay's own: {type(failure).__name__}.")
