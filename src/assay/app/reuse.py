"""Look for a stored run that answers a question: by the commit first, then every prior run, the freshest first, until one holds."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.app.record import LOCKFILES
from assay.core.envelope import Run
from assay.core.fingerprint import Fingerprints, fingerprints_of
from assay.core.lineage import ReuseQuestion, objections
from assay.core.model import UNKNOWN, Rung, Trust
from assay.core.prior import Found, Header, Search, search_of
from assay.core.result import LineageKey, ReuseReason, ReuseVerdict
from assay.core.verdict import (
    Judged,
    Span,
    Via,
    content_reasons,
    forced,
    judge,
    lockfile_reasons,
    lost_evidence,
    prints_of,
    refused,
    verdict_of,
)
from assay.core.window import Classifier, relevant
from assay.errors import InfrastructureError, UsageError
from assay.ports import Repo, Store

_JUDGES_ITSELF = (Rung.HARNESS, Rung.CONFIG)


@dataclass
class Content:
    """What commits hold of all that matters to one benchmark. What was learned of a commit is kept."""

    repo: Repo
    classifier: Classifier
    _spans: dict[tuple[str, str], Span] = field(default_factory=dict)
    _prints: dict[str, Fingerprints] = field(default_factory=dict)
    _classifiers: dict[str, Classifier] = field(default_factory=dict)

    def is_the_same(self, run: Run, commit: str) -> bool:
        """Whether a run's commit is known to hold the same as another one."""
        return not self.compared(run, commit)[1]

    def compared(self, run: Run, commit: str) -> tuple[Via | None, tuple[ReuseReason, ...]]:
        """By which rule a run's commit holds the same as another one, or every reason why that is not so."""
        if run.commit == commit:
            return Via.COMMIT, ()
        return content_reasons(self.span(run.commit, commit), self.at(commit), prints_of(run), self.prints(commit))

    def verdict(self, run: Run, commit: str) -> ReuseVerdict:
        """That a run was reused for a commit, as somebody else has found."""
        key = LineageKey(commit, run.machine.machine_class, run.model, run.precision)
        via, window = self.compared(run, commit)[0], self.span(run.commit, commit).window
        found = ReuseVerdict(reuse=True, key=key, run_id=run.run_id, path=run.path, commit=run.commit, window=window, considered=1)
        return replace(found, via=via.value if via else None)

    def span(self, start: str, end: str) -> Span:
        """What differs between two commits, or why that is not known."""
        if (start, end) not in self._spans:
            try:
                changes = self.repo.changes(start, end) if start != end else ()
                self._spans[start, end] = Span(start, end, changes)
            except (InfrastructureError, UsageError) as error:
                self._spans[start, end] = Span(start, end, unresolved=error.message)
        return self._spans[start, end]

    def at(self, commit: str) -> Classifier:
        """The classifier for what a commit holds, which counts what is read through its links. Raises what `prints` raises."""
        if commit not in self._classifiers:
            self._classifiers[commit] = self.classifier.through(self.repo.links(commit))
        return self._classifiers[commit]

    def prints(self, commit: str) -> Fingerprints:
        """The fingerprints of a commit. Raises InfrastructureError where it is not whole in this clone."""
        if commit not in self._prints:
            self._prints[commit] = fingerprints_of(self.repo.tree_files(commit), self.at(commit))
        return self._prints[commit]


def unearned(content: Content, run: Run, trust: Trust) -> Iterator[ReuseReason]:
    """Why a member's run does not serve the default branch: its own change had a part in what it was measured with."""
    if run.base is None or (run.trust, trust) != (Trust.MEMBER, Trust.DEFAULT):
        return
    span = content.span(run.base, run.commit)
    classifier = content.classifier if span.unresolved else content.at(run.commit)
    touched = sorted({rung.value for _, rung in relevant(span.changes, classifier) if rung in _JUDGES_ITSELF})
    why = f"its change touched the {' and the '.join(touched)}" if touched else "whether its change touched these is not known"
    if touched or span.unresolved:
        yield ReuseReason(Rung.EVIDENCE, f"{run.run_id}: less trust: {run.trust}, where {trust} is needed, for {why}")


@dataclass
class Lineage:
    """The prior runs of one benchmark, held against one question.

    `lost` has the stored evidence that could not be read, by file.
    """

    content: Content
    store: Store
    question: ReuseQuestion
    lost: dict[str, str] = field(default_factory=dict)
    _found: Found = field(default_factory=Found)

    def answers(self) -> Iterator[tuple[Run, ReuseVerdict]]:
        """Every run that holds, with its verdict, the best first."""
        if self.question.forced_by or self._unanswerable:
            return
        seen: set[str] = set()
        for search in self._searches():
            self._found = self._searched(search)
            for header in self._found.promising:
                if header.run_id not in seen and (judged := self._judged(header)) and judged.holds:
                    yield judged.run, verdict_of(self.question, judged, self._found.candidates)
                seen.add(header.run_id)

    def refusal(self) -> ReuseVerdict:
        """Why no run holds: every reason against the freshest candidate, else why there is none."""
        if self.question.forced_by:
            return forced(self.question, self.question.forced_by)
        if self._unanswerable:
            return refused(self.question, [ReuseReason(Rung.EVIDENCE, self._unanswerable)])
        judged = self._judged(self._found.freshest) if self._found.freshest else None
        more = (*self._beside(), *lost_evidence(self.lost.items()))
        if judged is None or judged.holds:  # it could not be read, so nothing of it counts
            return refused(self.question, more or (ReuseReason(Rung.EVIDENCE, self._nothing),))
        return verdict_of(self.question, judged, self._found.candidates, more)

    @cached_property
    def _unanswerable(self) -> str:
        """Why nothing can answer, whatever is stored."""
        key = self.question.key
        if key.commit == UNKNOWN:
            return "the commit is not known, so no stored run can be one of it"
        return "the machine is not known, so no stored run can be one of its class" if key.machine == UNKNOWN else ""

    def _searches(self) -> Iterator[Search]:
        """The commit itself first, which costs no look into git."""
        commit = self.question.key.commit
        yield search_of(self.question, self.content.classifier.rules)
        try:
            prints = self.content.prints(commit)
            yield search_of(self.question, prints.rules, prints.content)
        except InfrastructureError as error:  # a clone without all of its trees: no other commit can be held against this one
            self.lost[f"commit {commit[:12]}"] = error.message

    def _searched(self, search: Search) -> Found:
        try:
            found = self.store.search(search)
        except InfrastructureError as error:
            found = Found(unreadable=(("the store", error.message),))
        self.lost |= dict(found.unreadable)
        return found

    def _judged(self, header: Header) -> Judged | None:
        run = self.store.find_run(header.run_id)
        if not isinstance(run, Run):
            path, why = (run.path, run.reason) if run else (header.run_id, "it is no longer there")
            self.lost[path] = why
            return None
        via, against = self.content.compared(run, self.question.key.commit)
        lockfiles = () if via is Via.COMMIT else lockfile_reasons(run, self._lockfiles, self.content.classifier)
        span = self.content.span(run.commit, self.question.key.commit)
        return judge(self.question, run, span, via, (*against, *lockfiles, *unearned(self.content, run, self.question.trust)))

    @cached_property
    def _lockfiles(self) -> Mapping[str, str]:
        return self.content.repo.blobs(self.question.key.commit, LOCKFILES)

    def _beside(self) -> Iterator[ReuseReason]:
        """What else is worth knowing: runs that were no candidates, and runs that were not looked at."""
        found = self._found
        if found.other:
            yield from self._no_candidate(found.other)
        if found.hidden:
            yield ReuseReason(Rung.EVIDENCE, f"{found.hidden.run_id}: it was invalidated")
        if found.left_out:
            yield ReuseReason(Rung.EVIDENCE, f"{found.left_out} older runs were not looked at, for as many newer ones did not hold")

    def _no_candidate(self, header: Header) -> Iterable[ReuseReason]:
        run = self.store.find_run(header.run_id)
        return objections(self.question, run) if isinstance(run, Run) else ()

    @property
    def _nothing(self) -> str:
        return f"no run of {self.question.benchmark} is stored"
