"""All numbers of a digest, each with what it is a number of: whose metric, which side, a share, a count, or in the metric's unit."""

import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from assay.core.fusion.reading import Table, comparisons_of, number, text
from assay.core.values import dataclass

GENERAL = ""
"""The scope of what belongs to no metric."""


class Kind(StrEnum):
    """What a number is, which says how it may be written."""

    SIGNED_SHARE = "signed share"
    SHARE = "share"
    LEVEL = "level"
    CHANCE = "chance"
    COUNT = "count"
    VALUE = "value"
    RATIO = "ratio"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class Known:
    """One number. `side` is base, head or empty; `name` is its key, by which nouns find counts and pairs find each other."""

    value: float
    kind: Kind
    scope: str
    side: str
    name: str
    unit: str


_KINDS = {
    **dict.fromkeys(("change", "interval", "today_against_median"), Kind.SIGNED_SHARE),
    **dict.fromkeys(
        (
            *("interval_half_width", "min_effect", "max_regression", "harm_excluded", "spread", "limit"),
            *("head_better_in_pairs", "same_commit_spread"),
        ),
        Kind.SHARE,
    ),
    "p": Kind.CHANCE,
    **dict.fromkeys(("confidence", "alpha"), Kind.LEVEL),
    **dict.fromkeys(
        (
            *("n", "more_pairs", "processes", "warmups", "runs", "runs_stored", "beats", "of", "files", "paths", "runs_considered"),
            *("metrics_left_out", "by_rung", "cores_available", "runs_ago", "modes", "added", "removed", "changed", "binary_files"),
        ),
        Kind.COUNT,
    ),
    "ratio": Kind.RATIO,
    "seconds_each": Kind.SECONDS,
}

_TIME = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_TIME_WORDS = {
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("millisecond", "milliseconds", "msec"), "ms"),
    **dict.fromkeys(("microsecond", "microseconds"), "us"),
    **dict.fromkeys(("minute", "minutes", "mins"), "min"),
    **dict.fromkeys(("hour", "hours"), "h"),
}


def in_seconds(unit: str) -> float | None:
    """How many seconds a unit of time is, None for what is none."""
    return _TIME.get(_TIME_WORDS.get(unit.lower(), unit))


def known_numbers(digest: Table) -> tuple[Known, ...]:
    """Every number of the digest. Those of the history belong to the primary metric."""
    found: list[Known] = []
    primary = ""
    for one in comparisons_of(digest):
        metric = text(one, "metric")
        primary = primary or metric
        found += _walk(one, metric, "", "", text(one, "unit"))
        found += _limits(one, metric)
    history = digest.get("history")
    unit = next((text(one, "unit") for one in comparisons_of(digest)), "")
    if isinstance(history, Mapping):
        found += _walk(history, primary, "", "", unit)
    for name, part in digest.items():
        if name not in ("comparisons", "guards", "history", "warnings", "excerpts"):
            found += _walk(part, GENERAL, "", name, "")
    return tuple(found)


def _limits(comparison: Table, metric: str) -> Iterator[Known]:
    """A limit may be written with the sign of harm: no more than +5 % of a time, -5 % of a throughput."""
    harm = 1.0 if comparison.get("better") == "lower" else -1.0
    for key in ("max_regression", "harm_excluded"):
        if (limit := number(comparison, key)) is not None:
            yield Known(harm * limit, Kind.SIGNED_SHARE, metric, "", key, "")


def _walk(part: Any, scope: str, side: str, name: str, unit: str) -> Iterator[Known]:
    if isinstance(part, Mapping):
        for key, value in part.items():
            inner = key if key in ("base", "head") and isinstance(value, Mapping) and scope and "n" in value else side
            inner = key if key in ("base", "head") and name == "commits" else inner
            yield from _walk(value, scope, inner, name if name == "by_rung" else str(key), unit)
    elif isinstance(part, list):
        for value in part:
            yield from _walk(value, scope, side, name, unit)
    elif isinstance(part, int | float) and not isinstance(part, bool) and math.isfinite(part):
        yield Known(float(part), _KINDS.get(name, Kind.VALUE), scope, side, name, unit)
