"""One JSON line of `assay compare` to its answer: strict in what it takes, complete in what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from assay.core.compare import Pairing, compare
from assay.core.comparison import Comparison
from assay.core.estimate import units_of_evidence
from assay.core.further import further
from assay.core.json_rows import BadRowError, direction, ident, kind_of, list_of, number, numbers, object_on
from assay.core.model import Direction, MetricSpec, Role
from assay.core.noise import Noise, Pairs
from assay.core.suite import overruled, shared_shift
from assay.core.values import dataclass
from assay.errors import UsageError

MIN_EFFECT = 0.01
REQUIRED = ("id", "direction", "base", "head")
OPTIONAL = ("block", "paired", "min_effect", "history", "aa", "aa_similar")
SHAPE = "{id, direction, base[], head[], block?, paired?, min_effect?, history[]?, aa[]?, aa_similar[]?}"


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison to be made.

    `aa` are changes (with their standard errors, where known) between earlier sessions of equal code, `aa_similar` those of
    other metrics of this kind. `history` are earlier values of the metric, oldest first.
    """

    id: str | int
    direction: Direction
    base: tuple[float, ...]
    head: tuple[float, ...]
    block: int = 1
    paired: bool = False
    min_effect: float = MIN_EFFECT
    history: tuple[float, ...] = ()
    aa: Pairs = ()
    aa_similar: Pairs = ()


def read_row(text: str, where: str) -> Row:
    """The row on one line. `where` names the line, as `file:LINE`.

    Raises UsageError with the place, what is wrong and what is expected.
    """
    try:
        return _row(object_on(text.rstrip(), REQUIRED, OPTIONAL))
    except BadRowError as error:
        raise UsageError(f"{where}: {error}", hint=f"Expected one JSON object a line: {SHAPE}") from None


def compared(row: Row, alpha: float) -> Comparison:
    """The row's samples compared at the level `alpha`."""
    pairing = Pairing.PAIRED if row.paired else Pairing.NONE
    spec = MetricSpec("", Role.PRIMARY, row.direction, min_effect=row.min_effect)
    noise = Noise(row.aa, row.aa_similar, row.history)
    return compare(spec, row.base, row.head, alpha=alpha, pairing=pairing, block=row.block, noise=noise)


def answer(row: Row, alpha: float) -> dict[str, object]:
    """The answer to a row as JSON has it."""
    return as_answer(row, compared(row, alpha))


def as_answer(row: Row, found: Comparison) -> dict[str, object]:
    """A comparison as JSON has it. `n` counts units of evidence, that is blocks; `interval` and `p` are null where there are none."""
    return {
        "id": row.id,
        "verdict": found.verdict.value,
        "relative_change": found.relative_change,
        "interval": list(found.interval) if found.interval else None,
        "p": found.p,
        "n": [len(units_of_evidence(side, row.block)) for side in (row.base, row.head)],
        "reason": found.reason,
    }


def other_tests(row: Row, alpha: float) -> list[dict[str, object]]:
    """The other statistics that apply to the row, which decide nothing, as JSON has them."""
    base, head = (units_of_evidence(side, row.block) for side in (row.base, row.head))
    return [asdict(one) for one in further(base, head, alpha, paired=row.paired)]


def without_shared_shift(rows: Sequence[tuple[Row, Comparison]]) -> list[tuple[Row, Comparison]]:
    """The rows as one suite: alarms that a shift explains which all of them share are taken back.

    Rows with pairs are left alone, since pairs share their machine.
    """
    apart = [found for row, found in rows if not row.paired]
    shift = shared_shift(apart)
    if shift is None:
        return list(rows)
    return [(row, found if row.paired else overruled([found], shift, len(apart))[0]) for row, found in rows]


def _row(value: Mapping[str, object]) -> Row:
    row = Row(
        id=ident(value["id"]),
        direction=direction(value["direction"]),
        base=numbers(value, "base"),
        head=numbers(value, "head"),
        block=_block(value.get("block", 1)),
        paired=_flag(value.get("paired", False)),
        min_effect=_effect(value.get("min_effect", MIN_EFFECT)),
        history=numbers(value, "history"),
        aa=_pairs(value, "aa"),
        aa_similar=_pairs(value, "aa_similar"),
    )
    n = [len(units_of_evidence(side, row.block)) for side in (row.base, row.head)]
    if row.paired and n[0] != n[1]:
        raise BadRowError(f"`paired` needs as many values in `base` as in `head` (after `block`), not {n[0]} and {n[1]}")
    return row


def _block(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadRowError(f"`block` must be a whole number of at least 1, not {kind_of(value)}")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise BadRowError(f"`paired` must be true or false, not {kind_of(value)}")
    return value


def _effect(value: object) -> float:
    effect = number(value, "`min_effect`")
    if effect < 0.0:
        raise BadRowError("`min_effect` must be a fraction of at least 0, such as 0.01")
    return effect


def _pairs(value: Mapping[str, object], key: str) -> Pairs:
    return tuple(_pair(one, f"`{key}[{index}]`") for index, one in enumerate(list_of(value, key)))


def _pair(value: object, name: str) -> tuple[float, float | None]:
    if not isinstance(value, list) or len(value) != 2:
        raise BadRowError(f"{name} must be [relative change, standard error], not {kind_of(value)}")
    change, error = number(value[0], name), None if value[1] is None else number(value[1], name)
    if change <= -1.0 or (error is not None and error < 0.0):
        raise BadRowError(f"{name} must have a change above -1 and a standard error of at least 0")
    return change, error
