"""The processor of the box: its model, its cores, and how many of them we may use."""

import math
import os
import re
import subprocess
from pathlib import Path

from assay.adapters.gpu_files import read_text
from assay.core.facts import Cores, known
from assay.core.model import UNKNOWN

_MODEL_KEYS = ("model name", "cpu model", "uarch", "cpu")
"""In /proc/cpuinfo: x86, MIPS, RISC-V, POWER. ARM names no model but its implementer and part."""

_ARM_KEYS = ("CPU implementer", "CPU part", "CPU variant")
_SYSCTL = "/usr/sbin/sysctl"


def cpu_model(root: Path) -> str:
    """The model as the kernel names it."""
    return _from_cpuinfo(read_text(root / "proc/cpuinfo") or "") or _sysctl("machdep.cpu.brand_string") or UNKNOWN


def cores(root: Path) -> Cores:
    """Of the box, and those that affinity and the cgroup's quota leave to us."""
    logical = os.cpu_count()
    return Cores(physical=known(_physical(root)), logical=known(logical), available=known(_available(root, logical)))


def ram_bytes() -> int | None:
    """Physical memory of the box, None where the system does not tell."""
    pages, size = (os.sysconf(name) for name in ("SC_PHYS_PAGES", "SC_PAGE_SIZE"))
    return pages * size if pages > 0 and size > 0 else None


def _physical(root: Path) -> int | None:
    """Logical cores that share a core list each other as siblings, so every distinct list is one core."""
    siblings = {read_text(path) for path in (root / "sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")}
    if siblings and None not in siblings:
        return len(siblings)
    told = _sysctl("hw.physicalcpu") or ""
    return int(told) if told.isdecimal() else None


def _from_cpuinfo(text: str) -> str | None:
    found = dict(re.findall(r"^([A-Za-z ]+?)[ \t]*:[ \t]*(\S.*?)[ \t]*$", text, re.MULTILINE))
    named = next((found[key] for key in _MODEL_KEYS if key in found), None)
    if named is None and all(key in found for key in _ARM_KEYS):
        return "ARM implementer {} part {} variant {}".format(*(found[key] for key in _ARM_KEYS))
    return named


def _sysctl(name: str) -> str | None:
    """A fact that macOS keeps nowhere but behind its own command."""
    if not Path(_SYSCTL).exists():
        return None
    try:
        done = subprocess.run([_SYSCTL, "-n", name], capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def _available(root: Path, logical: int | None) -> int | None:
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else logical
    quota = _quota(root)
    return allowed if allowed is None or quota is None else min(allowed, max(1, math.ceil(quota)))


def _quota(root: Path) -> float | None:
    """CPUs that the cgroup grants, None where it sets no limit."""
    groups = root / "sys/fs/cgroup"
    words = (read_text(groups / "cpu.max") or "").split()
    if not words:
        words = [read_text(groups / f"cpu/cpu.cfs_{name}_us") or "" for name in ("quota", "period")]
    if len(words) != 2 or not all(word.isdecimal() for word in words) or int(words[1]) == 0:
        return None
    return int(words[0]) / int(words[1])
