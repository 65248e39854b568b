"""A/A sessions judged: how often the user's own policy raises a false alarm, and what it can see.

Within a pair of equal code it is chance which side is called base. So each session is judged anew under many other namings
of its pairs, by the looks and levels of a check: each is an A/A session as good as the one that was measured. With head made
worse by a known factor, the same tells what would be seen.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.core.comparison import Comparison
from assay.core.config import Benchmark
from assay.core.evidence import WALL_TIME, ProcessRecord
from assay.core.judge import Evidence, compare_all, settled, specs_of
from assay.core.model import Completed, Direction, Metric, MetricReading, MetricSpec, Role, Side, Verdict
from assay.core.sampling import Level, spend
from assay.core.values import dataclass

NAMINGS = 128
"""So many namings of each session are judged, all of them where there are no more."""

SEEN = 0.8
FINEST, COARSEST = 1e-4, 0.9
"""Between these relative sizes the smallest visible change is looked for."""

_STEPS = 10
_FEWER = 4  # of the namings each so many-th is enough to see a power by

Values = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class AaSession:
    """One session with the same code on both sides: for each metric that judges, its values by unit on both sides, in order."""

    values: tuple[Values, ...]

    @property
    def units(self) -> int:
        return min((min(len(base), len(head)) for base, head in self.values), default=0)


@dataclass(frozen=True, slots=True)
class Gate:
    """How a check judges a benchmark: its primary metric and guards, at these looks, with this level for all looks together.

    `better` is the direction of a bare command's metric. The benchmark's `min_effect` is a number.
    """

    benchmark: Benchmark
    primary: str
    better: Direction | None
    looks: tuple[int, ...]
    alpha: float

    @property
    def specs(self) -> tuple[MetricSpec, ...]:
        """The metrics that judge, the primary one first."""
        return tuple(spec for spec in specs_of(self.benchmark, self.primary, (), self.better) if spec.role is not Role.SECONDARY)

    def verdicts(self, session: AaSession) -> tuple[Verdict, ...]:
        """What a check would have ended with: at the first look that settles it, else at the last."""
        base, head = (_records(session, self.specs, side) for side in Side)
        found: tuple[Comparison, ...] = ()
        for look, level in zip(self.looks, spend(self.looks, self.alpha), strict=True):
            evidence = Evidence(base[:look], head[:look])
            found = compare_all(self.benchmark, self.primary, self.better, evidence, Level(level, self.alpha))
            if settled(found) or look >= session.units:
                break
        return tuple(one.verdict for one in found if one.spec.role is not Role.SECONDARY)


def _records(session: AaSession, specs: Sequence[MetricSpec], side: Side) -> tuple[ProcessRecord, ...]:
    """The values of a side as if one process a unit had printed them."""
    columns = [sides[0 if side is Side.BASE else 1] for sides in session.values]
    rows = [{spec.name: column[unit] for spec, column in zip(specs, columns, strict=True)} for unit in range(session.units)]
    return tuple(ProcessRecord(side, unit, unit, None, _printed(row)) for unit, row in enumerate(rows))


def _printed(values: Mapping[str, float]) -> Completed:
    metrics = tuple(Metric(name, value) for name, value in values.items() if name != WALL_TIME)
    reading = MetricReading(metrics, {metric.name: (metric.value,) for metric in metrics})
    return Completed(0, None, None, "", values.get(WALL_TIME, 0.0), "", "", truncated=False, log_file="", reading=reading)


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """How often equal code was called worse, or better, by a whole check.

    `observed` counts the sessions as they were measured, `interval` is where their true rate lies with 95 % confidence.
    `worse` and `better` are shares of all namings, of which there were `namings`.
    """

    sessions: int
    observed: int
    interval: tuple[float, float]
    worse: float
    better: float
    namings: int


def false_alarms(gate: Gate, sessions: Sequence[AaSession]) -> FalseAlarms:
    """The false alarms of a gate on sessions of equal code, at least one."""
    observed = sum(any(verdict in _ALARMS for verdict in gate.verdicts(session)) for session in sessions)
    judged = [gate.verdicts(one) for session in sessions for one in _namings(session)]
    worse = sum(Verdict.REGRESSED in verdicts for verdicts in judged)
    better = sum(verdicts[0] is Verdict.IMPROVED for verdicts in judged)
    interval = share_interval(observed, len(sessions))
    return FalseAlarms(len(sessions), observed, interval, worse / len(judged), better / len(judged), len(judged))


def smallest_visible(gate: Gate, sessions: Sequence[AaSession]) -> float | None:
    """The smallest change for the worse that is called a regression four times in five; None where none up to 90 % is."""
    primary = gate.specs[0]
    if primary.better is None:
        return None
    alone = replace(gate, benchmark=gate.benchmark.model_copy(update={"guards": {}}), alpha=gate.alpha / len(gate.specs))
    named = [AaSession(one.values[:1]) for session in sessions for one in list(_namings(session))[::_FEWER]]

    def seen(size: float) -> bool:
        found = sum(alone.verdicts(_worsened(one, primary, size))[0] is Verdict.REGRESSED for one in named)
        return found >= SEEN * len(named)

    return _least(seen)


def share_interval(count: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a share of which `count` in `total` were seen (C. J. Clopper and E. S. Pearson, 1934)."""
    tail = 0.5 * (1.0 - confidence)
    low = 0.0 if count == 0 else _root(lambda p: _at_least(count, total, p) - tail)
    high = 1.0 if count == total else _root(lambda p: tail - _at_least(total - count, total, 1.0 - p))
    return low, high


_ALARMS = (Verdict.REGRESSED, Verdict.IMPROVED)


def _namings(session: AaSession) -> Iterator[AaSession]:
    """The session with its sides called by other names, pair by pair; of two that mirror each other both."""
    every = 2**session.units
    for number in range(min(NAMINGS, every)):
        yield _named(session, number if every <= NAMINGS else _bits(number, session.units))


def _bits(number: int, count: int) -> int:
    """As good as chance, and the same every time: so many bits of a hash."""
    return int.from_bytes(hashlib.shake_256(f"naming {number}".encode()).digest(count // 8 + 1)) >> (8 - count % 8)


def _named(session: AaSession, swaps: int) -> AaSession:
    def swapped(sides: Values) -> Values:
        pairs = [(head, base) if swaps >> unit & 1 else (base, head) for unit, (base, head) in enumerate(zip(*sides, strict=False))]
        return tuple(base for base, _ in pairs), tuple(head for _, head in pairs)

    return AaSession(tuple(map(swapped, session.values)))


def _worsened(session: AaSession, spec: MetricSpec, size: float) -> AaSession:
    """Head worse by a fraction of the base: where values are positive each by a factor, else all by the same amount."""
    base, head = session.values[0]
    step = size if spec.better is Direction.LOWER else -size
    if min(*base, *head) > 0.0:
        return AaSession(((base, tuple(value * (1.0 + step) for value in head)),))
    shift = step * abs(math.fsum(base) / len(base))
    return AaSession(((base, tuple(value + shift for value in head)),))


def _least(seen: Callable[[float], bool]) -> float | None:
    """The smallest size that is seen, by halving on the logarithm; its upper end, with a relative error of about 1 %."""
    if not seen(COARSEST):
        return None
    low, high = math.log(FINEST), math.log(COARSEST)
    if seen(FINEST):
        return FINEST
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if seen(math.exp(middle)) else (middle, high)
    return math.exp(high)


def _at_least(count: int, total: int, p: float) -> float:
    return math.fsum(math.comb(total, k) * p**k * (1.0 - p) ** (total - k) for k in range(count, total + 1))


def _root(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rising(middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)
