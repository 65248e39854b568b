"""Which benchmarks a worker must leave to others, since they belong on another machine than the one it is on."""

from collections.abc import Callable, Mapping

from assay.core.config import Config
from assay.core.expectation import mismatch
from assay.core.facts import MachineFacts


def elsewhere(config: Config, here: str | None, facts: Callable[[], MachineFacts]) -> Mapping[str, str]:
    """Why each of them is left alone, by its name. `here` is the machine of the config that this is, where somebody said so."""
    found = {}
    for name, benchmark in config.benchmarks.items():
        machine = config.machines.get(benchmark.machine) if benchmark.machine else None
        if machine is None:
            continue
        if benchmark.machine != here and (here or machine.runner != "local"):
            found[name] = f"it belongs on {benchmark.machine}, and this is {here or 'not said to be that'}"
        elif problem := mismatch(machine.expect, facts()):
            found[name] = f"this is not the machine {benchmark.machine}: {problem}"
    return found
