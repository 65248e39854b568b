"""What the kernel's files tell of accelerators, without any vendor's library: NVIDIA's driver in /proc, AMD's in /sys."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from assay.core.facts import Gpu
from assay.core.model import NONE, UNKNOWN
from assay.core.record import Absent
from assay.core.values import dataclass

_DRIVER = re.compile(r"^NVRM version:.*?\s(\d+\.\d+(?:\.\d+)*)\s", re.MULTILINE)
_MODEL = re.compile(r"^Model:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_PROPERTY = re.compile(r"^(\w+) (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GpuReading:
    """The accelerators, the version of their driver, and the CUDA toolkit of the system."""

    gpu: Gpu | Absent
    driver: str
    cuda: str


def read_gpus(root: Path, environ: Mapping[str, str], kernel: str) -> GpuReading:
    """Facts read below a root folder; devices that are there but tell nothing are `unknown`, never absent."""
    if _present(root, "proc/driver/nvidia") or any((root / "dev").glob("nvidia[0-9]*")):
        return GpuReading(_nvidia(root), _nvidia_driver(root), _cuda(root, environ))
    if _present(root, "dev/kfd"):
        gpu = _amd(root)
        return GpuReading(gpu, NONE if gpu == NONE else _amd_driver(root, kernel), NONE)
    return GpuReading(NONE, NONE, NONE)


def read_text(path: Path) -> str | None:
    """The text of a small file, without blanks around it; None where it cannot be read."""
    try:
        return path.read_text(errors="replace").strip("\0 \t\r\n")
    except OSError:
        return None


def _present(root: Path, path: str) -> bool:
    return (root / path).exists()


def _nvidia(root: Path) -> Gpu | Absent:
    texts = [read_text(path) or "" for path in sorted((root / "proc/driver/nvidia/gpus").glob("*/information"))]
    models = [found[1] if (found := _MODEL.search(text)) else UNKNOWN for text in texts]
    return together(models)


def together(models: list[str]) -> Gpu | Absent:
    """The accelerators of a box by their models; `unknown` where one of them is."""
    if not models or any(model.lower() == UNKNOWN for model in models):
        return UNKNOWN
    return Gpu(model=" + ".join(sorted(Counter(models))), count=len(models))


def _nvidia_driver(root: Path) -> str:
    found = _DRIVER.search((read_text(root / "proc/driver/nvidia/version") or "") + "\n")
    return found[1] if found else UNKNOWN


def _cuda(root: Path, environ: Mapping[str, str]) -> str:
    """The toolkit that NVIDIA's images name in their environment, else the one installed at its usual place."""
    return environ.get("CUDA_VERSION") or _toolkit(root) or UNKNOWN


def _toolkit(root: Path) -> str | None:
    try:
        version = json.loads(read_text(root / "usr/local/cuda/version.json") or "{}")["cuda"]["version"]
    except (ValueError, KeyError, TypeError):
        return None
    return version if isinstance(version, str) and version else None


def _amd(root: Path) -> Gpu | Absent:
    """AMD's compute nodes. A node without SIMD units is a CPU; where only such are listed there is no accelerator."""
    nodes = sorted((root / "sys/class/kfd/kfd/topology/nodes").glob("*/properties"))
    properties = [dict(_PROPERTY.findall(read_text(path) or "")) for path in nodes]
    if not nodes or not all(properties):
        return UNKNOWN
    found = [one for one in properties if one.get("simd_count", "0") != "0"]
    return together([_amd_model(one) for one in found]) if found else NONE


def _amd_model(properties: Mapping[str, str]) -> str:
    version = properties.get("gfx_target_version", "0")
    return UNKNOWN if version == "0" else f"AMD gfx {version} device {int(properties.get('device_id', '0')):#06x}"


def _amd_driver(root: Path, kernel: str) -> str:
    return read_text(root / "sys/module/amdgpu/version") or (UNKNOWN if kernel == UNKNOWN else f"kernel {kernel}")
