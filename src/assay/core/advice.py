"""What a benchmark will take, told before anything is spent: time and memory from past runs, a class of complexity, a fitting machine."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from statistics import median

from assay.core.config import Benchmark
from assay.core.config_machines import MachineSpec
from assay.core.envelope import Run
from assay.core.numbers import count, duration
from assay.core.schedule import plan_session
from assay.core.values import dataclass

HALF_HOUR, FOUR_HOURS = 1800.0, 14_400.0
ROOM = 1.25
"""What a process is expected to need is the most that one has needed, and a quarter more."""

_GRES = re.compile(r"gpu(?::[A-Za-z][A-Za-z0-9_.-]*)?(?::([0-9]+))?(?:\([^)]*\))?")


class Complexity(StrEnum):
    """How much a benchmark asks for: `light` a CPU for less than half an hour, `heavy` several GPUs or more than four hours."""

    LIGHT = "light"
    MEDIUM = "medium"
    HEAVY = "heavy"


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds up to the first look and to the last, and bytes of one process; None where no past run tells. `runs` told."""

    least_s: float | None = None
    most_s: float | None = None
    memory: int | None = None
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """What a benchmark will take and where it fits. `problem` says why it cannot be measured where the config puts it."""

    benchmark: str
    complexity: Complexity
    estimate: Estimate
    machine: str | None
    place: str
    reason: str
    problem: str = ""


def estimate(benchmark: Benchmark, past: Iterable[Run]) -> Estimate:
    """From clean past runs of the same model and precision and the same command; others say nothing of this one."""
    runs = [run for run in past if (run.model, run.precision, run.command) == (benchmark.model, benchmark.precision, benchmark.run)]
    seconds = [one.duration_s for run in runs for one in run.processes if one.cause is None]
    if not seconds:
        return Estimate()
    plan, each = plan_session(benchmark), median(seconds)
    setup = 2 * max((run.timings.setup_s or 0.0 for run in runs), default=0.0)
    least = setup + 2 * each * (plan.warmups + plan.looks[0] * plan.repeats)
    most = setup + each * plan.at_most
    sizes = [one.max_rss_kb * 1024 for run in runs for one in run.processes if isinstance(one.max_rss_kb, int)]
    bound = most if benchmark.max_time is None else min(most, benchmark.max_time)
    return Estimate(min(least, bound), bound, int(max(sizes) * ROOM) if sizes else None, len(runs))


def complexity(benchmark: Benchmark, found: Estimate) -> tuple[Complexity, str]:
    """The class, and the reason for it: GPUs as the config declares them, time as past runs have it, else as the config bounds it."""
    seconds = found.most_s if found.most_s is not None else benchmark.max_time
    gpu = benchmark.gpus or bool({"cuda", "metal"} & set(benchmark.needs))
    if benchmark.gpus > 1:
        return Complexity.HEAVY, f"it needs {benchmark.gpus} GPUs"
    if seconds is not None and seconds > FOUR_HOURS:
        return Complexity.HEAVY, f"it takes up to {duration(seconds)}"
    if gpu:
        return Complexity.MEDIUM, "it needs a GPU"
    if seconds is not None and seconds >= HALF_HOUR:
        return Complexity.MEDIUM, f"it takes up to {duration(seconds)}"
    if seconds is None:
        return Complexity.LIGHT, "it needs no GPU, and nothing is known of its time"
    return Complexity.LIGHT, f"it needs no GPU and takes up to {duration(seconds)}"


def advise(benchmark: Benchmark, machines: Mapping[str, MachineSpec], past: Iterable[Run]) -> Advice:
    """Where to measure a benchmark: on the machine that it names, else on the smallest that fits."""
    found = estimate(benchmark, past)
    rank, why = complexity(benchmark, found)
    name = benchmark.machine
    if name is not None and name in machines:
        problem = next(unfit(benchmark, found, machines[name]), "")
        said = "the config names it"
    else:
        name, said = _smallest(benchmark, found, machines)
        problem = said if machines and name is None and benchmark.gpus else ""
    place = place_of(machines[name]) if name else "this machine, or any runner"
    return Advice(benchmark.name, rank, found, name, place, f"{why}; {said}; {_told(found)}", problem)


def _smallest(benchmark: Benchmark, found: Estimate, machines: Mapping[str, MachineSpec]) -> tuple[str | None, str]:
    fitting = [name for name, one in machines.items() if not any(unfit(benchmark, found, one))]
    if not fitting:
        return None, "no machine of the config fits" if machines else "the config names no machines"
    sizes = {name: (gpus_of(machines[name]) or 0, memory_of(machines[name]) or 0) for name in fitting}
    return min(fitting, key=lambda name: sizes[name]), "the smallest of the config's machines that fits"


def unfit(benchmark: Benchmark, found: Estimate, machine: MachineSpec) -> Iterator[str]:
    """Why a benchmark cannot be measured on a machine. What neither says is no reason."""
    gpus, memory = gpus_of(machine), memory_of(machine)
    if gpus is not None and benchmark.gpus > gpus:
        yield f"it needs {count(benchmark.gpus, 'GPU')}, and the machine has {gpus}"
    if gpus == 0 and "cuda" in benchmark.needs:
        yield "it needs CUDA, and the machine has no GPU"
    if machine.expect.os and ("metal" in benchmark.needs) and machine.expect.os.casefold() not in ("darwin", "macos"):
        yield f"it needs Metal, and the machine runs {machine.expect.os}"
    if memory is not None and found.memory is not None and found.memory > memory:
        yield f"it needs about {size(found.memory)} of memory, and the machine has {size(memory)}"
    limit = machine.slurm.time if machine.slurm else None
    if limit is not None and found.least_s is not None and found.least_s > limit:
        yield f"it takes {duration(found.least_s)} up to its first look, and a job may take {duration(limit)}"


def gpus_of(machine: MachineSpec) -> int | None:
    """How many GPUs a benchmark gets there; None where the config does not say."""
    if machine.slurm and machine.slurm.gres:
        found = [int(number or 1) for number in _GRES.findall(machine.slurm.gres)]
        return sum(found)
    return machine.expect.count


def memory_of(machine: MachineSpec) -> int | None:
    """How much memory a benchmark gets there; None where the config does not say."""
    return (machine.slurm.memory if machine.slurm else None) or machine.expect.memory


def place_of(machine: MachineSpec) -> str:
    """The labels, the partition or the host, for people."""
    if machine.ssh:
        return f"ssh {machine.ssh.host}"
    if machine.runner == "slurm":
        partition = machine.slurm.partition if machine.slurm else None
        return f"partition {partition} of Slurm" if partition else "the default partition of Slurm"
    return f"runs on {', '.join(machine.runs_on)}"


def in_order(advices: Iterable[Advice]) -> tuple[Advice, ...]:
    """The longest first, so that none is begun last that all others have to wait for; the unknown before what is known to be short."""
    ranks = tuple(Complexity)
    return tuple(sorted(advices, key=lambda one: (-ranks.index(one.complexity), -(one.estimate.most_s or 0.0))))


def size(amount: int) -> str:
    """A size for people, in its largest unit."""
    unit, factor = next(((name, base) for name, base in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)) if amount >= base), ("kB", 1e3))
    return f"{amount / factor:.3g} {unit}"


def _told(found: Estimate) -> str:
    if not found.runs:
        return "no past run tells how long it takes"
    memory = f" and {size(found.memory)}" if found.memory else ""
    return f"{count(found.runs, 'past run')} say {duration(found.least_s or 0.0)} to {duration(found.most_s or 0.0)}{memory}"
