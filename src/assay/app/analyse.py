"""One analysis from its canonical input to its merged report: candidates at once and blind, one evaluation, one merger."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace

from assay.core import canonical, escape
from assay.core.fusion import budget
from assay.core.fusion.answer import write_answer
from assay.core.fusion.evaluation import Evaluation, Invalid, bounded, read_evaluation
from assay.core.fusion.events import (
    AnalysisCancelled,
    AnalysisCompleted,
    AnalysisEvent,
    AnalysisFailed,
    CandidateEnded,
    CandidateStarted,
    EvaluationRetry,
    EvaluationStarted,
    MergeStarted,
    StateReached,
)
from assay.core.fusion.exchange import Ask, Reply, blind_document, merge_document, repair_document
from assay.core.fusion.failure import AnalysisError, Code, Spent, Stage, cancelled
from assay.core.fusion.narrative import Narrative, dissent_of, footer, sound_report
from assay.core.fusion.routes import Route
from assay.core.fusion.shuffle import Chance, blind
from assay.core.fusion.state import MERGED, Attempt, AttemptStatus, Manifest, State
from assay.core.fusion.usage import Usage
from assay.core.timestamp import stamp
from assay.errors import AssayError, CancelledError
from assay.ports import Analyses, AnalysisFolder, Analyst, Clock

LAUNCHES = 2
"""A launch that failed for a passing reason, before any child was there, is tried once more."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Who analyses: candidates by slot from 1, evaluator, merger, how many candidates must succeed, and what each may take."""

    candidates: tuple[Route, ...]
    evaluator: Route
    merger: Route
    quorum: int
    limits: budget.Limits = field(default_factory=budget.Limits)

    @property
    def durable(self) -> bool:
        return any(route.durable for route in (*self.candidates, self.evaluator, self.merger))

    def to_json(self) -> dict[str, object]:
        """As a manifest has it."""
        return {"candidates": [one.text for one in self.candidates], "evaluator": self.evaluator.text, "merger": self.merger.text}


@dataclass(frozen=True, slots=True)
class Desk:
    """What an analysis needs of the world. `analyst` gives the analyst of a route, `instructions` the texts of `exchange.INSTRUCTIONS`."""

    analyst: Callable[[Route], Analyst]
    analyses: Analyses
    clock: Clock
    chance: Chance
    observe: Callable[[AnalysisEvent], None]
    instructions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be analysed."""

    digest: Mapping[str, object]
    benchmark: str
    run_id: str | None
    panel: Panel


@dataclass(frozen=True, slots=True)
class Fused:
    """A completed analysis."""

    narrative: Narrative
    manifest: Manifest
    folder: str


async def fuse(order: Order, desk: Desk, stop: asyncio.Event | None = None) -> Fused:
    """Carry one analysis out. `stop` ends it from elsewhere, also before it begins.

    Raises AnalysisError, whatever went wrong, once all children have ended and the manifest says so; CancelledError where a
    signal ends the whole command.
    """
    workflow = _Workflow(order, desk)
    work = asyncio.create_task(workflow.run(stop))
    waiting = [work, *([asyncio.create_task(stop.wait())] if stop else [])]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _ended(work)
        for other in waiting[1:]:
            other.cancel()
        failure = None if work.cancelled() else work.exception()
        error = workflow.closed(cancelled() if work.cancelled() else failure) if work.cancelled() or failure else None
    if workflow.interrupted:
        raise workflow.interrupted
    if error:
        raise error
    return work.result()


async def _ended(task: "asyncio.Task[object]") -> None:
    """Cancel a task and wait until it has ended, whatever it ends with."""
    task.cancel()
    await asyncio.wait({task})


class _Workflow:
    """The stages of one analysis. It alone changes the manifest, one step at a time."""

    def __init__(self, order: Order, desk: Desk) -> None:
        self._order = order
        self._desk = desk
        self._panel = order.panel
        self._digest = canonical.compact(order.digest)
        now = stamp(desk.clock.now())
        self._manifest = Manifest(
            analysis_id=desk.clock.new_id("ana"),
            run_id=order.run_id,
            benchmark=order.benchmark,
            created_at=now,
            updated_at=now,
            routes=self._panel.to_json(),
            quorum=self._panel.quorum,
        )
        self._folder: AnalysisFolder | None = None
        self.interrupted: CancelledError | None = None

    async def run(self, stop: asyncio.Event | None) -> Fused:
        """All stages in their order."""
        self._open()
        if stop and stop.is_set():
            raise cancelled("The analysis was cancelled before anybody was asked.")
        answers = await self._candidates()
        letters = blind(sorted(answers), self._desk.chance)
        self._manifest = replace(self._manifest, anonymous_map=dict(letters))
        anonymous = {letter: answers[slot] for letter, slot in letters.items()}
        evaluation = await self._evaluation(anonymous)
        merged = await self._merged(anonymous, evaluation)
        return self._completed(answers, merged)

    def closed(self, failure: BaseException | None) -> AnalysisError:
        """The typed error of a failure, once the manifest tells of it; where that cannot be written both are named."""
        error = _typed(failure)
        ended = error.code is Code.CHILD_CANCELLED
        try:
            if self._folder is not None:
                self._manifest = replace(self._manifest, error=error)
                self._advance(State.CANCELLED if ended else State.FAILED)
        except AnalysisError as terminal:
            both = AnalysisError(error.code, f"{error.message} Besides, its end could not be written: {terminal.message}", hint=error.hint)
            both.stage, both.slot, both.attempt = error.stage, error.slot, error.attempt
            return both
        name = self._manifest.analysis_id
        self._desk.observe(AnalysisCancelled(name, error.message) if ended else AnalysisFailed(name, error.code.value, error.message))
        return error

    # --- stages

    def _open(self) -> None:
        self._folder = self._desk.analyses.create(self._manifest.analysis_id, durable=self._panel.durable)
        self._write("canonical-input.json", self._digest)
        planned = budget.plan(len(self._digest.encode()), len(self._panel.candidates), self._panel.limits)
        self._write("budget.json", canonical.pretty(planned))
        self._publish()

    async def _candidates(self) -> dict[int, str]:
        """The answers of all who gave one, by slot. Once the quorum cannot be reached any more the others are ended."""
        ask = self._ask(Stage.CANDIDATE, "candidate", self._digest)
        self._advance(State.CANDIDATES_RUNNING)
        prompt = self._write("candidate.prompt.txt", ask.prompt)
        tasks = {
            asyncio.create_task(self._candidate(slot, route, ask, prompt)): slot for slot, route in enumerate(self._panel.candidates, 1)
        }
        failures = await self._all_ended(tasks)
        answers = {slot: task.result().text for task, slot in tasks.items() if not task.cancelled() and not task.exception()}
        if self.interrupted or len(answers) < self._panel.quorum:
            raise failures[0]
        for failure in failures:
            self._limit(f"Analyst {failure.slot} failed: {escape.shorten(failure.message, 200)}")
        self._advance(State.CANDIDATES_COMPLETE)
        return answers

    async def _all_ended(self, tasks: Mapping["asyncio.Task[Reply]", int]) -> list[AnalysisError]:
        """Wait for all candidates; the failures in the order in which they came."""
        failures: list[AnalysisError] = []
        pending = set(tasks)
        try:
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                ended = sorted(done, key=lambda task: tasks[task])
                failures += [_typed(cancelled() if task.cancelled() else task.exception()) for task in ended if _failed(task)]
                self._tell_ended(ended, tasks, len(tasks) - len(pending))
                if self.interrupted or len(tasks) - len(failures) < self._panel.quorum:
                    for task in pending:
                        task.cancel()
        except asyncio.CancelledError:
            for task in pending:
                task.cancel()
            if pending:
                await asyncio.wait(pending)
            raise
        return failures

    def _tell_ended(self, ended: list["asyncio.Task[Reply]"], tasks: Mapping["asyncio.Task[Reply]", int], done: int) -> None:
        for place, task in enumerate(ended):
            status = AttemptStatus.FAILED if _failed(task) else AttemptStatus.COMPLETED
            self._desk.observe(CandidateEnded(tasks[task], status.value, done - len(ended) + place + 1, len(tasks)))

    async def _candidate(self, slot: int, route: Route, ask: Ask, prompt: str) -> Reply:
        return await self._attempt(_Try(Stage.CANDIDATE, slot, 1, route, prompt), ask)

    async def _evaluation(self, answers: Mapping[str, str]) -> Evaluation:
        """The evaluation, with one repair."""
        document = blind_document(self._order.digest, answers)
        self._write("blind-candidates.json", document)
        self._advance(State.EVALUATING)
        self._desk.observe(EvaluationStarted(1, repair=False))
        reply = await self._evaluate(1, self._ask(Stage.EVALUATION, "evaluation", document))
        found = read_evaluation(reply.text, tuple(answers))
        if isinstance(found, Invalid):
            errors = bounded(found.errors)
            self._desk.observe(EvaluationRetry(errors))
            self._desk.observe(EvaluationStarted(2, repair=True))
            reply = await self._evaluate(2, self._ask(Stage.EVALUATION, "repair", repair_document(document, reply.text, errors)))
            found = read_evaluation(reply.text, tuple(answers))
        if isinstance(found, Invalid):
            message = f"The evaluation was not valid, and not after a repair either: {'; '.join(bounded(found.errors))}"
            raise AnalysisError(Code.EVALUATION_INVALID, message).at(Stage.EVALUATION, None, 2)
        self._write("evaluation.json", canonical.pretty(found.to_json()))
        self._advance(State.EVALUATION_COMPLETE)
        return found

    async def _evaluate(self, number: int, ask: Ask) -> Reply:
        prompt = self._write(f"evaluation.attempt-{number}.prompt.txt", ask.prompt)
        return await self._attempt(_Try(Stage.EVALUATION, None, number, self._panel.evaluator, prompt), ask)

    async def _merged(self, answers: Mapping[str, str], evaluation: Evaluation) -> str:
        ask = self._ask(Stage.MERGE, "merge", merge_document(self._order.digest, answers, evaluation))
        self._advance(State.MERGING)
        self._desk.observe(MergeStarted())
        prompt = self._write("merge.attempt-1.prompt.txt", ask.prompt)
        reply = await self._attempt(_Try(Stage.MERGE, None, 1, self._panel.merger, prompt), ask)
        return reply.text

    def _completed(self, answers: Mapping[int, str], merged: str) -> Fused:
        """Hold the merged text to the data, keep what of it holds, and close the manifest."""
        sound = sound_report(merged, self._order.digest)
        if sound.rejected:
            self._limit(sound.rejected)
        counts: dict[str, object] = {"removed": len(sound.removed), "rejected": bool(sound.rejected)}
        self._manifest = replace(self._manifest, grounding=counts)
        routes = {slot: route.text for slot, route in enumerate(self._panel.candidates, 1)}
        narrative = Narrative(
            analysis_id=self._manifest.analysis_id,
            report=sound.report,
            dissent=dissent_of(routes, answers, self._order.digest),
            limitations=self._manifest.limitations,
            footer=footer(len(answers), len(routes), sound.removed, self._manifest.usage),
        )
        self._write(MERGED, write_answer(sound.report, lambda item: escape.inline(item, 1000)))
        self._advance(State.COMPLETED)
        self._desk.observe(AnalysisCompleted(self._manifest.analysis_id, self._files.path))
        return Fused(narrative, self._manifest, self._files.path)

    # --- one attempt

    async def _attempt(self, one: "_Try", ask: Ask) -> Reply:
        """Ask once, and once more where the first launch came to nothing. However it ends it is recorded, once."""
        for launch in range(1, LAUNCHES + 1):
            if one.slot is not None:
                self._desk.observe(CandidateStarted(one.slot, one.number, one.route.text))
            try:
                reply = await _within(ask.seconds, self._desk.analyst(one.route).answer(ask))
            except AnalysisError as error:
                if launch < LAUNCHES and error.transient and not error.child_created:
                    continue
                self._record_failure(one, error)
                raise
            except asyncio.CancelledError:
                self._record_failure(one, cancelled())
                raise
            except CancelledError as signal:
                self.interrupted = signal
                ended = cancelled(signal.message)
                self._record_failure(one, ended)
                raise ended from signal
            return self._accepted(one, reply)
        raise AssertionError("the last launch either answers or raises")

    def _accepted(self, one: "_Try", reply: Reply) -> Reply:
        """The answer, if it is one; what is too large is kept as evidence and never cut."""
        try:
            budget.check_answer(one.stage, reply.text)
        except AnalysisError as error:
            error.spent = Spent(reply.usage, reply.text)
            self._record_failure(one, error)
            raise
        name = self._write(f"{one.name}.response.{'md' if one.stage is not Stage.EVALUATION else 'txt'}", reply.text)
        self._record(one.ended(AttemptStatus.COMPLETED, reply.usage, response=name, model=reply.model))
        return reply

    def _record_failure(self, one: "_Try", error: AnalysisError) -> None:
        error.at(one.stage, one.slot, one.number)
        partial = self._write(f"{one.name}.response.partial.md", error.spent.partial) if error.spent.partial else None
        status = AttemptStatus.CANCELLED if error.code is Code.CHILD_CANCELLED else AttemptStatus.FAILED
        self._record(one.ended(status, error.spent.usage, partial=partial, error=error))

    def _record(self, attempt: Attempt) -> None:
        self._manifest = replace(self._manifest, attempts=(*self._manifest.attempts, attempt))
        if self._panel.durable:  # what was paid for is on disk at once; of all else the next state tells
            self._publish()

    # --- the manifest

    @property
    def _files(self) -> AnalysisFolder:
        assert self._folder is not None
        return self._folder

    def _ask(self, stage: Stage, instructions: str, document: str) -> Ask:
        """The question. Raises AnalysisError where it would cost more than is allowed."""
        ask = Ask(stage, self._desk.instructions[instructions], document, self._panel.limits.seconds)
        budget.check_prompt(stage, ask.prompt, self._panel.limits)
        return ask

    def _write(self, name: str, text: str) -> str:
        artifact = self._files.write(name, text)
        self._manifest = replace(self._manifest, artifacts={**self._manifest.artifacts, name: artifact})
        return name

    def _limit(self, sentence: str) -> None:
        self._manifest = replace(self._manifest, limitations=(*self._manifest.limitations, sentence))

    def _advance(self, state: State) -> None:
        """Take the next state: on disk first, then told."""
        advanced = self._manifest.advanced(state, stamp(self._desk.clock.now()))
        self._files.publish(advanced)
        self._manifest = advanced
        if not state.terminal:
            self._desk.observe(StateReached(advanced.analysis_id, advanced.benchmark, state.value))

    def _publish(self) -> None:
        self._files.publish(self._manifest)
        if self._manifest.state is State.INITIALIZING:
            self._desk.observe(StateReached(self._manifest.analysis_id, self._manifest.benchmark, self._manifest.state.value))


@dataclass(frozen=True, slots=True)
class _Try:
    """One attempt before it has ended."""

    stage: Stage
    slot: int | None
    number: int
    route: Route
    prompt: str

    @property
    def name(self) -> str:
        """What its files begin with."""
        slot = "" if self.slot is None else f"-{self.slot}"
        return f"{self.stage.value}{slot}.attempt-{self.number}"

    def ended(
        self,
        status: AttemptStatus,
        usage: Usage,
        *,
        response: str | None = None,
        partial: str | None = None,
        model: str | None = None,
        error: AnalysisError | None = None,
    ) -> Attempt:
        """The record of it."""
        return Attempt(self.stage, self.slot, self.number, self.route.text, status, usage, self.prompt, response, partial, model, error)


async def _within(seconds: float, work: Coroutine[object, object, Reply]) -> Reply:
    """The answer, if it comes in time. Whoever is too late, or no longer wanted, is ended and waited for, and what it spent is kept."""
    task = asyncio.create_task(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await _ended(task)
        if not task.cancelled() and isinstance(spent := task.exception(), AnalysisError):
            raise cancelled(spent=spent.spent) from None
        raise
    if done:
        return task.result()
    await _ended(task)
    spent = None if task.cancelled() else task.exception()
    raise AnalysisError(
        Code.CHILD_TIMEOUT,
        f"No answer came within {seconds:g} s.",
        hint="Raise `fusion.timeout`, or choose a faster model.",
        spent=spent.spent if isinstance(spent, AnalysisError) else None,
    )


def _failed(task: "asyncio.Task[Reply]") -> bool:
    return task.cancelled() or task.exception() is not None


def _typed(failure: BaseException | None) -> AnalysisError:
    """Any failure as one with a code."""
    if isinstance(failure, AnalysisError):
        return failure
    if isinstance(failure, CancelledError):
        return cancelled(failure.message)
    if isinstance(failure, AssayError):
        return AnalysisError(Code.ORCHESTRATION_FAILED, failure.message, hint=failure.hint)
    return AnalysisError(
        Code.ORCHESTRATION_FAILED,
        f"The analysis failed by a mistake of Assay's own: {type(failure).__name__}.",
        hint="Please report it; the decision does not depend on it.",
    )
