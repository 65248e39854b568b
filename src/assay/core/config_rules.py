"""Rules between the keys of a config, as pure functions that yield what is broken."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pydantic_core import PydanticCustomError

from assay.core.fusion.routes import parse_route
from assay.core.values import dataclass

if TYPE_CHECKING:
    from assay.core.config import Benchmark, Config
    from assay.core.config_machines import MachineSpec
    from assay.core.config_parts import Batch, Pilot, Repeats, SeedRange
    from assay.core.config_sections import FusionConfig


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: where, below the section that was checked, and the whole sentence."""

    at: tuple[str, ...]
    text: str


def enforce(violations: Iterator[Violation]) -> None:
    """Raise all of them as one pydantic error of the type `rules`."""
    found = tuple(violations)
    if found:
        sentences = "; ".join(one.text for one in found).replace("{", "{{").replace("}", "}}")
        raise PydanticCustomError("rules", sentences, {"violations": found})


def limits_rules(limits: "Repeats | SeedRange") -> Iterator[Violation]:
    if limits.min > limits.max:
        yield Violation(("min",), f"min is {limits.min}, above max, which is {limits.max}")


def batch_rules(batch: "Batch") -> Iterator[Violation]:
    if batch.min > batch.size:
        yield Violation(("min",), f"min is {batch.min}, above size, which is {batch.size}")


def machine_rules(machine: "MachineSpec") -> Iterator[Violation]:
    """Each runner has a section of its own, and says what it needs."""
    if machine.runner == "local" and not machine.runs_on:
        yield Violation(("runs_on",), "runs_on is missing: the labels of the runner, as in runs_on: [self-hosted, gpu]")
    if machine.runner == "ssh" and machine.ssh is None:
        yield Violation(("ssh",), "the runner is ssh, but no host is given: add ssh: {host: gpu-box}")
    for name in ("slurm", "ssh"):
        if getattr(machine, name) is not None and machine.runner != name:
            yield Violation((name,), f"{name} goes with runner: {name}, and the runner is {machine.runner}")


def pilot_rules(pilot: "Pilot") -> Iterator[Violation]:
    if (pilot.run is None) == (pilot.scale is None):
        yield Violation((), "a pilot has either a command of its own, run, or a scale of the benchmark's command")


def fusion_rules(fusion: "FusionConfig") -> Iterator[Violation]:
    if fusion.quorum > len(fusion.candidates):
        yield Violation(("quorum",), f"quorum is {fusion.quorum}, but there are only {len(fusion.candidates)} candidates")
    for text in fusion.candidates:
        yield from _route_rules("candidates", text, candidate=True)
    yield from _route_rules("evaluator", fusion.evaluator, candidate=False)
    yield from _route_rules("merger", fusion.merger, candidate=False)


def _route_rules(key: str, text: str, *, candidate: bool) -> Iterator[Violation]:
    try:
        parse_route(text, candidate=candidate)
    except ValueError as error:
        yield Violation((key,), f'"{text}" {error}')


def benchmark_rules(benchmark: "Benchmark") -> Iterator[Violation]:
    yield from _placeholder_rules(benchmark)
    yield from _pilot_rules(benchmark)
    yield from _seed_rules(benchmark)
    yield from _metric_rules(benchmark)


def _placeholder_rules(benchmark: "Benchmark") -> Iterator[Violation]:
    if "{seed}" in benchmark.run and not benchmark.seeds:
        yield Violation(("run",), "run has {seed}, but there are no seeds to fill it: add seeds: [13, 42, 123]")
    if "{batch}" in benchmark.run and benchmark.batch is None:
        yield Violation(("run",), "run has {batch}, but there is no batch to fill it: add batch: {size: 128}")


def _pilot_rules(benchmark: "Benchmark") -> Iterator[Violation]:
    pilot = benchmark.pilot
    if pilot is not None and pilot.scale is not None and "{scale}" not in benchmark.run:
        yield Violation(("pilot", "scale"), "scale has no place in run: put {scale} there, or give the pilot a run of its own")


def _seed_rules(benchmark: "Benchmark") -> Iterator[Violation]:
    seeds = benchmark.seeds if isinstance(benchmark.seeds, tuple) else ()
    twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
    if twice:
        yield Violation(("seeds",), f"seeds has {', '.join(map(str, twice))} more than once, which is no further evidence")


def _metric_rules(benchmark: "Benchmark") -> Iterator[Violation]:
    primary = benchmark.metric.name if benchmark.metric else None
    for section, names in (("guards", benchmark.guards), ("secondary", benchmark.secondary)):
        if primary in names:
            yield Violation((section, str(primary)), f"{primary} is the primary metric and cannot stand under {section} as well")
    for name in benchmark.guards.keys() & benchmark.secondary.keys():
        yield Violation(("secondary", name), f"{name} is a guard already and cannot stand under secondary as well")
    yield from _dialect_rules(benchmark, primary)


def _dialect_rules(benchmark: "Benchmark", primary: str | None) -> Iterator[Violation]:
    places = [("metric", "name")] * bool(primary) + [("guards", name) for name in benchmark.guards]
    places += [("secondary", name) for name in benchmark.secondary]
    for section, last in places:
        name = str(primary) if section == "metric" else last
        if benchmark.dialect == "strict" and not name.isascii():
            yield Violation((section, last), f"{name} can be printed in the wide dialect only: add dialect: wide")


def config_rules(config: "Config") -> Iterator[Violation]:
    for name, benchmark in config.benchmarks.items():
        machine = benchmark.machine
        if machine is None or not config.machines or machine in config.machines:
            continue
        near = get_close_matches(machine, config.machines, n=1)
        known = f"Did you mean {near[0]}?" if near else f"machines has {', '.join(config.machines)}."
        yield Violation(("benchmarks", name, "machine"), f"{machine} is not among machines. {known}")
