"""Whether a machine is the one that the config expects."""

from assay.core.config_machines import Expect
from assay.core.facts import Gpu, MachineFacts
from assay.core.model import UNKNOWN

ENOUGH = 0.9
"""Of the memory that is expected: what a kernel keeps for itself is missing from what it reports."""


def mismatch(expect: Expect, facts: MachineFacts) -> str:
    """What is otherwise than expected, in a few words; empty where nothing is. What cannot be read is not what was expected."""
    gpu = facts.gpu if isinstance(facts.gpu, Gpu) else None
    wanted = {
        "operating system": (expect.os, facts.os),
        "architecture": (expect.arch, facts.arch),
        "CPU": (expect.cpu, facts.cpu),
        "GPU": (expect.gpu, gpu.model if gpu else str(facts.gpu)),
    }
    for what, (want, got) in wanted.items():
        if want is not None and want.casefold() not in got.casefold():
            return f"{what} {want} is expected, and this is {got}"
    count = gpu.count if gpu else 0
    if expect.count is not None and count != expect.count:
        return f"{expect.count} GPUs are expected, and there are {count}"
    if expect.memory is not None and (facts.ram_bytes == UNKNOWN or facts.ram_bytes < expect.memory * ENOUGH):
        return f"{expect.memory} bytes of memory are expected, and there are {facts.ram_bytes}"
    return ""
