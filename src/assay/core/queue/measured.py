"""From a job to the benchmark that is to be run for it, and from its run to the envelope that is stored."""

from collections.abc import Mapping
from dataclasses import field

from assay.core.config import Batch, Benchmark
from assay.core.envelope import ConfigFacts, Run, RunStatus
from assay.core.lineage import config_facts
from assay.core.model import Cause
from assay.core.queue.fan_out import filled
from assay.core.queue.model import Job, JobKind, JobStatus
from assay.core.schedule import pilot_command, pilot_timeout
from assay.core.values import dataclass


def benchmark_of(job: Job, benchmark: Benchmark) -> Benchmark:
    """The benchmark as the job wants it. What the job leaves open is the config's."""
    changes: dict[str, object] = {"run": filled(job.command or benchmark.run, job.parameters)}
    if job.seed is not None:
        changes["seeds"] = (job.seed,)
    if job.batch_size is not None:
        base = benchmark.batch or Batch(size=job.batch_size)
        changes["batch"] = base.model_copy(update={"size": job.batch_size, "min": min(base.min, job.batch_size)})
    changes |= {name: value for name, value in (("model", job.model), ("precision", job.precision)) if value is not None}
    wanted = benchmark.model_copy(update=changes)
    return _pilot_of(wanted) if job.kind is JobKind.PILOT else wanted


def _pilot_of(benchmark: Benchmark) -> Benchmark:
    """Its pilot as a benchmark of its own: one process, no warm-up, no checks."""
    seed = benchmark.seeds[0] if isinstance(benchmark.seeds, tuple) else benchmark.seeds.start if benchmark.seeds else 0
    changes = {"run": pilot_command(benchmark, seed), "timeout": pilot_timeout(benchmark), "seeds": (seed,), "warmup": 0}
    return benchmark.model_copy(update={**changes, "checks": None, "pilot": None})


def stored_run(run: Run, job: Job, benchmark: Benchmark, variables: Mapping[str, str]) -> Run:
    """The run as it is stored for its job: judged against nothing, and degraded where it is not what was asked for.

    Where the metrics do not depend on the batch, a smaller one is no other config.
    """
    changes: dict[str, object] = {"base": None, "notes": (*run.notes, f"measured for the job {job.job_id} of the queue")}
    invariant = benchmark.batch is not None and benchmark.batch.invariant
    if job.halved and invariant and job.kind is JobKind.RUN:
        changes["config"] = _config_with_full_batch(job, benchmark, variables)
    why = _weakness(job, invariant=invariant)
    if why and run.status is RunStatus.COMPLETE:
        changes |= {"status": RunStatus.DEGRADED, "detail": why}
    return run.model_copy(update=changes)


def _config_with_full_batch(job: Job, benchmark: Benchmark, variables: Mapping[str, str]) -> ConfigFacts:
    return config_facts(benchmark_of(job.model_copy(update={"batch_size": job.full_batch}), benchmark), variables)


def _weakness(job: Job, *, invariant: bool) -> str:
    if job.kind is JobKind.PILOT:
        return "a pilot, which is smaller than the benchmark"
    if job.halved and not invariant:
        return f"memory ran out, so the batch was {job.batch_size} instead of {job.full_batch}"
    return ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one taking of a job came to. `status` is where the job stands after it."""

    job_id: str
    benchmark: str
    status: JobStatus
    run_id: str | None
    cause: Cause | None
    detail: str
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def measured(self) -> bool:
        """Whether it brought a number."""
        return self.status is JobStatus.DONE


def exit_code(attempts: tuple[Attempt, ...], *, due: bool) -> int:
    """Of a worker: 1 where an attempt failed, 3 where something was due and nothing was measured, else 0."""
    if any(one.status is JobStatus.FAILED for one in attempts):
        return 1
    return 3 if due and not any(one.measured for one in attempts) else 0
