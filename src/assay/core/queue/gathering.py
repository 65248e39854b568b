"""The runs of single seeds, put together to the run that a check would have made of all of them."""

from collections.abc import Iterable, Mapping

from assay.core.config import Benchmark
from assay.core.envelope import ProcessFacts, Run, RunStatus, SampleFacts
from assay.core.lineage import config_facts
from assay.core.queue.measured import benchmark_of
from assay.core.queue.model import Job, JobKind, JobStatus, Queue

_SHARED = (
    "commit",
    "tree",
    "machine",
    "environment",
    "python",
    "inputs",
    "model",
    "precision",
    "command",
    "trust",
    "warmup",
    "batch",
    "dirty",
)
"""What has to be equal, for all of it is said of the whole."""


def siblings(queue: Queue, job: Job, benchmark: Benchmark) -> tuple[Job, ...]:
    """The done jobs that together have all seeds of the config, the newest of each; empty while one is missing."""
    seeds = benchmark.seeds
    if not isinstance(seeds, tuple) or len(seeds) < 2 or job.seed not in seeds or job.kind is JobKind.PILOT:
        return ()
    done = {one.seed: one for one in queue.of(JobStatus.DONE) if one.group == job.group and one.kind is JobKind.RUN and one.run_id}
    return tuple(done[seed] for seed in seeds) if all(seed in done for seed in seeds) else ()


def gathered(runs: Iterable[Run], job: Job, benchmark: Benchmark, run_id: str, session_id: str, variables: Mapping[str, str]) -> Run | None:
    """One run with the samples of all of these, in the order of the seeds; None where they are not of one kind, or not clean."""
    parts = tuple(runs)
    first = parts[0]
    if any(one.status is not RunStatus.COMPLETE or any(_differs(one, first, name) for name in _SHARED) for one in parts):
        return None
    processes: list[ProcessFacts] = []
    samples: list[SampleFacts] = []
    for one in parts:
        at = len(processes)
        processes += [process.model_copy(update={"order": at + index}) for index, process in enumerate(one.processes)]
        samples += [sample.model_copy(update={"process": at + sample.process, "order": at + sample.process}) for sample in one.samples]
    config = config_facts(benchmark_of(job.model_copy(update={"seed": None}), benchmark), variables)
    if any(_kind(one.config.parameters) != _kind(config.parameters) for one in parts):
        return None
    return first.model_copy(
        update={
            "run_id": run_id,
            "session_id": session_id,
            "created_at": min(one.created_at for one in parts),
            "finished_at": max(one.finished_at for one in parts),
            "config": config,
            "seeds": tuple(seed for one in parts for seed in one.seeds),
            "processes": tuple(processes),
            "samples": tuple(samples),
            "warnings": tuple(dict.fromkeys(text for one in parts for text in one.warnings)),
            "timings": first.timings.model_copy(update={"total_s": sum(one.timings.total_s for one in parts)}),
            "notes": (f"put together from the runs of single seeds {', '.join(one.run_id for one in parts)}",),
        }
    )


def _kind(parameters: Mapping[str, object]) -> Mapping[str, object]:
    """What the parts were measured under, save the seeds that they differ in by intent; batches are compared as they were run."""
    return {name: value for name, value in parameters.items() if name not in ("seeds", "batch")}


def _differs(one: Run, other: Run, name: str) -> bool:
    if name == "machine":  # the box may be another one of the class
        return one.machine.machine_class != other.machine.machine_class
    return bool(getattr(one, name) != getattr(other, name))
