"""The first third of a split check: which cells have to run. It has the token, and starts nothing of anybody's."""

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from assay.app import plan
from assay.app.advise import advices, refuse_unfit
from assay.app.check import choose
from assay.app.commits import Commits
from assay.app.house import House
from assay.app.order import NO_COMMAND
from assay.app.question import Question
from assay.app.stages import Refusal
from assay.core.advice import Advice, in_order
from assay.core.command_config import with_command
from assay.core.comment_command import Command
from assay.core.config import Benchmark, Config
from assay.core.handover import DEFAULT_RUNNER, Cell, PlanFile
from assay.core.inputs import Inputs
from assay.core.model import Trust
from assay.core.values import dataclass
from assay.ports import Store

CANDIDATES = 50
"""So many of the newest runs of a benchmark go along with a plan, so that a cell may find one of its own machine among them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan is made from, beside the commits: whose config in which file, what a command changes of it, who forced a run.

    `idle` says why there is nothing to measure, where that is known before; `stopped` are the benchmarks that a person has to let go on.
    """

    config: Config
    file: str
    benchmarks: tuple[str, ...]
    trust: Trust
    command: Command
    forced_by: str | None
    rules: str | None = None
    extras: str | None = None
    vouched: bool = False
    idle: str = ""
    stopped: Mapping[str, Refusal] = field(default_factory=dict)


def asked_of(
    question: Question,
    config: Config,
    inputs: Inputs,
    command: Command,
    forced_by: str | None,
    nothing: str = "",
    stopped: Mapping[str, Refusal] = MappingProxyType({}),
) -> Asked:
    """What the question of an event asks, under a config in which the command has changed what it may.

    `nothing` says why there is nothing to measure, where that is known before. What has `stopped` runs for nobody but who orders it.
    """
    return Asked(
        config=config,
        file=inputs.config,
        benchmarks=inputs.benchmarks,
        trust=question.trust,
        command=command,
        forced_by=forced_by,
        rules=question.rules,
        extras=question.extras,
        vouched=question.vouched,
        idle=nothing,
        stopped=stopped if command is NO_COMMAND else {},
    )


def planned(asked: Asked, commits: Commits, house: House) -> PlanFile:
    """The plan of all benchmarks that changed paths bear on, the longest first; those that nothing relevant changed for have no cell.

    Neither has one that has stopped, for its job would start by itself.

    Raises UsageError for a benchmark that cannot be measured where the config puts it: nothing is spent to find that out.
    """
    chosen = choose(asked.config, asked.benchmarks)
    chosen = tuple(one for one in chosen if one.name not in asked.stopped)
    due = tuple(one for one in chosen if asked.forced_by or not idle(asked, commits, house, one))
    command = asked.command
    return PlanFile(
        schema="assay.plan/1",
        base=commits.base,
        head=commits.head,
        branch=commits.branch,
        trust=asked.trust,
        vouched=asked.vouched,
        rules=asked.rules,
        extras=asked.extras,
        config=asked.file,
        seeds=command.seeds,
        repeats=command.repeats,
        model=command.model,
        precision=command.precision,
        forced_by=asked.forced_by,
        cells=tuple(_cell(asked.config, one) for one in _advised(asked, house, due)),
    )


def idle(asked: Asked, commits: Commits, house: House, benchmark: Benchmark) -> str | None:
    """Why the benchmark has nothing to show, None where it has."""
    if asked.idle:
        return asked.idle
    question = plan.Question(asked.config, benchmark, commits, "", asked.forced_by, asked.trust)
    return plan.nothing_relevant(house, question)


def _advised(asked: Asked, house: House, due: tuple[Benchmark, ...]) -> tuple[Advice, ...]:
    found = advices(with_command(asked.config, asked.command), due, house.store)
    refuse_unfit(found)
    return in_order(found)


def _cell(config: Config, advice: Advice) -> Cell:
    benchmark = config.benchmarks[advice.benchmark]
    machine = config.machines.get(benchmark.machine) if benchmark.machine else None
    sender = ("self-hosted",) if machine and machine.runner != "local" else DEFAULT_RUNNER
    return Cell(
        benchmark=benchmark.name,
        machine=benchmark.machine,
        runs_on=(machine and machine.runs_on) or sender,
        complexity=advice.complexity,
        expected_s=advice.estimate.most_s,
        advice=advice.reason,
    )


def lend(plan_file: PlanFile, source: Store, target: Store) -> None:
    """Copy the newest clean runs of each planned benchmark, and what was decided on them, to where the cells can read them."""
    for cell in plan_file.cells:
        for run in source.recent(cell.benchmark, CANDIDATES):
            target.add_run(run)
            for decision in source.decisions(run.run_id):
                target.add_decision(decision)
