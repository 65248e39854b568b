"""What this box can do, and what a task lacks here. Credentials are known by their names alone."""

from collections.abc import Mapping
from dataclasses import field

from assay.core.facts import EnvironmentFacts, Gpu, MachineFacts
from assay.core.loop.task import Task
from assay.core.model import NONE, UNKNOWN
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The box as a hashed id, its class, and what it offers.

    `gpu` is cuda, rocm, metal, none or unknown. `credentials` are names of variables that are set. `elsewhere` says of tasks why
    they belong to another class of machines, `missing` which of their inputs is not here.
    """

    box: str
    machine: str
    gpu: str = NONE
    gpus: int = 0
    weights: bool = False
    datasets: bool = False
    net: bool = True
    credentials: tuple[str, ...] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


def accelerator(machine: MachineFacts, environment: EnvironmentFacts) -> tuple[str, int]:
    """The kind of the box's accelerators and how many there are. Apple's chips have one that no file tells of."""
    if isinstance(machine.gpu, Gpu):
        kind = "rocm" if machine.gpu.model.startswith("AMD") else "cuda"
        return kind, machine.gpu.count if isinstance(machine.gpu.count, int) else 0
    if machine.gpu == UNKNOWN:
        return (UNKNOWN if environment.driver in (NONE, UNKNOWN) else "cuda"), 0
    return ("metal", 1) if (machine.os, machine.arch) == ("darwin", "arm64") else (NONE, 0)


def gap_of(task: Task, here: Capabilities) -> str:
    """What the task needs and this box has not, in a word or two; empty where it can run. Needs hold together."""
    has = {
        "offline": True,
        "weights": here.weights,
        "dataset": here.datasets,
        "cuda": here.gpu == "cuda",
        "metal": here.gpu == "metal",
        "net": here.net,
    }
    for need in task.benchmark.needs:
        if not has.get(need, False):
            return need
    if task.benchmark.gpus > here.gpus:
        return f"{task.benchmark.gpus} GPU{'s' if task.benchmark.gpus > 1 else ''}"
    lacking = next((name for name in task.credentials if name not in here.credentials), None)
    if lacking:
        return f"credential {lacking}"
    absent = here.missing.get(task.id)
    return f"input {absent}" if absent else ""
