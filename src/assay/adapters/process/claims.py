"""Slots and claims: how many may run at once, and what only one may use, inside this process and across the processes of a box."""

import fcntl
import hashlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from assay.adapters.process.lock_folder import own_folder, shared_folder
from assay.errors import InfrastructureError

RETRY_S = 0.05
"""How often a claim that another process holds is tried again. The kernel's own waiting could not be cancelled."""


@dataclass(eq=False, slots=True)
class Ticket:
    """A place in the queue of one process. `waited_for` is the claim that another process of the box held last."""

    claims: frozenset[str]
    cancelled: threading.Event = field(default_factory=threading.Event)
    by: float = math.inf
    waited_for: str = ""

    @property
    def left_s(self) -> float:
        """The time there is still for waiting and running, on the monotonic clock."""
        return max(0.0, self.by - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether it is not wanted any more: cancelled, or too late."""
        return self.cancelled.is_set() or self.left_s == 0.0


class Admission:
    """Lets in, in the order of asking, whoever finds a free slot and all claims free. Nobody passes one who waits for the same claim."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._waiting: list[Ticket] = []
        self._inside: list[Ticket] = []
        self._changed = threading.Condition()

    def ask(self, claims: frozenset[str], within_s: float = math.inf) -> Ticket:
        """Queue up, for so long at most."""
        ticket = Ticket(claims, by=time.monotonic() + within_s)
        with self._changed:
            self._waiting.append(ticket)
        return ticket

    def enter(self, ticket: Ticket) -> bool:
        """Wait until it is this ticket's turn. False where it was cancelled, or its time was over, before that."""
        with self._changed:
            self._changed.wait_for(lambda: ticket.over or self._may_enter(ticket), min(ticket.left_s, threading.TIMEOUT_MAX))
            self._waiting.remove(ticket)
            if not ticket.over:
                self._inside.append(ticket)
            self._changed.notify_all()
            return ticket in self._inside

    def leave(self, ticket: Ticket) -> None:
        """Give slot and claims back."""
        with self._changed:
            self._inside.remove(ticket)
            self._changed.notify_all()

    def cancel(self, ticket: Ticket) -> None:
        """Send a ticket away that still waits, here or for another process."""
        ticket.cancelled.set()
        with self._changed:
            self._changed.notify_all()

    def _may_enter(self, ticket: Ticket) -> bool:
        free = self._slots - len(self._inside)
        taken = {claim for inside in self._inside for claim in inside.claims}
        for waiting in self._waiting:
            fits = free > 0 and not waiting.claims & taken
            if waiting is ticket:
                return fits
            taken |= waiting.claims
            free -= fits
        return False


class BoxClaims:
    """One lock file for each claim, in a folder that the processes of a box share. The kernel frees it when its holder dies."""

    def __init__(self, folder: str | None = None, on_wait: Callable[[str], None] = lambda _: None) -> None:
        """`on_wait` is told of a claim that somebody else holds, once each time it is waited for."""
        self._given = Path(folder) if folder is not None else None
        self._on_wait = on_wait

    @cached_property
    def _folder(self) -> Path:
        if self._given is None:
            return shared_folder()
        own_folder(self._given)
        return self._given

    @contextmanager
    def held(self, ticket: Ticket) -> Iterator[bool]:
        """Hold all claims of a ticket; False where it was cancelled, or its time was over, before they were free.

        They are taken in one order by everybody, so two who wait for each other cannot come about. Raises
        InfrastructureError where the folder cannot be used.
        """
        with ExitStack() as locks:
            yield all(self._take(name, ticket, locks) for name in sorted(ticket.claims))

    def _take(self, name: str, ticket: Ticket, locks: ExitStack) -> bool:
        path = self._folder / f"{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.lock"
        while not ticket.over:
            lock = _opened(path)
            if _won(lock):
                locks.callback(_released, path, lock)
                return True
            os.close(lock)
            if ticket.waited_for != name:
                ticket.waited_for = name
                self._on_wait(name)
            ticket.cancelled.wait(min(RETRY_S, ticket.left_s))
        return False


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InfrastructureError(f"the lock file {path} cannot be opened: {error.strerror}", hint="check the folder's owner") from error


def _won(lock: int) -> bool:
    """Whether the lock is ours now; not where its last holder has removed the file since we opened it."""
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(lock).st_nlink > 0
    return False


def _released(path: Path, lock: int) -> None:
    """Removed first and freed then, so that who gets it sees that it has gone."""
    path.unlink(missing_ok=True)
    os.close(lock)
