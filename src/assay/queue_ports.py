"""What the order of work of the queue needs of the outside world besides `ports`, apart from it so that a check need not load it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from assay.cell_ports import SampleJournal
from assay.core.envelope import Run
from assay.core.queue.model import Job, Queue
from assay.core.queue.moves import Process
from assay.ports import Runner


class QueueBook(Protocol):
    """The queue of a store, and the one way to change it. Both raise BadQueueError for a file that is no queue, which stays as it is."""

    def read(self) -> Queue:
        """The queue as it stands; an empty one where there is none yet."""
        ...

    def change(self, edit: Callable[[Queue], Queue]) -> Queue:
        """Store what `edit` makes of the queue, whole or not at all; it may be asked again while others write.

        What it raises leaves everything as it is. Raises InfrastructureError where the store cannot be written.
        """
        ...


class Workplace(Protocol):
    """This box, as far as a worker has to know it."""

    @property
    def host(self) -> str:
        """A name for the box that does not tell which it is."""
        ...

    def process(self, pid: int | None = None) -> Process:
        """A process of this box, by default our own. Raises UsageError for a number that none has."""
        ...

    def gone(self, job: Job) -> bool:
        """Whether the process of a running job is known to have ended. Of another box nothing is known."""
        ...

    def end(self, job: Job) -> bool:
        """End the process of a job, with its group where it leads one, only on this box and only if it is still that process."""
        ...

    def pause(self, seconds: float) -> None:
        """Do nothing for so long. Raises CancelledError where somebody asks for our end."""
        ...


class OwnJournal(SampleJournal, Protocol):
    """The journal of one worker."""

    def forget(self, run_ids: Iterable[str], /) -> None:
        """These runs are stored, with all that was noted of them."""
        ...


class Journals(Protocol):
    """What workers note of each process that has ended, so that one that is killed takes no sample with it."""

    @property
    def own(self) -> OwnJournal: ...

    def left(self) -> Iterator[Run]:
        """What workers of this box that are gone had noted; once read to the end, it is forgotten."""
        ...


class WatchedRunner(Runner, Protocol):
    """A runner that gives signs of life while its processes run, and ends one that is silent for too long."""

    @property
    def silent(self) -> bool:
        """Whether a process was ended for its silence."""
        ...
