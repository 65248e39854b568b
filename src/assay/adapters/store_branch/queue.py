"""The queue on a data branch: each change is a commit on the tip that it was made from, so two writers never lose a job."""

from collections.abc import Callable
from dataclasses import field

from assay.adapters.store_branch.delivery import Deliverer
from assay.adapters.store_branch.edit import Edit
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.private_repository import PrivateRepository
from assay.adapters.store_branch.reading import Reader
from assay.adapters.store_branch.snapshot import Snapshot
from assay.core.queue.model import SCHEMA, Queue
from assay.core.queue.refusals import BadQueueError
from assay.core.queue.text import queue_of, text_of
from assay.core.store_layout import QUEUE
from assay.core.values import dataclass
from assay.errors import InfrastructureError
from assay.ports import Unreadable


@dataclass(slots=True)
class _Change:
    """The edit that a change of the queue makes of a tip. It remembers the last answer."""

    name: str
    edit: Callable[[Queue], Queue]
    queue: Queue | None = field(default=None)

    def __call__(self, snapshot: Snapshot) -> Edit:
        before = _queue_at(snapshot, self.name)
        self.queue = self.edit(before)
        if self.queue == before:
            return Edit("")
        self.queue = self.queue.model_copy(update={"revision": before.revision + 1})
        return Edit("Change the queue", {QUEUE: text_of(self.queue).encode()})


class BranchQueue:
    """Satisfies `queue_ports.QueueBook`. A commit that a person has put on the branch is just another tip."""

    def __init__(self, name: str, repository: PrivateRepository, deliverer: Deliverer, reader: Reader) -> None:
        self._name = name
        self._repository = repository
        self._deliverer = deliverer
        self._reader = reader

    def read(self) -> Queue:
        found = self._reader.ask(lambda snapshot: _queue_at(snapshot, self._name))
        if isinstance(found, Unreadable):
            raise InfrastructureError(f"The queue on `{self._name}` cannot be read: {found.reason}.", hint="Try again later.")
        return found

    def change(self, edit: Callable[[Queue], Queue]) -> Queue:
        """As the port says. What cannot be sent is not changed: who takes a job has to know that nobody else has."""
        change = _Change(self._name, edit)
        with self._repository.held():
            outcome = self._deliverer.deliver(change)
        if outcome.kind is not Kind.DONE or change.queue is None:
            what = f"The queue could not be written to the data branch `{self._name}`: {outcome.reason}."
            raise InfrastructureError(what, hint=outcome.hint or "Run the command again when the remote can be reached.")
        self._reader.touch()
        return change.queue


def _queue_at(snapshot: Snapshot, branch: str) -> Queue:
    entry = next(iter(snapshot.files(QUEUE)), None)
    if entry is None:
        return Queue(schema=SCHEMA)
    name = f"{branch}:{QUEUE}"
    data = None if entry.problem else dict(snapshot.contents([entry.blob])).get(entry.blob)
    if data is None:
        raise BadQueueError(f"{name}: it is {entry.problem or 'too large'}.", hint="Put a regular file there. Nothing was written.")
    try:
        return queue_of(data.decode(), name)
    except UnicodeDecodeError as error:
        raise BadQueueError(f"{name}: bytes that are not UTF-8.", hint="Save it as UTF-8. Nothing was written.") from error
