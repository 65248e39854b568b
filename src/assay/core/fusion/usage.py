"""What analyses cost: tokens and, where it is known, money."""

from collections.abc import Iterable

from assay.core import numbers
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one attempt or of a whole analysis. `cost` is in US dollars, None where nobody said or can compute it."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write

    def to_json(self) -> dict[str, object]:
        """As a manifest has it."""
        return {
            "input": self.input,
            "output": self.output,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "total": self.total,
            "cost": self.cost,
        }


def total(usages: Iterable[Usage]) -> Usage:
    """All of them together; the cost is that of those which have one, None where none has."""
    every = tuple(usages)
    costs = [one.cost for one in every if one.cost is not None]
    return Usage(
        input=sum(one.input for one in every),
        output=sum(one.output for one in every),
        cache_read=sum(one.cache_read for one in every),
        cache_write=sum(one.cache_write for one in every),
        cost=sum(costs) if costs else None,
    )


def said(usage: Usage, *, models: bool = False) -> str:
    """For the foot of a report. `models` is whether any was asked, for not all of them tell what they cost."""
    if not usage.total:
        return "what it cost is not known" if models else "no model was asked"
    money = "" if usage.cost is None else f", {usage.cost:.4f} US dollars"
    return f"{numbers.count(usage.total, 'token')}{money}"
