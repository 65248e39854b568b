"""Many jobs of one order: benchmarks × baselines × parameters × seeds, each with an id of its own."""

import re
from collections.abc import Callable, Mapping
from itertools import product

from assay.core.config import Benchmark, SeedRange
from assay.core.queue.model import PARAMETER, RESERVED, VALUE, Job, JobKind
from assay.core.queue.refusals import FanOutError
from assay.core.values import dataclass

MAX_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be queued. `commits` are the full ids of the baselines; an empty `seeds` means those of each benchmark's config.

    `together` makes one job of all seeds, which a check can reuse as it is.
    """

    benchmarks: tuple[Benchmark, ...]
    commits: tuple[str | None, ...] = (None,)
    seeds: tuple[int, ...] = ()
    parameters: Mapping[str, tuple[str, ...]] | None = None
    command: str | None = None
    batch: int | None = None
    priority: int = 0
    by: str | None = None
    together: bool = False
    model: str | None = None
    precision: str | None = None


def fan_out(order: Order, new_id: Callable[[], str], now: str) -> tuple[Job, ...]:
    """The jobs of an order, a pilot before the runs that wait for it. Raises FanOutError."""
    parameters = dict(order.parameters or {})
    for name, values in parameters.items():
        _check(name, values)
    made: list[Job] = []
    for benchmark, commit, chosen in product(order.benchmarks, order.commits, product(*parameters.values())):
        made += _of_one(order, benchmark, commit, dict(zip(parameters, chosen, strict=True)), new_id, now)
        if len(made) > MAX_AT_ONCE:
            raise FanOutError(f"More than {MAX_AT_ONCE} jobs would be queued at once.", hint="Queue them in parts.")
    return tuple(made)


def filled(command: str, parameters: Mapping[str, str]) -> str:
    """The command with the names of parameters replaced. Seed and batch are filled in when it runs."""
    for name, value in parameters.items():
        command = command.replace(f"{{{name}}}", value)
    return command


def parameters_of(words: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Parameters as they stand on a command line, each `name=value,value`. Raises FanOutError."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or name in found:
            raise FanOutError(f"--param {word[:80]!r} is not understood.", hint="Write each once, such as --param lr=0.1,0.01")
        found[name] = tuple(values.split(","))
    return found


def _of_one(
    order: Order, benchmark: Benchmark, commit: str | None, parameters: Mapping[str, str], new_id: Callable[[], str], now: str
) -> list[Job]:
    command = order.command or benchmark.run
    for name in parameters:
        if f"{{{name}}}" not in command:
            raise FanOutError(f"The command of {benchmark.name} has no {{{name}}}.", hint=f"Put {{{name}}} where its value belongs.")
    seeds = _seeds(order, benchmark, command)
    batch = benchmark.batch
    model = Job(
        job_id="model",
        benchmark=benchmark.name,
        commit=commit,
        command=order.command,
        parameters=dict(parameters),
        model=order.model,
        precision=order.precision,
        priority=order.priority,
        batch_size=order.batch or (batch.size if batch else None),
        min_batch=batch.min if batch else None,
        oom_retries=(batch.retries if batch.on_oom == "halve" else 0) if batch else None,
        enqueued_at=now,
        by=order.by,
    )
    pilot = [model.model_copy(update={"job_id": new_id(), "kind": JobKind.PILOT, "seed": seeds[0]})] if benchmark.pilot else []
    after = pilot[0].job_id if pilot else None
    return [*pilot, *(model.model_copy(update={"job_id": new_id(), "seed": seed, "after": after}) for seed in seeds)]


def _seeds(order: Order, benchmark: Benchmark, command: str) -> tuple[int | None, ...]:
    configured = benchmark.seeds
    if order.seeds:
        if "{seed}" not in command:
            raise FanOutError(f"The command of {benchmark.name} has no {{seed}}.", hint="Put {seed} where the seed belongs.")
        return order.seeds
    if configured is None or order.together:
        return (None,)
    return tuple(range(configured.start, configured.start + configured.min)) if isinstance(configured, SeedRange) else configured


def _check(name: str, values: tuple[str, ...]) -> None:
    if not re.fullmatch(PARAMETER, name) or name in RESERVED:
        raise FanOutError(f"{name[:60]!r} is no name for a parameter.", hint="Lower-case letters, digits and _; not seed, batch or scale.")
    for value in values:
        if not re.fullmatch(VALUE, value):
            allowed = "A value stands in a shell command, so it has letters, digits and _ . / : + - = alone."
            raise FanOutError(f"{value[:60]!r} is no value for {name}.", hint=allowed)
    if len(set(values)) < len(values):
        raise FanOutError(f"{name} has a value twice.", hint="Each gives jobs of its own.")
