"""A percentile interval by resampling, the same every time: what is drawn follows from the samples alone."""

import hashlib
import struct
from collections.abc import Iterator, Sequence

from assay.core.location import mean

RESAMPLES = 2000


def attainable(n: int, alpha: float) -> bool:
    """Whether `n` values can be resampled to this level: their most extreme resample must be rarer than a tail."""
    return n >= 2 and float(n) ** -n <= 0.5 * alpha


def interval(base: Sequence[float], head: Sequence[float], alpha: float) -> tuple[float, float]:
    """The difference of the means, head less base, at the confidence 1 - `alpha` (B. Efron, Annals of Statistics 7 (1979) 1)."""
    draws = _draws((*base, *head))
    changes = sorted(_resampled(head, draws) - _resampled(base, draws) for _ in range(RESAMPLES))
    low = int(0.5 * alpha * RESAMPLES)
    return changes[low], changes[RESAMPLES - 1 - low]


def _resampled(values: Sequence[float], draws: Iterator[int]) -> float:
    n = len(values)
    return mean([values[next(draws) % n] for _ in range(n)])


def _draws(values: Sequence[float]) -> Iterator[int]:
    """Endless whole numbers of 32 bits that look random and follow from the values."""
    seed = hashlib.sha256(struct.pack(f"<{len(values)}d", *values)).digest()
    block = 0
    while True:
        yield from struct.unpack("<8I", hashlib.sha256(seed + block.to_bytes(8, "little")).digest())
        block += 1
