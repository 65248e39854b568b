"""The reuse verdict for a person at a terminal: the answer in a line, the key, and with the ladder what each rung said."""

from collections.abc import Iterator

from assay.core import escape
from assay.core.model import Rung
from assay.core.numbers import count
from assay.core.result import ReuseVerdict, Window
from assay.core.values import dataclass
from assay.core.verdict import LADDER, Via

_REASON = 2000
_WIDTH = max(len(rung.value) for rung in LADDER)
_PATHS = 10

_HELD = {
    Rung.FORCED: "nobody asked for a fresh run",
    Rung.EVIDENCE: "a clean run of this machine, trusted, young enough, with samples enough",
    Rung.CODE: "nothing in watch.code differs",
    Rung.HARNESS: "nothing in watch.harness differs",
    Rung.MODEL: "the same model and precision, and nothing in watch.model differs",
    Rung.CONFIG: "the same command and parameters, and nothing in watch.config differs",
    Rung.ENVIRONMENT: "the same driver, CUDA, image, Python, packages and lockfiles, and nothing in watch.environment differs",
    Rung.UNCLASSIFIED: "no path differs that is neither watched nor ignored",
}
_VIA = {
    Via.COMMIT: "it is the same commit",
    Via.WINDOW: "no path that matters has changed since",
    Via.FINGERPRINT: "the window is unresolved, and the fingerprints of all files that matter are equal",
}


@dataclass(frozen=True, slots=True)
class Step:
    """What one rung said: it held, it stopped reuse, or (None) it was not asked, for there was no run to ask it of."""

    rung: Rung
    holds: bool | None
    text: str


def ladder_of(verdict: ReuseVerdict) -> tuple[Step, ...]:
    """Every rung in its order, with the reasons that fired it."""
    fired = {rung: [one.detail for one in verdict.reasons if one.rung is rung] for rung in LADDER}
    asked = verdict.reuse or verdict.window is not None
    return tuple(_step(rung, fired[rung], asked=asked or (rung is Rung.FORCED and not verdict.forced_by)) for rung in LADDER)


def _step(rung: Rung, fired: list[str], *, asked: bool) -> Step:
    if fired:
        return Step(rung, holds=False, text="; ".join(fired))
    return Step(rung, holds=True, text=_HELD[rung]) if asked else Step(rung, holds=None, text="not asked")


def answer_of(benchmark: str, verdict: ReuseVerdict, age: str = "") -> tuple[str, ...]:
    """The answer in a few lines: which run holds and why, or every reason why none does."""
    name, key = escape.plain(benchmark, 100), verdict.key
    whole = f"commit {key.commit} × machine {key.machine} × model {key.model} × precision {key.precision}"
    if not verdict.reuse:
        reasons = (f"  {one.rung.value}: {escape.plain(one.detail, _REASON)}" for one in verdict.reasons)
        return f"{name} must run: no stored run answers.", *reasons, f"  key: {escape.plain(whole)}"
    return (
        f"{name} need not run: {verdict.run_id} answers, for {_VIA[Via(verdict.via or Via.COMMIT)]}.",
        f"  run: {verdict.path}{f', {age} old' if age else ''}",
        f"  commit: {verdict.commit}",
        f"  key: {escape.plain(whole)}",
    )


def explained(verdict: ReuseVerdict) -> tuple[str, ...]:
    """The ladder, a line a rung, and the window that was judged."""
    marks = {True: "ok  ", False: "STOP", None: "–   "}
    rungs = (f"  {marks[step.holds]} {step.rung.value:<{_WIDTH}}  {escape.plain(step.text, _REASON)}" for step in ladder_of(verdict))
    considered = f"  {count(verdict.considered, 'prior run')} could be judged."
    return ("The ladder:", *rungs, considered, *(_window(verdict.window) if verdict.window else ()))


def _window(window: Window) -> Iterator[str]:
    span = f"  The window from {window.start[:12]} to {window.end[:12]}"
    if not window.resolved:
        yield f"{span} is not resolved: this clone cannot tell what has changed."
        return
    yield f"{span} has {count(len(window.paths), 'changed path')}{':' if window.paths else '.'}"
    yield from (f"    {escape.plain(path)}" for path in window.paths[:_PATHS])
    if len(window.paths) > _PATHS:
        yield f"    … and {len(window.paths) - _PATHS} more"
