"""The first offline analyst: how large the effect is, how surely, and whether it matters. From the digest alone."""

from collections.abc import Iterator

from assay.core import numbers
from assay.core.fusion.answer import Answer, Position
from assay.core.fusion.reading import Table, comparisons_of, interval_of, next_steps, number, primary_of, table, text
from assay.core.model import Verdict

_MARGIN = 0.5  # of a limit: a guard that has used up more of it deserves a word


def effect(digest: Table) -> Answer:
    """What the decision rests on, in numbers that count."""
    every = comparisons_of(digest)
    primary = primary_of(digest)
    if primary is None or number(primary, "change") is None:
        return _without_numbers(digest, primary)
    guards = [one for one in every if one["role"] == "guard"]
    return Answer(
        verdict=(_verdict(primary),),
        why=(*_size(primary), *_agreement(primary), *(_guard(one) for one in guards), *_secondary(every)),
        to_do=next_steps(digest),
        uncertain=tuple(_open_questions(primary, guards)),
        position=_position(primary, guards),
    )


def _without_numbers(digest: Table, primary: Table | None) -> Answer:
    decision = table(digest, "decision")
    name = f" on `{text(primary, 'metric')}`" if primary else ""
    why = text(primary, "reason") if primary else ""
    return Answer(
        verdict=(f"Of an effect{name} nothing is known: {text(decision, 'reason')}",),
        why=(why,) if why and why != text(decision, "reason") else (),
        to_do=next_steps(digest),
        uncertain=("Without numbers of both sides nothing is known of the effect.",),
        position=Position.SUPPORTS,
    )


def _verdict(one: Table) -> str:
    """The finding with its practical meaning."""
    name, change, bounds = f"`{text(one, 'metric')}`", number(one, "change") or 0.0, interval_of(one)
    said = f"{name} {moved(change)}"
    if bounds:
        sure = numbers.percent(number(one, "confidence") or 0.0)
        said += f" (between {numbers.change(bounds[0])} and {numbers.change(bounds[1])} at {sure} confidence)"
    return f"{said}: {_meaning(one, bounds)}"


def moved(change: float) -> str:
    """`fell by 3 %`, in words that say nothing of better or worse."""
    if change == 0:
        return "did not move"
    return f"{'rose' if change > 0 else 'fell'} by {numbers.percent(abs(change))}"


def _meaning(one: Table, bounds: tuple[float, float] | None) -> str:
    counts = numbers.percent(number(one, "min_effect") or 0.0)
    verdict = one["verdict"]
    if verdict == Verdict.UNCHANGED:
        return f"no difference of {counts} or more, in either direction."
    if verdict == Verdict.UNDECIDED:
        return f"the data leave open whether that is a change of {counts} or more."
    good = "better" if verdict == Verdict.IMPROVED else "worse"
    if bounds and min(abs(bounds[0]), abs(bounds[1])) >= (number(one, "min_effect") or 0.0):
        return f"{good}, and even the weaker end of the interval is beyond the {counts} that count."
    return f"{good}; the estimate is beyond the {counts} that count, the weaker end of the interval is not."


def _size(one: Table) -> Iterator[str]:
    """The change in the metric's own unit."""
    base, head = number(table(one, "base"), "centre"), number(table(one, "head"), "centre")
    difference = number(one, "difference")
    if base is None or head is None or difference is None:
        return
    unit = f" {text(one, 'unit')}" if text(one, "unit") else ""
    more = "more" if difference > 0 else "less"
    apart = f", {numbers.number(abs(difference))}{unit} {more}" if difference else ", the same"
    yield f"`{text(one, 'metric')}` went from {numbers.number(base)} to {numbers.number(head)}{unit}{apart}."


def _agreement(one: Table) -> Iterator[str]:
    """Whether the single values tell the same story as their means."""
    share = number(one, "head_better_in_pairs")
    if share is None:
        return
    if share in (0.0, 1.0):
        yield f"Every single head value is {'better' if share else 'worse'} than every base value."
    else:
        yield f"A head value is better than a base value in {numbers.percent(share)} of all pairs of them."


def _guard(one: Table) -> str:
    name, change, limit = f"`{text(one, 'metric')}`", number(one, "change"), number(one, "max_regression")
    allowed = "" if limit is None else f" of the {numbers.percent(limit)} that its limit allows"
    if change is None:
        return f"Guard {name} has no comparison: {text(one, 'reason')}"
    if one["verdict"] == Verdict.REGRESSED:
        return f"Guard {name} {moved(change)}, which is worse than the limit allows."
    return f"Guard {name} {moved(change)}, {_harm_of(one, change)}{allowed if _harmful(one, change) else ''}."


def _harm_of(one: Table, change: float) -> str:
    return "which uses up a part" if _harmful(one, change) else "which is no harm"


def _harmful(one: Table, change: float) -> bool:
    return change != 0 and (change > 0) is (one["better"] == "lower")


def _secondary(every: list[Table]) -> Iterator[str]:
    """The secondary metric that moved most, where its interval leaves zero."""
    for one in every:
        bounds, change = interval_of(one), number(one, "change")
        if one["role"] == "secondary" and bounds and change is not None and bounds[0] * bounds[1] > 0:
            yield f"Of the other metrics `{text(one, 'metric')}` moved most: it {moved(change)}."
            return


def _open_questions(primary: Table, guards: list[Table]) -> Iterator[str]:
    for one in filter(_close_to_its_limit, guards):
        used, limit = number(one, "change") or 0.0, number(one, "max_regression") or 0.0
        yield f"Guard `{text(one, 'metric')}` has little room left: {numbers.change(used)} where {numbers.percent(limit)} are allowed."
    for one in (primary, *guards):
        name = f"`{text(one, 'metric')}`"
        excluded = number(one, "harm_excluded")
        if one["verdict"] == Verdict.UNDECIDED and excluded is not None:
            yield f"{name}: harm beyond {numbers.percent(excluded)} is excluded, smaller harm is not."
        elif one["verdict"] == Verdict.UNDECIDED:
            yield f"{name}: no size of harm is excluded."
    bounds = interval_of(primary)
    if bounds and primary["verdict"] in (Verdict.IMPROVED, Verdict.REGRESSED):
        ends = f"{numbers.change(bounds[0])} and {numbers.change(bounds[1])}"
        yield f"How large the effect on `{text(primary, 'metric')}` is: anything between {ends} fits the data."


def _position(primary: Table, guards: list[Table]) -> Position:
    if primary["verdict"] == Verdict.UNDECIDED and primary.get("undecided_because") in ("samples", "time"):
        return Position.CANNOT_TELL
    return Position.DOUBTS if any(map(_close_to_its_limit, guards)) else Position.SUPPORTS


def _close_to_its_limit(guard: Table) -> bool:
    used, limit = number(guard, "change"), number(guard, "max_regression")
    if used is None or not limit or guard["verdict"] == Verdict.REGRESSED:
        return False
    return _harmful(guard, used) and abs(used) > _MARGIN * limit
