"""Advice on benchmarks before anything is spent, from what is stored of them."""

from collections.abc import Iterable

from assay.core.advice import Advice, advise
from assay.core.config import Benchmark, Config
from assay.errors import UsageError
from assay.ports import Store

LOOKED_AT = 20
"""So many of the newest runs of a benchmark tell what it takes."""


def advices(config: Config, chosen: Iterable[Benchmark], store: Store) -> tuple[Advice, ...]:
    """One for each of the chosen benchmarks, in their order."""
    return tuple(advise(config.benchmarks[one.name], config.machines, store.recent(one.name, LOOKED_AT)) for one in chosen)


def refuse_unfit(found: Iterable[Advice]) -> None:
    """Raises UsageError for the first that cannot be measured where the config puts it, with all of them named."""
    bad = [one for one in found if one.problem]
    if bad:
        what = "; ".join(f"{one.benchmark}{f' on {one.machine}' if one.machine else ''}: {one.problem}" for one in bad)
        hint = "Name another `machine`, or correct what `machines` says of it; `assay advise` shows more."
        raise UsageError(f"This cannot be measured: {what}.", hint=hint)
