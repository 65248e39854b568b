"""The order in which a session's processes run, fixed before the first.

The unit of evidence is a pair: one base and one head process next to each other or, with seeds, all repeats of one seed.
"""

from assay.core.config import Benchmark, SeedRange
from assay.core.model import Side
from assay.core.sampling import looks as plan_looks
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """How many units at which looks. `seeds` is empty where the units are plain pairs of processes."""

    looks: tuple[int, ...]
    warmups: int
    seeds: tuple[int, ...] = ()
    repeats: int = 1

    @property
    def units(self) -> int:
        return self.looks[-1]

    @property
    def at_most(self) -> int:
        """Processes of both sides, warm-ups counted, if every look is reached."""
        return 2 * (self.warmups + self.units * self.repeats)

    def seed(self, unit: int) -> int | None:
        return self.seeds[unit] if self.seeds else None


def plan_session(benchmark: Benchmark) -> SessionPlan:
    """The looks and seeds of a benchmark.

    A fixed list of seeds is one look at its length; a range of seeds and plain repeats are looked at sequentially.
    Repeats of one seed are made only where the config asks for repeats by name.
    """
    seeds, repeats = benchmark.seeds, benchmark.repeats
    per_seed = repeats.min if "repeats" in benchmark.model_fields_set else 1
    if isinstance(seeds, SeedRange):
        numbers = tuple(range(seeds.start, seeds.start + seeds.max))
        return SessionPlan(plan_looks(seeds.min, seeds.max), benchmark.warmup, numbers, per_seed)
    if seeds:
        return SessionPlan((len(seeds),), benchmark.warmup, tuple(seeds), per_seed)
    return SessionPlan(plan_looks(repeats.min, repeats.max), benchmark.warmup)


def pair_order(pair: int) -> tuple[Side, Side]:
    """Base, head, head, base, …: neither side is always the second, which a warming machine would favour."""
    return (Side.BASE, Side.HEAD) if pair % 2 == 0 else (Side.HEAD, Side.BASE)


def fill(command: str, *, seed: int | None, batch: int | None, scale: float | None = None) -> str:
    """The command with `{seed}`, `{batch}` and `{scale}` replaced. Every other brace is the shell's own and stays."""
    for name, value in (("seed", seed), ("batch", batch), ("scale", scale)):
        if value is not None:
            command = command.replace(f"{{{name}}}", f"{value:g}" if isinstance(value, float) else str(value))
    return command


def full_command(benchmark: Benchmark, seed: int | None) -> str:
    """What a full run of the benchmark executes."""
    scaled = benchmark.pilot is not None and benchmark.pilot.scale is not None
    return fill(benchmark.run, seed=seed, batch=benchmark.batch.size if benchmark.batch else None, scale=1.0 if scaled else None)


def pilot_command(benchmark: Benchmark, seed: int | None) -> str:
    """What its pilot executes; the same where it has none."""
    pilot = benchmark.pilot
    batch = benchmark.batch.size if benchmark.batch else None
    return fill((pilot.run if pilot else None) or benchmark.run, seed=seed, batch=batch, scale=pilot.scale if pilot else None)


def pilot_timeout(benchmark: Benchmark) -> float:
    """Seconds that the pilot may take."""
    return (benchmark.pilot.timeout if benchmark.pilot else None) or benchmark.timeout
