"""A schedule's job on GitHub: one tick of the loop, of which everybody is told. Telling changes nothing that was measured."""

from collections.abc import Callable
from dataclasses import field

from assay.app.authority import as_pull_request, publish
from assay.app.notices import say
from assay.app.status import Judge, Surveyed, report
from assay.core.check_run import CheckRun
from assay.core.config import Config
from assay.core.events import Remark
from assay.core.loop.announcement import STATUS_ID, conclusion_of, status_check, summary_of
from assay.core.loop.notices import of_regressions, of_status
from assay.core.loop.regression import standings
from assay.core.loop.status import Status
from assay.core.loop.tick import Tick
from assay.core.model import UNKNOWN, Conclusion
from assay.core.values import dataclass
from assay.errors import AssayError, ForgeError, InfrastructureError, UsageError
from assay.forge_ports import Forge, JobFiles, Notices, Posted
from assay.ports import Clock, Observer

__all__ = ["STATUS_ID", "Announced", "Crier", "Scheduled", "scheduled"]


@dataclass(frozen=True, slots=True)
class Scheduled:
    """What a job came to. `tick` is None where only the status was asked for."""

    status: Status
    tick: Tick | None
    told: "Announced"

    @property
    def exit_code(self) -> int:
        return self.tick.exit_code if self.tick else 0


@dataclass(frozen=True, slots=True)
class Announced:
    """Where the status stands on the forge, and what could not be said there."""

    conclusion: Conclusion
    check: Posted | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Crier:
    """Tells people on GitHub. `branch` is the default branch and `tip` its commit; `failures` collects what the forge refused."""

    forge: Forge
    notices: Notices
    job: JobFiles
    observer: Observer
    config: Config
    branch: str
    tip: str
    failures: list[str] = field(default_factory=list)

    def tell(self, status: Status, tick: Tick | None, *, about_regressions: bool = True) -> Announced:
        """Say all of it, whatever of it the forge refuses."""
        if about_regressions:
            self._regressions(status)
            self._publish(status)
        check = self._check(status_check(status, tick, self.tip))
        if self.config.loop.status == "issue":
            self._try(lambda: say(of_status(status, self.notices.issues()), self.notices))
        conclusion = conclusion_of(status)
        self.job.summary(summary_of(status, tick, tuple(self.failures)))
        for name, value in (("conclusion", conclusion.value), ("check-run-url", check.url if check else "")):
            self.job.output(name, value)
        return Announced(conclusion, check, tuple(self.failures))

    def _regressions(self, status: Status) -> None:
        found = standings(status.parts.ledger.rows, self.config)
        if found and self.config.loop.issues:
            self._try(lambda: say(of_regressions(found.values(), self.notices.issues()), self.notices))

    def _publish(self, status: Status) -> None:
        """Have the pull request for the published table, where the table is behind."""
        parts = status.parts
        if not status.lag.newer or parts.published.file is None or not self.branch:
            return

        def bring() -> tuple[str, ...]:
            publish(parts.published, parts.ledger, as_pull_request(self.notices, self.branch, self.tip))
            return ()

        self._try(bring)

    def _check(self, payload: CheckRun) -> Posted | None:
        if self.tip == UNKNOWN:
            return None
        posted: list[Posted] = []

        def close() -> tuple[str, ...]:
            posted.append(self.forge.close_check(None, payload))
            return ()

        self._try(close)
        return posted[0] if posted else None

    def _try(self, work: Callable[[], tuple[str, ...]]) -> None:
        try:
            problems = work()
        except (ForgeError, UsageError) as error:
            problems = (f"{error.message} {error.hint}".strip(),)
        for problem in problems:
            self.failures.append(problem)
            self.observer.note(Remark(problem))


def scheduled(go: Callable[[], Tick], about: Surveyed, judge: Judge, clock: Clock, crier: Crier) -> Scheduled:
    """Do a tick and tell of it. However the tick ends people hear how things stand; what ended it is raised after that."""
    try:
        tick = go()
    except AssayError as error:
        _last_words(error, about, judge, clock, crier)
        raise
    return Scheduled(tick.after, tick, crier.tell(tick.after, tick))


def status_only(about: Surveyed, judge: Judge, clock: Clock, crier: Crier) -> Scheduled:
    """Tell how things stand, and run nothing."""
    status = report(about, clock.now(), judge)
    return Scheduled(status, None, crier.tell(status, None, about_regressions=False))


def _last_words(error: AssayError, about: Surveyed, judge: Judge, clock: Clock, crier: Crier) -> None:
    if not isinstance(error, UsageError | InfrastructureError):  # a job that is cancelled has no time for it
        return
    try:
        crier.tell(report(about, clock.now(), judge), None, about_regressions=False)
    except AssayError as again:
        crier.observer.note(Remark(again.message))
