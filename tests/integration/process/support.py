"""A runner with a folder of its own, and ways to wait for a condition and to ask whether a process lives."""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness.waiting import until

from assay.adapters.clock import SystemClock
from assay.adapters.process.runner import LocalRunner
from assay.core.model import Completed
from assay.core.process import Argv, ProcessRequest, Shell
from assay.ports import Runner

DEADLINE_S = 60.0


@dataclass(frozen=True, slots=True)
class Box:
    """Everything that a test starts lives in `folder`."""

    folder: Path

    def runner(self, *, max_concurrent: int = 2, grace_s: float = 0.2) -> LocalRunner:
        return LocalRunner(str(self.folder / "locks"), max_concurrent, clock=SystemClock(), grace_s=grace_s)

    def request(self, command: str | Argv, **changes: Any) -> ProcessRequest:
        """Of a shell command, or of words; `$HERE` is the folder."""
        fields: dict[str, Any] = {
            "command": Shell(command) if isinstance(command, str) else command,
            "cwd": str(self.folder),
            "env": {"PATH": os.environ["PATH"], "HERE": str(self.folder)},
            "log_file": str(self.folder / f"{time.monotonic_ns()}.log"),
            "timeout_s": DEADLINE_S,
        }
        return ProcessRequest(**(fields | changes))

    def run(self, command: str | Argv, **changes: Any) -> Completed:
        """Run one process to its end."""
        with self.runner() as runner:
            return runner.submit(self.request(command, **changes)).wait()

    def python(self, program: str, **changes: Any) -> Completed:
        """Run a Python program to its end."""
        return self.run(python(program), **changes)

    def pid(self, name: str) -> int:
        """The number that a process wrote into a file, as soon as it is there."""
        path = self.folder / name
        until(lambda: path.exists() and path.read_text().endswith("\n"))
        return int(path.read_text())


def as_port(runner: LocalRunner) -> Runner:
    """Checked by the type checker: it is what the order of work asks for."""
    return runner


def python(program: str, *words: str) -> Argv:
    """A Python program as a command."""
    return Argv((sys.executable, "-I", "-S", "-c", program, *words))


def alive(pid: int) -> bool:
    """Whether it is there and not yet a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"
