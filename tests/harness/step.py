"""A step on its way and at its end, asked to end as the runner asks."""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.harness.ownership import Owners


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the runner waits after INT and after TERM, in seconds."""

    after_int: float = 7.5
    after_term: float = 2.5


@dataclass(frozen=True, slots=True)
class Done:
    """A step that has ended. `foreign` are the files below the mounts that are not the workspace owner's."""

    code: int
    log: str
    outputs: Mapping[str, str]
    state: Mapping[str, str]
    env: Mapping[str, str]
    path: str
    summary: str
    foreign: Owners
    killed: bool = False


class Collect(Protocol):
    """Gathers what an ended step has left behind."""

    def __call__(self, code: int, log: str, *, killed: bool) -> Done: ...


class Running:
    """A step on its way."""

    def __init__(self, collect: Collect, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._collect = collect
        self._log = log

    @property
    def log(self) -> str:
        """What it has printed so far, on both of its streams."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def wait(self, timeout: float = 120) -> Done:
        """Its end. Raises TimeoutExpired, after killing it, for one that does not come to it."""
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._kill()
            raise
        return self._collect(self.process.returncode, self.log, killed=False)

    def cancel(self, patience: Patience | None = None) -> Done:
        """Somebody cancels the job: the entry process alone is asked, twice, and what is left is killed."""
        patience = patience or Patience()
        for number, seconds in ((signal.SIGINT, patience.after_int), (signal.SIGTERM, patience.after_term)):
            self.process.send_signal(number)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
            return self._collect(self.process.returncode, self.log, killed=False)
        self._kill()
        return self._collect(self.process.returncode, self.log, killed=True)

    def _kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
