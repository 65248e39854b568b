"""One cell made of several, each of which measured one seed of the same benchmark in an allocation of its own.

A seed is one block of evidence: its base and head ran in turn, side by side. What is compared between seeds is only how their blocks
agree, so that blocks of different nodes of one class may stand together, which the run then says.
"""

import hashlib
from collections.abc import Sequence

from assay.core.canonical import digest
from assay.core.config import Benchmark
from assay.core.envelope import ConfigFacts, ProcessFacts, Run, RunStatus, SampleFacts, Timings
from assay.core.handover import CellFile
from assay.core.model import UNKNOWN
from assay.core.numbers import count

_EQUAL = ("commit", "machine_class", "environment", "python", "inputs", "tool_version")


def seed_cell(benchmark: str, seed: int) -> str:
    """What the cell of one seed is called. No benchmark can be called so."""
    return f"{benchmark}@{seed}"


def merged(benchmark: Benchmark, cells: Sequence[CellFile]) -> CellFile | str:
    """The cell of all seeds, in the order of the cells; or why they cannot stand together."""
    states = {cell.state for cell in cells}
    if states == {"measured"}:
        return _measured(benchmark, cells)
    first = cells[0]
    if len(states) == 1 and len({(cell.base_run, cell.head_run) for cell in cells}) == 1:
        return first
    other = next((cell for cell in cells if cell.state not in ("measured", "reused")), None)
    return other.reason if other else "a stored run answers on some of the nodes only: they are of different classes"


def _measured(benchmark: Benchmark, cells: Sequence[CellFile]) -> CellFile | str:
    heads = [cell.run(cell.head_run) for cell in cells]
    bases = [cell.run(cell.base_run) for cell in cells]
    head = _one(benchmark, [run for run in heads if run])
    base = _one(benchmark, [run for run in bases if run]) if all(bases) else None
    if isinstance(head, str) or isinstance(base, str):
        return head if isinstance(head, str) else str(base)
    if base is not None:
        base = base.model_copy(update={"session_id": head.session_id})
    warnings = tuple(dict.fromkeys(line for cell in cells for line in cell.warnings))[:200]
    return cells[0].model_copy(
        update={
            "base_run": base.run_id if base else None,
            "head_run": head.run_id,
            "runs": tuple(run for run in (base, head) if run),
            "warnings": warnings,
            "reason": f"{count(len(cells), 'seed')}, each in an allocation of its own",
        }
    )


def _one(benchmark: Benchmark, runs: Sequence[Run]) -> Run | str:
    """The run of all seeds of one side."""
    first = runs[0]
    for name in _EQUAL:
        if len({repr(getattr(run.machine if name == "machine_class" else run, name)) for run in runs}) > 1:
            return f"the seeds were measured in different surroundings: {name.replace('_', ' ')}"
    if first.machine.machine_class == UNKNOWN and len({run.machine.box for run in runs}) > 1:
        return "the seeds were measured on machines of which the class is not known"
    parameters = first.config.parameters | {"seeds": benchmark.model_dump(mode="json")["seeds"]}
    failed = next((run for run in runs if run.status is not RunStatus.COMPLETE), None)
    boxes = sorted({run.machine.box for run in runs})
    box = boxes[0] if len(boxes) == 1 else hashlib.sha256("\0".join(boxes).encode()).hexdigest()[:16]
    said = f"Its seeds were measured in {count(len(runs), 'allocation')} on {count(len(boxes), 'box', 'boxes')}."
    return first.model_copy(
        update=_joined(runs)
        | {
            "created_at": min(run.created_at for run in runs),
            "finished_at": max(run.finished_at for run in runs),
            "status": failed.status if failed else RunStatus.COMPLETE,
            "cause": failed.cause if failed else None,
            "detail": failed.detail if failed else "",
            "dirty": any(run.dirty for run in runs),
            "machine": first.machine.model_copy(update={"box": box}),
            "config": ConfigFacts(hash=digest(parameters), parameters=parameters),
            "checks": next((run.checks for run in runs if run.checks.state != "passed"), first.checks),
            "timings": Timings(setup_s=first.timings.setup_s, total_s=max(run.timings.total_s for run in runs)),
            "warnings": tuple(dict.fromkeys(line for run in runs for line in run.warnings)),
            "notes": (*dict.fromkeys(line for run in runs for line in run.notes), said),
        }
    )


def _joined(runs: Sequence[Run]) -> dict[str, object]:
    """Processes and samples one run after the other, numbered on; base and head of a seed keep their places to each other.

    Both sides of a seed number their processes together, so that a seed begins at the same number on both sides.
    """
    processes: list[ProcessFacts] = []
    samples: list[SampleFacts] = []
    seeds: list[int] = []
    for number, run in enumerate(runs):
        shift, before = number * _STRIDE, len(processes)
        processes += [one.model_copy(update={"order": one.order + shift}) for one in run.processes]
        samples += [one.model_copy(update={"order": one.order + shift, "process": one.process + before}) for one in run.samples]
        seeds += list(run.seeds)
    metrics = {one.name: one for run in runs for one in run.metrics}
    return {"processes": tuple(processes), "samples": tuple(samples), "seeds": tuple(seeds), "metrics": tuple(metrics.values())}


_STRIDE = 10_000
"""Between the numbers of two seeds: more than one session has processes."""
