"""Compare stored runs anew: the samples hold although the question, the limits or the method has changed."""

from collections.abc import Mapping

from assay.core.comparison import Comparison
from assay.core.config import Benchmark
from assay.core.envelope import ProcessFacts, Run
from assay.core.evidence import WALL_TIME, ProcessRecord
from assay.core.judge import Evidence, compare_all
from assay.core.lineage import same_fact
from assay.core.model import Completed, Direction, Metric, MetricReading, Side
from assay.core.noise import Noise
from assay.core.sampling import Level, spend
from assay.core.schedule import SessionPlan, plan_session
from assay.core.sightings import sightings_of

_ENVIRONMENT = (
    ("driver", "driver"),
    ("CUDA", "cuda"),
    ("image", "image_digest"),
    ("Python", "python"),
    ("installed packages", "packages"),
)


def rejudge(
    benchmark: Benchmark, base: Run, head: Run, alpha: float, better: Direction | None, noise: Mapping[str, Noise] | None = None
) -> tuple[Comparison, ...]:
    """The comparisons that the samples of these two runs give now, at the level of the look that they had reached.

    `better` is the direction of a bare command's metric, as in `core.judge.specs_of`. Runs of different sessions are charged
    the `noise` that equal code has shown between sessions, by metric, and compared at all only where their environments agree.
    """
    plan = plan_session(benchmark)
    primary = benchmark.metric.name if benchmark.metric else (head.metrics[0].name if head.metrics else WALL_TIME)
    one_session = base.session_id == head.session_id
    evidence = Evidence(
        records_of(base, Side.BASE),
        records_of(head, Side.HEAD),
        environment="" if one_session else _differing(base, head),
        one_session=one_session,
        noise=noise or {},
    )
    units = len({record.unit for record in evidence.head})
    return compare_all(benchmark, primary, better, evidence, Level(_level(plan, alpha, units), alpha))


def _differing(base: Run, head: Run) -> str:
    """What of machine and environment is not known to be equal, of two runs that were not measured side by side."""
    facts = [("machine", base.machine.machine_class, head.machine.machine_class)]
    facts += [(name, getattr(base.environment, key), getattr(head.environment, key)) for name, key in _ENVIRONMENT]
    differing = [name for name, one, other in facts if not same_fact(one, other)]
    return f"base and head were measured in other surroundings: {', '.join(differing)}" if differing else ""


def _level(plan: SessionPlan, alpha: float, units: int) -> float:
    levels = spend(plan.looks, alpha)
    return next((level for look, level in zip(plan.looks, levels, strict=True) if units <= look), levels[-1])


def records_of(run: Run, side: Side) -> tuple[ProcessRecord, ...]:
    """The measured processes of a stored run, numbered by seed where there are seeds, else in their order."""
    seeds = list(dict.fromkeys(one.seed for one in run.processes if not one.warmup))
    records: list[ProcessRecord] = []
    for index, process in enumerate(run.processes):
        if not process.warmup:
            unit = len(records) if process.seed is None else seeds.index(process.seed)
            records.append(ProcessRecord(side, process.order, unit, process.seed, _completed(run, index, process)))
    return tuple(records)


def _completed(run: Run, index: int, process: ProcessFacts) -> Completed:
    units = {metric.name: metric.unit for metric in run.metrics}
    metrics = tuple(Metric(one.metric, one.value, units.get(one.metric)) for one in run.samples if one.process == index)
    return Completed(
        exit_code=process.exit_code,
        signal=process.signal,
        cause=process.cause,
        started_at=process.started_at,
        duration_s=process.duration_s,
        stdout="",
        stderr="",
        truncated=False,
        log_file="",
        reading=MetricReading(metrics, {metric.name: (metric.value,) for metric in metrics}),
        sightings=sightings_of(process),
    )
