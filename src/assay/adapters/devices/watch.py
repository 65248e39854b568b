"""Looks at cards before, while and after a process runs on them."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from assay.adapters.devices.nvml import Nvml
from assay.core.devices import Card, Sighting, Slowdown

FIRST_S = 0.2
EVERY_S = 1.0
"""Seconds from the start to the first look, and between looks: often enough for heat, seldom enough to cost nothing."""
GIVE_UP_S = 2.0
"""So long a look may take beyond the end of a process: of a card that has fallen off its bus the driver may never answer."""
SETTLE_S = 1.0
"""So long a driver may still list what has just ended."""


@dataclass(slots=True)
class _Seen:
    """What has been seen of one card so far."""

    bus: str
    temperatures: list[int] = field(default_factory=list)
    clocks: list[int] = field(default_factory=list)
    memory_clocks: list[int] = field(default_factory=list)
    slowdowns: set[Slowdown] = field(default_factory=set)
    told: bool = False
    before: frozenset[int] | None = None
    during: set[int] | None = None
    after: frozenset[int] | None = None

    def sighting(self, locked_mhz: int | None) -> Sighting:
        return Sighting(
            bus=self.bus,
            temperature_c=max(self.temperatures, default=None),
            clock_low_mhz=min(self.clocks, default=None),
            clock_high_mhz=max(self.clocks, default=None),
            memory_clock_mhz=max(self.memory_clocks, default=None),
            slowdowns=tuple(one for one in Slowdown if one in self.slowdowns) if self.told else None,
            before=_count(self.before),
            during=_count(self.during),
            after=_count(self.after),
            locked_mhz=locked_mhz,
        )


class Watch:
    """Enter it before the process starts, leave it when the process has ended; then `sightings` says what was seen.

    `foreign` tells whether a process that computes beside ours is somebody else's; whoever computes before ours has begun or after it
    has ended is in any case.
    """

    def __init__(self, library: Nvml, cards: Sequence[Card], foreign: Callable[[int], bool], every_s: float = EVERY_S) -> None:
        self._library = library
        self._foreign = foreign
        self._every_s = every_s
        self._seen = [_Seen(card.bus) for card in cards]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep_looking, name="device-watch", daemon=True)

    def __enter__(self) -> Self:
        for one in self._seen:
            one.before = self._library.computing(one.bus)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # first, while the card is still warm: nothing a look could disturb is running any more
        self._over.set()
        self._thread.join(GIVE_UP_S)
        if self._thread.is_alive():  # it is left behind, and nothing that it saw before is told as if it were all
            self._seen = [_Seen(one.bus) for one in self._seen]
            return
        for one in self._seen:
            one.after = self._settled(one)

    def sightings(self, locked_mhz: dict[str, int]) -> tuple[Sighting, ...]:
        """By card; `locked_mhz` says of a card what its clock was held at."""
        return tuple(one.sighting(locked_mhz.get(one.bus)) for one in self._seen)

    def _keep_looking(self) -> None:
        wait_s = min(FIRST_S, self._every_s)
        while not self._over.wait(wait_s):
            wait_s = self._every_s
            self._look()
        self._look()  # the last moment counts too, also that of a short process

    def _look(self) -> None:
        for one in tuple(self._seen):
            self._look_at(one)

    def _look_at(self, one: _Seen) -> None:
        clock, memory_clock = self._library.clocks(one.bus)
        for told, known in ((self._library.temperature(one.bus), one.temperatures), (clock, one.clocks), (memory_clock, one.memory_clocks)):
            if told is not None:
                known.append(told)
        slowdowns = self._library.slowdowns(one.bus)
        if slowdowns is not None:
            one.told = True
            one.slowdowns.update(slowdowns)
        computing = self._library.computing(one.bus)
        if computing is not None:
            one.during = (one.during or set()) | {pid for pid in computing if self._foreign(pid)}

    def _settled(self, one: _Seen) -> frozenset[int] | None:
        """Who computes there now that ours has ended, when the driver has had time to forget it."""
        waiter = threading.Event()
        for _ in range(10):
            left = self._library.computing(one.bus)
            if not left:
                return left
            waiter.wait(SETTLE_S / 10)
        return self._library.computing(one.bus)


def _count(pids: frozenset[int] | set[int] | None) -> int | None:
    return None if pids is None else len(pids)
