"""Facts of the box, the environment and the interpreter that measured, as strict records."""

from collections.abc import Mapping
from typing import Literal, Self, TypeVar

from assay.core.devices import Slowdown
from assay.core.record import Absent, Count, Fact, Record, Unknown

T = TypeVar("T")


def known(value: T | None) -> T | Unknown:
    """The value as an envelope has it, where None says that it could not be read."""
    return "unknown" if value is None else value


class Cores(Record):
    """Physical and logical cores of the box, and how many of the logical ones we may use (affinity, cgroup quota)."""

    physical: Count | Unknown
    logical: Count | Unknown
    available: Count | Unknown


class Gpu(Record):
    """The accelerators that can be seen; several models are joined with ` + `."""

    model: Fact
    count: Count | Unknown


class CardFacts(Record):
    """One card: `card` is its PCI address, by which the sightings of processes name it.

    `mig` is on or off, `instances` counts what MIG has cut it into as far as this process may see.
    """

    card: Fact
    model: Fact
    memory_bytes: Count | Unknown
    mig: Literal["on", "off", "unknown"]
    instances: Count


class SightingFacts(Record):
    """What was seen of one card while a process ran: the highest temperature, clocks in MHz, why they were held back.

    `others_before`, `others_during` and `others_after` count compute processes of others; `locked_mhz` is what the clock was held at.
    """

    card: Fact
    temperature_c: Count | Unknown
    clock_low_mhz: Count | Unknown
    clock_high_mhz: Count | Unknown
    memory_clock_mhz: Count | Unknown
    slowdowns: tuple[Slowdown, ...] | Unknown
    others_before: Count | Unknown
    others_during: Count | Unknown
    others_after: Count | Unknown
    locked_mhz: Count | None


class MachineFacts(Record):
    """The runner class that is part of the lineage key, the facts behind it, and the box itself as a hashed id.

    `cards` and `driver_cuda`, the newest CUDA that the driver can run, are of NVIDIA's alone.
    """

    machine_class: Fact
    os: Fact
    kernel: Fact
    arch: Fact
    cpu: Fact
    cores: Cores
    ram_bytes: Count | Unknown
    gpu: Gpu | Absent
    box: Fact
    cards: tuple[CardFacts, ...] | Absent
    driver_cuda: Fact


class EnvironmentFacts(Record):
    """What may change on a machine without its class changing. `lockfiles` maps a path to its blob id at the commit.

    `python` is the job's own interpreter with its version, `packages` a digest of what is installed for it: what a benchmark
    finds before its `setup` adds to it.
    """

    driver: Fact
    cuda: Fact
    image_digest: Fact
    lockfiles: dict[str, str]
    python: Fact
    packages: Fact

    def with_lockfiles(self, blobs: Mapping[str, str]) -> Self:
        """The same environment with the lockfiles of a commit."""
        return self.model_copy(update={"lockfiles": dict(blobs)})


class PythonFacts(Record):
    """The interpreter first on the benchmark's PATH, `none` where there is none, and the distributions it sees."""

    implementation: Fact
    version: Fact
    dependencies: dict[str, str] | Absent
