"""The third offline analyst: whether the result fits what earlier runs of the benchmark have shown on this machine."""

import math
from collections.abc import Iterator

from assay.core import numbers
from assay.core.fusion.answer import Answer, Position
from assay.core.fusion.reading import Table, next_steps, number, primary_of, table, tables, text

TREND_P = 0.05
FEW = 3
"""Fewer earlier runs are no history."""

TIMES = 3.0
"""So many times the ordinary spread is out of the ordinary."""


def history(digest: Table) -> Answer:
    """Where base and head stand among the stored runs."""
    past, primary = table(digest, "history"), primary_of(digest)
    runs = int(number(past, "runs") or 0)
    if primary is None or runs < FEW:
        return _no_history(digest, runs)
    name = f"`{text(primary, 'metric')}`"
    unusual = tuple(_unusual(past, primary))
    return Answer(
        verdict=(_verdict(name, past, unusual),),
        why=(*_standing(name, past), *_mainline(past), *_sessions(past, primary), *_reuse(digest)),
        to_do=next_steps(digest),
        uncertain=unusual or _what_history_lacks(past),
        position=Position.DOUBTS if unusual else Position.SUPPORTS,
    )


def _no_history(digest: Table, runs: int) -> Answer:
    stored = f"{'only ' if runs else ''}{numbers.count(runs, 'earlier run') if runs else 'no earlier run'}"
    return Answer(
        verdict=(f"History says nothing: of this benchmark under these conditions the store has {stored}.",),
        why=tuple(_reuse(digest)),
        to_do=next_steps(digest),
        uncertain=("Whether this session was a typical one is not known.",),
        position=Position.CANNOT_TELL,
    )


def _verdict(name: str, past: Table, unusual: tuple[str, ...]) -> str:
    runs = numbers.count(int(number(past, "runs") or 0), "earlier run")
    if unusual:
        return f"Set against {runs}, this session of {name} is not a typical one."
    return f"The result of {name} fits what {runs} have shown."


def _standing(name: str, past: Table) -> Iterator[str]:
    found = table(past, "head")
    beats, of, best = number(found, "beats"), number(found, "of"), number(found, "best_before")
    if beats is None or of is None or best is None:
        return
    if beats == of:
        yield f"Head has the best {name} of all stored runs; the best before was {numbers.number(best)}."
    elif beats == 0:
        yield f"Every stored run has a better {name} than head, or the same; the best was {numbers.number(best)}."
    else:
        yield f"Head has a better {name} than {int(beats)} of {numbers.count(int(of), 'stored run')}; the best was {numbers.number(best)}."


def _mainline(past: Table) -> Iterator[str]:
    """How the bases have been going."""
    found = table(past, "mainline")
    trend = table(found, "trend")
    change, p = number(trend, "change"), number(trend, "p")
    runs = numbers.count(int(number(found, "n") or 0), "earlier base run")
    if steps := tables(found, "steps"):
        yield from map(_step, steps)
        return
    if change is None or p is None:
        return
    if p < TREND_P and change:
        yield f"Over {runs} the base itself has moved by {numbers.change(change)} in all, p = {numbers.number(p)}."
    else:
        yield f"Over {runs} the base shows no trend."


def _step(step: Table) -> str:
    """A change point of the bases."""
    before, after = (numbers.number(number(step, key) or 0.0) for key in ("before", "after"))
    ago = numbers.count(int(number(step, "runs_ago") or 0), "base run")
    change = number(step, "change")
    size = f" of {numbers.change(change)}" if change is not None else ""
    return f"The base made a step{size} {ago} ago, from {before} to {after}."


def _sessions(past: Table, primary: Table) -> Iterator[str]:
    spread, change = number(past, "same_commit_spread"), number(primary, "change")
    if spread is None or change is None:
        return
    yield f"Between sessions, the same commit has differed by {numbers.percent(spread)}."


def _reuse(digest: Table) -> Iterator[str]:
    found = table(digest, "reuse")
    age = text(found, "age")
    if found.get("reused"):
        yield f"The numbers are those of a stored run{f', {age}' if age else ''}; nothing was measured now."


def _unusual(past: Table, primary: Table) -> Iterator[str]:
    """The same commit measured otherwise than in earlier sessions: then something else than the change has moved."""
    found = table(past, "same_base")
    away, sessions = number(found, "today_against_median"), int(number(found, "n") or 0)
    if away is None or abs(away) <= _ordinary(past, primary):
        return
    before = numbers.count(sessions, "earlier session")
    yield (
        f"The base commit is the one of {before}, and yet it measures {numbers.change(away)} against their median of "
        f"{numbers.number(number(found, 'median') or 0.0)}: the machine or its surroundings have changed."
    )


def _ordinary(past: Table, primary: Table) -> float:
    """How far two sessions of one commit may lie apart before it is worth a word."""
    base = table(primary, "base")
    spread, count = number(base, "spread") or 0.0, number(base, "n") or 1.0
    of_means = spread * math.sqrt(2.0 / count)
    return max(number(primary, "min_effect") or 0.0, TIMES * of_means, TIMES * (number(past, "same_commit_spread") or 0.0))


def _what_history_lacks(past: Table) -> tuple[str, ...]:
    if number(past, "same_commit_spread") is None:
        return ("No commit was measured in more than one session yet, so the spread between sessions is not known.",)
    return ()
