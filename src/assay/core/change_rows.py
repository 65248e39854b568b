"""One JSON line of `assay changes` to its answer: strict in what it takes, complete in what it says."""

from assay.core.change_points import ChangePoint, find_changes
from assay.core.json_rows import BadRowError, any_direction, ident, numbers, object_on
from assay.core.model import Direction, Verdict
from assay.core.values import dataclass
from assay.errors import UsageError

KEYS = ("id", "direction", "values")
SHAPE = "{id, direction, values[]}, the values oldest first"


@dataclass(frozen=True, slots=True)
class History:
    """One metric over time, oldest value first. Without a direction a step is a step and no verdict."""

    id: str | int
    direction: Direction | None
    values: tuple[float, ...]


def read_history(text: str, where: str) -> History:
    """The history on one line. `where` names the line, as `file:LINE`.

    Raises UsageError with the place, what is wrong and what is expected.
    """
    try:
        value = object_on(text.rstrip(), KEYS)
        return History(ident(value["id"]), any_direction(value["direction"]), numbers(value, "values"))
    except BadRowError as error:
        raise UsageError(f"{where}: {error}", hint=f"Expected one JSON object a line: {SHAPE}") from None


def changes_in(history: History) -> dict[str, object]:
    """The answer as JSON has it. An index counts from 0; that of a change point is the first value of the new level."""
    found = find_changes(history.values)
    return {
        "id": history.id,
        "change_points": [_point(one, history.direction) for one in found.change_points],
        "noise_changes": [_point(one, history.direction) for one in found.noise_changes],
        "outliers": list(found.outliers),
        "modes": found.modes,
    }


def _point(found: ChangePoint, better: Direction | None) -> dict[str, object]:
    return {
        "index": found.index,
        "before": found.before,
        "after": found.after,
        "relative_change": found.relative_change,
        "verdict": _verdict(found.before, found.after, better),
    }


def _verdict(before: float, after: float, better: Direction | None) -> str | None:
    if better is None or before == after:
        return None
    worse = (after > before) is (better is Direction.LOWER)
    return (Verdict.REGRESSED if worse else Verdict.IMPROVED).value
