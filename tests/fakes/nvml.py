"""A stand-in for the module pynvml: the functions that Assay calls, with cards that a test makes and changes."""

from dataclasses import dataclass, field
from typing import Any


class NVMLError(Exception):
    """As pynvml's: the class of all its errors."""


class NVMLError_LibraryNotFound(NVMLError):  # noqa: N801, N818 - pynvml's own name
    """There is no libnvidia-ml.so."""


@dataclass(slots=True)
class FakeInstance:
    uuid: str
    name: str


@dataclass(slots=True)
class FakeCard:
    """A card. `pids` compute on it, `looks` counts how often that was asked; `refuses` names functions that it does not support."""

    bus: str
    uuid: str = "GPU-11111111-aaaa-bbbb-cccc-000000000000"
    name: str = "NVIDIA A100-SXM4-40GB"
    memory: int = 40 * 2**30
    mig: bool = False
    instances: list[FakeInstance] = field(default_factory=list)
    temperature: int = 41
    clock: int = 1410
    memory_clock: int = 1215
    reasons: int = 0
    pids: list[int] = field(default_factory=list)
    looks: int = 0
    locked: tuple[int, int] | None = None
    locks: list[str] = field(default_factory=list)
    refuses: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Told:
    """A struct of the library's."""

    busId: str = ""  # noqa: N815 - the library's own name
    total: int = 0
    pid: int = 0


class FakeNvml:
    """`broken` has the library fail to initialise, as on a box without the driver. Cards come in any order."""

    NVMLError = NVMLError
    NVML_TEMPERATURE_GPU = 0
    NVML_CLOCK_SM = 1
    NVML_CLOCK_MEM = 2
    NVML_DEVICE_MIG_ENABLE = 1

    def __init__(self, *cards: FakeCard, broken: bool = False, events: bool = True) -> None:
        self.cards = list(cards)
        self.broken = broken
        self.events = events
        self.begun = 0

    def nvmlInit(self) -> None:  # noqa: N802
        if self.broken:
            raise NVMLError_LibraryNotFound
        self.begun += 1

    def __getattr__(self, name: str) -> Any:
        if name == "nvmlDeviceGetCurrentClocksEventReasons" and not self.events:
            raise AttributeError(name)
        try:
            answer = _ANSWERS[name]
        except KeyError:
            raise AttributeError(name) from None

        def ask(*words: Any) -> Any:
            if words and isinstance(words[0], FakeCard) and name in words[0].refuses:
                raise NVMLError(name)
            return answer(self, *words)

        return ask


def _instance(card: FakeCard, place: int) -> FakeInstance:
    if place >= len(card.instances):
        raise NVMLError("not found")
    return card.instances[place]


def _computing(card: FakeCard) -> list[Told]:
    card.looks += 1
    return [Told(pid=pid) for pid in card.pids]


def _mode(card: FakeCard) -> list[int]:
    return [int(card.mig), int(card.mig)]


def _lock(card: FakeCard, low: int, high: int) -> None:
    card.locked = (low, high)
    card.locks.append(f"lock {low}")


def _reset(card: FakeCard) -> None:
    card.locked = None
    card.locks.append("reset")


_ANSWERS: dict[str, Any] = {
    "nvmlSystemGetDriverVersion": lambda _: "550.54.15",
    "nvmlSystemGetCudaDriverVersion_v2": lambda _: 12040,
    "nvmlDeviceGetCount": lambda nvml: len(nvml.cards),
    "nvmlDeviceGetHandleByIndex": lambda nvml, index: nvml.cards[index],
    "nvmlDeviceGetPciInfo": lambda _, card: Told(busId="0000" + card.bus.upper()),
    "nvmlDeviceGetUUID": lambda _, one: one.uuid,
    "nvmlDeviceGetName": lambda _, one: one.name,
    "nvmlDeviceGetMemoryInfo": lambda _, card: Told(total=card.memory),
    "nvmlDeviceGetMigMode": lambda _, card: _mode(card),
    "nvmlDeviceGetMaxMigDeviceCount": lambda _, card: 7 if card.mig else 0,
    "nvmlDeviceGetMigDeviceHandleByIndex": lambda _, card, place: _instance(card, place),
    "nvmlDeviceGetTemperature": lambda _, card, sensor: card.temperature,
    "nvmlDeviceGetClockInfo": lambda _, card, kind: card.clock if kind == FakeNvml.NVML_CLOCK_SM else card.memory_clock,
    "nvmlDeviceGetCurrentClocksEventReasons": lambda _, card: card.reasons,
    "nvmlDeviceGetCurrentClocksThrottleReasons": lambda _, card: card.reasons,
    "nvmlDeviceGetComputeRunningProcesses": lambda _, card: _computing(card),
    "nvmlDeviceSetGpuLockedClocks": lambda _, card, low, high: _lock(card, low, high),
    "nvmlDeviceResetGpuLockedClocks": lambda _, card: _reset(card),
}
