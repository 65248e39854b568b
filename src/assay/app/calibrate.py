"""What earlier runs teach the next comparison: the A/A evidence of a benchmark on one machine, and what follows from it."""

from collections.abc import Callable

from assay.core.aa_evidence import NEWEST, AaPair, aa_pairs
from assay.core.auto_effect import auto_effect
from assay.core.config import Benchmark, Config
from assay.core.schedule import plan_session
from assay.ports import Store

RUNS = 2 * NEWEST
"""So many runs of the benchmark itself are read, enough for as many pairs as count."""

RUNS_OF_OTHERS = 20
OTHERS = 8
"""Of so many other benchmarks of the config, so many runs each: similar metrics, on the same machine."""


def evidence(store: Store, config: Config, benchmark: Benchmark, machine: str) -> tuple[AaPair, ...]:
    """The A/A pairs of a benchmark on a machine class, then those of the others in the config, each newest first."""
    own = aa_pairs(store.recent(benchmark.name, RUNS), machine)
    others = [name for name in config.benchmarks if name != benchmark.name][:OTHERS]
    return own + tuple(pair for name in others for pair in aa_pairs(store.recent(name, RUNS_OF_OTHERS), machine))


def calibrated(store: Store, benchmark: Benchmark, alpha: float, machine: Callable[[], str]) -> tuple[Benchmark, str]:
    """The benchmark with a number for `min_effect: auto`, and what to tell of it; nothing is asked for any other one."""
    metric = benchmark.metric
    if metric is None or metric.min_effect != "auto":
        return benchmark, ""
    pairs = aa_pairs(store.recent(benchmark.name, RUNS), machine())
    found = auto_effect(pairs, benchmark.name, metric.name, plan_session(benchmark).units, alpha)
    settled = benchmark.model_copy(update={"metric": metric.model_copy(update={"min_effect": found.value})})
    return settled, found.sentence
