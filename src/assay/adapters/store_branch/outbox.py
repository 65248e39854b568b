"""Records on their way to the data branch: whole files on this disk, removed when they have landed."""

import os
from collections.abc import Iterable
from pathlib import Path

from assay.adapters.store_branch.edit import Edit
from assay.adapters.store_branch.snapshot import Snapshot
from assay.adapters.store_directory import DirectoryStore, Stored
from assay.adapters.store_files import BY_MONTH, walk
from assay.adapters.stored_analyses import DEPTH
from assay.adapters.stored_records import OtherRecordError, encoded, parsed
from assay.core.analysis_file import AnalysisFile
from assay.core.attempts.entry import AttemptEntry
from assay.core.budget import Spend
from assay.core.canonical import sha256
from assay.core.comment_pointer import CommentPointer
from assay.core.envelope import Run, StoredDecision, Tombstone
from assay.core.loose_ends import Opened, Owed, Settled
from assay.core.prior import Found, Search, found_among, header_of
from assay.core.store_layout import (
    ANALYSES,
    ATTEMPTS,
    COMMENTS,
    DECISIONS,
    INVALIDATED,
    OPEN,
    OWED,
    RUNS,
    SETTLED,
    SPEND,
    month_of,
    packed_path,
    settled_path,
)
from assay.core.values import dataclass
from assay.errors import InfrastructureError
from assay.ports import Unreadable

_NOUNS = {
    Run: "run",
    StoredDecision: "decision",
    Tombstone: "tombstone",
    Spend: "spend",
    AttemptEntry: "attempt",
    CommentPointer: "comment",
    Opened: "open run",
    Owed: "owed report",
}


_FOLDERS = {
    **dict.fromkeys((RUNS, DECISIONS, SPEND, ATTEMPTS), BY_MONTH),
    **dict.fromkeys((INVALIDATED, COMMENTS, OPEN, OWED, SETTLED), 0),
    ANALYSES: DEPTH,
}


@dataclass(slots=True)
class OutboxChange:
    """The edit that adds records to a tip. It remembers how it found the last tip: what was there, and what differs."""

    records: tuple[Stored, ...]
    present: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def __call__(self, snapshot: Snapshot) -> Edit:
        """Only what the tip has not is written; of a measurement nothing is ever replaced, and only loose ends are removed."""
        puts = self._additions(snapshot)
        settled = tuple(one for one in self.records if isinstance(one, Settled))
        removes = _tied_up(snapshot, settled) if settled else ()
        subject = _subject(self.records, set(self.added), len(removes))
        self.added += tuple(one.path for one in settled if one.of in removes)
        self.present += tuple(one.path for one in settled if one.of not in removes)
        return Edit(subject, puts, removes)

    def _additions(self, snapshot: Snapshot) -> dict[str, bytes]:
        data = {one.path: encoded(one) for one in self.records if not isinstance(one, Settled)}
        months = {one.path: packed_path(month_of(one.run_id)) for one in self.records if isinstance(one, Run)}
        there = snapshot.blobs({*data, *months.values()})
        found = {one.path: self._agrees(snapshot, one, there[one.path], data[one.path]) for one in self.records if one.path in there}
        for one in self.records:  # a newer report takes the place of one that could not be posted either
            if isinstance(one, Owed) and not found.get(one.path, True):
                del found[one.path]
        for month in {*months.values()} & there.keys():
            runs = [one for one in self.records if isinstance(one, Run) and months[one.path] == month and one.path not in there]
            found |= self._packed(snapshot, there[month], month, runs)
        self.present = tuple(path for path, agrees in found.items() if agrees)
        self.conflicts = tuple(path for path, agrees in found.items() if not agrees)
        self.added = tuple(path for path in data if path not in found)
        return {path: data[path] for path in self.added}

    @property
    def landed(self) -> tuple[str, ...]:
        """What the branch has once the edit is pushed."""
        return (*self.present, *self.added)

    @staticmethod
    def _agrees(snapshot: Snapshot, record: Stored, blob: str, data: bytes) -> bool:
        if snapshot.blob_id(data) == blob:
            return True
        if isinstance(record, AnalysisFile):
            return False
        # the same record may be written another way by another release
        return all(content is not None and parsed(type(record), record.path, content) == record for _, content in snapshot.contents([blob]))

    @staticmethod
    def _packed(snapshot: Snapshot, blob: str, path: str, runs: list[Run]) -> dict[str, bool]:
        """Of runs that have no file of their own those that a packed month has, and whether it has them as they are."""
        lines = [line for _, content in snapshot.contents([blob]) for line in (content or b"").split(b"\n")]
        found: dict[str, bool] = {}
        for run in runs:
            for line in lines:
                # an id may also stand in the notes of another run
                if run.run_id.encode() in line and isinstance(one := parsed(Run, path, line), Run) and one.run_id == run.run_id:
                    found[run.path] = one == run
        return found


def _tied_up(snapshot: Snapshot, settled: tuple[Settled, ...]) -> tuple[str, ...]:
    """The files to remove: those that are as they were when their loose ends were tied up."""
    there = snapshot.blobs([one.of for one in settled])
    contents = dict(snapshot.contents(dict.fromkeys(there.values())))
    texts = {path: (contents[blob] or b"").decode("utf-8", "replace") for path, blob in there.items()}
    return tuple(one.of for one in settled if one.of in texts and sha256(texts[one.of]) == one.content)


def _subject(records: Iterable[Stored], added: set[str], removed: int) -> str:
    new = [one for one in records if one.path in added]
    parts = [_count(sum(isinstance(one, kind) for one in new), noun) for kind, noun in _NOUNS.items()]
    parts.append(_count(len({one.analysis_id for one in new if isinstance(one, AnalysisFile)}), "analysis", "analyses"))
    named = " and ".join(part for part in parts if part)
    words = [f"Add {named}"] if named else []
    words += [f"tie up {_count(removed, 'loose end')}"] if removed else []
    text = ", ".join(words)
    return text[:1].upper() + text[1:]


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number} {noun if number == 1 else several or f'{noun}s'}" if number else ""


@dataclass(frozen=True, slots=True)
class Outbox:
    """The outbox in a folder, in the layout of a store."""

    folder: Path

    @property
    def store(self) -> DirectoryStore:
        """The records as a store of their own. Raises InfrastructureError where the folder is a link, which may lead anywhere."""
        if self.folder.is_symlink():
            raise InfrastructureError(f"The outbox {self.folder} is a symbolic link.", hint="Remove it; Assay makes a folder there.")
        return DirectoryStore(self.folder, remembers=False)

    def paths(self) -> tuple[str, ...]:
        """The names of all that waits, told without reading it."""
        entries = (entry for folder, depth in _FOLDERS.items() for entry in walk(self.folder, folder, depth))
        return tuple(entry.path if isinstance(entry, Unreadable) else entry for entry in entries)

    def hidden(self) -> frozenset[str]:
        """The runs whose tombstones wait."""
        return frozenset(path.rpartition("/")[2].removesuffix(".json") for path in self.paths() if path.startswith(f"{INVALIDATED}/"))

    def search(self, search: Search, hidden: frozenset[str]) -> Found | None:
        """What of the waiting runs may answer a question, None where none waits."""
        if not any(path.startswith(f"{RUNS}/") for path in self.paths()):
            return None
        records, lost = self.waiting()
        headers = (header_of(one) for one in records if isinstance(one, Run))
        return found_among(search, headers, hidden, ((one.path, one.reason) for one in lost))

    def has_none_of(self, paths: Iterable[str]) -> bool:
        """Whether all of these have gone."""
        return not any(os.path.lexists(self.folder / path) for path in paths)

    def waiting(self) -> tuple[tuple[Stored, ...], tuple[Unreadable, ...]]:
        """The records that wait, and the files that cannot be read: these stay until a person has looked at them."""
        records: list[Stored] = []
        lost: list[Unreadable] = []
        for one in self.store.records():
            if isinstance(one, Unreadable):
                lost.append(Unreadable(f"{self.folder}/{one.path}", one.reason))
            else:
                records.append(one)
        return tuple(records), tuple(lost)

    def loose_ends(self) -> tuple[Opened | Owed, ...]:
        """What of others' attention waits here itself."""
        return tuple(one for one in self._small() if isinstance(one, Opened | Owed))

    def settled(self) -> tuple[Settled, ...]:
        """The loose ends that are tied up, which the branch may not know yet."""
        return tuple(one for one in self._small() if isinstance(one, Settled))

    def _small(self) -> tuple[Stored, ...]:
        waits = any(path.startswith((f"{OPEN}/", f"{OWED}/", f"{SETTLED}/")) for path in self.paths())
        return self.waiting()[0] if waits else ()

    def take_in(self, records: Iterable[Stored]) -> tuple[str, ...]:
        """Keep records of elsewhere here first; the paths of those under whose id something else waits."""
        refused = []
        for one in records:
            try:
                self.add(one)
            except OtherRecordError:
                refused.append(one.path)
        return tuple(refused)

    def add(self, record: Stored) -> str:
        """Keep a record; its file. Raises OtherRecordError for a second record of an id.

        A loose end takes the place of an older one, and of the word that that is tied up; and the other way round.
        """
        if isinstance(record, Settled):
            self.store.discard(record.of)
        if isinstance(record, Owed):
            self.store.discard(settled_path(record.path))
        if isinstance(record, Owed | Settled):
            self.store.discard(record.path)
        return self.store.add(record)

    def remove(self, paths: Iterable[str]) -> None:
        """Forget what has landed."""
        for path in paths:
            self.store.discard(path)
