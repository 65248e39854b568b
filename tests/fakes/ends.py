"""Loose ends in memory, by their place."""

from dataclasses import dataclass, field

from assay.core.loose_ends import LooseEnd, LooseEnds, Opened, Owed, settled
from assay.errors import InfrastructureError


@dataclass(slots=True)
class FakeEnds:
    """Satisfies `forge_ports.Ends`. With `refuses` set every write fails, as on a full disk; `begun` are all that ever began."""

    kept: dict[str, LooseEnd] = field(default_factory=dict)
    begun: list[Opened] = field(default_factory=list)
    refuses: str = ""

    def begin(self, opened: Opened) -> None:
        self._accept()
        self.begun.append(opened)
        self.kept[opened.path] = opened

    def owe(self, owed: Owed) -> None:
        self._accept()
        self.kept[owed.path] = owed

    def settle(self, end: LooseEnd) -> None:
        self._accept()
        there = self.kept.get(end.path)
        if there is not None and settled(there) == settled(end):
            del self.kept[end.path]

    def found(self) -> LooseEnds:
        kept = sorted(self.kept.values(), key=lambda one: one.created_at)
        return LooseEnds(tuple(one for one in kept if isinstance(one, Opened)), tuple(one for one in kept if isinstance(one, Owed)))

    def _accept(self) -> None:
        if self.refuses:
            raise InfrastructureError(self.refuses, hint="Free the disk.")
