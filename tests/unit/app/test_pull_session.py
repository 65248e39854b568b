"""When a branch goes back, and what is recorded of it: what is not known, or not wanted by all, leaves it where it is."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.fakes.clock import FakeClock
from tests.fakes.forge import FakeForge, outage
from tests.fakes.repo import FakeRepo
from tests.fakes.runs import a_run
from tests.fakes.sessions import FakeBranchWriter, FakeSessions

from assay.app.commits import Commits
from assay.app.pull_session import PullBook, Step, step_on
from assay.app.question import Question
from assay.core.branch_rules import BranchFacts
from assay.core.comparison import Comparison
from assay.core.config import Config
from assay.core.config_text import parse_config
from assay.core.envelope import Run
from assay.core.experiment_errors import HeadMovedError, RestoreConflictError
from assay.core.experiment_state import SessionState
from assay.core.model import Conclusion, Direction, MetricSpec, Outcome, Role, Status, Trust, Verdict
from assay.core.result import BenchmarkResult
from assay.errors import InfrastructureError

BASE, HEAD = "b" * 40, "a" * 40
BRANCH = "experiment/try"
TEXT = """\
version: 1
benchmarks:
  bench: {run: ./bench, metric: {name: loss, better: lower}}
  other: {run: ./other, metric: {name: loss, better: lower}}
"""
MOVED = HeadMovedError("The branch is no longer there.", hint="Look.")


def result(outcome: str = "discard", name: str = "bench", run_id: str = "", **changes: Any) -> BenchmarkResult:
    spec = MetricSpec("loss", Role.PRIMARY, Direction.LOWER)
    one = Comparison(spec, Verdict.REGRESSED, base=(100.0,), head=(120.0, 130.0), reason="worse")
    given = BenchmarkResult(name, Status.MEASURED, Outcome(outcome), Conclusion.NEUTRAL, "a reason", run_id=run_id, comparisons=(one,))
    return replace(given, **changes)


@dataclass
class Desk:
    """A job that keeps the sessions of pull request 7."""

    sessions: FakeSessions = field(default_factory=FakeSessions)
    writer: FakeBranchWriter = field(default_factory=FakeBranchWriter)
    forge: FakeForge = field(default_factory=FakeForge)
    clock: FakeClock = field(default_factory=FakeClock)
    repo: FakeRepo = field(default_factory=FakeRepo)
    push_token: bool = False
    notes: tuple[str, ...] = ()
    config: Config = field(default_factory=lambda: parse_config(TEXT))
    question: Question = field(
        default_factory=lambda: Question(HEAD, BASE, "main", BRANCH, Trust.MEMBER, BASE, number=7, pinned=HEAD, into="main")
    )

    def took(self, *results: BenchmarkResult) -> list[SessionState]:
        """What the sessions are after a check with these results."""
        given = tuple(one if one.run_id else replace(one, run_id=self.clock.new_id("run")) for one in results)
        runs: dict[str | None, Run] = {one.run_id: a_run(run_id=one.run_id or "", commit=HEAD) for one in given}
        book = PullBook(self.sessions, self.writer, self.forge, self.repo, self.clock, self.push_token)
        step = Step(self.question, Commits(BASE, HEAD, BRANCH), self.config, given, "main")
        self.notes = step_on(book, step, lambda one: runs[one.run_id])
        return [SessionState(one) for one in self.sessions.journals.values()]

    @property
    def outcomes(self) -> list[str]:
        return [str(one.newest.status) for journal in self.sessions.journals.values() for one in SessionState(journal).trials]


@pytest.mark.parametrize("outcome", ["discard", "checks_failed", "errored"])
def test_what_did_not_stand_goes_back_to_what_it_was_judged_against(outcome: str) -> None:
    desk = Desk()
    (state,) = desk.took(result(outcome))
    (wish,) = desk.writer.asked
    assert (wish.branch, wish.head, wish.baseline) == (BRANCH, HEAD, BASE)
    newest = state.trials[0].newest
    assert (newest.reverted_to, newest.discarded, newest.commit) == (BASE, HEAD, None)
    assert newest.primary_metric
    assert newest.primary_metric.value == 125


@pytest.mark.parametrize("outcome", ["keep", "pending"])
def test_what_stands_or_is_open_leaves_the_branch(outcome: str) -> None:
    desk = Desk()
    (state,) = desk.took(result(outcome))
    assert (desk.writer.asked, desk.notes) == ([], ())
    assert state.trials[0].newest.commit == (HEAD if outcome == "keep" else None)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (result("keep", "other"), "keeps the change"),
        (result("pending", "other"), "no answer"),
        (result("pending", "other", status=Status.FAILED), "no answer"),
    ],
)
def test_one_benchmark_that_does_not_agree_holds_the_branch(other: BenchmarkResult, why: str) -> None:
    desk = Desk()
    desk.took(result(), other)
    assert desk.writer.asked == []
    assert why in desk.notes[0]


def test_a_benchmark_of_another_job_holds_the_branch_until_it_agrees() -> None:
    desk = Desk()
    desk.question = replace(desk.question, head="c" * 40, pinned="c" * 40)
    desk.took(result("keep", "other"))
    assert desk.writer.asked == []
    desk = replace(desk, question=replace(desk.question, head=HEAD, pinned=HEAD))
    desk.took(result("keep", "other"))
    desk.took(result("discard", "bench"))
    assert desk.writer.asked == []


def test_what_was_cancelled_takes_nothing_back() -> None:
    desk = Desk()
    desk.took(result("errored", conclusion=Conclusion.CANCELLED))
    assert desk.writer.asked == []


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (BranchFacts(BRANCH, True, True, False, False), "default"),
        (BranchFacts(BRANCH, True, None, False, False), "default"),
        (BranchFacts(BRANCH, True, False, True, False), "protected"),
        (BranchFacts(BRANCH, None, False, False, False), "this repository"),
        (BranchFacts(BRANCH, True, False, False, True), "push-token"),
    ],
)
def test_a_branch_that_may_not_be_written_to_stays_and_the_reason_is_said(facts: BranchFacts, why: str) -> None:
    desk = Desk()
    desk.forge.branches[BRANCH] = facts
    desk.took(result())
    assert desk.writer.asked == []
    assert why in desk.notes[0]
    assert desk.outcomes == ["discard"]


def test_without_an_answer_of_the_forge_the_branch_stays() -> None:
    desk = Desk()
    desk.forge.fails["branch_facts"] = outage()
    desk.took(result())
    assert (desk.writer.asked, desk.outcomes) == ([], ["discard"])
    assert "did not answer" in desk.notes[0]


@pytest.mark.parametrize("change", [{"pinned": None}, {"pinned": "d" * 40}, {"branch": None}, {"branch": "faster"}])
def test_a_head_that_is_not_that_of_an_experiment_branch_is_only_recorded(change: dict[str, Any]) -> None:
    desk = Desk()
    desk.question = replace(desk.question, **change)
    desk.took(result())
    assert (desk.writer.asked, desk.outcomes) == ([], ["discard"])


def test_a_head_that_has_moved_is_superseded_and_stays_open() -> None:
    desk = Desk(writer=FakeBranchWriter(fails=MOVED))
    (state,) = desk.took(result())
    assert (desk.outcomes, state.trials[0].settled) == (["pending"], False)
    assert desk.notes[0].startswith("superseded")


def test_a_restore_that_is_refused_is_said_and_the_run_is_recorded() -> None:
    desk = Desk(writer=FakeBranchWriter(fails=RestoreConflictError("Both cannot be there.", hint="By hand.")))
    (state,) = desk.took(result())
    assert (desk.outcomes, state.trials[0].newest.reverted_to) == (["discard"], None)
    assert "By hand." in desk.notes[0]


def test_a_session_that_cannot_be_written_is_an_error_after_the_branch_went_back() -> None:
    desk = Desk(sessions=FakeSessions(fails=InfrastructureError("No store.", hint="Later.")))
    with pytest.raises(InfrastructureError, match="No store"):
        desk.took(result())
    assert len(desk.writer.asked) == 1


def test_the_run_of_an_answer_that_was_open_gets_its_outcome_later() -> None:
    desk = Desk()
    run = desk.clock.new_id("run")
    desk.took(result("pending", run_id=run))
    (state,) = desk.took(result("keep", run_id=run))
    assert [one.type for one in state.journal.records] == ["config", "run", "run", "run"]
    assert [one.newest.status for one in state.trials] == [Outcome.KEEP]
    desk.took(result("discard", run_id=run))
    assert desk.outcomes == ["keep"]


def test_each_benchmark_has_a_session_of_its_own() -> None:
    desk = Desk()
    states = desk.took(result("keep"), result("keep", "other"))
    assert sorted(one.journal.header.name for one in states) == ["bench", "other"]
    assert {one.journal.header.project for one in states} == {"pull request 7"}


@pytest.mark.parametrize(("keep", "commit"), [("auto", HEAD), ("branch", HEAD), ("data", None)])
def test_git_keep_says_whether_what_is_kept_stays_on_the_branch(keep: str, commit: str | None) -> None:
    desk = Desk(config=parse_config(f"{TEXT}git: {{keep: {keep}}}\n"))
    (state,) = desk.took(result("keep"))
    assert state.trials[0].newest.commit == commit
