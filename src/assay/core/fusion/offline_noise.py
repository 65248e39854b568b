"""The second offline analyst: whether the numbers can be trusted. Spread, drift, outliers, modes, and if there are enough of them."""

from collections.abc import Iterator

from assay.core import numbers
from assay.core.fusion.answer import Answer, Position
from assay.core.fusion.reading import Table, interval_of, next_steps, number, primary_of, table, text, texts

DRIFT_P = 0.01
"""A trend within a side is told below this: two sides of two metrics are looked at, and a false alarm costs trust."""

UNEVEN = 3.0
"""One side spread so many times as widely as the other is a finding of its own."""

_FEW = 4
_PAIRS_WORTH_ASKING_FOR = 100


def noise(digest: Table) -> Answer:
    """How far the evidence carries."""
    primary = primary_of(digest)
    base, head = (table(primary or {}, side) for side in ("base", "head"))
    if primary is None or not number(base, "n") or not number(head, "n"):
        return _nothing_to_judge(digest)
    doubts = tuple(_doubts(primary, digest))
    return Answer(
        verdict=(_verdict(primary, doubts),),
        why=(*_counts(base, head), *_spread(primary, base, head), *_calm(base, head, doubts)),
        to_do=tuple(_to_do(primary)) or next_steps(digest),
        uncertain=(*doubts, *_resolution(primary)),
        position=_position(primary, doubts),
    )


def _nothing_to_judge(digest: Table) -> Answer:
    return Answer(
        verdict=("There is no noise to judge: at least one side has no values of the primary metric.",),
        why=tuple(texts(digest, "warnings")[:2]),
        to_do=next_steps(digest),
        uncertain=("Whether the change has an effect is not known from this run.",),
        position=Position.SUPPORTS if text(table(digest, "decision"), "outcome") == "errored" else Position.CANNOT_TELL,
    )


def _verdict(one: Table, doubts: tuple[str, ...]) -> str:
    name = f"`{text(one, 'metric')}`"
    if doubts:
        flaws = "a flaw" if len(doubts) == 1 else "flaws"
        return f"The numbers of {name} have {flaws} that a reader should know of."
    if one["verdict"] == "undecided":
        return f"The numbers of {name} are sound as far as they go, and too few or too noisy for an answer."
    return f"The numbers of {name} are sound: nothing in their spread or order speaks against the answer."


def _counts(base: Table, head: Table) -> Iterator[str]:
    ours, theirs = int(number(base, "n") or 0), int(number(head, "n") or 0)
    if ours == theirs:
        yield f"Each side has {numbers.count(ours, 'value')}, measured in turns."
    else:
        yield f"Base has {numbers.count(ours, 'value')}, head has {numbers.count(theirs, 'value')}."


def _spread(one: Table, base: Table, head: Table) -> Iterator[str]:
    ours, theirs = number(base, "spread"), number(head, "spread")
    if ours is None or theirs is None:
        return
    if ours == theirs == 0:
        yield "The values of each side are all equal, so there is no noise at all."
        return
    yield f"One value spreads by {numbers.percent(ours)} around its mean on base and by {numbers.percent(theirs)} on head."
    half = number(one, "interval_half_width")
    if half:
        yield f"All of them together pin the change of `{text(one, 'metric')}` down to ±{numbers.percent(half)}."


def _calm(base: Table, head: Table, doubts: tuple[str, ...]) -> Iterator[str]:
    """What was looked for and not found, which is evidence too."""
    if not doubts and base.get("drift") and head.get("drift"):
        yield "Neither side drifts with time, and no value stands apart from the others."


def _doubts(one: Table, digest: Table) -> Iterator[str]:
    base, head = table(one, "base"), table(one, "head")
    yield from _drifts(base, head)
    yield from _apart("base", base)
    yield from _apart("head", head)
    yield from _split("base", base)
    yield from _split("head", head)
    yield from _uneven(base, head)
    if min(number(base, "n") or 0, number(head, "n") or 0) < _FEW:
        yield "A side with so few values shows little of its own noise."
    differing = texts(table(digest, "environment"), "differences")
    if differing:
        yield f"The surroundings of the two sides differ: {', '.join(differing[:5])}."
    if one.get("undecided_because") == "sides not isolated":
        yield "What the set-up of one side changed was seen by the other, so the difference may not be the change's."


def _drifts(base: Table, head: Table) -> Iterator[str]:
    for name, side in (("base", base), ("head", head)):
        found = table(side, "drift")
        change, p = number(found, "change"), number(found, "p")
        if change is not None and p is not None and p < DRIFT_P and change:
            gone = f"{numbers.change(change)} from first to last, p = {numbers.number(p)}"
            yield f"The values of {name} drift in the order of measuring: {gone}."


def _apart(name: str, side: Table) -> Iterator[str]:
    found = side.get("outliers")
    if isinstance(found, list) and found:
        said = ", ".join(numbers.number(float(one)) for one in found)
        stands = "a value far from the others" if len(found) == 1 else "values far from the others"
        yield f"On {name} there {'is' if len(found) == 1 else 'are'} {stands}: {said}."


def _split(name: str, side: Table) -> Iterator[str]:
    if (number(side, "modes") or 1) > 1:
        yield f"The values of {name} gather around two levels, so that their mean is typical of neither."


def _uneven(base: Table, head: Table) -> Iterator[str]:
    ours, theirs = number(base, "spread") or 0.0, number(head, "spread") or 0.0
    if min(ours, theirs) > 0 and max(ours, theirs) > UNEVEN * min(ours, theirs):
        wider = "head" if theirs > ours else "base"
        yield f"The two sides are not equally noisy; {wider} is the wider one."


def _to_do(one: Table) -> Iterator[str]:
    pairs = number(one, "more_pairs")
    if one["verdict"] == "undecided" and pairs and pairs <= _PAIRS_WORTH_ASKING_FOR:
        yield f"About {numbers.count(int(pairs), 'more pair')} would settle it: raise `repeats.max`, or make the benchmark quieter."


def _resolution(one: Table) -> Iterator[str]:
    """What could have hidden in this much noise."""
    bounds, counts = interval_of(one), number(one, "min_effect")
    half = number(one, "interval_half_width")
    found = one["verdict"] in ("improved", "regressed")
    if bounds and half and counts and half > counts and not found:
        yield f"A change of {numbers.percent(counts)} can hide in this: the numbers tell changes apart only to ±{numbers.percent(half)}."


def _position(one: Table, doubts: tuple[str, ...]) -> Position:
    if one["verdict"] == "undecided":
        return Position.CANNOT_TELL if one.get("undecided_because") in ("samples", "time") else Position.SUPPORTS
    return Position.DOUBTS if doubts else Position.SUPPORTS
