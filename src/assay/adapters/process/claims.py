"""Slots and claims: how many may run at once, and what only one may use, inside this process and across the processes of a box."""

import fcntl
import hashlib
import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import InfrastructureError

RETRY_S = 0.05
"""How often a claim that another process holds is tried again. The kernel's own waiting could not be cancelled."""


@dataclass(eq=False, slots=True)
class Ticket:
    """A place in the queue of one process."""

    claims: frozenset[str]
    cancelled: threading.Event = field(default_factory=threading.Event)


class Admission:
    """Lets in, in the order of asking, whoever finds a free slot and all claims free. Nobody passes one who waits for the same claim."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._waiting: list[Ticket] = []
        self._inside: list[Ticket] = []
        self._changed = threading.Condition()

    def ask(self, claims: frozenset[str]) -> Ticket:
        """Queue up."""
        ticket = Ticket(claims)
        with self._changed:
            self._waiting.append(ticket)
        return ticket

    def enter(self, ticket: Ticket) -> bool:
        """Wait until it is this ticket's turn. False where it was cancelled before that."""
        with self._changed:
            self._changed.wait_for(lambda: ticket.cancelled.is_set() or self._may_enter(ticket))
            self._waiting.remove(ticket)
            if not ticket.cancelled.is_set():
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

    def __init__(self, folder: str | None = None) -> None:
        self._folder = Path(folder) if folder is not None else default_folder()

    @contextmanager
    def held(self, ticket: Ticket) -> Iterator[bool]:
        """Hold all claims of a ticket; False where it was cancelled before they were free.

        They are taken in one order by everybody, so two who wait for each other cannot come about. Raises
        InfrastructureError where the folder cannot be used.
        """
        with ExitStack() as locks:
            yield all(self._take(name, ticket, locks) for name in sorted(ticket.claims))

    def _take(self, name: str, ticket: Ticket, locks: ExitStack) -> bool:
        lock = self._opened(name)
        locks.callback(os.close, lock)
        while not ticket.cancelled.is_set():
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            ticket.cancelled.wait(RETRY_S)
        return False

    def _opened(self, name: str) -> int:
        own_folder(self._folder)
        path = self._folder / f"{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.lock"
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise InfrastructureError(
                f"the lock file {path} cannot be opened: {error.strerror}", hint="check the folder's owner"
            ) from error


def default_folder() -> Path:
    """One folder for each user of a box. Always the same place: a TMPDIR of one process is not where another one looks."""
    shared = Path("/tmp")  # noqa: S108 # `own_folder` refuses whatever somebody else put there
    parent = shared if os.access(shared, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    return parent / f"assay-locks-{os.geteuid()}"


def own_folder(folder: Path) -> None:
    """Make sure of a folder that is ours alone. Raises InfrastructureError where somebody else could have put a lock there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.lstat()
    except OSError as error:
        raise InfrastructureError(f"the lock folder {folder} cannot be made: {error.strerror}", hint="free that name") from error
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & 0o022:
        raise InfrastructureError(
            f"the lock folder {folder} is not a folder of our own", hint="remove it, or its write permission for others"
        )
