"""Measure one benchmark: worktrees, setup, interleaved sampling with looks, checks; everything measured is stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from assay.app.commits import Commits
from assay.app.house import House
from assay.app.noting import Noting
from assay.app.record import Ending, Surroundings, run_of
from assay.app.session import Session, SideSession
from assay.cell_ports import SampleJournal
from assay.core.comparison import Comparison
from assay.core.config import Benchmark
from assay.core.envelope import Run
from assay.core.events import StageStarted
from assay.core.evidence import WALL_TIME, Failure, Stage
from assay.core.facts import PythonFacts
from assay.core.judge import Evidence, compare_all, not_isolated, settled
from assay.core.model import UNKNOWN, Cause, Direction, Side, Trust
from assay.core.noise import Noise
from assay.core.rejudge import records_of
from assay.core.sampling import Level, spend
from assay.core.schedule import plan_session
from assay.core.session_noise import unit_variances
from assay.core.timestamp import stamp
from assay.core.window import Classifier
from assay.errors import CancelledError, UnfitCommitError
from assay.worktree_ports import Worktree, Worktrees

EARLIER_RUNS = 40
"""So many stored runs are asked how widely processes spread."""

NOBODY = Failure(Stage.CHECKOUT, Cause.NOT_STARTED, "nothing is measured beside it")
"""What the base of a measurement is that has none."""

NO_PYTHON = PythonFacts(implementation=UNKNOWN, version=UNKNOWN, dependencies=UNKNOWN)
"""Of a side without a worktree."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A finished session: both runs, the comparisons of its last look, and why it ended."""

    session: Session
    base: Run
    head: Run
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be measured, how much of the tests' level it may spend, and when the whole check has to end (monotonic).

    `ignore` are the patterns of paths that bear on no benchmark; `run_id` is what head's run is called; `trust` is that of the evidence.
    `earlier` is a way to the newest stored runs of the benchmark, so many of them.
    With `to_the_end` no look ends it early. A stored `base_run` stands for the base, which is not measured then, and is charged
    the `noise` that lies between sessions, by metric. `alone` is head without any base; `piloted` says that its pilot has passed.
    The `journal` outlives us, whatever ends us.
    """

    benchmark: Benchmark
    ignore: tuple[str, ...]
    run_id: str
    trust: Trust
    commits: Commits
    alpha: float
    end: float
    better: Direction | None
    reproduce: str
    user_tree_dirty: bool
    earlier: Callable[[int], tuple[Run, ...]]
    to_the_end: bool = False
    base_run: Run | None = None
    noise: Mapping[str, Noise] = field(default_factory=dict)
    alone: bool = False
    piloted: bool = False
    journal: SampleJournal | None = None


def measure(house: House, task: Task, keep: Callable[[Run], None]) -> Measured:
    """Run the session; `keep` is handed each run as soon as it is complete, also when the session is cancelled."""
    session, stored, comparisons, details = _carried_out(house, task, keep)
    return Measured(session, stored[Side.BASE], stored[Side.HEAD], comparisons, details)


def measure_alone(house: House, task: Task, keep: Callable[[Run], None]) -> Run:
    """Measure head without anything beside it, up to the first look: its run, which `keep` was handed as that of a check is."""
    return _carried_out(house, replace(task, alone=True), keep)[1][Side.HEAD]


_Done = tuple[Session, dict[Side, Run], tuple[Comparison, ...], tuple[str, ...]]


def _carried_out(house: House, task: Task, keep: Callable[[Run], None]) -> _Done:
    with house.worktrees() as worktrees:
        try:
            session = _open(house, task, worktrees)
            watch = _Isolation(worktrees, session)
        except CancelledError:
            _store(house, task, _session(house, task, worktrees, _unbegun(house, task)), None, keep, Ending.CANCELLED, {})
            raise
        if task.journal:
            session.noted = Noting(task.journal, session, house.observer, partial(_envelope, house, task, session, watch)).note
        return _run(house, task, session, watch, keep)


def _run(house: House, task: Task, session: Session, watch: "_Isolation", keep: Callable[[Run], None]) -> _Done:
    comparisons: tuple[Comparison, ...] = ()
    try:
        session.set_up()
        watch.look()
        if not task.piloted:
            session.pilot()
        comparisons = _sample(house, session, task, watch)
        session.check()
    except BaseException as error:
        # whatever ends it, a signal or a full disk: nothing measured is ever lost
        _store(house, task, session, watch, keep, Ending.CANCELLED if isinstance(error, CancelledError) else Ending.BROKEN_OFF, {})
        raise
    stored: dict[Side, Run] = {}
    try:
        _store(house, task, session, watch, keep, Ending.REGULAR, stored)
    except CancelledError:
        # the session was complete when the signal came, and a second one is ignored: what is left of it is stored too
        _store(house, task, session, watch, keep, Ending.REGULAR, stored)
        raise
    return session, stored, comparisons, watch.details


def _open(house: House, task: Task, worktrees: Worktrees) -> Session:
    sides: dict[Side, SideSession] = {}
    started = stamp(house.clock.now())
    for side, commit in ((Side.BASE, task.commits.base), (Side.HEAD, task.commits.head)):
        if side is Side.BASE and task.base_run:
            sides[side] = _stored(task.base_run)
            continue
        if side is Side.BASE and task.alone:
            sides[side] = replace(_blank(house, task, side, started), failure=NOBODY)
            continue
        house.observer.note(StageStarted(task.benchmark.name, "checkout", side))
        sides[side] = _side(worktrees, side, commit, task.benchmark, _blank(house, task, side, started))
    return _session(house, task, worktrees, sides)


def _blank(house: House, task: Task, side: Side, started: str) -> SideSession:
    """A side of which nothing is there yet."""
    commit, name = (task.commits.head, task.run_id) if side is Side.HEAD else (task.commits.base, house.clock.new_id("run"))
    return SideSession(Worktree(side, commit, "", "", {}), name, started)


def _unbegun(house: House, task: Task) -> dict[Side, SideSession]:
    """Both sides of a session that was cancelled before anything could run: it was wanted, and that is on record."""
    sides: dict[Side, SideSession] = {}
    for side in Side:
        if side is Side.BASE and task.base_run:
            sides[side] = _stored(task.base_run)
            continue
        sides[side] = _blank(house, task, side, stamp(house.clock.now()))
        cancelled = Failure(Stage.CHECKOUT, Cause.CANCELLED, "cancelled before its commit was laid out")
        sides[side].failure = NOBODY if side is Side.BASE and task.alone else cancelled
    return sides


def _session(house: House, task: Task, worktrees: Worktrees, sides: dict[Side, SideSession]) -> Session:
    name = house.clock.new_id("ses")
    primary = task.benchmark.metric.name if task.benchmark.metric else None
    return Session(
        id=name,
        benchmark=task.benchmark,
        plan=plan_session(task.benchmark),
        sides=sides,
        worktrees=worktrees,
        runner=house.runner,
        clock=house.clock,
        observer=house.observer,
        logs=house.logs(name),
        end=task.end,
        primary=primary,
        better=task.better,
        metrics=tuple(name for name in (primary, *task.benchmark.guards) if name),
    )


def _stored(run: Run) -> SideSession:
    """The base as a stored run has it."""
    tree = Worktree(Side.BASE, run.commit, "", "", {})
    return SideSession(tree, run.run_id, run.created_at, records=list(records_of(run, Side.BASE)), stored=run)


def _side(worktrees: Worktrees, side: Side, commit: str, benchmark: Benchmark, one: SideSession) -> SideSession:
    """With its worktree; a base that cannot have one is a side without a measurement, as one whose benchmark fails."""
    try:
        one.worktree = worktrees.prepare(side, commit, benchmark)
    except UnfitCommitError as error:
        if side is Side.HEAD:
            raise
        one.failure = Failure(Stage.CHECKOUT, Cause.NOT_STARTED, error.message)
    return one


class _Isolation:
    """Watches what both sides share, and whether one has changed the other.

    What is shared and changes between the first look and the last may have changed both.
    """

    def __init__(self, worktrees: Worktrees, session: Session) -> None:
        self.worktrees = worktrees
        self.session = session
        self.inputs: dict[str, str] = {}
        self.before = self._shared()
        self.changed: tuple[str, ...] = ()
        self.foreign: tuple[str, ...] = ()

    def _shared(self) -> dict[str, str]:
        found = self.worktrees.input_identities(self.session.benchmark)
        self.inputs = self.inputs or dict(found)
        return {**self.worktrees.shared_state(), **{f"the input {path}": identity for path, identity in found.items()}}

    def look(self) -> None:
        """Compare with the first look, and ask what a process in each worktree would import from the user's checkout."""
        now = self._shared()
        changed = {path for path in now.keys() | self.before.keys() if now.get(path) != self.before.get(path)}
        self.changed = tuple(sorted({*self.changed, *changed}))
        trees = [self.session.sides[side].worktree for side in self.session.laid_out]
        self.foreign = tuple(sorted({name for tree in trees for name in self.worktrees.foreign_editables(tree)}))

    @property
    def reason(self) -> str:
        """Why the sides are not isolated; empty where they are."""
        if self.session.trespasses:
            return "sides not isolated: a process of one side changed the other's worktree"
        if self.changed:
            return "sides not isolated: setup or the benchmark changed what both sides share"
        if self.foreign:
            return "sides not isolated: both would import a package from your own checkout"
        return ""

    @property
    def details(self) -> tuple[str, ...]:
        """The same for the warnings, with names. They are untrusted."""
        trespass = "While a process of the other side ran, a file of this one changed: {}"
        changed = "Both sides share {}, which changed while they were measured."
        foreign = "Base and head would both import {} from your checkout, an editable install. Add `setup: pip install -e .`"
        kinds = ((trespass, sorted(self.session.trespasses)), (changed, self.changed), (foreign, self.foreign))
        return tuple(text.format(name) for text, names in kinds for name in names[:5])


def _sample(house: House, session: Session, task: Task, watch: _Isolation) -> tuple[Comparison, ...]:
    if session.head.failure:
        return ()
    levels = spend(session.plan.looks, task.alpha)
    variances = _variances(house, task, session)
    found: list[tuple[Comparison, ...]] = []

    def enough(look: int) -> bool:
        found.append(_compare(session, task, watch, levels[look], variances))
        return settled(found[-1]) and not task.to_the_end

    session.sample(enough)
    if session.out_of_time:  # an unplanned look may spend what the planned ones have left
        found.append(_compare(session, task, watch, task.alpha - sum(levels[: len(found)]), variances))
    if session.base.failure and not session.head.failure:
        found.append(_compare(session, task, watch, levels[-1], variances))
    watch.look()
    if session.head.failure or not found:
        return ()
    return not_isolated(found[-1], watch.reason) if watch.reason else found[-1]


def _variances(house: House, task: Task, session: Session) -> dict[str, tuple[float, ...]]:
    """How widely single processes spread in earlier sessions on such a machine: of plain pairs, since seeds are compared one by one."""
    if session.plan.seeds:
        return {}
    runs, machine_class = task.earlier(EARLIER_RUNS), house.machine.facts().machine_class
    return {name: unit_variances(runs, name, machine_class) for name in session.metrics}


def _compare(
    session: Session, task: Task, watch: _Isolation, alpha: float, variances: Mapping[str, tuple[float, ...]]
) -> tuple[Comparison, ...]:
    base, head = session.base, session.head
    evidence = Evidence(
        base=tuple(base.records),
        head=tuple(head.records),
        baseline_missing=_no_baseline(base) if base.failure else "",
        not_isolated=watch.reason,
        one_session=base.stored is None,
        variances=variances,
        noise=task.noise,
        out_of_time=f"{session.deadline_name} ended the sampling" if session.out_of_time else "",
    )
    return compare_all(task.benchmark, session.primary or WALL_TIME, task.better, evidence, Level(alpha, task.alpha))


def _no_baseline(base: SideSession) -> str:
    if base.absent or base.failure is None:
        return "no baseline: the base lacks what this benchmark needs"
    return f"no baseline: the base {base.failure.stage} failed"


def _store(
    house: House,
    task: Task,
    session: Session,
    watch: _Isolation | None,
    keep: Callable[[Run], None],
    ending: Ending,
    stored: dict[Side, Run],
) -> None:
    """Hand both runs to `keep`; those in `stored` have been handed over already, and each that is joins them."""
    for side in Side:
        if (known := session.sides[side].stored) is not None:
            stored[side] = known
        if side not in stored and session.sides[side].failure is not NOBODY:
            run = _envelope(house, task, session, watch, side, ending)
            keep(run)
            stored[side] = run


def _envelope(house: House, task: Task, session: Session, watch: _Isolation | None, side: Side, ending: Ending) -> Run:
    around = Surroundings(
        machine=house.machine.facts(),
        environment=house.machine.environment(),
        inputs=watch.inputs if watch else {},
        supervision=house.supervision,
        shared_state_changed=watch.changed if watch else (),
        not_isolated=watch.reason if watch else "",
        user_tree_dirty=task.user_tree_dirty,
        reproduce=task.reproduce,
        trust=task.trust,
        classifier=Classifier.of_benchmark(task.benchmark, task.ignore),
        variables=house.variables,
    )
    one, tree = session.sides[side], session.sides[side].worktree
    python = NO_PYTHON if one.absent else house.machine.python(tree.env)
    changed = () if one.absent else session.worktrees.changed_files(tree)
    return run_of(session, side, around, python, changed, house.repo, house.clock, ending)
