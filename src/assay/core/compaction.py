"""Packing a closed month: its runs move from a file each into one file, a line each. Nothing that cannot be read is moved.

Pure, so that a directory and a data branch do the same: they bring the bytes and carry out the answer.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime

from assay.core.canonical import compact, loads
from assay.core.envelope import Run
from assay.core.store_layout import month_of, packed_path, single_month
from assay.core.values import dataclass

MAX_PACKED = 45 * 10**6
"""Bytes of a packed month. GitHub warns of files above 50 MB and refuses those above 100."""


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A file that stays as it is, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Month:
    """A closed month as it is stored: its packed file, if it has one, and the files of single runs by path.

    `unreadable` are files that could not even be opened; the packed one may be among them.
    """

    name: str
    packed: bytes | None
    singles: Mapping[str, bytes]
    unreadable: tuple[LeftAlone, ...] = ()

    @property
    def path(self) -> str:
        return packed_path(self.name)


@dataclass(frozen=True, slots=True)
class Packed:
    """What to do with a month: write `content` at `path`, remove the `absorbed` files, leave the rest alone.

    `content` is None where nothing is to be written.
    """

    name: str
    path: str
    content: bytes | None = field(repr=False)
    absorbed: tuple[str, ...]
    left: tuple[LeftAlone, ...]


def closed_months(paths: Iterable[str], now: datetime) -> tuple[str, ...]:
    """The months before this one that have runs in files of their own, oldest first. A month ends at midnight UTC."""
    this = f"{now.astimezone(UTC):%Y-%m}"
    return tuple(sorted({month for path in paths if (month := single_month(path)) is not None and month < this}))


def pack(month: Month, *, limit: int = MAX_PACKED) -> Packed:
    """Pack a month as far as it can be read and `limit` bytes hold it.

    Packing again changes nothing. A packed file with a line that is no run of the month is left alone with all its singles.
    """
    if any(one.path == month.path for one in month.unreadable):
        return Packed(month.name, month.path, None, (), month.unreadable)
    try:
        lines = dict(_packed_lines(month))
    except ValueError as error:
        return Packed(month.name, month.path, None, (), (*month.unreadable, LeftAlone(month.path, str(error))))
    size = sum(len(line) for line in lines.values())
    absorbed: list[str] = []
    left = list(month.unreadable)
    for path in sorted(month.singles):
        try:
            run_id, line = _line(path, month.singles[path])
            size += _room(lines, run_id, line, limit - size)
        except ValueError as error:
            left.append(LeftAlone(path, str(error)))
        else:
            lines[run_id] = line
            absorbed.append(path)
    content = b"".join(lines[run_id] for run_id in sorted(lines)) if absorbed else None
    return Packed(month.name, month.path, content, tuple(absorbed), tuple(left))


def _packed_lines(month: Month) -> Iterator[tuple[str, bytes]]:
    """The lines of a packed file by run id, as they are. Raises ValueError for one that is not whole, or stands twice."""
    if month.packed is None:
        return
    if not month.packed.strip():
        raise ValueError("an empty file, which no packed month is")
    *lines, rest = month.packed.split(b"\n")
    if rest:
        raise ValueError(f"line {len(lines) + 1} is not whole")
    seen = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        run = _run(line, f"line {number}: ")
        if run.run_id in seen or month_of(run.run_id) != month.name:
            raise ValueError(f"line {number}: the run {run.run_id} does not belong there")
        seen.add(run.run_id)
        yield run.run_id, line + b"\n"


def _line(path: str, data: bytes) -> tuple[str, bytes]:
    """The line of a run. It has to come back as the very same run."""
    run = _run(data, "")
    if run.path != path:
        raise ValueError(f"it holds what belongs in {run.path}")
    line = compact(loads(data.decode())).encode() + b"\n"
    if _run(line, "") != run:
        raise ValueError("it would not come back as the same run")
    return run.run_id, line


def _run(data: bytes, where: str) -> Run:
    try:
        return Run.from_json(data.decode())
    except ValueError as error:
        raise ValueError(f"{where}{error}") from error


def _room(lines: Mapping[str, bytes], run_id: str, line: bytes, left: int) -> int:
    """The bytes that a line adds. Raises ValueError where there is no room, or another run has the id."""
    if run_id not in lines:
        if len(line) > left:
            raise ValueError("the packed month is full")
        return len(line)
    if _run(lines[run_id], "") != _run(line, ""):
        raise ValueError("the packed month has another run of this id")
    return 0
