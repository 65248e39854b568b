"""NVIDIA's management library, through the package nvidia-ml-py (extra `gpu`), with one question a method.

None of the answers is an error: what a driver or a card does not tell is None, and the run says `unknown`.
"""

import importlib
import re
from collections.abc import Callable
from typing import Any

from assay.core.devices import Card, Instance, Slowdown, slowdowns_in
from assay.core.model import UNKNOWN

MODULE = "pynvml"
_ADDRESS = re.compile(r"([0-9A-Fa-f]{4,8}):([0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])")


def load(find: Callable[[str], Any] = importlib.import_module) -> "Nvml | None":
    """The library, ready to be asked; None where the package, the library or the driver is missing."""
    try:
        module = find(MODULE)
    except ImportError:
        return None
    try:
        module.nvmlInit()
    except module.NVMLError:
        return None
    return Nvml(module)


class Nvml:
    """Asks the library. A card is named by its PCI address; `module` has the functions of pynvml."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._handles: dict[str, Any] = {}

    @property
    def driver(self) -> str | None:
        return _text(self._ask("nvmlSystemGetDriverVersion"))

    @property
    def cuda(self) -> str | None:
        """The newest CUDA that the driver can run, such as `12.4`; it is not the toolkit that a benchmark brings."""
        version = self._ask("nvmlSystemGetCudaDriverVersion_v2")
        return None if version is None else f"{version // 1000}.{version % 1000 // 10}"

    def cards(self) -> tuple[Card, ...] | None:
        """All that this process may see, in the order of the PCI bus; None where they cannot be told apart."""
        count = self._ask("nvmlDeviceGetCount")
        handles = [self._ask("nvmlDeviceGetHandleByIndex", index) for index in range(count or 0)]
        addresses = [self._bus(handle) for handle in handles]
        if count is None or None in addresses:
            return None
        self._handles = {str(bus): handle for bus, handle in zip(addresses, handles, strict=True)}
        return tuple(self._card(bus, index) for index, bus in enumerate(sorted(self._handles)))

    def temperature(self, bus: str) -> int | None:
        """Degrees Celsius of the processor."""
        return _whole(self._of(bus, "nvmlDeviceGetTemperature", self._module.NVML_TEMPERATURE_GPU))

    def clocks(self, bus: str) -> tuple[int | None, int | None]:
        """MHz of the processors and of the memory at this moment."""
        kinds = (self._module.NVML_CLOCK_SM, self._module.NVML_CLOCK_MEM)
        one, other = (_whole(self._of(bus, "nvmlDeviceGetClockInfo", kind)) for kind in kinds)
        return one, other

    def slowdowns(self, bus: str) -> tuple[Slowdown, ...] | None:
        """Why clocks are held back at this moment. Older drivers know the question by its older name alone."""
        for question in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            mask = self._of(bus, question)
            if mask is not None:
                return slowdowns_in(int(mask))
        return None

    def computing(self, bus: str) -> frozenset[int] | None:
        """The ids of the processes that compute on a card, as the host numbers them."""
        found = self._of(bus, "nvmlDeviceGetComputeRunningProcesses")
        return None if found is None else frozenset(int(process.pid) for process in found)

    def hold_clock(self, bus: str, mhz: int) -> bool:
        """Whether the clock of the processors is held there now. It takes root."""
        return self._done(bus, "nvmlDeviceSetGpuLockedClocks", mhz, mhz)

    def free_clock(self, bus: str) -> bool:
        """Whether the card chooses its clock itself again."""
        return self._done(bus, "nvmlDeviceResetGpuLockedClocks")

    def _card(self, bus: str, index: int) -> Card:
        memory, mode = self._of(bus, "nvmlDeviceGetMemoryInfo"), self._of(bus, "nvmlDeviceGetMigMode")
        return Card(
            bus=bus,
            index=index,
            uuid=_text(self._of(bus, "nvmlDeviceGetUUID")) or UNKNOWN,
            model=_text(self._of(bus, "nvmlDeviceGetName")) or UNKNOWN,
            memory_bytes=None if memory is None else int(memory.total),
            mig=mode is not None and mode[0] == self._module.NVML_DEVICE_MIG_ENABLE,  # a card without MIG refuses the question
            instances=tuple(self._instances(bus)),
        )

    def _instances(self, bus: str) -> list[Instance]:
        places = self._of(bus, "nvmlDeviceGetMaxMigDeviceCount") or 0
        handles = [self._of(bus, "nvmlDeviceGetMigDeviceHandleByIndex", place) for place in range(places)]
        told = [(_text(self._ask("nvmlDeviceGetUUID", one)), _text(self._ask("nvmlDeviceGetName", one))) for one in handles if one]
        return [Instance(uuid or UNKNOWN, name or UNKNOWN) for uuid, name in told]

    def _bus(self, handle: Any) -> str | None:
        """The address as the kernel writes it: four digits of the domain, in small letters."""
        told = None if handle is None else self._ask("nvmlDeviceGetPciInfo", handle)
        found = _ADDRESS.fullmatch(_text(told.busId) or "") if told is not None else None
        return f"{int(found[1], 16):04x}:{found[2].lower()}" if found else None

    def _of(self, bus: str, question: str, *words: Any) -> Any:
        handle = self._handles.get(bus)
        return None if handle is None else self._ask(question, handle, *words)

    def _done(self, bus: str, order: str, *words: Any) -> bool:
        """Whether an order was obeyed: these answer nothing, and refuse by an error."""
        handle = self._handles.get(bus)
        try:
            if handle is not None:
                getattr(self._module, order)(handle, *words)
        except (AttributeError, self._module.NVMLError):
            return False
        return handle is not None

    def _ask(self, question: str, *words: Any) -> Any:
        try:
            return getattr(self._module, question)(*words)
        except (AttributeError, self._module.NVMLError):  # an older package, an older driver, or a card that does not tell
            return None


def _text(told: Any) -> str | None:
    """Older packages answer in bytes."""
    text = told.decode(errors="replace") if isinstance(told, bytes) else told
    return text.strip("\0 ") or None if isinstance(text, str) else None


def _whole(told: Any) -> int | None:
    return told if isinstance(told, int) and told >= 0 else None
