"""The queue of a directory store: one file that people edit, too, so every change looks at what they have made of it meanwhile.

Writers of ours take turns by a lock. An editor takes none: its edit is seen by the content, told by its revision from which
state it began, and put on top of what has happened since. The last states are kept beside the file for that.
"""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from assay.adapters import atomic_file
from assay.adapters.store_files import read_file
from assay.core.queue.merge import merged
from assay.core.queue.model import SCHEMA, Queue
from assay.core.queue.refusals import BadQueueError
from assay.core.queue.text import queue_of, text_of
from assay.core.store_layout import QUEUE
from assay.errors import InfrastructureError
from assay.ports import Unreadable

KEPT_STATES = 200
"""An edit that began longer ago than so many changes cannot be told from one that takes them back."""

PATIENCE_S = 0.5
"""How long a file that is no queue is looked at again: an editor may be in the middle of writing it."""

_LOOK_S = 0.05
_TRIES = 20
_LOCK = ".assay-queue.lock"
_STATES = ".assay-queue"


class DirectoryQueue:
    """Satisfies `queue_ports.QueueBook`. The directory is made with the first change."""

    def __init__(self, root: Path, *, patience_s: float = PATIENCE_S) -> None:
        self._root = root
        self._patience_s = patience_s

    def read(self) -> Queue:
        data, queue = self._settled()
        return self._with_our_own(data, queue)

    def change(self, edit: Callable[[Queue], Queue]) -> Queue:
        try:
            states = atomic_file.make_folders(self._root, _STATES)
            atomic_file.keep_out_of_git(self._root.absolute())
            with atomic_file.alone(self._root / _LOCK):
                atomic_file.sweep(self._root)
                atomic_file.sweep(states)
                return self._changed(edit)
        except OSError as error:
            hint = "Free the disk or the folder's permissions, or name another store with --store dir:PATH."
            raise InfrastructureError(f"The queue in {self._root} cannot be changed: {error.strerror or error}.", hint=hint) from error

    def _changed(self, edit: Callable[[Queue], Queue]) -> Queue:
        data, found = self._settled()
        before = self._with_our_own(data, found)
        after = edit(before)
        if after == before and before == found:
            return after
        for _ in range(_TRIES):
            after = after.model_copy(update={"revision": max(after.revision, self._last_revision()) + 1})
            if (edited := self._written(data, after)) is None:
                return after
            data = text_of(after).encode()
            after = self._with_our_own(edited, self._parsed_or_put_back(edited))
        raise InfrastructureError(f"{self._root / QUEUE} changes faster than it can be read.", hint="See what writes to it, and end that.")

    def _written(self, data: bytes, after: Queue) -> bytes | None:
        """Put a state into the file in the place of `data`; what stood there instead, if anything did: an edit of the last moment."""
        new = text_of(after).encode()
        self._keep(after.revision, new)
        found = atomic_file.swap(self._root / QUEUE, new, data or None)
        return None if found is None or found == data else found

    def _parsed_or_put_back(self, edited: bytes) -> Queue:
        """An edit of the last moment. One that is no queue has its place back: it is for a person to mend, and our change to come after."""
        try:
            return self._parsed(edited)
        except BadQueueError:
            atomic_file.replace(self._root / QUEUE, edited)
            raise

    def _with_our_own(self, data: bytes, edited: Queue) -> Queue:
        """What the file holds, on top of the changes of ours that an edit of an older state has written over."""
        last = self._last_revision()
        if not data:  # taken away, to begin anew
            return edited.model_copy(update={"revision": last})
        if edited.revision >= last:
            return edited
        base, ours = self._state(edited.revision), self._state(last)
        if base is None or ours is None:
            raise self._too_old(edited.revision, last)
        return merged(base, edited, ours)

    def _too_old(self, edited: int, last: int) -> BadQueueError:
        what = f"{self._root / QUEUE}: it was edited from revision {edited}, and much has happened until revision {last}."
        hint = f"See {self._root / _STATES}/{last}.json for the last state. To have it as it is in the file, set `revision` to {last}."
        return BadQueueError(what, hint=hint)

    def _settled(self) -> tuple[bytes, Queue]:
        """The file as it stands, looked at again where it is no queue, or gone, just now."""
        by = time.monotonic() + self._patience_s
        while True:
            data = self._data()
            try:
                queue = self._parsed(data)
                if data or not self._last_revision() or time.monotonic() >= by:
                    return data, queue
            except BadQueueError:
                if time.monotonic() >= by:
                    raise
            time.sleep(_LOOK_S)

    def _parsed(self, data: bytes) -> Queue:
        name = str(self._root / QUEUE)
        if not data and not os.path.lexists(name):
            return Queue(schema=SCHEMA)
        try:
            return queue_of(data.decode(), name)
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise BadQueueError(f"{name}:{line}: bytes that are not UTF-8.", hint="Save it as UTF-8. Nothing was written.") from error

    def _data(self) -> bytes:
        path = self._root / QUEUE
        if not os.path.lexists(path):
            return b""
        data = read_file(self._root, QUEUE)
        if isinstance(data, Unreadable):
            raise BadQueueError(f"{path}: it cannot be read: {data.reason}.", hint="Put a regular file there. Nothing was written.")
        return data

    def _last_revision(self) -> int:
        return max((number for number, _ in self._states()), default=0)

    def _states(self) -> Iterator[tuple[int, Path]]:
        for path in (self._root / _STATES).glob("*.json"):
            if path.stem.isdigit():
                yield int(path.stem), path

    def _state(self, revision: int) -> Queue | None:
        data = read_file(self._root, f"{_STATES}/{revision}.json")
        return None if isinstance(data, Unreadable) else self._parsed(data)

    def _file_of(self, revision: int) -> Path:
        return self._root / _STATES / f"{revision}.json"

    def _keep(self, revision: int, data: bytes) -> None:
        """Before the file itself: of a writer that is killed in between, the change is made by the next one."""
        atomic_file.replace(self._file_of(revision), data)
        for number, path in self._states():
            if number <= revision - KEPT_STATES:
                path.unlink(missing_ok=True)
