"""The reuse verdict: what the window and the fingerprints say of a prior run, held together with all that else speaks against it.

Two proofs that know nothing of each other. The window lists the paths that differ and needs both commits; fingerprints compare what
each group of paths holds and need none. One alone is enough where the other cannot be had. Where they disagree, neither is believed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from assay.core.envelope import Run
from assay.core.fingerprint import Fingerprints
from assay.core.lineage import ReuseQuestion, objections
from assay.core.model import NONE, Rung
from assay.core.result import ReuseReason, ReuseVerdict, Window
from assay.core.tree import Change
from assay.core.values import dataclass
from assay.core.window import IGNORED, Classifier, reasons_of

LADDER = (*(Rung.FORCED, Rung.EVIDENCE, Rung.CODE, Rung.HARNESS, Rung.MODEL, Rung.CONFIG, Rung.ENVIRONMENT), Rung.UNCLASSIFIED)
"""All rungs in the order in which they are shown. Each is asked, whatever the others say."""

_UNREADABLE_SHOWN = 5


class Via(StrEnum):
    """By which rule a run was found to hold."""

    COMMIT = "commit"
    WINDOW = "window"
    FINGERPRINT = "fingerprint"


@dataclass(frozen=True, slots=True)
class Span:
    """What differs between the commit of a prior run and the commit in question; `unresolved` says why that is not known."""

    start: str
    end: str
    changes: tuple[Change, ...] = ()
    unresolved: str = ""

    @property
    def window(self) -> Window:
        """The same as a result has it."""
        return Window(self.start, self.end, not self.unresolved, tuple(one.path for one in self.changes))


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found of one prior run: the reasons against it, or by which rule it holds."""

    run: Run
    span: Span
    via: Via | None
    reasons: tuple[ReuseReason, ...]

    @property
    def holds(self) -> bool:
        return not self.reasons


def content_reasons(
    span: Span, classifier: Classifier, there: Fingerprints | None, here: Fingerprints
) -> tuple[Via | None, tuple[ReuseReason, ...]]:
    """Whether two commits hold the same of all that matters, by both proofs, and every reason why that is not so."""
    if span.start == span.end:
        return Via.COMMIT, ()
    differing = there.differing(here) if there else None
    if span.unresolved:
        return _by_fingerprint(span, differing)
    fired = reasons_of(span.changes, classifier)
    if differing is not None and bool(fired) != bool(differing):
        return None, (*fired, _disagreement(differing))
    return (None, fired) if fired else (Via.WINDOW, ())


def judge(question: ReuseQuestion, run: Run, span: Span, via: Via | None, content: Iterable[ReuseReason]) -> Judged:
    """All that was found of one prior run. `content` are the reasons by what commits hold; the rest the run is asked itself."""
    against = sorted((*objections(question, run), *content), key=lambda reason: LADDER.index(reason.rung))
    return Judged(run, span, via, tuple(against))


def lockfile_reasons(run: Run, lockfiles: Mapping[str, str], classifier: Classifier) -> Iterator[ReuseReason]:
    """Lockfiles count as environment whichever group they stand in, unless `ignore` covers them."""
    before = run.environment.lockfiles
    for name in sorted({*before, *lockfiles}):
        was, now = before.get(name, NONE), lockfiles.get(name, NONE)
        if was != now and classifier.of_path(name) is not IGNORED:
            yield ReuseReason(Rung.ENVIRONMENT, f"{run.run_id}: lockfile {name} is {was[:12]}, now {now[:12]}")


def prints_of(run: Run) -> Fingerprints | None:
    """The fingerprints in a run's envelope, None where they are unknown."""
    return run.fingerprints if isinstance(run.fingerprints, Fingerprints) else None


def verdict_of(question: ReuseQuestion, judged: Judged, considered: int, more: Iterable[ReuseReason] = ()) -> ReuseVerdict:
    """The verdict that a prior run comes to. `more` are reasons against reuse that are not this run's."""
    verdict = ReuseVerdict(reuse=False, key=question.key, window=judged.span.window, considered=considered)
    if not judged.holds:
        return replace(verdict, reasons=(*judged.reasons, *more))
    run, via = judged.run, judged.via
    return replace(verdict, reuse=True, run_id=run.run_id, path=run.path, commit=run.commit, via=via.value if via else None)


def refused(question: ReuseQuestion, reasons: Iterable[ReuseReason]) -> ReuseVerdict:
    """The verdict where no prior run was a candidate."""
    return ReuseVerdict(reuse=False, key=question.key, reasons=tuple(reasons))


def forced(question: ReuseQuestion, by: str, considered: int = 0) -> ReuseVerdict:
    """The verdict where somebody, or the rule to remeasure, asks for a fresh run."""
    reason = ReuseReason(Rung.FORCED, f"a fresh run was asked for by {by}")
    return ReuseVerdict(reuse=False, key=question.key, considered=considered, forced_by=by, reasons=(reason,))


def lost_evidence(unreadable: Iterable[tuple[str, str]]) -> Iterator[ReuseReason]:
    """What cannot be read is never taken for absent: a reason for each file, and a count of those beyond the first few."""
    lost = tuple(dict.fromkeys(unreadable))
    for path, why in lost[:_UNREADABLE_SHOWN]:
        yield ReuseReason(Rung.EVIDENCE, f"stored evidence is unreadable: {path}: {why}")
    if len(lost) > _UNREADABLE_SHOWN:
        yield ReuseReason(Rung.EVIDENCE, f"{len(lost) - _UNREADABLE_SHOWN} more stored files are unreadable")


def _by_fingerprint(span: Span, differing: tuple[Rung, ...] | None) -> tuple[Via | None, tuple[ReuseReason, ...]]:
    why = f"the window from {span.start[:12]} is unresolved ({span.unresolved.rstrip('.')})"
    if differing is None:
        unknown = "the run has no fingerprints made by the present watch groups"
        return None, (ReuseReason(Rung.EVIDENCE, f"{why}, and {unknown}"),)
    found = tuple(ReuseReason(rung, f"{_group(rung)} differ by their fingerprint; {why}") for rung in differing)
    return (None, found) if found else (Via.FINGERPRINT, ())


def _disagreement(differing: tuple[Rung, ...]) -> ReuseReason:
    said = f"fingerprints of {', '.join(differing)} differ" if differing else "all fingerprints are equal"
    seen = "shows no path that matters" if differing else "shows paths that matter"
    return ReuseReason(Rung.EVIDENCE, f"window and fingerprints disagree, so neither is believed: the window {seen}, yet {said}")


def _group(rung: Rung) -> str:
    return "the files that no watch group covers" if rung is Rung.UNCLASSIFIED else f"the files of watch.{rung.value}"
