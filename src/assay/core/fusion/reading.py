"""Reading a digest: it is JSON, made by us, and still every look into it says what it expects there."""

from collections.abc import Mapping
from typing import Any

Table = Mapping[str, Any]


def table(whole: Table, key: str) -> Table:
    """The object under a key, an empty one where there is none."""
    found = whole.get(key)
    return found if isinstance(found, Mapping) else {}


def tables(whole: Table, key: str) -> list[Table]:
    """The objects of a list under a key."""
    found = whole.get(key)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def number(whole: Table, key: str) -> float | None:
    """The number under a key, None for anything else."""
    found = whole.get(key)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def text(whole: Table, key: str) -> str:
    """The text under a key, empty for anything else."""
    found = whole.get(key)
    return found if isinstance(found, str) else ""


def texts(whole: Table, key: str) -> list[str]:
    """The texts of a list under a key."""
    found = whole.get(key)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def comparisons_of(digest: Table) -> list[Table]:
    """The primary first, then guards, then the others."""
    return tables(digest, "comparisons")


def primary_of(digest: Table) -> Table | None:
    """The comparison that decides, if there is one."""
    return next((one for one in comparisons_of(digest) if one.get("role") == "primary"), None)


def interval_of(comparison: Table) -> tuple[float, float] | None:
    """The interval of a comparison's change."""
    ends = comparison.get("interval")
    return (float(ends[0]), float(ends[1])) if isinstance(ends, list) else None


def own_words(digest: Table) -> list[str]:
    """What the decision says of itself, the longest first: words that may be said again, whatever they contain."""
    decision = table(digest, "decision")
    said = [text(decision, key) for key in ("reason", "next_step", "title")] + [text(one, "reason") for one in comparisons_of(digest)]
    return sorted({one.strip() for one in said if one.strip()}, key=len, reverse=True)


def next_steps(digest: Table) -> tuple[str, ...]:
    """What the decision tells its reader to do, if anything."""
    step = text(table(digest, "decision"), "next_step")
    return (step,) if step else ()
