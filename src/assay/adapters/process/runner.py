"""Runs processes on this box: satisfies `ports.Runner`."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self

from assay.adapters.process.causes import Explanation
from assay.adapters.process.claims import Admission, BoxClaims, Ticket
from assay.adapters.process.execution import Execution, Progress, never_ran, refusal
from assay.adapters.process.fork_server import ForkServer
from assay.core.devices import Sighting, claims_of
from assay.core.model import Cause, Completed
from assay.core.process import ProcessRequest
from assay.core.timestamp import stamp
from assay.device_ports import Devices
from assay.errors import AssayError, InfrastructureError
from assay.ports import Clock

GRACE_S = 2.0
"""Between the polite signal and the one that nobody survives."""

_LEAST_S = 0.001
"""A process that is admitted in the very last moment is started all the same."""

_TOO_LATE = "waited for its turn until its time was over"
_CANCELLED_EARLY = Explanation(Cause.CANCELLED, "was cancelled before it started")


class LocalHandle:
    """A run that was asked for: satisfies `ports.Handle`."""

    def __init__(self, handle_id: str, cancel_queued: Callable[[], None]) -> None:
        self.id = handle_id
        self._cancel_queued = cancel_queued
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._execution: Execution | None = None
        self._answer: Completed | AssayError | None = None

    def cancel(self) -> bool:
        """Ask for its end, queued or running. False where it had ended already."""
        with self._lock:
            if self._over.is_set():
                return False
            self._cancel_queued()
            if self._execution is not None:
                self._execution.cancel()
        return True

    def wait(self) -> Completed:
        """Block until nothing of it is left; a signal such as Ctrl-C still reaches the main thread.

        Raises InfrastructureError where it could not be run at all.
        """
        self.join()
        if isinstance(self._answer, Completed):
            return self._answer
        if self._answer is not None:
            raise self._answer
        raise RuntimeError("the thread of a run died of an error of our own")

    def join(self) -> None:
        """Block until nothing of it is left, whatever the answer."""
        self._over.wait()

    def attach(self, start: Callable[[], Execution], cancelled: threading.Event) -> Execution | None:
        """Start it, unless it was cancelled meanwhile; from here on `cancel` reaches the process."""
        with self._lock:
            if not cancelled.is_set():
                self._execution = start()
            return self._execution

    def carry_out(self, work: Callable[[], Completed]) -> None:
        """Do the work and keep its answer, or the error that whoever waits shall get."""
        try:
            self._answer = work()
        except AssayError as error:
            self._answer = error
        except OSError as error:
            self._answer = InfrastructureError(
                f"a run could not be followed: {error}", hint="check the limits of this account (`ulimit -a`)"
            )
        finally:
            with self._lock:
                self._over.set()


class NoDevices:
    """Satisfies `device_ports.Devices` where no card is known: claims what a process calls them, and sees nothing."""

    def claims(self, variables: Mapping[str, str], count: int) -> tuple[str, ...]:
        return claims_of((), variables, count)

    @contextmanager
    def watched(self, *_: object) -> Iterator[Callable[[], tuple[Sighting, ...]]]:
        yield tuple


class LocalRunner:
    """Runs at most `max_concurrent` processes at once, and never two that claim the same, whichever process of the box asks.

    `lock_folder` is where the claims of a box meet, by default a folder of this user. `grace_s` is the time between TERM
    and KILL. `on_wait` hears of a claim that another process of the box holds.
    `devices` knows the GPUs. Use it as a context manager, or `close` it: that ends all it runs. Should Assay die, everything
    ends too. Progress is told on the run's own thread.
    """

    def __init__(
        self,
        lock_folder: str | None = None,
        max_concurrent: int = 2,
        *,
        clock: Clock,
        grace_s: float = GRACE_S,
        on_wait: Callable[[str], None] = lambda _: None,
        devices: Devices | None = None,
    ) -> None:
        if max_concurrent < 1:
            raise ValueError("a runner needs at least one slot")
        self._clock = clock
        self._grace_s = grace_s
        self._admission = Admission(max_concurrent)
        self._claims = BoxClaims(lock_folder, on_wait)
        self._devices = devices or NoDevices()
        self._server = ForkServer()
        self._live: dict[str, LocalHandle] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def submit(
        self, request: ProcessRequest, on_progress: Progress | None = None, before_start: Callable[[], None] | None = None
    ) -> LocalHandle:
        """Queue a process. It starts when a slot and all its claims are free, in the order of asking."""
        claims = frozenset((*request.claims, *self._devices.claims(request.env, request.gpus)))
        ticket = self._admission.ask(claims, request.within_s)
        handle = LocalHandle(self._clock.new_id("process"), lambda: self._admission.cancel(ticket))
        self._live[handle.id] = handle

        def work() -> None:
            handle.carry_out(lambda: self._perform(handle, ticket, request, on_progress, before_start))
            self._live.pop(handle.id, None)

        # a daemon: when the interpreter ends it must not wait for a benchmark; the supervisors see to the rest
        threading.Thread(target=work, name=handle.id, daemon=True).start()
        return handle

    def close(self) -> None:
        """End everything that is queued or running, and wait until nothing of it is left."""
        live = list(self._live.values())
        for handle in live:
            handle.cancel()
        for handle in live:
            handle.join()
        self._server.close()

    def get_ready(self) -> None:
        """Do now what the first run would have to wait for. Raises InfrastructureError where no process can be started."""
        _ = self._server.can_shield

    def _perform(
        self,
        handle: LocalHandle,
        ticket: Ticket,
        request: ProcessRequest,
        on_progress: Progress | None,
        before_start: Callable[[], None] | None,
    ) -> Completed:
        if not self._admission.enter(ticket):
            return self._not_admitted(request, ticket)
        try:
            with self._claims.held(ticket) as held:
                if held and before_start is not None:
                    before_start()
                return self._watched(handle, ticket, request, on_progress) if held else self._not_admitted(request, ticket)
        finally:
            self._admission.leave(ticket)

    def _watched(self, handle: LocalHandle, ticket: Ticket, request: ProcessRequest, on_progress: Progress | None) -> Completed:
        """Within the claims, so that what is seen of a card is never the next one's."""
        said: list[str] = []
        with self._devices.watched(request.env, request.gpus, request.gpu_clock, said) as sightings:
            done = self._execute(handle, ticket, request, on_progress)
        return replace(done, sightings=sightings(), warnings=(*done.warnings, *said)) if request.gpus else done

    def _execute(self, handle: LocalHandle, ticket: Ticket, request: ProcessRequest, on_progress: Progress | None) -> Completed:
        if why := refusal(request):
            return self._never(request, why)
        timely = replace(request, timeout_s=min(request.timeout_s, max(ticket.left_s, _LEAST_S)))
        execution = handle.attach(lambda: Execution(timely, self._server, self._clock, self._grace_s, on_progress), ticket.cancelled)
        return execution.run() if execution is not None else self._never(request, _CANCELLED_EARLY)

    def _not_admitted(self, request: ProcessRequest, ticket: Ticket) -> Completed:
        if ticket.cancelled.is_set():
            return self._never(request, _CANCELLED_EARLY)
        which = f": {ticket.waited_for} was in use" if ticket.waited_for else ""
        return self._never(request, Explanation(Cause.TIMEOUT, f"{_TOO_LATE}{which}"))

    def _never(self, request: ProcessRequest, why: Explanation) -> Completed:
        return never_ran(request, stamp(self._clock.now()), why)
