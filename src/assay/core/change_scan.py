"""Where the distribution of a series changes: cut wherever it might, then join whatever cannot be told apart."""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from statistics import median

from assay.core.change_distance import RANK_WEIGHT, difference, level_of, levels_of

MIN_SEGMENT = 4
"""Fewer points than these are outliers, never a level of their own."""

LEVELS = 32
"""A scan compares the shares of values below so many levels; more hardly find more."""

SUSPECT = 1.4
WORTH = 0.6
"""A first cut is made wherever the difference is at least SUSPECT, as in a tenth to a half of equal code, and this share of what
is needed; later most are joined again."""

THRESHOLD = 1.35
PER_LENGTH = 0.04
PER_SHARE = 0.2
"""A border stays where the difference reaches THRESHOLD + PER_LENGTH ln(n / 20) + PER_SHARE ln(n / shorter side): the longer
the series and the shorter the stretch, the more places there were to find such a difference by chance."""

_ROUNDS = 6


def segments(values: Sequence[float]) -> list[int]:
    """The indexes at which a new stretch begins, ascending: cut, moved and joined until nothing changes, at most six times."""
    cuts = sorted(_suspects(values))
    for _ in range(_ROUNDS):
        before = list(cuts)
        _tidy(values, cuts)
        cuts = sorted([*cuts, *_missed(values, cuts)])
        if cuts == before:
            return cuts
    _tidy(values, cuts)
    return cuts


def _tidy(values: Sequence[float], cuts: list[int]) -> None:
    """Move the cuts, take out what is none, and let those that are left move again without it."""
    _settle(values, cuts)
    _join(values, cuts)
    _settle(values, cuts)


def best_split(values: Sequence[float]) -> tuple[float, int] | None:
    """The split that makes both sides differ most, with that difference; None for a stretch too short or without variation."""
    n = len(values)
    levels = levels_of(values, LEVELS)
    if n < 2 * MIN_SEGMENT or not levels:
        return None
    places = [level_of(levels, value) for value in values]
    below = _shares(places, len(levels))
    score = [len(levels) - place for place in places]
    mean = sum(score) / n
    weight = RANK_WEIGHT / math.sqrt(math.fsum((one - mean) ** 2 for one in score) / (n - 1))
    found, at = max(_differences(places, below, [weight * (one - mean) for one in score]))
    return found, -at


def _differences(places: list[int], below: list[float], ranks: list[float]) -> Iterator[tuple[float, int]]:
    """The difference of each possible split, with minus its index, so that of equal ones the first is the largest."""
    n = len(places)
    seen = [0] * len(below)
    drift = 0.0
    for k in range(1, n - MIN_SEGMENT + 1):
        for level in range(places[k - 1], len(below)):
            seen[level] += 1
        drift += ranks[k - 1]
        if k >= MIN_SEGMENT:
            apart = max(abs(count - k * share) for count, share in zip(seen, below, strict=True))
            yield math.sqrt(n / (k * (n - k))) * max(apart, abs(drift)), -k


def _shares(places: list[int], levels: int) -> list[float]:
    counts = [0] * (levels + 1)
    for place in places:
        counts[place] += 1
    shares, total = [], 0
    for count in counts[:levels]:
        total += count
        shares.append(total / len(places))
    return shares


def _suspects(values: Sequence[float]) -> Iterator[int]:
    waiting = [(0, len(values))]
    while waiting:
        start, end = waiting.pop()
        split = best_split(values[start:end])
        if split and split[0] >= max(SUSPECT, WORTH * _needed(len(values), min(split[1], end - start - split[1]))):
            middle = start + split[1]
            yield middle
            waiting += [(start, middle), (middle, end)]


def _settle(values: Sequence[float], cuts: list[int]) -> None:
    """Move each cut to where its two neighbours differ most, and then to where their levels part."""
    for position in range(len(cuts)):
        start, end = _around(values, cuts, position)
        split = best_split(values[start:end])
        if split:
            cuts[position] = start + _precisely(values[start:end], split[1])


def _precisely(values: Sequence[float], split: int) -> int:
    """Where the values stop being nearer to the median of one side than to that of the other, both medians taken anew."""
    for _ in range(_ROUNDS):
        low, high = median(values[:split]), median(values[split:])
        gains = list(accumulate((abs(value - low) - abs(value - high) for value in values), initial=0.0))
        moved = min(range(MIN_SEGMENT, len(values) - MIN_SEGMENT + 1), key=lambda k: (gains[k], abs(k - split)))
        if moved == split:
            break
        split = moved
    return split


def _join(values: Sequence[float], cuts: list[int]) -> None:
    """Take out the weakest cut, as long as it is not significant."""
    scores = [_significance(values, cuts, position) for position in range(len(cuts))]
    while cuts:
        weakest = min(range(len(cuts)), key=scores.__getitem__)
        if scores[weakest] >= 1.0:
            return
        del cuts[weakest], scores[weakest]
        for position in (weakest - 1, weakest):
            if 0 <= position < len(cuts):
                scores[position] = _significance(values, cuts, position)


def _missed(values: Sequence[float], cuts: list[int]) -> Iterator[int]:
    """Cuts within a stretch that joining has made visible."""
    for start, end in pairwise((0, *cuts, len(values))):
        split = best_split(values[start:end])
        if split and significance(values[start : start + split[1]], values[start + split[1] : end], len(values)) >= 1.0:
            yield start + split[1]


def _significance(values: Sequence[float], cuts: list[int], position: int) -> float:
    start, end = _around(values, cuts, position)
    return significance(values[start : cuts[position]], values[cuts[position] : end], len(values))


def significance(before: Sequence[float], after: Sequence[float], n: int) -> float:
    """The difference of two neighbouring stretches of a series of n values as a multiple of what is needed."""
    return difference(before, after) / _needed(n, min(len(before), len(after)))


def _needed(n: int, shorter: int) -> float:
    return THRESHOLD + PER_LENGTH * math.log(n / 20) + PER_SHARE * math.log(n / shorter)


def _around(values: Sequence[float], cuts: list[int], position: int) -> tuple[int, int]:
    """The start of the stretch before a cut and the end of the one after it."""
    start = cuts[position - 1] if position else 0
    end = cuts[position + 1] if position + 1 < len(cuts) else len(values)
    return start, end
