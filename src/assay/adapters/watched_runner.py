"""A runner around another one, for a worker of the queue: somebody has to hear that it is alive, and that its process is."""

import threading
import time
from collections.abc import Callable

from assay.core.model import Completed
from assay.core.process import Heartbeat, ProcessRequest
from assay.ports import Handle, Runner

Beat = Callable[[], bool]
"""Gives a sign of life; false where nobody wants the process any more."""


class Watched:
    """Satisfies `queue_ports.WatchedRunner`. A process may print nothing for `silent_s`; `beat_s` lies between two signs of life."""

    def __init__(self, runner: Runner, beat: Beat, beat_s: float, silent_s: float) -> None:
        self._runner = runner
        self._beat = beat
        self._beat_s = beat_s
        self._silent_s = silent_s
        self.silent = False

    def submit(
        self,
        request: ProcessRequest,
        on_progress: Callable[[Heartbeat], None] | None = None,
        before_start: Callable[[], None] | None = None,
    ) -> "WatchedHandle":
        return WatchedHandle(self, request, on_progress, before_start)


class WatchedHandle:
    """Satisfies `ports.Handle`. The watch is kept while somebody waits."""

    def __init__(
        self,
        watched: Watched,
        request: ProcessRequest,
        on_progress: Callable[[Heartbeat], None] | None,
        before_start: Callable[[], None] | None,
    ) -> None:
        self._watched = watched
        self._heard = time.monotonic()
        self._over = threading.Event()
        self._on_progress = on_progress
        self._handle: Handle = watched._runner.submit(request, self._hear, before_start)

    @property
    def id(self) -> str:
        return self._handle.id

    def cancel(self) -> bool:
        return self._handle.cancel()

    def wait(self) -> Completed:
        watch = threading.Thread(target=self._keep_watch, name="queue-watch", daemon=True)
        watch.start()
        try:
            return self._handle.wait()
        finally:
            self._over.set()
            watch.join()

    def _hear(self, beat: Heartbeat) -> None:
        self._heard = time.monotonic()
        if self._on_progress is not None:
            self._on_progress(beat)

    def _keep_watch(self) -> None:
        watched = self._watched
        while not self._over.wait(watched._beat_s):
            if time.monotonic() - self._heard >= watched._silent_s:
                watched.silent = self._handle.cancel()
                return
            if not watched._beat():
                self._handle.cancel()
                return
