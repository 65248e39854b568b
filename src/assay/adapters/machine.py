"""Facts of the box we are on. What cannot be read is `unknown`; none of it is taken from the benchmark."""

import hashlib
import platform
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from assay.adapters import processor
from assay.adapters.container_image import image_digest
from assay.adapters.devices.local import LocalDevices
from assay.adapters.gpu_files import GpuReading, read_gpus, read_text, together
from assay.adapters.installed_python import python_on_path
from assay.core.devices import Card
from assay.core.facts import CardFacts, Cores, EnvironmentFacts, Gpu, MachineFacts, PythonFacts, known
from assay.core.model import NONE, UNKNOWN
from assay.core.record import Absent

_BOX_SALT = "assay box 1"
_BOX_DIGITS = 16
_NOISE = re.compile(r"\((?:R|TM|C)\)|\b\d+-Core\b|\bProcessor\b|\bCPU\b|@.*$|\bwith Radeon.*$", re.IGNORECASE)


class LocalMachine:
    """Satisfies `ports.Machine`. Everything is read below `root`, and once only: a box does not change under a check.

    `installed` tells the job's own Python and what is installed for it, `devices` NVIDIA's cards.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        root: Path = Path("/"),
        installed: Callable[[], tuple[str, str]] = lambda: (UNKNOWN, UNKNOWN),
        devices: LocalDevices | None = None,
    ) -> None:
        self._environ = environ
        self._root = root
        self._installed = installed
        self._devices = devices or LocalDevices(root)

    def facts(self) -> MachineFacts:
        return self._facts

    def environment(self) -> EnvironmentFacts:
        """Driver, toolkit, image and the job's Python; the lockfiles are the commit's and come from the repository."""
        return self._environment

    def python(self, env: Mapping[str, str]) -> PythonFacts:
        return python_on_path(env)

    @cached_property
    def _gpus(self) -> GpuReading:
        return _with_library(read_gpus(self._root, self._environ, platform.release() or UNKNOWN), self._devices)

    @cached_property
    def _environment(self) -> EnvironmentFacts:
        gpus = self._gpus
        image = image_digest(self._root, self._environ)
        python, packages = self._installed()
        return EnvironmentFacts(driver=gpus.driver, cuda=gpus.cuda, image_digest=image, lockfiles={}, python=python, packages=packages)

    @cached_property
    def _facts(self) -> MachineFacts:
        system, arch = platform.system().lower() or UNKNOWN, platform.machine().lower() or UNKNOWN
        cpu, cores = processor.cpu_model(self._root), processor.cores(self._root)
        library = self._devices.library
        absent: Absent = "unknown" if self._devices.present else "none"
        return MachineFacts(
            machine_class=machine_class(system, arch, cpu, cores, self._gpus.gpu),
            os=system,
            kernel=platform.release() or UNKNOWN,
            arch=arch,
            cpu=cpu,
            cores=cores,
            ram_bytes=known(processor.ram_bytes()),
            gpu=self._gpus.gpu,
            box=box_id(self._root),
            cards=tuple(map(_card_facts, self._devices.cards)) or absent,
            driver_cuda=(library.cuda if library else None) or absent,
        )


def _with_library(files: GpuReading, devices: LocalDevices) -> GpuReading:
    """With what NVIDIA's library knows and the files do not: MIG, which makes another machine of a card, and boxes without such files."""
    cards = devices.cards
    if not any(card.mig for card in cards) and (isinstance(files.gpu, Gpu) or not cards):
        return files
    names = [one.name for card in cards for one in card.instances] if any(card.mig for card in cards) else []
    told = devices.library.driver if devices.library else None
    driver = files.driver if files.driver not in (UNKNOWN, NONE) else told or UNKNOWN
    return GpuReading(together(names or [card.model for card in cards]), driver, UNKNOWN if files.cuda == NONE else files.cuda)


def _card_facts(card: Card) -> CardFacts:
    mig: Literal["on", "off", "unknown"] = "unknown" if card.mig is None else "on" if card.mig else "off"
    return CardFacts(card=card.bus, model=card.model, memory_bytes=known(card.memory_bytes), mig=mig, instances=len(card.instances))


def machine_class(system: str, arch: str, cpu: str, cores: Cores, gpu: Gpu | Absent) -> str:
    """The runner class, such as `linux-x86_64-amd-epyc-7763-4c`: the GPU's model and count where there is one, else the CPU's.

    `unknown`, which equals nothing, where any part of it is.
    """
    model, count, letter = (gpu.model, gpu.count, "x") if isinstance(gpu, Gpu) else (cpu, cores.available, "c")
    if UNKNOWN in (system, arch, model, count, gpu):
        return UNKNOWN
    return f"{_slug(system)}-{_slug(arch)}-{_slug(model)}-{count}{letter}"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9_.]+", "-", _NOISE.sub(" ", name).lower()).strip("-") or UNKNOWN


def box_id(root: Path) -> str:
    """A name for this one box that does not tell which it is: a salted hash of its machine id, else of its name and boot."""
    identity = read_text(root / "etc/machine-id")
    if not identity:
        identity = f"{platform.node()}\0{read_text(root / 'proc/sys/kernel/random/boot_id') or ''}"
    return hashlib.sha256(f"{_BOX_SALT}\0{identity}".encode()).hexdigest()[:_BOX_DIGITS]
