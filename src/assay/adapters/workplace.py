"""This box as a worker of the queue sees it: its processes by number and time of start, so that none is taken for another."""

import hashlib
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from assay.adapters.machine import box_id
from assay.core.queue.model import Job
from assay.core.queue.moves import Process
from assay.errors import UsageError

_TICK_S = 0.02


class LocalWorkplace:
    """Satisfies `queue_ports.Workplace`. Everything is read below `root`."""

    def __init__(self, root: Path = Path("/"), *, grace_s: float = 10.0) -> None:
        """A process that is to end gets so long between being asked and being made to."""
        self._root = root
        self._grace_s = grace_s
        self.host = _host(root)

    def process(self, pid: int | None = None) -> Process:
        number = os.getpid() if pid is None else pid
        start = self.start_of(number)
        if start is None and pid is not None:
            raise UsageError(f"There is no process {number} on this machine.", hint="Give the id of the process that works on the job.")
        return Process(self.host, number, start)

    def gone(self, job: Job) -> bool:
        return job.host == self.host and job.pid is not None and job.pid_start is not None and self.start_of(job.pid) != job.pid_start

    def end(self, job: Job) -> bool:
        """As the port says. Never our own process, nor a group that it does not lead."""
        if not self._is_there(job) or job.pid in (None, os.getpid()):
            return False
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._signal(job, number)
            by = time.monotonic() + self._grace_s
            while self._is_there(job) and time.monotonic() < by:
                time.sleep(_TICK_S)
            if not self._is_there(job):
                return True
        return False

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)  # a signal raises out of it

    def _is_there(self, job: Job) -> bool:
        return job.host == self.host and job.pid is not None and self.start_of(job.pid) == job.pid_start is not None

    def _signal(self, job: Job, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if job.pid is not None and os.getpgid(job.pid) == job.pid and job.pid != os.getpgrp():
                os.killpg(job.pid, number)
            elif job.pid is not None:
                os.kill(job.pid, number)

    def start_of(self, pid: int) -> str | None:
        """When a process was started: the boot, and the ticks since then. None for one that has ended, or ended and was not collected."""
        try:
            text = (self._root / f"proc/{pid}/stat").read_text(errors="replace")
        except OSError:
            return None
        words = text[text.rfind(")") + 2 :].split()
        return None if words[0] in "ZX" else f"{_boot(self._root)}:{words[19]}"


def _host(root: Path) -> str:
    """The box, and the world of process ids in it that we live in: a container counts its own."""
    try:
        world = str((root / "proc/self/ns/pid").readlink())
    except OSError:
        world = ""
    return f"{box_id(root)}-{hashlib.sha256(world.encode()).hexdigest()[:6]}"


def _boot(root: Path) -> str:
    try:
        return (root / "proc/sys/kernel/random/boot_id").read_text().strip()[:8]
    except OSError:
        return "unknown"
