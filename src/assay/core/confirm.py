"""A regression that counts only once a fresh session has shown it again."""

from collections.abc import Sequence

from assay.core.compare import with_undecided
from assay.core.comparison import Comparison, Undecided
from assay.core.model import Role, Verdict
from assay.core.numbers import change


def regressions(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """What would have to be confirmed: the primary or a guard that regressed."""
    return tuple(one for one in comparisons if one.verdict is Verdict.REGRESSED and one.spec.role is not Role.SECONDARY)


def confirmed(first: Sequence[Comparison], second: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons of the first session, without the regressions that the second does not show."""
    again = {one.spec.name: one for one in second}
    held = {one.spec.name for one in regressions(second)}
    return tuple(one if one.spec.name in held or one not in regressions(first) else _alone(one, again.get(one.spec.name)) for one in first)


def sentence(first: Sequence[Comparison], second: Sequence[Comparison]) -> str:
    """What the fresh session found of the regressions; the names are untrusted."""
    again = {one.spec.name: one for one in second}
    found = [f"{one.spec.name}: {_said(again.get(one.spec.name))}" for one in regressions(first)]
    return f"A fresh session measured the regression again: {'; '.join(found)}."


def _alone(one: Comparison, other: Comparison | None) -> Comparison:
    return with_undecided(one, Undecided.UNCONFIRMED, f"{one.reason}; a fresh session did not show it again ({_said(other)})")


def _said(one: Comparison | None) -> str:
    if one is None:
        return "not measured"
    return one.verdict.value if one.relative_change is None else f"{one.verdict.value}, {change(one.relative_change)}"
