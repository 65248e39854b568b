"""From a finished session to the envelopes of its two runs."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal

from assay import __version__
from assay.app.session import Session, SideSession
from assay.core.envelope import ChecksFacts, IsolationFacts, MetricFacts, ProcessFacts, Run, RunStatus, SampleFacts, Timings
from assay.core.evidence import WALL_TIME, ProcessRecord, Stage, disturbance_of, printed_names, reading_warnings, unit_of, value_of
from assay.core.facts import EnvironmentFacts, MachineFacts, PythonFacts, known
from assay.core.fingerprint import fingerprints_of
from assay.core.lineage import config_facts
from assay.core.model import NONE, UNKNOWN, Cause, Completed, Side, Trust
from assay.core.salvage import Noted
from assay.core.sightings import sighting_facts
from assay.core.timestamp import moment, stamp
from assay.core.values import dataclass
from assay.core.window import Classifier
from assay.ports import Clock, Repo

LOCKFILES = (
    *("*requirements*.txt", "constraints*.txt", "pyproject.toml", "environment*.y*ml"),
    *("*.lock", "*lock.json", "*-lock.yaml", "go.sum", "Dockerfile*"),
)
"""Names at the top of a commit whose change is a change of what gets installed."""


class Ending(StrEnum):
    """How a session came to its end."""

    REGULAR = "regular"
    CANCELLED = "cancelled"
    BROKEN_OFF = "broken off"


SETUP_FAILED = "setup failed: "
"""How the detail of a run begins whose setup failed."""

PILOT_FAILED = "pilot failed: "
"""The same of a run whose pilot failed: its full runs did not begin."""

STATUS_OF = {Cause.TIMEOUT: RunStatus.TIMED_OUT, Cause.CANCELLED: RunStatus.CANCELLED}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is true of both sides of a session."""

    machine: MachineFacts
    environment: EnvironmentFacts
    inputs: dict[str, str]
    supervision: str
    shared_state_changed: tuple[str, ...]
    not_isolated: str
    user_tree_dirty: bool
    reproduce: str
    trust: Trust
    classifier: Classifier
    variables: Mapping[str, str]


def run_of(
    session: Session,
    side: Side,
    around: Surroundings,
    python: PythonFacts,
    changed: Sequence[str],
    repo: Repo,
    clock: Clock,
    ending: Ending,
) -> Run:
    """The envelope of one side, complete or not: a crash is a run with a status. `changed` are tracked files of its worktree."""
    one, other, benchmark = session.sides[side], session.sides[side.other], session.benchmark
    status, cause, detail = _status(one, around, ending)
    commit, now = one.worktree.commit, stamp(clock.now())
    total = (moment(now) - moment(one.started_at)).total_seconds()
    return Run(
        schema="assay.run/1",
        run_id=one.run_id,
        session_id=session.id,
        benchmark=benchmark.name,
        created_at=one.started_at,
        finished_at=now,
        status=status,
        cause=cause,
        detail=detail,
        trust=around.trust,
        commit=commit,
        tree=repo.tree(commit),
        dirty=bool(changed),
        user_tree_dirty=around.user_tree_dirty,
        base=other.worktree.commit if side is Side.HEAD else None,
        machine=around.machine,
        environment=around.environment.with_lockfiles(repo.blobs(commit, LOCKFILES)),
        fingerprints=fingerprints_of(repo.tree_files(commit), around.classifier.through(repo.links(commit))),
        python=python,
        model=benchmark.model,
        precision=benchmark.precision,
        config=config_facts(benchmark, around.variables),
        command=benchmark.run,
        seeds=session.plan.seeds,
        batch=benchmark.batch.size if benchmark.batch else None,
        warmup=benchmark.warmup,
        processes=tuple(process_facts(record, gpus=session.needs_gpu) for record in one.records),
        samples=_samples(one, session.primary),
        metrics=_metrics(one),
        warnings=(*reading_warnings(one.records), *_dirt(side, changed)),
        checks=checks_facts(one.checks, configured=bool(benchmark.checks) and side is Side.HEAD),
        inputs=around.inputs,
        isolation=_isolation(one, around),
        supervision=around.supervision,
        timings=Timings(setup_s=one.setup_s, total_s=max(total, 0.0)),
        tool_version=__version__,
        reproduce=around.reproduce,
        notes=one.worktree.notes,
    )


def _dirt(side: Side, changed: Sequence[str]) -> tuple[str, ...]:
    if not changed:
        return ()
    named = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
    what = f"{side}: while it was measured, files changed that the commit tracks: {named}."
    return (f"{what} So this run is not reused; let them be written to $TMPDIR, or under names that git ignores.",)


def _status(one: SideSession, around: Surroundings, ending: Ending) -> tuple[RunStatus, Cause | None, str]:
    """Only a run that is complete, and of a side that was kept apart, is evidence for later."""
    failure = one.failure
    if ending is Ending.CANCELLED and (failure is None or failure.cause is Cause.CANCELLED):
        return RunStatus.CANCELLED, Cause.CANCELLED, "cancelled before the session had ended"
    if failure is None and ending is Ending.BROKEN_OFF:
        return RunStatus.PARTIAL, None, "the session was broken off by an error outside the benchmark"
    if failure is None and not any(not record.warmup for record in one.records):
        return RunStatus.PARTIAL, None, "no process was measured"
    if failure is None:
        spoilt = around.not_isolated or disturbance_of(one.records)
        return (RunStatus.DEGRADED, None, spoilt) if spoilt else (RunStatus.COMPLETE, None, "")
    where = {Stage.SETUP: SETUP_FAILED, Stage.PILOT: PILOT_FAILED}.get(failure.stage, "")
    return STATUS_OF.get(failure.cause, RunStatus.ERRORED), failure.cause, where + failure.detail


def noted_of(run_id: str, record: ProcessRecord, primary: str | None, *, gpus: bool) -> Noted:
    """The line of a journal on one process."""
    metrics = () if record.warmup else record.completed.reading.metrics
    values = {one.name: one.value for one in metrics}
    if primary == WALL_TIME and not record.warmup:
        values.setdefault(WALL_TIME, record.completed.duration_s)
    return Noted(run_id=run_id, process=process_facts(record, gpus=gpus), values=values, units={one.name: one.unit for one in metrics})


def process_facts(record: ProcessRecord, *, gpus: bool) -> ProcessFacts:
    """One process as an envelope has it."""
    done = record.completed
    return ProcessFacts(
        order=record.order,
        warmup=record.warmup,
        seed=record.seed,
        exit_code=done.exit_code,
        signal=done.signal,
        cause=done.cause,
        started_at=done.started_at,
        duration_s=max(done.duration_s, 0.0),
        cpu_s=known(done.cpu_s),
        max_rss_kb=known(done.max_rss_kb),
        gpus=tuple(map(sighting_facts, done.sightings)) or (UNKNOWN if gpus else NONE),
    )


def _samples(one: SideSession, primary: str | None) -> tuple[SampleFacts, ...]:
    names = dict.fromkeys((*printed_names(one.records), *((WALL_TIME,) if primary == WALL_TIME else ())))
    return tuple(
        SampleFacts(metric=name, value=value, order=record.order, seed=record.seed, process=index)
        for index, record in enumerate(one.records)
        if not record.warmup
        for name in names
        if (value := value_of(record, name)) is not None
    )


def _metrics(one: SideSession) -> tuple[MetricFacts, ...]:
    return tuple(MetricFacts(name=name, unit=unit_of(one.records, name)) for name in printed_names(one.records))


def checks_facts(checks: Completed | None, *, configured: bool) -> ChecksFacts:
    """What became of the correctness checks. Checks that could not finish have not passed."""
    if checks is None:
        return ChecksFacts(state="not run" if configured else "not configured", exit_code=None, duration_s=None)
    return ChecksFacts(state="passed" if checks.clean else "failed", exit_code=checks.exit_code, duration_s=max(checks.duration_s, 0.0))


def _isolation(one: SideSession, around: Surroundings) -> IsolationFacts:
    account = one.worktree.account
    return IsolationFacts(
        own_environment="VIRTUAL_ENV" in one.worktree.env,
        shared_state_changed=around.shared_state_changed,
        account=f"uid {account.uid}" if account else "the caller's own",
        protection=_protection(one),
        other_side="unknown" if one.absent else "closed" if account else "compared",
    )


def _protection(one: SideSession) -> Literal["read-only", "compared", "none", "unknown"]:
    if not one.records:
        return "unknown"
    if not one.worktree.read_only:
        return "none"
    return "read-only" if all(record.completed.shielded for record in one.records) else "compared"
