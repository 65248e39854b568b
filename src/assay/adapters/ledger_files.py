"""The ledger in a directory store: a file a month, replaced whole under one lock, so that no reader meets half a row."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from assay.adapters import atomic_file
from assay.adapters.store_files import read_file, walk
from assay.core.loop.claims import Claim, Claims
from assay.core.loop.ledger import BadLine, Ledger, LedgerRow, read_month, with_rows
from assay.core.store_layout import CLAIMS, LEDGER, is_ledger_month
from assay.errors import InfrastructureError
from assay.ports import Unreadable

_LOCK = ".assay-ledger.lock"
_HINT = "Repair the file by hand or remove it: a claim lasts half an hour at the most."


def read_claims(data: bytes, where: str) -> Claims:
    """The claims that bytes hold. Raises InfrastructureError for anything else: who is at what must be known."""
    try:
        return Claims.from_text(data.decode())
    except ValueError as error:
        raise InfrastructureError(f"The claims in {where} cannot be read: {error}.", hint=_HINT) from error


class DirectoryLedger:
    """Satisfies `loop_ports.LedgerBook`. The directory is made with the first write."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def place(self) -> str:
        return str(self._root / LEDGER)

    def rows(self) -> Ledger:
        """All rows, oldest first."""
        found = Ledger()
        for entry in walk(self._root, LEDGER, 0):
            if isinstance(entry, Unreadable):
                found = found.joined(Ledger(lost=(BadLine(entry.path, entry.reason),)))
            elif is_ledger_month(entry):
                data = read_file(self._root, entry)
                lost = Ledger(lost=(BadLine(data.path, data.reason),)) if isinstance(data, Unreadable) else read_month(entry, data)
                found = found.joined(lost)
        return found

    def claims(self) -> Claims:
        if not os.path.lexists(self._root / CLAIMS):
            return Claims()
        data = read_file(self._root, CLAIMS)
        if isinstance(data, Unreadable):
            raise InfrastructureError(f"The claims in {self._root / CLAIMS} cannot be read: {data.reason}.", hint=_HINT)
        return read_claims(data, str(self._root / CLAIMS))

    def claim(self, wanted: Claim, now: datetime) -> Claim | None:
        with self._alone():
            claims = self.claims()
            other = claims.in_the_way(wanted, now)
            if other is None:
                self._put(CLAIMS, claims.having(wanted, now).to_text().encode())
            return other

    def release(self, claim: Claim) -> None:
        with self._alone():
            claims = self.claims()
            if claims.without(claim) != claims:
                self._put(CLAIMS, claims.without(claim).to_text().encode())

    def append(self, row: LedgerRow) -> None:
        self.edit(row.path, lambda data: with_rows(row.path, data, (row,)))

    def edit(self, path: str, change: Callable[[bytes], bytes]) -> None:
        """Replace a file by what is made of it, or remove it where that is nothing. Raises InfrastructureError for an unreadable one."""
        with self._alone():
            there = read_file(self._root, path) if os.path.lexists(self._root / path) else b""
            if isinstance(there, Unreadable):
                raise InfrastructureError(f"The ledger cannot be read at {self._root / path}: {there.reason}.", hint="Repair the file.")
            new = change(there)
            if not new:
                (self._root / path).unlink(missing_ok=True)
            elif new != there:
                self._put(path, new)

    def _put(self, path: str, data: bytes) -> None:
        atomic_file.replace(self._root / path, data)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            folder = atomic_file.make_folders(self._root, LEDGER)
            atomic_file.keep_out_of_git(self._root.absolute())
            with atomic_file.alone(self._root / _LOCK):
                atomic_file.sweep(folder)
                yield
        except OSError as error:
            hint = "Free the disk or the folder's permissions, or name another store with --store dir:PATH."
            raise InfrastructureError(f"The ledger in {self._root} cannot be written: {error.strerror or error}.", hint=hint) from error
