"""The ledger on a data branch. A row is safe on this disk before it is sent, and added anew to whatever tip there is by then."""

from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from pathlib import Path

from assay.adapters.ledger_files import DirectoryLedger, read_claims
from assay.adapters.store_branch.delivery import Deliverer
from assay.adapters.store_branch.edit import Edit
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.private_repository import PrivateRepository
from assay.adapters.store_branch.reading import Reader
from assay.adapters.store_branch.snapshot import Snapshot
from assay.core.loop.claims import Claim, Claims
from assay.core.loop.ledger import BadLine, Ledger, LedgerRow, months_of, read_month, with_rows
from assay.core.store_layout import CLAIMS, LEDGER, is_ledger_month
from assay.core.values import dataclass
from assay.errors import InfrastructureError
from assay.ports import Unreadable


@dataclass(slots=True)
class _Claiming:
    """The edit that takes a claim, unless somebody else has one: `other` then."""

    wanted: Claim
    now: datetime
    where: str
    other: Claim | None = field(default=None)

    def __call__(self, snapshot: Snapshot) -> Edit:
        claims = _claims_of(snapshot, self.where)
        self.other = claims.in_the_way(self.wanted, self.now)
        changed = claims.having(self.wanted, self.now)
        return Edit("") if self.other or changed == claims else Edit(f"Claim {self.wanted.task}", {CLAIMS: changed.to_text().encode()})


class BranchLedger:
    """Satisfies `loop_ports.LedgerBook`. Rows that could not be sent wait in the outbox."""

    def __init__(
        self, name: str, repository: PrivateRepository, deliverer: Deliverer, reader: Reader, outbox: Path, warn: Callable[[str], None]
    ) -> None:
        self._name = name
        self._repository = repository
        self._deliverer = deliverer
        self._reader = reader
        self._waiting = DirectoryLedger(outbox)
        self._warn = warn

    @property
    def place(self) -> str:
        return f"{self._name}:{LEDGER}"

    def rows(self) -> Ledger:
        """All rows, on the branch and on their way to it."""
        waiting = self._waiting.rows()
        found = self._reader.ask(_rows_of)
        on_branch = Ledger(lost=(BadLine(found.path, found.reason),)) if isinstance(found, Unreadable) else found
        return on_branch.joined(waiting)

    def claims(self) -> Claims:
        found = self._reader.ask(lambda snapshot: _claims_of(snapshot, self.place))
        if isinstance(found, Unreadable):
            raise InfrastructureError(f"The claims on {found.path} cannot be read: {found.reason}.", hint="Run the command again later.")
        return found

    def claim(self, wanted: Claim, now: datetime) -> Claim | None:
        claiming = _Claiming(wanted, now, self.place)
        self._deliver(claiming, f"The claim of {wanted.task} could not be written")
        return claiming.other

    def release(self, claim: Claim) -> None:
        def releasing(snapshot: Snapshot) -> Edit:
            claims = _claims_of(snapshot, self.place)
            left = claims.without(claim)
            return Edit("") if left == claims else Edit(f"Release {claim.task}", {CLAIMS: left.to_text().encode()})

        self._deliver(releasing, f"The claim of {claim.task} could not be given back")

    def append(self, row: LedgerRow) -> None:
        """Keep the row here, then send all that waits. What the remote refuses is warned of, and sent by a later command."""
        self.keep(row)
        self.flush()

    def keep(self, row: LedgerRow) -> None:
        """Keep a row here, to be sent with the next that goes out. Raises InfrastructureError where this disk refuses."""
        self._waiting.append(row)

    @property
    def waiting(self) -> int:
        """How many rows have not been sent."""
        return len(self._waiting.rows().rows)

    def flush(self) -> bool:
        """Send the rows that wait; whether none does any more."""
        rows = self._waiting.rows().rows
        if not rows:
            return True
        try:
            self._deliver(lambda snapshot: _adding(snapshot, rows), f"{len(rows)} rows of the ledger could not be sent, and wait")
        except InfrastructureError as error:
            self._warn(f"{error.message} {error.hint}".strip())
            return False
        for month in months_of(rows):
            self._waiting.edit(month, lambda data: _without(data, frozenset(one.id for one in rows)))
        return True

    def _deliver(self, change: Callable[[Snapshot], Edit], what: str) -> None:
        with self._repository.held():
            outcome = self._deliverer.deliver(change)
        if outcome.kind is not Kind.DONE:
            hint = outcome.hint or "Run the command again when the remote can be reached."
            raise InfrastructureError(f"{what}, for the data branch `{self._name}` refuses: {outcome.reason}.", hint=hint)
        self._reader.touch()


def _adding(snapshot: Snapshot, rows: tuple[LedgerRow, ...]) -> Edit:
    """The rows that a tip lacks, added to the files of their months."""
    there = {path: _content(snapshot, path) for path in months_of(rows)}
    puts = {path: with_rows(path, data, rows) for path, data in there.items()}
    changed = {path: data for path, data in puts.items() if data != there[path]}
    return Edit(f"Add {len(rows)} row{'s' if len(rows) > 1 else ''} to the ledger" if changed else "", changed)


def _without(data: bytes, sent: frozenset[str]) -> bytes:
    """What stays in the outbox: everything but the rows that were sent."""
    kept = []
    for line in data.splitlines(keepends=True):
        try:
            gone = LedgerRow.from_line(line.decode()).id in sent
        except ValueError:
            gone = False
        if not gone:
            kept.append(line)
    return b"".join(kept)


def _rows_of(snapshot: Snapshot) -> Ledger:
    found = Ledger()
    for entry in snapshot.files(LEDGER):
        if not is_ledger_month(entry.path):
            continue
        lost = Ledger(lost=(BadLine(entry.path, entry.problem or ""),))
        found = found.joined(lost if entry.problem else read_month(entry.path, _content(snapshot, entry.path)))
    return found


def _claims_of(snapshot: Snapshot, where: str) -> Claims:
    data = _content(snapshot, CLAIMS)
    return read_claims(data, where) if data else Claims()


def _content(snapshot: Snapshot, path: str) -> bytes:
    """The content of a file of the tip, nothing where it has none. Raises InfrastructureError for one that is too large."""
    blobs = snapshot.blobs([path])
    if path not in blobs:
        return b""
    data = dict(snapshot.contents(blobs.values()))[blobs[path]]
    if data is None:
        raise InfrastructureError(f"{path} on the data branch is too large to be read.", hint="Look at what was put there.")
    return data
