"""Where a result stands among the stored runs of its benchmark: typical or not, and which way things have been going."""

from collections.abc import Iterator
from statistics import median

from assay.core.change_points import find_changes
from assay.core.envelope import Run
from assay.core.fusion import statistics
from assay.core.fusion.statistics import rounded
from assay.core.model import Direction
from assay.core.numbers import centre
from assay.core.timestamp import moment
from assay.core.values import dataclass

POINTS = 40
STEPS = 2


@dataclass(frozen=True, slots=True)
class Point:
    """One earlier run: the centre of one metric, and how many samples it stands for. `mainline` is whether it was a base."""

    run_id: str
    commit: str
    day: str
    value: float
    n: int
    mainline: bool


@dataclass(frozen=True, slots=True)
class Past:
    """Earlier clean runs of the benchmark under the same conditions, newest first; `total` is how many there are."""

    runs: tuple[Run, ...] = ()
    total: int = 0


def past_of(stored: tuple[Run, ...], head: Run | None) -> Past:
    """Of all stored runs of a benchmark those that head may be held against: clean, before it, same machine, model and config."""
    if head is None:
        return Past()
    fitting = tuple(run for run in stored if _fits(run, head))
    return Past(fitting[:POINTS], len(fitting))


def _fits(run: Run, head: Run) -> bool:
    same = (run.machine.machine_class, run.model, run.precision) == (head.machine.machine_class, head.model, head.precision)
    earlier = run.session_id != head.session_id and run.run_id < head.run_id
    return run.clean and same and earlier and run.command == head.command


@dataclass(frozen=True, slots=True)
class Today:
    """What is held against the past: the metric, and the centres of the two sides. `base_commit` is base's full sha."""

    metric: str
    better: Direction | None
    base: float | None
    head: float | None
    base_commit: str


def history_facts(past: Past, today: Today) -> dict[str, object]:
    """The primary metric's past as the digest has it, oldest value first."""
    points = tuple(reversed([point for run in past.runs for point in _points(run, today.metric)]))
    mainline = tuple(point.value for point in points if point.mainline)
    every = tuple(point.value for point in points)
    return {
        "runs": len(points),
        "runs_stored": past.total,
        "first_day": points[0].day if points else None,
        "last_day": points[-1].day if points else None,
        "values": [rounded(point.value) for point in points],
        "range": [rounded(min(every)), rounded(max(every))] if every else None,
        "mainline": _mainline(mainline),
        "head": _standing(every, today.head, today.better),
        "same_base": _same_base(points, today),
        "same_commit_spread": rounded(_between_sessions(points)),
    }


def _points(run: Run, metric: str) -> Iterator[Point]:
    values = tuple(sample.value for sample in run.samples_of(metric))
    middle = centre(values)
    if middle is not None:
        yield Point(run.run_id, run.commit, f"{moment(run.finished_at):%Y-%m-%d}", middle, len(values), run.base is None)


def _mainline(values: tuple[float, ...]) -> dict[str, object] | None:
    """How the bases have been going."""
    trend = statistics.drift(values)
    if not values:
        return None
    return {
        "n": len(values),
        "median": rounded(median(values)),
        "range": [rounded(min(values)), rounded(max(values))],
        "trend": {"change": rounded(trend.change), "p": rounded(trend.p)} if trend else None,
        "steps": _steps(values),
    }


def _steps(values: tuple[float, ...]) -> list[dict[str, object]]:
    """The newest change points: what level the bases came from, which they went to, and how many runs ago."""
    return [
        {
            "runs_ago": len(values) - one.index,
            "before": rounded(one.before),
            "after": rounded(one.after),
            "change": rounded(one.relative_change),
        }
        for one in find_changes(values).change_points[-STEPS:]
    ]


def _same_base(points: tuple[Point, ...], today: Today) -> dict[str, object] | None:
    """What earlier sessions measured of the very commit that is base today: its code is the same, so all else should be."""
    values = tuple(point.value for point in points if point.commit == today.base_commit)
    if not values or today.base is None:
        return None
    middle = median(values)
    return {
        "n": len(values),
        "median": rounded(middle),
        "range": [rounded(min(values)), rounded(max(values))],
        "today_against_median": rounded(today.base / middle - 1.0) if middle else None,
    }


def _standing(values: tuple[float, ...], head: float | None, better: Direction | None) -> dict[str, object] | None:
    """How many earlier values head beats."""
    if not values or head is None or better is None:
        return None
    beaten = sum((value > head) if better is Direction.LOWER else (value < head) for value in values)
    best = min(values) if better is Direction.LOWER else max(values)
    return {"beats": beaten, "of": len(values), "best_before": rounded(best)}


def _between_sessions(points: tuple[Point, ...]) -> float | None:
    """The relative spread of centres of one commit over several sessions: what changes although the code does not."""
    by_commit: dict[str, list[float]] = {}
    for point in points:
        by_commit.setdefault(point.commit, []).append(point.value)
    spreads = [
        found.spread
        for values in by_commit.values()
        if len(values) > 1 and (found := statistics.describe(values)) and found.spread is not None
    ]
    return median(spreads) if spreads else None
