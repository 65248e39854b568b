"""Loads the parts of the status report from the ports, and asks for reuse verdicts only as far as the report needs them."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta

from assay.app.commits import Commits
from assay.app.house import House
from assay.app.plan import Question, lineage_of
from assay.core.budget import DAY, Spent
from assay.core.config import Config
from assay.core.envelope import RunStatus
from assay.core.loop.authority import Published
from assay.core.loop.capabilities import Capabilities
from assay.core.loop.cells import SESSIONS_TO_LEARN
from assay.core.loop.ledger import AHEAD, Ledger
from assay.core.loop.overlay import read_overlay
from assay.core.loop.status import Parts, Status, Stored, candidates, cells_of, may_reuse, status_of
from assay.core.loop.task import Task, config_for, tasks_of
from assay.core.model import UNKNOWN, Trust
from assay.core.prior import Header
from assay.core.result import ReuseVerdict
from assay.core.timestamp import moment
from assay.core.values import dataclass
from assay.errors import InfrastructureError, UsageError
from assay.loop_ports import LedgerBook, LoopStore, Prober
from assay.ports import Repo

FIRST_PARENTS = 500
"""So far back a stored run counts as one of the branch that a schedule looks after."""

RECENT = 8 * SESSIONS_TO_LEARN
"""So many runs are read to count the sessions of a metric; each session has two."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Judge = Callable[[Task], ReuseVerdict | None]
"""Whether a stored run answers for a task; None where that cannot be asked here."""


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What a survey looks at. `tip` is the commit that a schedule measures, `unknown` where there is none.

    `overlay` gives the overlay's text and its name, None where there is none; `published` the document.
    """

    config: Config
    root: str
    tip: str
    store: LoopStore
    ledger: LedgerBook
    repo: Repo
    prober: Prober
    overlay: Callable[[], tuple[str, str] | None] = lambda: None
    published: Published = field(default_factory=Published)
    no_reuse: bool = False


def survey(about: Surveyed, now: datetime) -> Parts:
    """All parts but the reuse verdicts. What cannot be read becomes part of the report instead of ending it."""
    tasks, error = _tasks(about)
    here = about.prober.capabilities(about.config, tasks)
    ledger = about.ledger
    stored, headers = _stored(about, tasks)
    history = frozenset((about.tip, *_ancestors(about)))
    try:
        claims = ledger.claims().claims
    except InfrastructureError as refused:
        claims, error = (), error or refused.message
    rows = ledger.rows()
    parts = Parts(
        now=now,
        root=about.root,
        config=about.config,
        here=here,
        tasks=tasks,
        error=error,
        stored=stored,
        ledger=rows.believed(now),
        ledger_at=ledger.place,
        claims=claims,
        measured=_measured(_believed(headers, now), history, here, _failed_runs(rows)),
        sessions={task.id: _sessions(about.store, task, here) for task in tasks},
        published=about.published,
    )
    return replace(parts, spent=minutes_spent(about.config, about.store.spent(), now))


def report(about: Surveyed, now: datetime, judge: Judge) -> Status:
    """The status report. Verdicts are asked for in the order of the tasks, until one of them has to be measured."""
    return status_of(judged(survey(about, now), judge, no_reuse=about.no_reuse))


def judged(parts: Parts, judge: Judge, *, no_reuse: bool = False) -> Parts:
    """The parts with the reuse verdicts of the due tasks, up to the first that no stored run answers."""
    verdicts: dict[str, ReuseVerdict] = {}
    for cell in candidates(cells_of(parts)):
        verdict = None if no_reuse else judge(cell.task)
        if verdict is not None:
            verdicts[cell.task.id] = verdict
        if verdict is None or not verdict.reuse or not may_reuse(cell, parts.config.reuse.remeasure):
            break
    return replace(parts, verdicts=verdicts)


def judge_of(about: Surveyed, house: House, trust: Trust) -> Judge:
    """Asks the lineage of a task at the tip. What keeps it from being asked will be told by the attempt."""

    def judge(task: Task) -> ReuseVerdict | None:
        if about.tip == UNKNOWN:
            return None
        commits = Commits(about.tip, about.tip, None)
        question = Question(config_for(about.config, task), task.benchmark, commits, "", None, trust)
        try:
            lineage = lineage_of(house, question)
            return next((verdict for _, verdict in lineage.answers()), None) or lineage.refusal()
        except UsageError:
            return None

    return judge


def minutes_spent(config: Config, spent: Spent, now: datetime) -> str:
    """Why no task with a GPU may begin; empty where the day's minutes are not used up. What cannot be read is not free."""
    minutes = sum(one.gpu_minutes for one in spent.records if moment(one.created_at) > now - DAY)
    limit = config.budget.per_day_gpu_minutes
    return f"within a day {minutes:.0f} of {limit} GPU minutes have been used" if minutes >= limit else ""


def _tasks(about: Surveyed) -> tuple[tuple[Task, ...], str]:
    """The tasks, or those of the config alone and what is wrong with the others."""
    try:
        found = about.overlay()
        return tasks_of(about.config, read_overlay(*found) if found else ()), ""
    except UsageError as error:
        return tasks_of(about.config), f"{error.message} {error.hint}".strip()


def _stored(about: Surveyed, tasks: tuple[Task, ...]) -> tuple[Stored, Mapping[str, tuple[Header, ...]]]:
    headers: dict[str, tuple[Header, ...]] = {}
    lost: dict[str, str] = {}
    for task in tasks:
        headers[task.id], unreadable = about.store.listed(task.id)
        lost |= {one.path: one.reason for one in unreadable}
    every = sorted((one for some in headers.values() for one in some), key=lambda one: one.run_id, reverse=True)
    return Stored(tuple(every), tuple(sorted(lost.items()))), headers


def _ancestors(about: Surveyed) -> tuple[str, ...]:
    if about.tip == UNKNOWN:
        return ()
    try:
        return about.repo.first_parents(about.tip, FIRST_PARENTS)
    except (InfrastructureError, UsageError):  # a shallow clone: the tip itself is what is known
        return ()


def _believed(headers: Mapping[str, tuple[Header, ...]], now: datetime) -> Mapping[str, tuple[Header, ...]]:
    """Without the runs that a wrong clock dated ahead: what they say of the age of a datum is not true."""
    latest = (now - _EPOCH + AHEAD) // timedelta(microseconds=1)
    return {name: tuple(one for one in some if one.created <= latest) for name, some in headers.items()}


def _failed_runs(ledger: Ledger) -> frozenset[str]:
    """The runs of attempts that left no datum: stored like any other, they make no task fresh."""
    failed = (one for one in ledger.rows if one.result.is_failure)
    return frozenset(run for one in failed for run in (one.run_id, one.base_run_id) if run)


def _measured(
    headers: Mapping[str, tuple[Header, ...]], history: frozenset[str], here: Capabilities, failed: frozenset[str]
) -> Mapping[str, datetime]:
    """When each task was last measured on this class of machines and on this branch, by whatever command."""
    found: dict[str, datetime] = {}
    for name, some in headers.items():
        own = [one.created for one in some if one.run_id not in failed and _counts(one, history, here)]
        if own:
            found[name] = _EPOCH + timedelta(microseconds=max(own))
    return found


def _counts(one: Header, history: frozenset[str], here: Capabilities) -> bool:
    sound = one.status == RunStatus.COMPLETE and one.trust != Trust.FORK
    return sound and one.machine == here.machine != UNKNOWN and one.commit in history


def _sessions(store: LoopStore, task: Task, here: Capabilities) -> int:
    """How many sessions of the task's benchmark on this class of machines are stored, as far as it matters."""
    return len({run.session_id for run in store.recent(task.id, RECENT) if run.machine.machine_class == here.machine})
