"""Measures a stored run again at its own commit, tells what is otherwise than then, and compares as equal code should compare."""

from collections.abc import Callable, Iterable
from functools import partial

from assay import __version__
from assay.app.commits import Commits
from assay.app.house import House
from assay.app.measure import Measured, Task, measure
from assay.app.record import LOCKFILES
from assay.app.stored_base import noise_between
from assay.core.comparison import Comparison
from assay.core.config import Benchmark, Config
from assay.core.effects import Effect, RecordRun
from assay.core.envelope import Run
from assay.core.escape import plain
from assay.core.events import Remark
from assay.core.model import Direction, Trust
from assay.core.reproduction import (
    Answer,
    Difference,
    Present,
    answer_of,
    benchmark_then,
    config_differences,
    differences,
    python_differences,
)
from assay.core.values import dataclass
from assay.errors import InfrastructureError, UsageError
from assay.ports import Unreadable


@dataclass(frozen=True, slots=True)
class ReproduceRequest:
    """Which run, under whose config of today. With `only_check` nothing is run; a fork's run needs `forks`."""

    run_id: str
    config: Config
    only_check: bool = False
    forks: bool = False


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The run, what is otherwise now, and, unless only that was asked, the run of today with how the two compare."""

    run: Run
    differences: tuple[Difference, ...]
    answer: Answer
    reason: str
    again: Run | None = None
    comparisons: tuple[Comparison, ...] = ()


def reproduce(request: ReproduceRequest, house: House, record: Callable[[Iterable[Effect]], tuple[str, ...]]) -> Reproduction:
    """Raises UsageError for a run that is not there or cannot be measured again, InfrastructureError for one that cannot be read."""
    run = _found(request, house)
    house.repo.resolve(run.commit)
    today = request.config.benchmarks.get(run.benchmark)
    benchmark = benchmark_then(run, today)
    otherwise = (*config_differences(run, today), *differences(run, _present(run, benchmark, house)))
    for one in otherwise:
        house.observer.note(Remark(f"{one.group} {plain(one.what, 80)}: then {plain(one.then, 120)}, now {plain(one.now, 120)}"))
    if request.only_check:
        return Reproduction(run, otherwise, Answer.CHECKED, "nothing was run")
    done = measure(house, _task(request, run, benchmark, house), partial(_store, house, record))
    otherwise = (*otherwise, *python_differences(run.python, done.head.python))
    return _judged(run, otherwise, done)


def _judged(run: Run, otherwise: tuple[Difference, ...], done: Measured) -> Reproduction:
    failure = done.session.head.failure
    answer, reason = (Answer.FAILED, f"{failure.stage} failed: {failure.detail}") if failure else answer_of(done.comparisons)
    elsewhere = any((one.group, one.what) == ("machine", "machine_class") for one in otherwise)
    if elsewhere and answer in (Answer.DIFFERS, Answer.REPRODUCED, Answer.UNDECIDED):
        answer, reason = Answer.UNDECIDED, "this is another class of machine, whose numbers say nothing of the run's"
    return Reproduction(run, otherwise, answer, reason, done.head, done.comparisons)


def _found(request: ReproduceRequest, house: House) -> Run:
    run = house.store.find_run(request.run_id)
    name = plain(request.run_id, 60)
    if run is None:
        raise UsageError(f"The store has no run {name}, or it is invalidated.", hint="Reports and result.json name runs; see --store.")
    if isinstance(run, Unreadable):
        raise InfrastructureError(f"{name} cannot be read: {plain(run.reason)}.", hint=f"See {plain(run.path, 200)}.")
    if not run.samples:
        raise UsageError(f"{name} holds no sample that could be compared: it is {run.status}.", hint="Name a run that has measured.")
    if run.trust is Trust.FORK and not request.forks:
        raise UsageError(
            f"{name} is a fork's: its command and its code are a stranger's.", hint="Say --allow-fork where that may run here."
        )
    return run


def _present(run: Run, benchmark: Benchmark, house: House) -> Present:
    with house.worktrees() as trees:
        inputs = trees.input_identities(benchmark) if benchmark.inputs else {}
    environment = house.machine.environment().with_lockfiles(house.repo.blobs(run.commit, LOCKFILES))
    return Present(house.machine.facts(), environment, inputs, house.variables, __version__)


def _task(request: ReproduceRequest, run: Run, benchmark: Benchmark, house: House) -> Task:
    return Task(
        benchmark=benchmark,
        ignore=request.config.ignore,
        run_id=house.clock.new_id("run"),
        trust=Trust.MEMBER,
        commits=Commits(run.commit, run.commit, None),
        alpha=request.config.policy.alpha,
        end=house.clock.monotonic() + request.config.policy.max_time,
        better=None if benchmark.metric else Direction.LOWER,
        reproduce=f"assay reproduce {run.run_id}",
        user_tree_dirty=house.repo.is_dirty(),
        earlier=partial(house.store.recent, benchmark.name),
        to_the_end=True,
        base_run=run,
        noise=noise_between(house.store, request.config, benchmark, run, house.machine.facts()),
    )


def _store(house: House, record: Callable[[Iterable[Effect]], tuple[str, ...]], run: Run) -> None:
    for problem in record([RecordRun(run)]):
        house.observer.note(Remark(problem))
