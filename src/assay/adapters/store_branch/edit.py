"""A change of the data branch as a value, and the commit that it makes on a tip. One process builds blobs, trees and commit."""

from collections.abc import Mapping
from dataclasses import field

from assay.adapters.store_branch.private_repository import DamagedError, PrivateRepository
from assay.adapters.store_branch.snapshot import Snapshot
from assay.core.store_layout import (
    README,
    TOP,
    analysis_of,
    hidden_run,
    is_ledger,
    is_loose_end,
    is_pointer,
    is_queue,
    may_hold_one,
    packed_month,
    session_of,
)
from assay.core.values import dataclass

MARKER = "<!-- assay:data -->"
"""Stands in the README of every data branch: only a branch that has it, or nothing of others, is written to."""

_README = f"""\
{MARKER}
# Data of Assay

This branch holds measurements, not code: one file for each run of a benchmark and one for each decision, written by
[Assay](https://pypi.org/project/assay/). It shares no history with the other branches and is never merged.

Runs and decisions are added and never changed; runs of a closed month are packed into one file. The other files change as work
goes on: rows are added to the ledger, claims, sessions and what is open or owed come and go, and the queue may be edited by hand.
Please do not rebase or force-push this branch. To hide a run that should not count, use `assay store invalidate RUN --reason …`,
or add a file `invalidated/RUN_ID.json` that says why.
"""

_IDENTITY = "Assay <assay@assay.invalid>"
_SCRATCH = "refs/assay/next"
_PLACES = (may_hold_one, packed_month, hidden_run, session_of, is_pointer, is_queue, is_loose_end, analysis_of, is_ledger)


@dataclass(frozen=True, slots=True)
class Edit:
    """Files to write and to remove, by path. `subject` is the first line of the commit."""

    subject: str
    puts: Mapping[str, bytes] = field(default_factory=dict)
    removes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.puts and not self.removes


def stranger(snapshot: Snapshot) -> str | None:
    """A name at the top that tells that the branch holds something else than a store, None where it is ours to write to."""
    names = snapshot.names()
    strange = sorted(set(names) - TOP)
    if not strange or (README in names and _has_marker(snapshot)):
        return None
    return strange[0]


def commit(repository: PrivateRepository, tip: str | None, edit: Edit, seconds: int) -> str:
    """The commit that applies the edit to a tip, or begins the branch. No ref is moved. `seconds` is the time since 1970.

    Raises ValueError for a path that is not of the store's layout, DamagedError where the tip is not whole.
    """
    for path in (*edit.puts, *edit.removes):
        if not any(known(path) for known in _PLACES):
            raise ValueError(f"{path!r} is no place in a store")
    puts = dict(edit.puts) if tip else {README: _README.encode(), **edit.puts}
    nowhere = "0" * (64 if repository.object_format == "sha256" else 40)
    # a commit of data is no reason for any CI to start
    message = f"{edit.subject}\n\n[skip ci]\n".encode()
    feed = [
        f"commit {_SCRATCH}\nmark :1\ncommitter {_IDENTITY} {seconds} +0000\n".encode(),
        b"data %d\n%s\n" % (len(message), message),
        f"from {tip}\n".encode() if tip else b"",
        *(f"D {path}\n".encode() for path in edit.removes),
        *(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data) for path, data in puts.items()),
        # nobody else is to see a ref of a commit that may never be
        f"get-mark :1\nreset {_SCRATCH}\nfrom {nowhere}\n\ndone\n".encode(),
    ]
    answer = repository.ask("fast-import", "--quiet", "--done", "--date-format=raw", feed=b"".join(feed))
    if len(sha := answer.line.strip()) not in (40, 64):
        raise DamagedError(f"Git made no commit in {repository.folder}.", hint="Run the command again.")
    return sha


def _has_marker(snapshot: Snapshot) -> bool:
    blobs = snapshot.blobs([README])
    return any(data is not None and MARKER.encode() in data for _, data in snapshot.contents(blobs.values()))
