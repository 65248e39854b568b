"""The numbers of one process by name, within bounds that hostile output cannot pass and that no loss goes unsaid."""

from collections.abc import Iterable

from assay.core.model import Metric

MAX_NAMES = 10_000
MAX_VALUES = 100_000
"""Samples of all names together."""

MAX_TEXT = 4_000_000
"""Characters of all names and units together."""


class Loss:
    """How often something was left out, and the line of the first time."""

    __slots__ = ("count", "line")

    def __init__(self) -> None:
        self.count = 0
        self.line = 0

    def add(self, line: int) -> None:
        self.count += 1
        self.line = self.line or line


class _Entry:
    __slots__ = ("samples", "unit", "value")

    def __init__(self, unit: str | None) -> None:
        self.unit = unit
        self.value = 0.0
        self.samples: list[float] = []


class MetricTable:
    """Collects metrics: the last value and unit of a name win, its first position stays, its values are kept in order.

    A name in `keep` is always let in, however many others came before it.
    """

    def __init__(self, keep: Iterable[str] = ()) -> None:
        self._keep = frozenset(keep)
        self._entries: dict[str, _Entry] = {}
        self._values = 0
        self._text = 0
        self.lost_metrics = Loss()
        self.lost_samples = Loss()

    def add(self, name: str, value: float, unit: str | None, line: int) -> None:
        """Take one metric of that line, or count what had to be left out."""
        entry = self._entries.get(name)
        if entry is None or entry.unit != unit:
            entry = self._admit(name, unit, entry)
        if entry is None:
            self.lost_metrics.add(line)
            return
        entry.value = value
        if self._values < MAX_VALUES or not entry.samples:
            entry.samples.append(value)
            self._values += 1
        else:
            self.lost_samples.add(line)

    def _admit(self, name: str, unit: str | None, entry: _Entry | None) -> _Entry | None:
        """The entry of that name with that unit, new or changed, unless the bounds forbid it."""
        growth = len(unit or "") + (len(name) if entry is None else -len(entry.unit or ""))
        full = self._text + growth > MAX_TEXT or (entry is None and len(self._entries) >= MAX_NAMES)
        if full and name not in self._keep:
            return None
        self._text += growth
        if entry is None:
            entry = self._entries[name] = _Entry(unit)
        entry.unit = unit
        return entry

    def metrics(self) -> tuple[Metric, ...]:
        """In the order of first sight."""
        return tuple(Metric(name, entry.value, entry.unit) for name, entry in self._entries.items())

    def samples(self) -> dict[str, tuple[float, ...]]:
        """Every name has at least one."""
        return {name: tuple(entry.samples) for name, entry in self._entries.items()}
