"""Asking one analyst: in its time, once more where nothing had begun, and recorded exactly once however it ends."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from assay.app.journal import Journal
from assay.app.panel import Desk
from assay.core.fusion.budget import check_answer
from assay.core.fusion.events import CandidateStarted
from assay.core.fusion.exchange import Ask, Reply
from assay.core.fusion.failure import AnalysisError, Code, Spent, Stage, cancelled
from assay.core.fusion.routes import Route
from assay.core.fusion.state import Attempt, AttemptStatus
from assay.core.fusion.usage import Usage
from assay.core.values import dataclass
from assay.errors import AssayError, CancelledError

LAUNCHES = 2
"""A launch that failed for a passing reason, before any child was there, is tried once more."""


@dataclass(frozen=True, slots=True)
class Try:
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

    @property
    def answer_file(self) -> str:
        return f"{self.name}.response.{'txt' if self.stage is Stage.EVALUATION else 'md'}"

    def completed(self, reply: Reply, response: str) -> Attempt:
        """The record of an attempt that was answered."""
        return self._ended(AttemptStatus.COMPLETED, reply.usage, response=response, model=reply.model)

    def failed(self, error: AnalysisError, partial: str | None) -> Attempt:
        """The record of one that was not."""
        status = AttemptStatus.CANCELLED if error.code is Code.CHILD_CANCELLED else AttemptStatus.FAILED
        return self._ended(status, error.spent.usage, partial=partial, error=error)

    def _ended(self, status: AttemptStatus, usage: Usage, **facts: Any) -> Attempt:
        return Attempt(self.stage, self.slot, self.number, self.route.text, status, usage, prompt=self.prompt, **facts)


class Attempts:
    """Asks, and writes down what came of it. `interrupted` is the signal that ended the whole command, if one did."""

    def __init__(self, desk: Desk, journal: Journal) -> None:
        self._desk = desk
        self._journal = journal
        self.interrupted: CancelledError | None = None

    async def make(self, one: Try, ask: Ask) -> Reply:
        """The answer. Raises AnalysisError where there is none, CancelledError of asyncio where nobody wants it any more."""
        for launch in range(1, LAUNCHES + 1):
            if one.slot is not None:
                self._desk.observe(CandidateStarted(one.slot, one.number, one.route.text))
            try:
                reply = await _within(ask.seconds, self._desk.analyst(one.route).answer(ask))
            except AnalysisError as error:
                if launch < LAUNCHES and error.transient and not error.child_created:
                    continue
                raise self._failed(one, error) from error.__cause__
            except asyncio.CancelledError:
                self._failed(one, cancelled())
                raise
            except CancelledError as signal:
                self.interrupted = signal
                raise self._failed(one, cancelled(signal.message)) from signal
            return self._accepted(one, reply)
        raise AssertionError("the last launch either answers or raises")

    def _accepted(self, one: Try, reply: Reply) -> Reply:
        """The answer, if it is one; what is too large is kept as evidence and never cut."""
        try:
            check_answer(one.stage, reply.text)
        except AnalysisError as error:
            error.spent = Spent(reply.usage, reply.text)
            raise self._failed(one, error) from None
        self._journal.record(one.completed(reply, self._journal.write(one.answer_file, reply.text)))
        return reply

    def _failed(self, one: Try, error: AnalysisError) -> AnalysisError:
        error.at(one.stage, one.slot, one.number)
        said = error.spent.partial
        partial = self._journal.write(f"{one.name}.response.partial.md", said) if said else None
        self._journal.record(one.failed(error, partial))
        return error


async def _within(seconds: float, work: Coroutine[object, object, Reply]) -> Reply:
    """The answer, if it comes in time. Whoever is too late, or no longer wanted, is ended and waited for, and what it spent is kept."""
    task = asyncio.create_task(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await ended(task)
        if spent := _spent(task):
            raise cancelled(spent=spent) from None
        raise
    if done:
        return task.result()
    await ended(task)
    raise AnalysisError(
        Code.CHILD_TIMEOUT,
        f"No answer came within {seconds:g} s.",
        hint="Raise `fusion.timeout`, or choose a faster model.",
        spent=_spent(task),
    )


def _spent(task: "asyncio.Task[Reply]") -> Spent | None:
    """What an attempt that nobody waits for any more has cost, also where it was answered at the very last moment."""
    failure = failure_of(task)
    if failure is None:
        return Spent(task.result().usage, task.result().text)
    return failure.spent if isinstance(failure, AnalysisError) else None


async def ended(task: "asyncio.Task[Any]") -> None:
    """Cancel a task and wait until it has ended, whatever it ends with: that is for whoever asks."""
    task.cancel()
    while not task.done():
        with suppress(asyncio.CancelledError):  # asked for a second time, it ends already, and what it has spent is still wanted
            await asyncio.wait({task})
    failure_of(task)  # or asyncio would complain that nobody did


def failure_of(task: "asyncio.Task[Any]") -> BaseException | None:
    """What a task that has ended failed with, if it did."""
    return cancelled() if task.cancelled() else task.exception()


def typed(failure: BaseException | None) -> AnalysisError:
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
