"""What was seen of a card, between the value that a process brings and the record that an envelope keeps."""

from typing import TypeVar

from assay.core.devices import Sighting
from assay.core.envelope import ProcessFacts
from assay.core.facts import SightingFacts, known
from assay.core.model import UNKNOWN
from assay.core.record import Unknown

T = TypeVar("T")


def sighting_facts(one: Sighting) -> SightingFacts:
    """The record of a sighting."""
    return SightingFacts(
        card=one.bus,
        temperature_c=known(one.temperature_c),
        clock_low_mhz=known(one.clock_low_mhz),
        clock_high_mhz=known(one.clock_high_mhz),
        memory_clock_mhz=known(one.memory_clock_mhz),
        slowdowns=known(one.slowdowns),
        others_before=known(one.before),
        others_during=known(one.during),
        others_after=known(one.after),
        locked_mhz=one.locked_mhz,
    )


def sightings_of(process: ProcessFacts) -> tuple[Sighting, ...]:
    """The sightings that a record holds of a process."""
    if isinstance(process.gpus, str):
        return ()
    return tuple(
        Sighting(
            bus=one.card,
            temperature_c=_told(one.temperature_c),
            clock_low_mhz=_told(one.clock_low_mhz),
            clock_high_mhz=_told(one.clock_high_mhz),
            memory_clock_mhz=_told(one.memory_clock_mhz),
            slowdowns=_told(one.slowdowns),
            before=_told(one.others_before),
            during=_told(one.others_during),
            after=_told(one.others_after),
            locked_mhz=one.locked_mhz,
        )
        for one in process.gpus
    )


def _told(fact: T | Unknown) -> T | None:
    return None if fact == UNKNOWN else fact
