"""Packing the closed months of a store in a directory: many files of one run each become one file a month."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from assay.adapters import atomic_file
from assay.adapters.store_files import BY_MONTH, read_file, walk
from assay.core.compaction import LeftAlone, Month, Packed, closed_months, pack
from assay.core.store_layout import RUNS, packed_path, single_month
from assay.errors import InfrastructureError
from assay.ports import Unreadable

_LOCK = ".assay-compaction.lock"


def compact(root: Path, now: datetime) -> tuple[Packed, ...]:
    """Pack the runs of closed months. Raises InfrastructureError where the disk refuses; nothing is lost then."""
    try:
        with _alone(root):
            return tuple(_compacted(root, month) for month in closed_months(_single_paths(root), now))
    except OSError as error:
        hint = "Free the disk or the folder's permissions, and run the command again."
        raise InfrastructureError(f"The store {root} could not be compacted: {error.strerror or error}.", hint=hint) from error


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """One compaction at a time; the lock goes with the process that holds it."""
    if not root.is_dir():
        yield
        return
    with atomic_file.alone(root / _LOCK):
        yield


def _single_paths(root: Path) -> tuple[str, ...]:
    return tuple(entry for entry in walk(root, RUNS, BY_MONTH) if isinstance(entry, str))


def _compacted(root: Path, name: str) -> Packed:
    packed = pack(_month(root, name))
    if packed.content is not None:
        atomic_file.replace(root / packed.path, packed.content)
    for path in packed.absorbed:
        (root / path).unlink(missing_ok=True)
    return packed


def _month(root: Path, name: str) -> Month:
    read = {path: read_file(root, path) for path in _single_paths(root) if single_month(path) == name}
    path = packed_path(name)
    packed = read_file(root, path) if os.path.lexists(root / path) else None
    lost = [one for one in (*read.values(), packed) if isinstance(one, Unreadable)]
    return Month(
        name,
        packed if isinstance(packed, bytes) else None,
        {path: data for path, data in read.items() if isinstance(data, bytes)},
        tuple(LeftAlone(one.path, one.reason) for one in lost),
    )
