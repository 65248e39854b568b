"""The cards of this box: satisfies `device_ports.Devices`."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

from assay.adapters.devices import nvml
from assay.adapters.devices.clocks import Clocks
from assay.adapters.devices.nvml import Nvml
from assay.adapters.devices.watch import EVERY_S, Watch
from assay.adapters.process.lock_folder import shared_folder
from assay.core.devices import Card, Sighting, cards_for, claims_of
from assay.core.model import UNKNOWN

_FIELD = re.compile(r"^([A-Za-z ]+):[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)


class LocalDevices:
    """What the driver's files below `root` tell, and the library where there is one. A box without NVIDIA's driver loads nothing.

    `notes` is where held clocks are noted, by default beside the locks of this user.
    """

    def __init__(
        self,
        root: Path = Path("/"),
        load: Callable[[], Nvml | None] = nvml.load,
        notes: Callable[[], Path] = shared_folder,
        every_s: float = EVERY_S,
    ) -> None:
        self._root = root
        self._load = load
        self._notes = notes
        self._every_s = every_s

    @cached_property
    def present(self) -> bool:
        """Whether NVIDIA's driver is there, whatever it tells."""
        return (self._root / "proc/driver/nvidia").exists() or any((self._root / "dev").glob("nvidia[0-9]*"))

    @cached_property
    def library(self) -> Nvml | None:
        """The driver's library; None where no driver is."""
        return self._load() if self.present or (self._root / "dev/dxg").exists() else None

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """The NVIDIA cards in the order of the PCI bus; none where none can be told by its address."""
        told = self.library.cards() if self.library else None
        return _from_files(self._root) if told is None else told

    def claims(self, variables: Mapping[str, str], count: int) -> tuple[str, ...]:
        return claims_of(self.cards, variables, count) if count > 0 else ()

    @contextmanager
    def watched(
        self, variables: Mapping[str, str], count: int, clock_mhz: int | None, warnings: list[str]
    ) -> Iterator[Callable[[], tuple[Sighting, ...]]]:
        library = self.library if count > 0 else None
        if library is None:
            yield tuple
            return
        cards = cards_for(self.cards, variables, count)
        clocks = Clocks(library, self._notes())
        with ExitStack() as stack:
            for card in cards:
                clocks.repair(card.bus)
            locked = [card.bus for card in cards if clock_mhz and stack.enter_context(clocks.held(card.bus, clock_mhz, warnings))]
            watch = stack.enter_context(Watch(library, cards, foreign=_is_foreign, every_s=self._every_s))
            yield lambda: watch.sightings(dict.fromkeys(locked, clock_mhz or 0))


def _from_files(root: Path) -> tuple[Card, ...]:
    """What /proc tells of each card; the names of its folders are PCI addresses."""
    found = []
    for index, path in enumerate(sorted((root / "proc/driver/nvidia/gpus").glob("*/information"))):
        try:
            told = dict(_FIELD.findall(path.read_text(errors="replace")))
        except OSError:
            told = {}
        uuid = told.get("GPU UUID", UNKNOWN)
        found.append(Card(path.parent.name.lower(), index, UNKNOWN if "?" in uuid else uuid, told.get("Model", UNKNOWN)))
    return tuple(found)


def _is_foreign(pid: int) -> bool:
    """Whether a process does not descend from us.

    In a container the driver's numbers are the host's, and mean nothing here: then it may be ours, and is not held against the run.
    """
    seen = 0
    while pid > 1 and seen < 100:
        if pid == os.getpid():
            return False
        parent = _parent(pid)
        if parent is None:
            return seen > 0  # it has ended meanwhile, or is of another world; an ancestor that ended leaves a stranger
        pid, seen = parent, seen + 1
    return True


def _parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
