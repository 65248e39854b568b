"""What takes an answer away although the numbers have one: two modes, or a drift that explains the change."""

from collections.abc import Sequence

from assay.core import drift
from assay.core.compare_reasons import percent
from assay.core.comparison import Undecided
from assay.core.estimate import Scale, Scaled, as_fraction, on_one_scale
from assay.core.finding import Finding
from assay.core.model import Verdict
from assay.core.modes import Modes, two_modes
from assay.core.values import dataclass

SWITCHES = 3
"""A history that changes its mode so often has two; one that does so once has taken a step."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why there is no answer, and the sentence that says so."""

    cause: Undecided
    reason: str


def doubt(finding: Finding, verdict: Verdict, sides: Scaled, *, took_turns: bool) -> Doubt | None:
    """What speaks against this answer in the samples themselves. Sides that `took_turns` in one session share its drift."""
    alarm = verdict in (Verdict.IMPROVED, Verdict.REGRESSED)
    modes = two_modes(sides.base, sides.head)
    if modes and (modes.p > finding.alpha if alarm else _open(finding, verdict)):
        return Doubt(Undecided.MODES, _modes(modes, sides.scale))
    if alarm and not took_turns and drift.explains(sides):
        return Doubt(Undecided.DRIFT, "both sides drift the same way, far enough to explain the change; let base and head take turns")
    return None


def doubt_of_history(verdict: Verdict, base: float, head: float, history: Sequence[float]) -> Doubt | None:
    """Whether the metric has always been switching between the two levels that base and head are at."""
    if verdict not in (Verdict.IMPROVED, Verdict.REGRESSED) or not history:
        return None
    scaled = on_one_scale(tuple(history), (base, head))
    modes = two_modes(scaled.base, scaled.head) if scaled else None
    if scaled is None or modes is None or min(modes.base) == 0 or 0 in modes.head:
        return None
    edge = 0.5 * sum(modes.centres)
    switches = sum((before < edge) != (after < edge) for before, after in zip(scaled.base, scaled.base[1:], strict=False))
    if switches < SWITCHES:
        return None
    return Doubt(
        Undecided.MODES, f"the history switches between two levels {_apart(modes, scaled.scale)} apart, and each side is at one of them"
    )


def _open(finding: Finding, verdict: Verdict) -> bool:
    return verdict is Verdict.UNDECIDED and finding.worst >= finding.question.harm


def _modes(modes: Modes, scale: Scale) -> str:
    seen = ", ".join(f"{high} of {low + high} of the {side}" for side, (low, high) in (("base", modes.base), ("head", modes.head)))
    return f"the samples have two modes, {_apart(modes, scale)} apart, and chance may choose between them: {seen} are in the upper one"


def _apart(modes: Modes, scale: Scale) -> str:
    low, high = modes.centres
    return percent(as_fraction(scale, high - low))
