"""One tick of the control loop: pick the best due task, run it, write one row, and so on until there is a reason to stop."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field, replace
from datetime import timedelta

from assay.app.attempts_log import Campaign
from assay.app.check import CheckRequest, check_commits
from assay.app.commits import Commits
from assay.app.house import House
from assay.app.lease import Lease
from assay.app.stages import Silent
from assay.app.status import FIRST_PARENTS, Surveyed, judged, minutes_spent, survey
from assay.app.status import Judge as Judge
from assay.core.budget import spend_of_schedule
from assay.core.effects import Effect
from assay.core.events import Remark
from assay.core.loop.attempt import Origin, failed_row, held_row, reuse_row, row_of
from assay.core.loop.cells import HELD_FOR, Cell
from assay.core.loop.claims import claim
from assay.core.loop.ledger import LedgerRow
from assay.core.loop.regression import reference
from assay.core.loop.status import Parts, Status, answered, candidates, cells_of, insisted, problem_of, status_of, with_row
from assay.core.loop.task import Task, config_for
from assay.core.loop.tick import Tick, stop_of
from assay.core.loop.vocabulary import CellState
from assay.core.model import Trust
from assay.core.numbers import duration
from assay.core.store_layout import LEDGER_PREFIX, SPEND_PREFIX
from assay.core.timestamp import stamp
from assay.core.values import dataclass
from assay.errors import InfrastructureError, UsageError
from assay.ports import Repo, Store

GRACE = 1 / 3
"""So much of the budget the last task may take beyond it: what was begun is worth more ended than broken off."""

Record = Callable[[Iterable[Effect]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TickRequest:
    """What a tick may do. Without `apply` nothing is run or written. `most` counts real attempts, `minutes` bounds the whole.

    `only` names the tasks that are meant, none for all; to `insist` is to run them due or not, for a person wants them.
    `forced_by` is what asked for fresh runs, as the check has it. What one attempt stores inside a `batch` goes out together,
    before the next one begins.
    """

    apply: bool = False
    most: int | None = None
    minutes: float | None = None
    only: tuple[str, ...] = ()
    insist: bool = False
    forced_by: str | None = None
    trust: Trust = Trust.MEMBER
    stored_at: str = ""
    batch: Callable[[], AbstractContextManager[object]] = field(default=nullcontext, compare=False)


def tick(request: TickRequest, about: Surveyed, house: House, record: Record, judge: Judge) -> Tick:
    """Do one tick. Raises UsageError where the tasks or the ledger cannot be relied on, InfrastructureError where no row can be written."""
    parts = survey(replace(about, no_reuse=about.no_reuse or bool(request.forced_by)), house.clock.now())
    parts = only(parts, request.only)
    before = status_of(judged(parts, judge, no_reuse=bool(request.forced_by)))
    if before.problem:
        raise UsageError(before.problem, hint="Nothing is measured until that is mended: `assay status` shows the rest.")
    way = _Way(request, about, house, record, judge, before.parts)
    return way.walk(before)


def only(parts: Parts, names: tuple[str, ...]) -> Parts:
    """The parts with the named tasks alone. Raises UsageError for a name that is none's."""
    known = {task.id for task in parts.tasks}
    for name in names:
        if name not in known:
            raise UsageError(f"There is no task {name}.", hint=f"There are: {', '.join(sorted(known))}.")
    return replace(parts, tasks=tuple(task for task in parts.tasks if not names or task.id in names))


@dataclass(slots=True)
class _Way:
    """The state of a tick on its way. `parts` grow with each row."""

    request: TickRequest
    about: Surveyed
    house: House
    record: Record
    judge: Judge
    parts: Parts
    rows: list[LedgerRow] = field(default_factory=list)
    planned: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    began: float = 0.0

    def walk(self, before: Status) -> Tick:
        self.began = self.house.clock.monotonic()
        if self.request.apply:
            self._write_gaps(before.cells)
        stop = ""
        while not stop:
            stop = self._step()
        after = self._looked_at_again() if self.request.apply else before
        return Tick(self.request.apply, tuple(self.rows), tuple(self.planned), tuple(self.passed_over), stop, before, after)

    def _looked_at_again(self) -> Status:
        """The report at the end, from what is stored by then."""
        parts = only(survey(self.about, self.house.clock.now()), self.request.only)
        return status_of(judged(parts, self.judge, no_reuse=bool(self.request.forced_by)))

    @property
    def _attempts(self) -> int:
        return len(self.planned) + sum(one.result.gathered or one.result.is_failure for one in self.rows)

    def _step(self) -> str:
        """Take one task on, or say why to stop."""
        if self.request.apply:
            self.parts = replace(self.parts, now=self.house.clock.now())
        if self.request.most is not None and self._attempts >= self.request.most:
            return f"reached the limit of {self.request.most}"
        cells = cells_of(self.parts)
        wanted = insisted(cells) if self.request.insist else candidates(cells)
        due = [one for one in wanted if one.task.id not in self.tried]
        if not due:
            return stop_of(cells, self._attempts)
        left = self._left()
        if left is not None and left <= 0:
            return f"the budget of {self.request.minutes:g} minutes is used up"
        self._take_on(due[0])
        return ""

    def _take_on(self, cell: Cell) -> None:
        task = cell.task
        self.tried.add(task.id)
        if self._reused(cell):
            return
        if why := self._too_long(task):
            self.passed_over.append(why)
        elif self.request.apply:
            self._claimed(cell)
        else:
            self.planned.append(task.id)

    def _reused(self, cell: Cell) -> bool:
        """Whether a stored run answers; that is written down, and the next task is looked at."""
        if self.request.forced_by:
            return False
        verdict = self.parts.verdicts.get(cell.task.id) or self.judge(cell.task)
        if verdict is None:
            return False
        self.parts = replace(self.parts, verdicts={**self.parts.verdicts, cell.task.id: verdict})
        if not answered(self.parts, cell):
            return False
        self.passed_over.append(f"{cell.task.id}: {verdict.run_id} answers, so nothing runs")
        if self.request.apply:
            self._append(reuse_row(cell.task, self._origin(), verdict.run_id, verdict.key.commit))
        return True

    def _left(self) -> float | None:
        """Seconds of the budget that are left, None without one."""
        minutes = self.request.minutes
        return None if minutes is None else minutes * 60 - (self.house.clock.monotonic() - self.began)

    def _too_long(self, task: Task) -> str:
        """Why the task is not begun for lack of time; empty where it may be.

        The first of a tick is begun whatever it may take, or a task longer than the budget would never have its turn.
        """
        left = self._left()
        if left is None or self._attempts == 0:
            return ""
        took = next((one.duration_s for one in reversed(self.parts.ledger.rows) if _took(one, task, self.parts)), None)
        fits = took is None or took <= left
        return "" if fits else f"{task.id}: it took {duration(took or 0.0)} last time, and {duration(left)} are left"

    def _claimed(self, cell: Cell) -> None:
        """Attempt it, while nobody else does."""
        task, here, now = cell.task, self.parts.here, self.house.clock.now()
        holder = self.house.clock.new_id("lease")
        wanted = claim((task.id, here.machine), here.box, holder, now, task.benchmark.timeout)
        other = self.about.ledger.claim(wanted, now)
        if other is not None:
            self.passed_over.append(f"{task.id}: box {other.box[:8]} is at it until {other.until}")
            return
        lease = Lease(self.about.ledger, wanted, self.house.clock, self.house.observer, task.benchmark.timeout)
        try:
            if why := self._overtaken(task):
                self.passed_over.append(why)
            else:
                self._append(self._attempted(task, replace(self.house, observer=lease)))
        finally:
            lease.give_back()

    def _overtaken(self, task: Task) -> str:
        """Why it is not due any more, by what others have written down since the tick began; empty where it is."""
        now = self.house.clock.now()
        self.parts = replace(self.parts, now=now, ledger=self.about.ledger.rows().believed(now))
        if self.request.insist:
            return ""
        if problem := problem_of(self.parts):
            return f"{task.id}: {problem}"
        return next((f"{task.id}: {one.reason}" for one in cells_of(self.parts) if one.task.id == task.id and not one.due), "")

    def _attempted(self, task: Task, house: House) -> LedgerRow:
        """The row of one attempt. What is wrong with the task's surroundings holds it; what breaks outside of it fails it."""
        try:
            if stopped := Campaign(house.store, house.clock, self.about.config).refusal(task.benchmark):
                return held_row(task, self._origin(), stopped.reason, stopped.next_step)
            commits = base_for(task, self.parts, self.about, house.store)
            with self.request.batch():
                checked = check_commits(self._asked(task, commits), commits, house, self.record, Silent())
        except UsageError as error:
            return held_row(task, self._origin(), error.message, error.hint)
        except InfrastructureError as error:
            return failed_row(task, self._origin(), error.message)
        row = row_of(task, checked.result.benchmarks[0], self._origin(), commits.base, commits.head)
        self._spend(row)
        return row

    def _asked(self, task: Task, commits: Commits) -> CheckRequest:
        config = config_for(self.about.config, task)
        left = self._left()
        if left is not None:  # so that the last one ends not long after the budget, before the job itself is ended
            longest = max(left, 0.0) + 60 * (self.request.minutes or 0.0) * GRACE
            policy = config.policy.model_copy(update={"max_time": min(config.policy.max_time, longest)})
            config = config.model_copy(update={"policy": policy})
        return CheckRequest(
            config=config,
            base=commits.base,
            head=commits.head,
            benchmarks=(task.id,),
            forced_by=self.request.forced_by or "the schedule, for it is due",
            reproduce=f"--benchmark {task.id} --no-reuse",
            trust=self.request.trust,
            stored_at=self.request.stored_at,
        )

    def _spend(self, row: LedgerRow) -> None:
        """Account for GPU minutes where comments do. That this fails changes nothing that was measured."""
        if not row.gpu_minutes:
            return
        try:
            clock, store = self.house.clock, self.house.store
            store.add_spend(spend_of_schedule(clock.new_id(SPEND_PREFIX), stamp(clock.now()), row.gpu_minutes))
            self.parts = replace(self.parts, spent=minutes_spent(self.about.config, store.spent(), clock.now()))
        except InfrastructureError as error:
            self.house.observer.note(Remark(error.message))

    def _write_gaps(self, cells: tuple[Cell, ...]) -> None:
        """Write down what tasks lack here, unless that stands there from the last hours."""
        for cell in cells:
            if cell.state is CellState.BLOCKED and not cell.task.benchmark.manual and self._unwritten(cell):
                self._append(held_row(cell.task, self._origin(), cell.gap, cell.reason))

    def _unwritten(self, cell: Cell) -> bool:
        written = cell.history.gap_at(cell.gap)
        return written is None or self.house.clock.now() - written >= HELD_FOR - timedelta(seconds=1)

    def _append(self, row: LedgerRow) -> None:
        self.about.ledger.append(row)
        self.rows.append(row)
        self.parts = with_row(self.parts, row)

    def _origin(self) -> Origin:
        here = self.parts.here
        return Origin(self.house.clock.new_id(LEDGER_PREFIX), self.house.clock.now(), here.box, here.machine)


def _took(row: LedgerRow, task: Task, parts: Parts) -> bool:
    return (row.task, row.machine) == (task.id, parts.here.machine) and row.result.gathered and row.duration_s is not None


def base_for(task: Task, parts: Parts, about: Surveyed, store: Store) -> Commits:
    """What the tip is held against: the commit before an open regression, else the nearest commit before it with a run, else its parent.

    The first commit of a history is held against itself, which shows the noise.
    """
    tip, repo = about.tip, about.repo
    known = reference(parts.ledger.rows, about.config, parts.here.machine, task.id)
    if known and _there(repo, known):
        return Commits(known, tip, None, (f"Base is {known[:10]}, before the regression that is open.",))
    before = repo.first_parents(tip, FIRST_PARENTS)
    measured = store.measured((task.id,), before)
    base = next((commit for commit in before if commit in measured), before[0] if before else tip)
    return Commits(base, tip, None)


def _there(repo: Repo, commit: str) -> bool:
    try:
        return repo.resolve(commit) == commit
    except UsageError:
        return False
