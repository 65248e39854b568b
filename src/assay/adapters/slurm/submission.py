"""Sends cells to Slurm through submitit, one array for all of them.

Nothing that submitit leaves is ever read back: its results are pickles, and whoever runs in the allocation could write one. A cell is
read as data, from the hand-over folder.
"""

import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.core.config_machines import SlurmSpec
from assay.core.values import dataclass
from assay.errors import InfrastructureError, UsageError


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked of the cluster for each cell: how long, with which variables of ours, where submitit keeps its files."""

    spec: SlurmSpec
    seconds: float
    exported: tuple[str, ...]
    folder: Path


def exec_cell(words: Sequence[str]) -> None:
    """Become the cell. Called in the allocation, where submitit has put us: signals and the exit code are then the cell's own."""
    os.execv(words[0], list(words))  # noqa: S606 - a list of words, no shell


def submit(order: Order, commands: Mapping[str, Sequence[str]]) -> Mapping[str, str]:
    """Send the commands, by name; the ids of their jobs. Raises InfrastructureError where Slurm refuses, UsageError without submitit."""
    executor, refusals = _executor(order)
    try:
        executor.update_parameters(**parameters(order))
        with executor.batch():
            jobs = {name: executor.submit(exec_cell, tuple(words)) for name, words in commands.items()}
        return {name: job.job_id for name, job in jobs.items()}
    except refusals as error:
        what = f"Slurm took no job: {_said(error)}."
        raise InfrastructureError(what, hint="See `sinfo`, and what `machines` of the config asks for.") from error


def _executor(order: Order) -> tuple[Any, tuple[type[Exception], ...]]:
    """Submitit's own, and what it raises where Slurm or the disk refuses."""
    try:
        import submitit
        from submitit.core.utils import FailedJobError, FailedSubmissionError
    except ImportError as error:
        raise UsageError(
            "A machine with `runner: slurm` needs submitit.", hint="Install it where Assay is installed: pip install 'submitit>=1.5.2'"
        ) from error
    order.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        executor = submitit.SlurmExecutor(folder=order.folder / "%j")
    except RuntimeError as error:
        raise UsageError("This machine has no `srun`, so it cannot send jobs to Slurm.", hint="Run this on a login node.") from error
    return executor, (FailedJobError, FailedSubmissionError, OSError)


def parameters(order: Order) -> dict[str, Any]:
    """Submitit's parameters for an order. Only the named variables of ours go along: others may be keys."""
    spec = order.spec
    asked: dict[str, Any] = {
        "partition": spec.partition,
        "gres": spec.gres,
        "account": spec.account,
        "qos": spec.qos,
        "constraint": spec.constraint,
    }
    asked |= {"nodelist": spec.nodelist, "cpus_per_task": spec.cpus, "exclusive": True if spec.exclusive else None}
    asked |= {"mem": f"{math.ceil(spec.memory / 2**20)}M" if spec.memory else None}
    return {name: value for name, value in asked.items() if value is not None} | {
        "job_name": "assay",
        "time": max(math.ceil(order.seconds / 60), 1),
        "array_parallelism": spec.parallel,
        "stderr_to_stdout": True,
        "use_srun": False,  # a step's processes would all be signalled before the limit, the benchmark's among them
        "additional_parameters": {
            "export": ",".join(order.exported) or "NONE",
            "chdir": "/",  # Python would import modules from the folder that it is started in
            ("requeue" if spec.requeue else "no-requeue"): True,
        },
    }


def cell_command(words: Sequence[str], folder: str) -> tuple[str, ...]:
    """This very Python and this very Assay, in a folder of whose modules none is taken for ours."""
    return (*("/bin/sh", "-c", 'cd "$1" || exit 4; shift; exec "$@"', "assay", folder), sys.executable, "-P", "-m", "assay", *words)


def _said(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if "error" in line.lower()), lines[-1] if lines else type(error).__name__)
    return told[:300]
