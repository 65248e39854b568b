"""How widely single units of a metric spread within earlier sessions on this class of machines, whatever their code was."""

import math
from collections.abc import Iterable, Iterator

from assay.core.envelope import Run
from assay.core.location import mean
from assay.core.noise import Pairs

LEAST_UNITS = 3
"""Fewer values of a session say too little about its spread."""


def unit_variances(runs: Iterable[Run], metric: str, machine_class: str) -> tuple[float, ...]:
    """The variance of the logarithm of single values, one for each clean run without seeds that has some."""
    return tuple(_variances(runs, metric, machine_class))


def steadying(variances: Iterable[float], units: int) -> Pairs:
    """These variances as the standard errors that the change between two samples of so many units would have."""
    return tuple((0.0, math.sqrt(2.0 * variance / units)) for variance in variances)


def _variances(runs: Iterable[Run], metric: str, machine_class: str) -> Iterator[float]:
    for run in runs:
        values = [sample.value for sample in run.samples_of(metric)]
        fits = run.clean and not run.seeds and run.machine.machine_class == machine_class
        if fits and len(values) >= LEAST_UNITS and min(values) > 0.0:
            logs = [math.log(value) for value in values]
            middle = mean(logs)
            yield math.fsum([(one - middle) ** 2 for one in logs]) / (len(logs) - 1)
