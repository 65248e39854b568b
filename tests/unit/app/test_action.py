"""The action's order of work over fakes: each event, what is posted and in which order, and what no failure may change."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.fakes.forge import FakeForge, denied, outage
from tests.fakes.job_files import FakeJobFiles
from tests.fakes.runner import FakeRunner, completed
from tests.fakes.runs import a_run
from tests.houses import BASE, HEAD, Lab, Script
from tests.templates import templates

from assay.app.action import Acted, Bureau, act
from assay.app.house import House
from assay.app.order import Order
from assay.app.question import Nothing, ask
from assay.app.rules import rules_of
from assay.core.decide import exit_code
from assay.core.envelope import RunStatus
from assay.core.event import Event, MergeGroup, PullRequest, Push
from assay.core.inputs import CommentWhen, ForkRule, Inputs
from assay.core.model import Completed, Conclusion, Outcome, Side, Status, Trust
from assay.errors import AssayError, CancelledError, InfrastructureError, UsageError

FILE = ".github/assay.yml"
CONFIG = """\
version: 1
benchmarks:
  bench:
    run: ./bench
    metric: {name: loss, better: lower}
    repeats: {min: 4, max: 10}
    watch: {code: [src/**], harness: [bench]}
"""
TWO = CONFIG + "  other:\n    run: ./other\n    metric: {name: loss, better: lower}\n    repeats: {min: 4, max: 4}\n"
OLD, OLDER = "c" * 40, "d" * 40
PULL = PullRequest(7, HEAD, BASE, "faster", "main", fork=False, action="synchronize", sender="ada")
FORK = replace(PULL, fork=True)
PUSH = Push("refs/heads/main", HEAD, "main", "ada")
GROUP = MergeGroup(HEAD, BASE, "refs/heads/gh-readonly-queue/main/pr-7", "refs/heads/main", "checks_requested")
BETTER, SAME, WORSE = (({"loss": [120]}, {"loss": [head]}) for head in (90, 120, 150))


@dataclass
class Desk:
    """A job and what became of it."""

    lab: Lab = field(default_factory=Lab)
    forge: FakeForge = field(default_factory=lambda: FakeForge(heads={7: HEAD}))
    hasty: FakeForge = field(default_factory=FakeForge)
    job: FakeJobFiles = field(default_factory=FakeJobFiles)
    hosted: bool = True
    told: list[str] = field(default_factory=list)
    calls_before_sending: list[list[str]] = field(default_factory=list)

    @contextmanager
    def batch(self) -> Iterator[list[str]]:
        """Remembers what had been asked of the forges by the time that the store sends."""
        try:
            yield self.told
        finally:
            self.calls_before_sending.append([*self.forge.calls, *self.hasty.calls])

    def __post_init__(self) -> None:
        for commit in (BASE, HEAD):
            self.lab.repo.contents[commit, FILE] = CONFIG.encode()
        self.lab.repo.paths = ("src/x.py",)

    def act(
        self, event: Event, numbers: tuple[dict[str, list[int]], dict[str, list[int]]] = BETTER, ends: Any = None, **inputs: Any
    ) -> Acted | Nothing:
        asked = Inputs(token="t0ken", **inputs)
        question = ask(event, asked, self.lab.repo)
        if isinstance(question, Nothing):
            return question
        self.lab.runner = FakeRunner(Script(*numbers, ends=ends or {}))
        bureau = Bureau(
            self.forge, self.hasty, self.job, self.lab.reports, templates(), self.hosted, ".assay/report/result.json", self.batch
        )
        order = Order(question, rules_of(question, self.lab.repo, asked.config), asked)
        return act(order, self._house(), bureau, None)

    def done(self, event: Event, *words: Any, **inputs: Any) -> Acted:
        acted = self.act(event, *words, **inputs)
        assert isinstance(acted, Acted)
        return acted

    def _house(self) -> House:
        return House(
            repo=self.lab.repo,
            worktrees=lambda: self.lab.worktrees,
            runner=self.lab.runner,
            store=self.lab.store,
            machine=self.lab.machine,
            clock=self.lab.clock,
            observer=self.lab.observer,
            logs=lambda name: f"/logs/{name}",
            supervision="subreaper",
            variables=self.lab.variables,
        )

    @property
    def closed(self) -> list[tuple[str, Conclusion | None]]:
        """The check runs on the forge: each external id, and how it ended."""
        return [(one.external_id, one.closed.conclusion if one.closed else None) for one in self.forge.checks]


def code(acted: Acted) -> int:
    return exit_code(acted.checked.decisions, acted.checked.policy)


def test_a_pull_request_is_measured_at_its_head_against_the_merge_base() -> None:
    desk = Desk()
    acted = desk.done(PULL)
    assert (acted.published.base, acted.published.head) == (BASE, HEAD)
    assert ("merge_base", BASE, HEAD) in desk.lab.repo.calls
    assert (acted.published.conclusion, code(acted)) == (Conclusion.SUCCESS, 0)


def test_the_check_run_is_opened_before_anything_runs_and_closed_with_the_same_id() -> None:
    desk = Desk()
    seen: list[list[tuple[str, Conclusion | None]]] = []
    desk.done(PULL, BETTER, {("bench", Side.BASE): lambda _: seen.append(desk.closed)})
    run = desk.job.outputs["run-id"]
    assert seen[0] == [(run, None)]
    assert desk.closed == [(run, Conclusion.SUCCESS)]
    assert run in desk.lab.store.stored
    assert desk.forge.checks[0].commit == HEAD
    assert desk.forge.checks[0].name == "assay / bench"


def test_the_comment_begins_with_the_marker_and_holds_the_verdict() -> None:
    desk = Desk()
    desk.done(PULL)
    body = desk.forge.comments[7]
    assert body.startswith("<!-- assay:report -->\n")
    assert "Improved" in body


def test_summary_outputs_and_files_say_the_same() -> None:
    desk = Desk()
    desk.done(PULL)
    assert "Improved" in desk.job.summaries[0]
    assert desk.job.outputs == {
        "conclusion": "success",
        "outcome": "keep",
        "reused": "false",
        "run-id": desk.job.outputs["run-id"],
        "matrix": "",
        "result": ".assay/report/result.json",
        "comment-url": "https://forge.example/comment/7",
        "check-run-url": "https://forge.example/check/0",
    }
    assert set(desk.lab.reports.written) == {"comment.md", "check.json", "summary.md", "result.json"}


def test_a_second_time_the_stored_run_answers_and_the_same_check_run_is_completed() -> None:
    desk = Desk()
    desk.done(PULL)
    acted = desk.done(PULL)
    assert acted.published.benchmarks[0].status is Status.REUSED
    assert desk.lab.runner.requests == []
    assert len(desk.forge.checks) == 1
    assert desk.job.outputs["reused"] == "true"


def test_of_several_benchmarks_the_worst_speaks() -> None:
    desk = Desk()
    for commit in (BASE, HEAD):
        desk.lab.repo.contents[commit, FILE] = TWO.encode()
    crash = completed("", exit_code=3)
    acted = desk.done(PULL, BETTER, {("other", Side.HEAD): lambda _: crash})
    assert [conclusion for _, conclusion in desk.closed] == [Conclusion.SUCCESS, Conclusion.FAILURE]
    assert (desk.job.outputs["conclusion"], desk.job.outputs["outcome"]) == ("failure", "errored")
    assert desk.job.outputs["run-id"] == desk.closed[1][0]
    assert desk.job.outputs["check-run-url"] == "https://forge.example/check/1"
    assert code(acted) == 1


def test_a_worse_head_fails() -> None:
    desk = Desk()
    acted = desk.done(PULL, WORSE)
    assert (desk.closed[0][1], code(acted)) == (Conclusion.FAILURE, 1)


def test_a_skip_is_a_success_under_the_id_of_its_stored_decision() -> None:
    desk = Desk()
    desk.lab.repo.paths = ("docs/a.md",)
    acted = desk.done(PULL)
    (decision,) = desk.lab.store.decided.values()
    assert desk.closed == [(decision.decision_id, Conclusion.SUCCESS)]
    assert (decision.status, decision.outcome, decision.head_run) == (Status.SKIPPED, None, None)
    assert desk.job.outputs["outcome"] == ""
    assert code(acted) == 0


def test_a_merge_group_is_checked_on_its_own_head_without_a_comment() -> None:
    desk = Desk()
    acted = desk.done(GROUP)
    assert (acted.published.base, acted.published.head) == (BASE, HEAD)
    assert desk.closed[0][1] is Conclusion.SUCCESS
    assert desk.forge.comments == {}
    assert "head_of" not in desk.forge.calls


@pytest.mark.parametrize(
    "event",
    [replace(PULL, action="closed"), replace(GROUP, action="destroyed"), replace(PUSH, after="0" * 40)],
    ids=["closed", "destroyed", "deleted"],
)
def test_some_events_leave_nothing_to_do(event: Event) -> None:
    desk = Desk()
    acted = desk.act(event)
    assert isinstance(acted, Nothing)
    assert acted.reason
    assert desk.forge.calls == []


def with_history(desk: Desk) -> None:
    """HEAD, BASE, OLD, OLDER, from the newest to the first commit."""
    desk.lab.repo.parents = {HEAD: BASE, BASE: OLD, OLD: OLDER, OLDER: None}


def test_a_push_to_the_default_branch_goes_back_to_the_nearest_commit_with_a_run() -> None:
    desk = Desk()
    with_history(desk)
    for number, commit in enumerate((OLDER, OLD)):
        desk.lab.store.add_run(a_run(number, commit=commit))
    acted = desk.done(PUSH)
    assert (acted.published.base, acted.published.head) == (OLD, HEAD)
    assert {run.trust for run in desk.lab.store.stored.values() if run.commit == HEAD} == {Trust.DEFAULT}


def test_runs_that_failed_and_runs_of_other_benchmarks_are_no_place_to_go_back_to() -> None:
    desk = Desk()
    with_history(desk)
    desk.lab.store.add_run(a_run(1, commit=OLD, benchmark="another"))
    desk.lab.store.add_run(a_run(2, commit=OLD, status=RunStatus.ERRORED))
    assert desk.done(PUSH).published.base == BASE


def test_a_push_elsewhere_is_judged_against_the_commit_before() -> None:
    desk = Desk()
    with_history(desk)
    desk.lab.store.add_run(a_run(1, commit=OLD))
    acted = desk.done(replace(PUSH, ref="refs/heads/try"))
    assert acted.published.base == BASE
    assert {run.trust for run in desk.lab.store.stored.values() if run.commit == HEAD} == {Trust.MEMBER}


def test_the_first_commit_of_a_history_has_nothing_to_be_judged_against() -> None:
    desk = Desk()
    desk.lab.repo.parents = {HEAD: None}
    acted = desk.act(PUSH)
    assert isinstance(acted, Nothing)


def test_a_run_of_a_pull_request_serves_the_default_branch() -> None:
    desk = Desk()
    with_history(desk)
    desk.done(PULL)
    acted = desk.done(PUSH)
    assert acted.published.benchmarks[0].status is Status.REUSED


def test_a_run_of_a_pull_request_that_changed_the_harness_is_not_enough_for_the_default_branch() -> None:
    desk = Desk()
    with_history(desk)
    desk.lab.repo.paths = ("bench/run.py", "src/x.py")
    desk.done(PULL)
    again = desk.done(PUSH).published.benchmarks[0]
    assert again.status is Status.MEASURED
    assert again.reuse is not None
    assert "less trust: member, where default is needed, for its change touched the harness" in again.reuse.reasons[0].detail


def test_a_run_of_a_fork_is_never_enough_for_the_default_branch() -> None:
    desk = Desk()
    with_history(desk)
    desk.done(FORK)
    assert desk.done(PUSH).published.benchmarks[0].status is Status.MEASURED


def test_base_and_head_can_be_named() -> None:
    desk = Desk()
    desk.lab.repo.refs.update({"old": OLD, "new": HEAD})
    desk.lab.repo.base = ""
    acted = desk.done(PULL, base="old", head="new")
    assert (acted.published.base, acted.published.head) == (OLD, HEAD)
    assert "head_of" not in desk.forge.calls


def test_a_head_that_has_moved_leaves_the_verdict_open() -> None:
    desk = Desk(forge=FakeForge(heads={7: OLD}))
    acted = desk.done(PULL)
    one = acted.published.benchmarks[0]
    assert (one.outcome, one.conclusion) == (Outcome.PENDING, Conclusion.NEUTRAL)
    assert one.reason.startswith("superseded")
    assert code(acted) == 0


def test_once_superseded_is_not_superseded_for_ever() -> None:
    desk = Desk(forge=FakeForge(heads={7: OLD}))
    desk.done(PULL)
    desk.forge.heads[7] = HEAD
    one = desk.done(PULL).published.benchmarks[0]
    assert (one.status, one.outcome, one.conclusion) == (Status.REUSED, Outcome.KEEP, Conclusion.SUCCESS)


def test_where_nobody_can_say_whether_head_moved_that_is_said_and_the_verdict_stands() -> None:
    desk = Desk()
    desk.forge.fails["head_of"] = outage()
    acted = desk.done(PULL)
    assert acted.published.conclusion is Conclusion.SUCCESS
    assert any("newer head" in remark for remark in acted.published.remarks)


@pytest.mark.parametrize("path", ["bench", FILE, "verify/a.py", "tools/verify.sh"])
def test_a_change_to_what_judges_it_asks_for_a_review(path: str) -> None:
    desk = Desk()
    text = CONFIG.replace("    metric", "    checks: pytest -q ./verify::all && sh tools/verify.sh\n    metric")
    for commit in (BASE, HEAD):
        desk.lab.repo.contents[commit, FILE] = text.encode()
    desk.lab.repo.paths = ("src/x.py", path)
    acted = desk.done(PULL)
    one = acted.published.benchmarks[0]
    assert (one.outcome, one.conclusion) == (Outcome.PENDING, Conclusion.NEUTRAL)
    assert one.reason.startswith("needs review")
    assert code(acted) == 0


def test_a_review_can_be_made_to_fail_the_job() -> None:
    desk = Desk()
    desk.lab.repo.paths = ("src/x.py", "bench")
    assert code(desk.done(PULL, fail_on=("needs_review",))) == 1


def test_the_same_change_on_the_default_branch_needs_none() -> None:
    desk = Desk()
    with_history(desk)
    desk.lab.repo.paths = ("src/x.py", "bench")
    assert desk.done(PUSH).published.conclusion is Conclusion.SUCCESS


def test_a_fork_on_a_hosted_runner_is_measured_and_trusted_least() -> None:
    desk = Desk()
    desk.done(FORK)
    assert {run.trust for run in desk.lab.store.stored.values()} == {Trust.FORK}


RULES = [(given, allowed) for given in ForkRule for allowed in ("deny", "sha", "allow")]


@pytest.mark.parametrize(("given", "allowed"), RULES)
def test_on_a_runner_of_ones_own_a_fork_runs_only_where_input_and_config_both_allow_it(given: ForkRule, allowed: str) -> None:
    desk = Desk(hosted=False)
    desk.lab.repo.contents[BASE, FILE] = f"{CONFIG}permissions: {{forks: {allowed}}}\n".encode()
    acted = desk.done(FORK, allow_forks=given)
    ran = bool(desk.lab.runner.requests)
    assert ran is (given == allowed == "allow")
    assert code(acted) == 0
    if not ran:
        one = acted.published.benchmarks[0]
        assert (one.status, one.outcome, one.conclusion) == (Status.SKIPPED, None, Conclusion.NEUTRAL)
        assert "maintainer" in desk.job.summaries[0]
        assert desk.closed[0][1] is Conclusion.NEUTRAL


def test_a_fork_that_touches_nothing_relevant_is_a_success_anywhere() -> None:
    desk = Desk(hosted=False)
    desk.lab.repo.paths = ("docs/a.md",)
    assert desk.done(FORK).published.conclusion is Conclusion.SUCCESS


def test_of_a_fork_s_config_nothing_is_taken() -> None:
    desk = Desk()
    desk.lab.repo.contents[HEAD, FILE] = TWO.replace("./bench", "./evil").encode()
    desk.done(FORK)
    assert {command for _, command in desk.lab.commands} == {"./bench"}


def test_a_fork_s_branch_name_does_not_choose_the_policy() -> None:
    desk = Desk()
    assert desk.done(replace(FORK, head_ref="experiment/x"), SAME).checked.policy.mode.value == "gate"
    assert desk.done(replace(PULL, head_ref="experiment/x"), SAME).checked.policy.mode.value == "ratchet"


def test_a_benchmark_that_only_head_defines_is_taken_and_said_aloud() -> None:
    desk = Desk()
    desk.lab.repo.contents[HEAD, FILE] = TWO.encode()
    acted = desk.done(PULL)
    assert [one.name for one in acted.published.benchmarks] == ["bench", "other"]
    assert any("other" in remark for remark in acted.published.remarks)


def test_a_config_of_head_s_that_is_wrong_is_annotated_once_and_base_s_is_used() -> None:
    desk = Desk()
    desk.lab.repo.contents[HEAD, FILE] = b"version: 1\nbenchmarks:\n  bench:\n    rnu: ./bench\n"
    acted = desk.done(PULL)
    assert any("cannot be read" in remark for remark in acted.published.remarks)
    closed = desk.forge.checks[0].closed
    assert closed is not None
    assert {(note.path, note.start_line) for note in closed.annotations} <= {(FILE, line) for line in range(1, 5)}
    assert closed.annotations


def test_without_any_config_the_commit_that_lacks_it_is_named() -> None:
    desk = Desk()
    desk.lab.repo.contents.clear()
    for event in (PULL, FORK):
        with pytest.raises(UsageError, match=f"no {FILE} at commit {BASE[:10]}"):
            desk.act(event)


def test_a_config_of_base_s_that_is_wrong_is_an_error() -> None:
    desk = Desk()
    desk.lab.repo.contents[BASE, FILE] = b"version: 2\n"
    with pytest.raises(UsageError, match=f"{FILE}:1"):
        desk.act(PULL)


def test_a_push_elsewhere_goes_by_the_default_branch_s_config() -> None:
    desk = Desk()
    with_history(desk)
    desk.lab.repo.refs["refs/remotes/origin/main"] = OLDER
    desk.lab.repo.contents[OLDER, FILE] = CONFIG.replace("./bench", "./bench --old").encode()
    desk.done(replace(PUSH, ref="refs/heads/try"))
    assert {command for _, command in desk.lab.commands} == {"./bench --old"}


@pytest.mark.parametrize("method", ["open_check", "close_check", "upsert_comment"])
def test_a_forge_that_does_not_answer_changes_no_verdict_and_is_said(method: str) -> None:
    desk = Desk()
    desk.forge.fails[method] = outage()
    acted = desk.done(PULL)
    assert (acted.published.conclusion, code(acted)) == (Conclusion.SUCCESS, 0)
    assert "The forge did not answer." in desk.job.summaries[0]
    assert any("The forge did not answer." in remark for remark in desk.lab.observer.remarks)


def test_a_token_that_may_not_write_leaves_the_verdict_in_the_summary_and_says_once_why() -> None:
    desk = Desk()
    desk.forge.fails = dict.fromkeys(("open_check", "close_check", "upsert_comment"), denied())
    acted = desk.done(PULL, WORSE)
    assert code(acted) == 1
    assert "Regressed" in desk.job.summaries[0]
    (said,) = [remark for remark in desk.lab.observer.remarks if "token" in remark]
    assert "checks: write, pull-requests: write" in said
    assert desk.forge.calls.count("open_check") == 1
    assert "close_check" not in desk.forge.calls
    assert (desk.job.outputs["comment-url"], desk.job.outputs["check-run-url"]) == ("", "")


def test_a_fork_s_token_is_not_told_to_get_permissions() -> None:
    desk = Desk()
    desk.forge.fails = dict.fromkeys(("open_check", "close_check", "upsert_comment"), denied())
    desk.done(FORK)
    (said,) = [remark for remark in desk.lab.observer.remarks if "token" in remark]
    assert "can only read" in said
    assert "permissions:" not in said


def test_files_of_the_job_that_cannot_be_written_change_no_verdict() -> None:
    desk = Desk(job=FakeJobFiles(refuses="The disk is full."))
    acted = desk.done(PULL)
    assert code(acted) == 0
    assert desk.forge.comments
    assert "The disk is full." in desk.lab.observer.remarks


def test_a_store_that_refuses_leaves_a_warning_with_the_verdict() -> None:
    desk = Desk()
    desk.lab.store.refuses = "The disk is full."
    one = desk.done(PULL).published.benchmarks[0]
    assert one.conclusion is Conclusion.SUCCESS
    assert any("The disk is full." in warning for warning in one.warnings)
    assert any(name.startswith("unstored-run-") for name in desk.lab.reports.written)


def test_what_the_store_could_not_send_is_in_the_comment_which_comes_after() -> None:
    desk = Desk(told=["2 records wait in the outbox."])
    desk.done(PULL)
    assert "2 records wait in the outbox." in desk.forge.comments[7]
    assert desk.calls_before_sending == [["open_check", "head_of", "close_check"]]


COMMENTED = {
    (CommentWhen.ALWAYS, "same"): True,
    (CommentWhen.ON_CHANGE, "same"): False,
    (CommentWhen.ON_CHANGE, "better"): True,
    (CommentWhen.ON_CHANGE, "worse"): True,
    (CommentWhen.ON_ALERT, "better"): False,
    (CommentWhen.ON_ALERT, "worse"): True,
}
NUMBERS = {"same": SAME, "better": BETTER, "worse": WORSE}


@pytest.mark.parametrize(("when", "how"), COMMENTED)
@pytest.mark.parametrize("by", ["input", "config"])
def test_when_the_comment_is_written(when: CommentWhen, how: str, by: str) -> None:
    desk = Desk()
    if by == "config":
        desk.lab.repo.contents[BASE, FILE] = f"{CONFIG}comment: {{when: {when}}}\n".encode()
    desk.done(PULL, NUMBERS[how], comment=when if by == "input" else None)
    assert (7 in desk.forge.comments) is COMMENTED[when, how]


def test_a_comment_that_stands_is_kept_true() -> None:
    desk = Desk()
    desk.forge.comments[7] = "<!-- assay:report -->\nRegressed"
    desk.done(PULL, SAME, comment=CommentWhen.ON_ALERT)
    assert "Unchanged" in desk.forge.comments[7]


def raising(error: BaseException) -> Callable[[int], Completed | None]:
    def end(_: int) -> Completed | None:
        raise error

    return end


ENDS = {
    "cancelled": (CancelledError("Cancelled by SIGTERM."), Conclusion.CANCELLED),
    "interrupted": (KeyboardInterrupt(), Conclusion.CANCELLED),
    "a bug": (ZeroDivisionError("s3cret"), Conclusion.FAILURE),
}


@pytest.mark.parametrize(("error", "conclusion"), ENDS.values(), ids=ENDS)
def test_however_it_ends_no_check_run_stays_open(error: BaseException, conclusion: Conclusion) -> None:
    desk = Desk()
    desk.hasty = desk.forge
    with pytest.raises(type(error)):
        desk.act(PULL, BETTER, {("bench", Side.HEAD): raising(error)})
    (one,) = desk.forge.checks
    assert one.closed is not None
    assert one.closed.conclusion is conclusion
    assert one.closed.external_id == one.external_id
    assert "s3cret" not in one.closed.summary


def test_an_error_outside_the_benchmark_closes_the_check_run_as_a_failure() -> None:
    desk = Desk()
    acted = desk.done(PULL, BETTER, {("bench", Side.HEAD): raising(InfrastructureError("No processes left.", hint="See ulimit."))})
    assert [error.message for error in acted.checked.errors] == ["No processes left."]
    (one,) = desk.forge.checks
    assert one.closed is not None
    assert (one.closed.conclusion, one.closed.external_id) == (Conclusion.FAILURE, one.external_id)


def test_a_cancelled_job_says_its_last_word_in_a_hurry_and_keeps_what_was_measured() -> None:
    desk = Desk()
    desk.hasty.checks = desk.forge.checks
    with pytest.raises(CancelledError):
        desk.act(PULL, BETTER, {("bench", Side.HEAD): raising(CancelledError("x"))})
    assert desk.hasty.calls == ["close_check"]
    assert desk.calls_before_sending == [["open_check", "close_check"]]  # the store may take longer than there is time
    assert desk.forge.calls == ["open_check"]
    assert {run.status.value for run in desk.lab.store.stored.values()} == {"cancelled"}


def test_the_last_word_may_fail() -> None:
    desk = Desk()
    desk.hasty.fails["close_check"] = outage()
    with pytest.raises(CancelledError):
        desk.act(PULL, BETTER, {("bench", Side.HEAD): raising(CancelledError("x"))})
    assert any("could not be completed" in remark for remark in desk.lab.observer.remarks)


def test_an_unknown_benchmark_is_refused_before_anything_is_posted() -> None:
    desk = Desk()
    with pytest.raises(AssayError, match="no benchmark"):
        desk.act(PULL, benchmarks=("bnech",))
    assert desk.forge.calls == []
