"""One analysis from its canonical input to its merged report: candidates at once and blind, one evaluation, one merger."""

import asyncio
from collections.abc import Mapping

from assay.app.attempts import Attempts, Try, ended, failure_of, typed
from assay.app.journal import Journal
from assay.app.panel import Desk, Fused, Order
from assay.core import canonical, escape
from assay.core.fusion import budget
from assay.core.fusion.answer import write_answer
from assay.core.fusion.evaluation import Evaluation, Invalid, bounded, read_evaluation
from assay.core.fusion.events import (
    AnalysisCancelled,
    AnalysisCompleted,
    AnalysisFailed,
    CandidateEnded,
    EvaluationRetry,
    EvaluationStarted,
    MergeStarted,
)
from assay.core.fusion.exchange import Ask, Reply, blind_document, merge_document, repair_document
from assay.core.fusion.failure import AnalysisError, Code, Stage, cancelled
from assay.core.fusion.narrative import Narrative, dissent_of, footer, sound_report
from assay.core.fusion.shuffle import blind
from assay.core.fusion.state import MERGED, AttemptStatus, State

Answering = Mapping["asyncio.Task[Reply]", int]
"""The candidates under way, with their slots."""


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
        await ended(work)
        for other in waiting[1:]:
            other.cancel()
        failure = failure_of(work)
        error = workflow.closed(failure) if failure else None
    if workflow.interrupted:
        raise workflow.interrupted
    if error:
        raise error
    return work.result()


class _Workflow:
    """The stages of one analysis."""

    def __init__(self, order: Order, desk: Desk) -> None:
        self._order = order
        self._desk = desk
        self._panel = order.panel
        self._digest = canonical.compact(order.digest)
        self._journal = Journal(order, desk)
        self._attempts = Attempts(desk, self._journal)

    @property
    def interrupted(self) -> BaseException | None:
        return self._attempts.interrupted

    async def run(self, stop: asyncio.Event | None) -> Fused:
        """All stages in their order."""
        planned = budget.plan(len(self._digest.encode()), len(self._panel.candidates), self._panel.limits)
        self._journal.open({"canonical-input.json": self._digest, "budget.json": canonical.pretty(planned)})
        if stop and stop.is_set():
            raise cancelled("The analysis was cancelled before anybody was asked.")
        answers = await self._candidates()
        letters = blind(sorted(answers), self._desk.chance)
        self._journal.note(anonymous_map=dict(letters))
        anonymous = {letter: answers[slot] for letter, slot in letters.items()}
        evaluation = await self._evaluation(anonymous)
        return self._completed(answers, evaluation, await self._merged(anonymous, evaluation))

    def closed(self, failure: BaseException) -> AnalysisError:
        """The typed error of a failure, once the manifest tells of it; where that cannot be written both are named."""
        error = typed(failure)
        called_off = error.code is Code.CHILD_CANCELLED
        try:
            if self._journal.opened:
                self._journal.advance(State.CANCELLED if called_off else State.FAILED, error)
        except AnalysisError as terminal:
            both = AnalysisError(error.code, f"{error.message} Besides, its end could not be written: {terminal.message}", hint=error.hint)
            both.stage, both.slot, both.attempt = error.stage, error.slot, error.attempt
            return both
        name = self._journal.manifest.analysis_id
        self._desk.observe(AnalysisCancelled(name, error.message) if called_off else AnalysisFailed(name, error.code.value, error.message))
        return error

    async def _candidates(self) -> dict[int, str]:
        """The answers of all who gave one, by slot. Once the quorum cannot be reached any more the others are ended."""
        ask = self._ask(Stage.CANDIDATE, "candidate", self._digest)
        self._journal.advance(State.CANDIDATES_RUNNING)
        prompt = self._journal.write("candidate.prompt.txt", ask.prompt)
        tries = [Try(Stage.CANDIDATE, slot, 1, route, prompt) for slot, route in enumerate(self._panel.candidates, 1)]
        tasks = {asyncio.create_task(self._attempts.make(one, ask)): one.slot or 0 for one in tries}
        failures = await self._all_ended(tasks)
        answers = {slot: task.result().text for task, slot in tasks.items() if failure_of(task) is None}
        if self.interrupted or len(answers) < self._panel.quorum:
            raise failures[0]
        for failure in failures:
            self._journal.limit(f"Analyst {failure.slot} failed: {escape.shorten(failure.message, 200)}")
        self._journal.advance(State.CANDIDATES_COMPLETE)
        return answers

    async def _all_ended(self, tasks: Answering) -> list[AnalysisError]:
        """Wait for all candidates; the failures in the order in which they came."""
        failures: list[AnalysisError] = []
        pending = set(tasks)
        try:
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                over = sorted(done, key=lambda task: tasks[task])
                failures += [typed(failure) for task in over if (failure := failure_of(task))]
                self._tell_ended([(tasks[task], failure_of(task) is None) for task in over], len(tasks) - len(pending), len(tasks))
                if self.interrupted or len(tasks) - len(failures) < self._panel.quorum:
                    for task in pending:
                        task.cancel()
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            for task in tasks:
                await ended(task)
            raise
        return failures

    def _tell_ended(self, over: list[tuple[int, bool]], done: int, of: int) -> None:
        for place, (slot, well) in enumerate(over, done - len(over) + 1):
            status = AttemptStatus.COMPLETED if well else AttemptStatus.FAILED
            self._desk.observe(CandidateEnded(slot, status.value, place, of))

    async def _evaluation(self, answers: Mapping[str, str]) -> Evaluation:
        """The evaluation, with one repair."""
        document = blind_document(self._order.digest, answers)
        self._journal.write("blind-candidates.json", document)
        ask = self._ask(Stage.EVALUATION, "evaluation", document)
        self._journal.advance(State.EVALUATING)
        reply = await self._evaluate(1, ask)
        found = read_evaluation(reply.text, tuple(answers))
        if isinstance(found, Invalid):
            errors = bounded(found.errors)
            self._desk.observe(EvaluationRetry(errors))
            reply = await self._evaluate(2, self._ask(Stage.EVALUATION, "repair", repair_document(document, reply.text, errors)))
            found = read_evaluation(reply.text, tuple(answers))
        if isinstance(found, Invalid):
            message = f"The evaluation was not valid, and not after a repair either: {'; '.join(bounded(found.errors))}"
            raise AnalysisError(Code.EVALUATION_INVALID, message).at(Stage.EVALUATION, None, 2)
        self._journal.write("evaluation.json", canonical.pretty(found.to_json()))
        self._journal.advance(State.EVALUATION_COMPLETE)
        return found

    async def _evaluate(self, number: int, ask: Ask) -> Reply:
        self._desk.observe(EvaluationStarted(number, repair=number > 1))
        prompt = self._journal.write(f"evaluation.attempt-{number}.prompt.txt", ask.prompt)
        return await self._attempts.make(Try(Stage.EVALUATION, None, number, self._panel.evaluator, prompt), ask)

    async def _merged(self, answers: Mapping[str, str], evaluation: Evaluation) -> str:
        ask = self._ask(Stage.MERGE, "merge", merge_document(self._order.digest, answers, evaluation))
        self._journal.advance(State.MERGING)
        self._desk.observe(MergeStarted())
        prompt = self._journal.write("merge.attempt-1.prompt.txt", ask.prompt)
        reply = await self._attempts.make(Try(Stage.MERGE, None, 1, self._panel.merger, prompt), ask)
        return reply.text

    def _completed(self, answers: Mapping[int, str], evaluation: Evaluation, merged: str) -> Fused:
        """Hold the merged text to the data, keep what of it holds, and close the manifest."""
        digest, journal = self._order.digest, self._journal
        sound = sound_report(merged, digest)
        if sound.rejected:
            journal.limit(sound.rejected)
        journal.note(grounding={"removed": len(sound.removed), "rejected": bool(sound.rejected)})
        routes = {slot: route.text for slot, route in enumerate(self._panel.candidates, 1)}
        narrative = Narrative(
            analysis_id=journal.manifest.analysis_id,
            report=sound.report,
            dissent=dissent_of(routes, answers, digest),
            limitations=journal.manifest.limitations,
            footer=footer(len(answers), len(routes), sound.removed, journal.manifest.usage, models=self._panel.durable),
        )
        shown = write_answer(sound.report, lambda item: escape.inline(item, 1000))
        journal.write(MERGED, shown)
        journal.advance(State.COMPLETED)
        self._desk.observe(AnalysisCompleted(narrative.analysis_id, journal.path))
        return Fused(narrative, journal.manifest, journal.path, evaluation.to_json(), shown, self._panel.durable)

    def _ask(self, stage: Stage, instructions: str, document: str) -> Ask:
        """The question. Raises AnalysisError where it would cost more than is allowed."""
        ask = Ask(stage, self._desk.instructions[instructions], document, self._panel.limits.seconds)
        budget.check_prompt(stage, ask.prompt, self._panel.limits)
        return ask
