"""What a selftest tells: numbers as JSON, the same as lines for a person, and what to change to see less or more."""

import math
from collections.abc import Iterator, Mapping, Sequence

from assay.core import numbers
from assay.core.aa_evidence import AaPair
from assay.core.location import median
from assay.core.selftest import FalseAlarms
from assay.core.values import dataclass

SCHEMA = "assay.selftest/1"

ENOUGH = 1.25
"""A benchmark that sees this many times its `min_effect` sees it well enough: the rest is the roughness of the estimate."""

MOST_UNITS = 200
"""More units than this are no advice."""

PARTIAL = 3.0
"""From so many standard errors on the two sides of equal code are not treated alike."""


@dataclass(frozen=True, slots=True)
class Selftest:
    """One benchmark tested on itself.

    `units` are those of a whole session, `pairs` its evidence within and between sessions; `smallest_visible`, `min_effect` and
    `alpha` are fractions; `note` says where an `auto` came from. With a `failure` nothing else is known; it is `starved` where
    that is a lack of time or samples.
    """

    name: str
    commit: str
    sessions: int
    metric: str = ""
    directed: bool = True
    units: int = 0
    seeded: bool = False
    alpha: float = 0.05
    min_effect: float = 0.01
    note: str = ""
    alarms: FalseAlarms | None = None
    smallest_visible: float | None = None
    pairs: tuple[AaPair, ...] = ()
    seconds: float = 0.0
    run_ids: tuple[str, ...] = ()
    failure: str = ""
    starved: bool = False

    @property
    def inside(self) -> tuple[AaPair, ...]:
        """The pairs of which both sides were measured in turn."""
        return tuple(pair for pair in self.pairs if pair.same_session)

    @property
    def between(self) -> tuple[float, ...]:
        """The sizes of the changes between sessions."""
        return tuple(abs(pair.change) for pair in self.pairs if not pair.same_session)

    @property
    def partiality(self) -> float:
        """By how many of its standard errors the mean difference of head from base is away from nothing."""
        weighed = [(pair.change, pair.error**-2) for pair in self.inside if pair.error]
        weight = math.fsum(one for _, one in weighed)
        return math.fsum(change * one for change, one in weighed) / math.sqrt(weight) if weight else 0.0


def as_json(commit: str, found: Sequence[Selftest]) -> dict[str, object]:
    """The one document that `assay selftest --json` prints."""
    return {"schema": SCHEMA, "commit": commit, "benchmarks": [_json(one) for one in found]}


def as_text(found: Sequence[Selftest]) -> str:
    """The same for a person, without a final line break."""
    return "\n".join(line for one in found for line in _lines(one))


def advice(one: Selftest) -> tuple[str, ...]:
    """What to change to see less or more, the most useful first."""
    return tuple(_advice(one))


def _json(one: Selftest) -> Mapping[str, object]:
    alarms = one.alarms
    return {
        "name": one.name,
        "metric": one.metric or None,
        "sessions": one.sessions,
        "units": one.units,
        "alpha": one.alpha,
        "min_effect": one.min_effect,
        "false_alarms": {
            "sessions": alarms.sessions,
            "observed": alarms.observed,
            "interval": list(alarms.interval),
            "worse": alarms.worse,
            "better": alarms.better,
            "namings": alarms.namings,
        }
        if alarms
        else None,
        "smallest_visible": one.smallest_visible,
        "within_sessions": [[pair.change, pair.error] for pair in one.inside],
        "between_sessions": list(one.between),
        "advice": list(advice(one)),
        "seconds": round(one.seconds, 3),
        "run_ids": list(one.run_ids),
        "reason": one.failure or one.note or None,
    }


def _lines(one: Selftest) -> Iterator[str]:
    amount = f"{numbers.count(one.sessions, 'A/A session')} of {numbers.count(one.units, 'seed' if one.seeded else 'pair')}"
    yield f"{one.name}: {amount} at {one.commit[:10]}, {numbers.duration(one.seconds)}" if not one.failure else f"{one.name}: failed"
    if one.failure:
        yield f"  {one.failure}"
        return
    if one.alarms:
        yield from _alarm_lines(one, one.alarms)
    if one.directed and one.alarms:
        yield f"  sees            {_seen(one)}; min_effect is {numbers.percent(one.min_effect)}"
    if one.between:
        sizes = f"{numbers.percent(median(one.between))} as a rule, {numbers.percent(max(one.between))} at most"
        yield f"  between         sessions of this code differed by {sizes}"
    if one.note:
        yield f"  note            {one.note}"
    yield from (f"  {'to change' if index == 0 else '':<16}{text}" for index, text in enumerate(advice(one)))


def _alarm_lines(one: Selftest, alarms: FalseAlarms) -> Iterator[str]:
    low, high = (numbers.percent(end) for end in alarms.interval)
    seen = f"{alarms.observed} of {numbers.count(alarms.sessions, 'session')}"
    yield f"  false alarms    {seen}: a true rate of {low} to {high}, with 95 % confidence"
    shares = f"{numbers.percent(alarms.worse)} called worse, {numbers.percent(alarms.better)} better"
    yield f"                  {shares}, of {alarms.namings} namings of these pairs; alpha is {numbers.percent(one.alpha)}"


def _seen(one: Selftest) -> str:
    if one.smallest_visible is None:
        return "no regression up to 90 % four times in five"
    return f"a regression of {numbers.percent(one.smallest_visible)}, four times in five"


def _advice(one: Selftest) -> Iterator[str]:
    if one.failure:
        return
    if not one.directed:
        yield "Say which way the metric is better (`better: lower` or `higher`): without that nothing is ever better or worse."
    elif one.note:
        yield "More `repeats`, more work in one process or a quieter machine lower what it sees, and `auto` with that."
    elif one.smallest_visible is None or one.smallest_visible > ENOUGH * one.min_effect:
        yield from _to_see_less(one)
    elif one.alarms:
        yield "It sees its `min_effect`. To see less, lower `min_effect`, or make it `auto`."
    if one.alarms and one.alarms.worse > one.alpha:
        yield "False alarms are more frequent than alpha allows: a quieter machine, more `warmup`, or a larger `min_effect`."
    if abs(one.partiality) >= PARTIAL:
        yield "Base and head of the same code differ in the same direction: something treats the two worktrees differently."
    if one.between and max(one.between) > 2.0 * one.min_effect:
        most = numbers.percent(max(one.between))
        yield f"Compare within one session, as `assay check` does: across sessions {most} has been mere noise."


def _to_see_less(one: Selftest) -> Iterator[str]:
    effect, unit = numbers.percent(one.min_effect), "seeds" if one.seeded else "repeats"
    times = math.inf if one.smallest_visible is None else (one.smallest_visible / one.min_effect) ** 2
    if times * one.units <= MOST_UNITS:
        needed = math.ceil(times * one.units)
        how = f"`{unit}: {{max: {needed}}}`" if not one.seeded else f"{needed} {unit}"
        yield f"To see {effect}, take about {how}, a quieter machine, or more work in one process."
    else:
        yield f"To see {effect} this machine is too noisy for this benchmark: more work in one process, or a quieter machine."
    if one.smallest_visible is not None:
        yield f"Or ask for no more than it can see: `min_effect: {_rounded_up(one.smallest_visible)}`."


def _rounded_up(fraction: float) -> str:
    unit = 10.0 ** (math.floor(math.log10(fraction)) - 1)
    return numbers.percent(math.ceil(fraction / unit - 1e-9) * unit).replace(" ", "")
