"""Two proofs held together: when a prior run of another commit holds, and what is said when it does not."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import BASE, ENVIRONMENT, HEAD, MACHINE, NOW, a_run

from assay.core.config import Watch
from assay.core.envelope import Run, RunStatus
from assay.core.fingerprint import Fingerprints, fingerprints_of
from assay.core.lineage import Needed, ReuseQuestion
from assay.core.model import Rung, Trust
from assay.core.result import LineageKey, ReuseReason
from assay.core.tree import Change, TreeFile
from assay.core.verdict import (
    LADDER,
    Judged,
    Span,
    Via,
    content_reasons,
    forced,
    judge,
    lockfile_reasons,
    lost_evidence,
    prints_of,
    verdict_of,
)
from assay.core.window import IGNORED, Classifier

CLASSIFIER = Classifier(Watch(code=("src/**",), harness=("bench/**",), config=("configs/**",)), ("docs/**", "**/*.md"))
KEY = LineageKey(HEAD, MACHINE.machine_class, "none", "none")
QUESTION = ReuseQuestion("bench", KEY, a_run().config.hash, ENVIRONMENT, Needed("val_loss", 4), NOW, 1e7, Trust.MEMBER)


def prints(**blobs: str) -> Fingerprints:
    files = {"code": "src/a", "harness": "bench/a", "config": "configs/a", "unclassified": "Makefile"}
    held = (TreeFile(path, f"100644 blob {blobs.get(name, '1')}\t{path}".encode()) for name, path in sorted(files.items()))
    return fingerprints_of(held, CLASSIFIER)


HERE = prints()
SAME = a_run(commit=BASE, fingerprints=HERE)
OTHER = a_run(commit=BASE, fingerprints=prints(code="2", config="2"))
UNMARKED = a_run(commit=BASE)
DOCS = Span(BASE, HEAD, (Change("docs/a.html"), Change("README.md")))
CODE = Span(BASE, HEAD, (Change("docs/a.html"), Change("src/a")))
CUT = Span(BASE, HEAD, unresolved="Git has no such commit.")


def judged(run: Run, span: Span, lockfiles: dict[str, str] | None = None, question: ReuseQuestion = QUESTION) -> Judged:
    return judged_by(CLASSIFIER, run, span, HERE, lockfiles or {}, question)


def judged_by(
    classifier: Classifier, run: Run, span: Span, here: Fingerprints, lockfiles: dict[str, str], question: ReuseQuestion = QUESTION
) -> Judged:
    via, content = content_reasons(span, classifier, prints_of(run), here)
    return judge(question, run, span, via, (*content, *lockfile_reasons(run, lockfiles, classifier)))


def said(one: Judged) -> list[tuple[Rung, str]]:
    return [(reason.rung, reason.detail) for reason in one.reasons]


def test_a_run_of_the_same_commit_holds_without_any_window() -> None:
    one = judged(a_run(), Span(HEAD, HEAD))
    assert (one.holds, one.via) == (True, Via.COMMIT)


def test_a_window_of_ignored_paths_is_enough_with_equal_fingerprints_and_without_any() -> None:
    assert [(judged(run, DOCS).holds, judged(run, DOCS).via) for run in (SAME, UNMARKED)] == [(True, Via.WINDOW)] * 2


def test_a_watched_path_in_the_window_stops_reuse_and_is_named() -> None:
    for run in (OTHER, UNMARKED):
        assert said(judged(run, CODE)) == [(Rung.CODE, "1 changed path in watch.code: src/a")]


def test_equal_fingerprints_are_enough_where_the_window_is_not_resolved() -> None:
    one = judged(SAME, CUT)
    assert (one.holds, one.via, one.span.window.resolved) == (True, Via.FINGERPRINT, False)


def test_an_unresolved_window_and_no_fingerprint_mean_run() -> None:
    ((rung, detail),) = said(judged(UNMARKED, CUT))
    assert rung is Rung.EVIDENCE
    assert "window" in detail
    assert "unresolved (Git has no such commit)" in detail
    assert "no fingerprints" in detail


def test_fingerprints_of_other_patterns_prove_nothing() -> None:
    foreign = a_run(commit=BASE, fingerprints=fingerprints_of([], Classifier(None, ())))
    assert not judged(foreign, CUT).holds
    assert judged(foreign, DOCS).via is Via.WINDOW


def test_each_group_that_differs_is_a_reason_where_the_window_is_not_resolved() -> None:
    one = judged(OTHER, CUT)
    assert [reason.rung for reason in one.reasons] == [Rung.CODE, Rung.CONFIG]
    assert "the files of watch.code differ by their fingerprint" in one.reasons[0].detail


def test_where_the_proofs_disagree_neither_is_believed_and_that_is_said() -> None:
    clean_window, equal_prints = judged(OTHER, DOCS), judged(SAME, CODE)
    assert [reason.rung for reason in clean_window.reasons] == [Rung.EVIDENCE]
    assert [reason.rung for reason in equal_prints.reasons] == [Rung.EVIDENCE, Rung.CODE]
    for one in (clean_window, equal_prints):
        assert "window and fingerprints disagree" in one.reasons[0].detail


def test_a_changed_lockfile_is_another_environment_unless_it_is_ignored() -> None:
    locked = a_run(commit=BASE, environment=ENVIRONMENT.with_lockfiles({"uv.lock": "a" * 40}))
    assert said(judged(locked, DOCS, {"uv.lock": "b" * 40})) == [
        (Rung.ENVIRONMENT, f"{locked.run_id}: lockfile uv.lock is {'a' * 12}, now {'b' * 12}")
    ]
    assert judged(locked, DOCS, {"uv.lock": "a" * 40}).holds
    assert not judged(locked, DOCS, {}).holds
    ignoring = Classifier(Watch(code=("src/**",)), ("docs/**", "**/*.md", "*.lock"))
    assert judged_by(ignoring, locked, DOCS, fingerprints_of([], ignoring), {"uv.lock": "b" * 40}).holds


def test_all_rungs_are_asked_and_given_in_the_order_of_the_ladder() -> None:
    run = a_run(commit=BASE, status=RunStatus.ERRORED, model="large", environment=ENVIRONMENT.model_copy(update={"driver": "535"}))
    span = Span(BASE, HEAD, (Change("Makefile"), Change("configs/x"), Change("bench/x"), Change("src/x")))
    one = judged(run, span, question=replace(QUESTION, config_hash="0" * 64))
    rungs = [reason.rung for reason in one.reasons]
    assert set(rungs) == set(Rung) - {Rung.FORCED}
    assert rungs == sorted(rungs, key=LADDER.index)


def test_a_verdict_shows_the_window_also_where_it_refuses() -> None:
    yes, no = verdict_of(QUESTION, judged(SAME, DOCS), 3), verdict_of(QUESTION, judged(OTHER, CODE), 3)
    assert (yes.reuse, yes.run_id, yes.commit, yes.path, yes.via) == (True, SAME.run_id, BASE, SAME.path, "window")
    assert (no.reuse, no.run_id, no.commit, no.path, no.via, no.considered) == (False, None, None, None, None, 3)
    assert yes.window is not None
    assert (yes.window.start, yes.window.end, yes.window.resolved) == (BASE, HEAD, True)
    assert yes.window.paths == ("docs/a.html", "README.md")


def test_reasons_beside_a_run_that_holds_do_not_undo_it() -> None:
    assert verdict_of(QUESTION, judged(SAME, DOCS), 1, [ReuseReason(Rung.EVIDENCE, "something else")]).reasons == ()


def test_a_forced_run_names_what_forced_it() -> None:
    verdict = forced(QUESTION, "--no-reuse")
    assert (verdict.reuse, verdict.considered, verdict.forced_by) == (False, 0, "--no-reuse")
    assert [(reason.rung, "--no-reuse" in reason.detail) for reason in verdict.reasons] == [(Rung.FORCED, True)]


def test_unreadable_evidence_is_named_and_counted() -> None:
    few = list(lost_evidence([("runs/x", "cut short"), ("runs/x", "cut short")]))
    assert [one.detail for one in few] == ["stored evidence is unreadable: runs/x: cut short"]
    many = list(lost_evidence([(f"runs/{number}", "cut short") for number in range(9)]))
    assert (len(many), many[-1].detail) == (6, "4 more stored files are unreadable")


PATHS = st.sampled_from(["src/a", "bench/a", "configs/a", "docs/a", "a.md", "Makefile", "docs/b\n"])
SPANS = st.one_of(
    st.lists(st.builds(Change, PATHS, st.sampled_from(["100644", "160000"])), max_size=6).map(lambda found: Span(BASE, HEAD, tuple(found))),
    st.just(CUT),
)
RUNS = st.sampled_from(
    [SAME, OTHER, UNMARKED, a_run(commit=BASE, fingerprints=HERE, model="large"), a_run(commit=BASE, status=RunStatus.ERRORED)]
)


@given(RUNS, SPANS, PATHS)
def test_a_path_more_never_turns_run_into_reuse(run: Run, span: Span, path: str) -> None:
    if not judged(run, span).holds:
        assert not judged(run, replace(span, changes=(*span.changes, Change(path)))).holds


@given(RUNS, SPANS)
def test_reuse_never_holds_with_any_rung_fired(run: Run, span: Span) -> None:
    one = judged(run, span)
    fired = any(CLASSIFIER.standing(change) is not IGNORED for change in span.changes)
    assert one.holds == (not one.reasons)
    assert not (one.holds and fired)
    assert verdict_of(QUESTION, one, 1).reuse == one.holds
