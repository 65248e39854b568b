"""What this box can do for the control loop: its accelerators, what lies on its disk, names of variables that are set."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from assay.core.config import Config
from assay.core.expectation import mismatch
from assay.core.facts import MachineFacts
from assay.core.loop.capabilities import Capabilities, accelerator
from assay.core.loop.task import Task
from assay.ports import Machine

OFFLINE = "ASSAY_OFFLINE"
"""Anything but empty, 0, false, no, off says that there is no network."""

_OFF = ("", "0", "false", "no", "off")
_WEIGHTS = ("HF_HUB_CACHE", "HF_HOME", "TRANSFORMERS_CACHE", "TORCH_HOME")
_DATASETS = ("HF_DATASETS_CACHE",)


class LocalProber:
    """Satisfies `loop_ports.Prober`, for the tree at `root` and the variables of the job."""

    def __init__(self, environ: Mapping[str, str], root: Path, machine: Machine) -> None:
        self._environ = environ
        self._root = root
        self._machine = machine

    def capabilities(self, config: Config, tasks: tuple[Task, ...]) -> Capabilities:
        facts = self._machine.facts()
        kind, gpus = accelerator(facts, self._machine.environment())
        wanted = sorted({name for task in tasks for name in task.credentials})
        return Capabilities(
            box=facts.box,
            machine=facts.machine_class,
            gpu=kind,
            gpus=gpus,
            weights=self._any(config.loop.weights, _WEIGHTS),
            datasets=self._any(config.loop.datasets, _DATASETS),
            net=self._environ.get(OFFLINE, "").strip().lower() in _OFF,
            credentials=tuple(name for name in wanted if self._environ.get(name)),
            elsewhere={task.id: why for task in tasks if (why := _elsewhere(config, task, facts))},
            missing={task.id: path for task in tasks if (path := self._missing(task))},
        )

    def _any(self, paths: Iterable[str], variables: Iterable[str]) -> bool:
        named = (self._environ[name] for name in variables if self._environ.get(name))
        return any(self._exists(path) for path in (*paths, *named))

    def _exists(self, path: str) -> bool:
        home = self._environ.get("HOME", "")
        return os.path.lexists(Path(home, path[2:]) if path.startswith("~/") else self._root / path)

    def _missing(self, task: Task) -> str:
        """The first input of a task that is not there; empty where all are."""
        return next((path for path in task.benchmark.inputs if not self._exists(path)), "")


def _elsewhere(config: Config, task: Task, facts: MachineFacts) -> str:
    """Why a task is for another class of machines; empty where it is not."""
    named = task.benchmark.machine
    if named is None:
        return ""
    spec = config.machines.get(named)
    why = mismatch(spec.expect, facts) if spec else "the config has no machine of that name"
    return f"it belongs on {named}: {why}" if why else ""
