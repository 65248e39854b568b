"""Accelerators as values: the cards of a box, which of them a process will see, what was seen of them while it ran."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from assay.core.model import UNKNOWN
from assay.core.values import dataclass

VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
"""The variable by which CUDA, and all that is built on it, chooses devices."""


class Slowdown(StrEnum):
    """Why a driver holds clocks back, in the words of this program."""

    IDLE = "idle"
    SETTING = "clock setting"
    POWER_CAP = "power cap"
    HARDWARE = "hardware slowdown"
    SYNC_BOOST = "sync boost"
    SOFTWARE_THERMAL = "software thermal slowdown"
    HARDWARE_THERMAL = "hardware thermal slowdown"
    POWER_BRAKE = "power brake"
    DISPLAY = "display clock setting"


BITS: Final = {1 << place: slowdown for place, slowdown in enumerate(Slowdown)}
"""Bits of NVML's clocks event reasons (nvml.h, nvmlClocksEventReason*)."""

THROTTLED: Final = frozenset({Slowdown.HARDWARE, Slowdown.SOFTWARE_THERMAL, Slowdown.HARDWARE_THERMAL, Slowdown.POWER_BRAKE})
"""Those that depend on the room and the power supply rather than on the code. A power cap belongs to the code: who computes more
per second meets it sooner, and on large cards every long kernel does."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A MIG instance: its own UUID and the name that the driver gives it."""

    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class Card:
    """One physical card. `bus` is its PCI address, by which every library and file knows it; `index` its place in that order.

    `uuid` and `model` are `unknown` where they cannot be read, `memory_bytes` and `mig` None. `instances` are those of a card in
    MIG mode that this process may see.
    """

    bus: str
    index: int
    uuid: str = UNKNOWN
    model: str = UNKNOWN
    memory_bytes: int | None = None
    mig: bool | None = None
    instances: tuple[Instance, ...] = ()

    @property
    def claim(self) -> str:
        """What nobody else on this box may hold while a benchmark uses the card, under whichever name it asked for it."""
        return f"gpu:{self.bus}"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was seen of one card while one process ran. None is what could not be read.

    `temperature_c` is the highest, the clocks (MHz) are the lowest and the highest of the processor's and the highest of the memory's.
    `slowdowns` are all that were seen. `before`, `during` and `after` count the compute processes of others.
    `locked_mhz` is what the clock was held at for it.
    """

    bus: str
    temperature_c: int | None = None
    clock_low_mhz: int | None = None
    clock_high_mhz: int | None = None
    memory_clock_mhz: int | None = None
    slowdowns: tuple[Slowdown, ...] | None = None
    before: int | None = None
    during: int | None = None
    after: int | None = None
    locked_mhz: int | None = None

    @property
    def shared(self) -> bool:
        """Whether somebody else computed on it."""
        return bool(self.before or self.during or self.after)

    @property
    def throttled(self) -> tuple[Slowdown, ...]:
        """The slowdowns that spoil a measurement."""
        return tuple(one for one in self.slowdowns or () if one in THROTTLED)


def slowdowns_in(mask: int) -> tuple[Slowdown, ...]:
    """The reasons of a bit mask. Bits that we do not know are passed over, since they name no reason that we could judge."""
    return tuple(slowdown for bit, slowdown in BITS.items() if mask & bit)


def claims_of(cards: Sequence[Card], variables: Mapping[str, str], count: int) -> tuple[str, ...]:
    """What a process that needs `count` GPUs has to claim; by the names it uses where no card of the box is known."""
    if count < 1:
        return ()
    if not cards:
        return tuple(f"gpu:{token}" for token in _tokens(variables, count))
    return tuple(card.claim for card in cards_for(cards, variables, count))


def cards_for(cards: Sequence[Card], variables: Mapping[str, str], count: int) -> tuple[Card, ...]:
    """The cards that a process with these variables will use: of those that it is shown the first `count`.

    A card is the same by its index, by its UUID or the beginning of it, and by any MIG instance of it. All cards where a name
    leaves a doubt: one that nothing here has, an index where CUDA orders different models by speed, or where MIG gives indices
    another meaning.
    """
    found: set[Card] = set()
    for token in _tokens(variables, count) if count > 0 else ():
        card = _named(cards, token, variables)
        if card is None:
            return tuple(cards)
        found.add(card)
    return tuple(card for card in cards if card in found)


def _tokens(variables: Mapping[str, str], count: int) -> tuple[str, ...]:
    visible = [token.strip() for token in variables.get(VISIBLE, "").split(",")]
    chosen = visible if any(visible) else [str(index) for index in range(count)]
    return tuple(chosen[:count])


def _named(cards: Sequence[Card], token: str, variables: Mapping[str, str]) -> Card | None:
    if token.isascii() and token.isdigit():
        return _numbered(cards, int(token), variables)
    parent = token.removeprefix("MIG-").partition("/")[0]  # older drivers write MIG-<UUID of the card>/<instance>/<instance>
    found = [
        card
        for card in cards
        if any(one.uuid == token for one in card.instances) or (parent[:4] == "GPU-" and card.uuid.startswith(parent))
    ]
    return found[0] if len(found) == 1 else None


def _numbered(cards: Sequence[Card], number: int, variables: Mapping[str, str]) -> Card | None:
    ordered = variables.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or len({card.model for card in cards}) == 1
    if not ordered or any(card.mig for card in cards):
        return cards[0] if len(cards) == 1 else None
    return next((card for card in cards if card.index == number), None)


def disturbance(processes: Iterable[Sequence[Sighting]]) -> str:
    """What disturbed the cards while these processes were measured, in one sentence; empty where nothing is known to have."""
    seen = [tuple(sightings) for sightings in processes]
    throttled = [reasons for sightings in seen if (reasons := {one for sighting in sightings for one in sighting.throttled})]
    if throttled:
        names = ", ".join(one.value for one in Slowdown if one in set().union(*throttled))
        return f"GPU throttled: {names} in {len(throttled)} of {len(seen)} processes"
    shared = sum(any(sighting.shared for sighting in sightings) for sightings in seen)
    return f"GPU shared: somebody else computed on it beside {shared} of {len(seen)} processes" if shared else ""
