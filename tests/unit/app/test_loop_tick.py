"""Ticks of the loop over fakes: what runs, what is written down, when it stops, and a whole week of them."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from tests.fakes.ledger import FakeLedger, FakeProber
from tests.fakes.runner import completed
from tests.fakes.runs import a_run, an_id
from tests.houses import BASE, HEAD, Lab, Script
from tests.loops import DAY, HERE, HOUR, a_row, config_of

from assay.app.attempts_log import Campaign, Tried
from assay.app.loop import GRACE, TickRequest, tick
from assay.app.status import Judge, Surveyed
from assay.core.attempts.entry import AttemptResult, Diagnosis
from assay.core.config import Config
from assay.core.config_sections import AttemptsConfig
from assay.core.loop.capabilities import Capabilities
from assay.core.loop.claims import Claim, claim
from assay.core.loop.ledger import BadLine, LedgerRow
from assay.core.loop.tick import Tick, as_json, as_text
from assay.core.loop.vocabulary import ActionKind, CellState, Result
from assay.core.model import Cause, Completed, Verdict
from assay.core.process import ProcessRequest, Shell
from assay.core.result import LineageKey, ReuseVerdict
from assay.errors import InfrastructureError, UsageError

APPLY = TickRequest(apply=True)


@dataclass
class Commands(Script):
    """Answers by the command's name. `breaks` says of a name and the moment whether its processes crash."""

    breaks: Callable[[str], bool] = lambda _: False
    ran: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def __call__(self, request: ProcessRequest) -> Completed:
        assert isinstance(request.command, Shell)
        name = request.command.text.removeprefix("./")
        self.ran[name] += 1
        assert self.clock
        self.clock.advance(self.duration_s)
        if self.breaks(name):
            return completed("", exit_code=3, duration_s=self.duration_s)
        value = (self.base if request.cwd.endswith("/base") else self.head)["loss"][0]
        return completed(f"METRIC loss={value}\n", duration_s=self.duration_s)


@dataclass
class Town:
    """A lab with a loop in it."""

    config: Config
    lab: Lab = field(default_factory=Lab)
    here: Capabilities = HERE
    answers: dict[str, ReuseVerdict] = field(default_factory=dict)
    script: Commands = field(default_factory=lambda: Commands({"loss": [100]}, {"loss": [90]}))
    overlay: str = ""

    def __post_init__(self) -> None:
        self.script.clock = self.lab.clock
        self.lab.repo.refs["main"] = HEAD

    @property
    def about(self) -> Surveyed:
        lab = self.lab
        overlay = (self.overlay, "tasks.json") if self.overlay else None
        return Surveyed(self.config, "/repository", HEAD, lab.store, lab.store.ledger, lab.repo, FakeProber(self.here), lambda: overlay)

    @property
    def judge(self) -> Judge:
        return lambda task: self.answers.get(task.id)

    def tick(self, request: TickRequest = APPLY, **changes: Any) -> Tick:
        house = self.lab.house(self.script)
        return tick(replace(request, **changes), self.about, house, self.lab.record, self.judge)

    @property
    def rows(self) -> list[LedgerRow]:
        return self.lab.store.ledger.kept


def town(*benchmarks: str, **changes: Any) -> Town:
    return Town(config_of(*benchmarks), **changes)


def results(done: Tick) -> list[tuple[str, str]]:
    return [(one.task, one.result.value) for one in done.rows]


def test_the_first_tick_on_an_empty_store_measures_the_best_due_task() -> None:
    place = town("slow, value: frontier", "fast, value: smoke")
    done = place.tick(most=1)
    assert results(done) == [("slow", "collected")]
    assert (done.exit_code, done.healthy, done.stop) == (0, True, "reached the limit of 1")
    (row,) = place.rows
    assert (row.number, row.base_number, row.commit, row.base, row.verdict) == (90, 100, HEAD, BASE, Verdict.IMPROVED)
    assert row.run_id in place.lab.store.stored


def test_without_apply_nothing_is_run_and_nothing_written() -> None:
    place = town("slow", "fast", "gpu, needs: [cuda]")
    done = place.tick(apply=False)
    assert (done.planned, done.rows, done.exit_code, done.healthy) == (("fast", "slow"), (), 0, False)
    assert (place.rows, place.lab.store.stored, place.lab.store.ledger.taken) == ([], {}, [])
    assert "dry run" in as_text(done)


def test_each_task_is_tried_once_however_it_ends() -> None:
    place = town("good", "bad")
    place.script.breaks = lambda name: name == "bad"
    done = place.tick()
    assert sorted(results(done)) == [("bad", "failed"), ("good", "collected")]
    assert (done.exit_code, done.healthy) == (1, False)


def test_a_failing_task_is_left_alone_until_its_time_and_the_exit_says_that_something_is_owed() -> None:
    place = town("bad")
    place.script.breaks = lambda name: name == "bad"
    assert place.tick().exit_code == 1
    ran = dict(place.script.ran)
    waiting = place.tick()
    assert (waiting.rows, waiting.exit_code, waiting.healthy) == ((), 3, False)
    assert dict(place.script.ran) == ran
    assert waiting.after.cells[0].state is CellState.WAITING


def test_nothing_due_is_idle_which_is_no_error_and_not_healthy() -> None:
    place = town("good")
    place.tick()
    idle = place.tick()
    assert (idle.rows, idle.exit_code, idle.healthy) == ((), 0, False)
    assert "saturated: 1 of 1 task" in idle.stop


def test_a_loop_without_any_task_that_runs_by_itself_is_idle() -> None:
    done = town("hand, manual: true").tick()
    assert (done.exit_code, done.healthy, done.rows) == (0, False, ())
    assert done.after.action.kind is ActionKind.POPULATE_CATALOG


def test_only_held_tasks_exit_with_three_and_are_written_down_once_in_six_hours() -> None:
    place = town("gpu, needs: [cuda]")
    first = place.tick()
    assert results(first) == [("gpu", "skipped")]
    assert (place.rows[0].held_by, first.exit_code) == ("cuda", 3)
    assert place.tick().rows == ()
    place.lab.clock.advance(6 * 3600)
    assert results(place.tick()) == [("gpu", "skipped")]
    assert "cuda" in first.stop


def test_what_has_stopped_after_strikes_is_held_until_a_person_grants_more() -> None:
    place = town("bench")
    place.config = place.config.model_copy(update={"attempts": AttemptsConfig(strikes=1)})
    campaign = Campaign(place.lab.store, place.lab.clock, place.config)
    campaign.log(Tried("bench", "x", AttemptResult.FAILED, Diagnosis.BUG, touched=("src/loss.py",)), "ada")
    held = place.tick()
    assert (results(held), held.exit_code, dict(place.script.ran)) == ([("bench", "skipped")], 3, {})
    assert "bench has stopped" in (place.rows[0].held_by or "")
    campaign.grant(1, "ada")
    place.lab.clock.advance(6 * 3600)
    assert results(place.tick()) == [("bench", "collected")]


def test_what_belongs_on_another_machine_is_nothing_that_is_owed_here() -> None:
    done = town("gpu", here=replace(HERE, elsewhere={"gpu": "it belongs on a100"})).tick()
    assert (done.rows, done.exit_code) == ((), 0)


def test_a_due_task_for_which_a_stored_run_answers_is_recorded_and_the_next_is_run() -> None:
    place = town("slow, value: frontier", "fast, value: smoke")
    learned(place, "slow", "fast")
    key = LineageKey(HEAD, HERE.machine, "none", "none")
    place.answers["slow"] = ReuseVerdict(reuse=True, key=key, run_id=an_id("run", 7), commit=HEAD)
    done = place.tick()
    assert results(done) == [("slow", "skipped"), ("fast", "collected")]
    assert (place.rows[0].reused, place.rows[0].run_id) == (True, an_id("run", 7))
    assert place.tick().rows == ()
    assert "slow" not in place.script.ran


def test_only_reused_tasks_are_an_answer_and_owe_nothing() -> None:
    place = town("slow")
    learned(place, "slow")
    key = LineageKey(HEAD, HERE.machine, "none", "none")
    place.answers["slow"] = ReuseVerdict(reuse=True, key=key, run_id=an_id("run", 7), commit=HEAD)
    done = place.tick()
    assert (done.exit_code, done.measured, done.healthy) == (0, 0, False)
    assert place.tick(forced_by="--no-reuse").measured == 0  # it was answered a moment ago
    place.lab.clock.advance(86_400)
    assert place.tick(forced_by="--no-reuse").measured == 1


def learned(place: Town, *names: str) -> None:
    """Eight old sessions of each benchmark, so that reuse may answer."""
    at = place.lab.clock.moment
    for place_of, name in enumerate(names):
        for number in range(8):
            run = a_run(100 * place_of + number, benchmark=name, session_id=f"s-{name}-{number}", age=timedelta(days=30), commit="e" * 40)
            place.lab.store.stored[run.run_id] = run
    assert at == place.lab.clock.moment


def test_a_claim_of_another_box_is_respected_and_one_that_has_run_out_reclaimed() -> None:
    place = town("slow")
    clock = place.lab.clock
    place.lab.store.ledger.held = place.lab.store.ledger.held.having(
        claim(("slow", HERE.machine), "other-box", "x", clock.moment), clock.moment
    )
    done = place.tick()
    assert (done.rows, done.before.cells[0].state, done.exit_code) == ((), CellState.RUNNING, 0)
    clock.advance(30 * 60)
    assert results(place.tick()) == [("slow", "collected")]
    assert place.lab.store.ledger.held.claims == ()


def test_a_claim_is_renewed_while_the_work_goes_on() -> None:
    place = town("slow, timeout: 20m")
    place.script.duration_s = 700
    place.tick()
    assert len(place.lab.store.ledger.taken) > 2
    assert len({one.holder for one in place.lab.store.ledger.taken}) == 1
    assert place.lab.store.ledger.held.claims == ()


def test_the_budget_of_minutes_ends_the_tick() -> None:
    place = town("a", "b", "c")
    place.script.duration_s = 30
    done = place.tick(minutes=4)
    assert len(done.attempted) < 3
    assert "budget of 4 minutes" in done.stop
    spent = sum(one.duration_s or 0 for one in done.rows)
    assert spent <= 4 * 60 * (1 + GRACE) + place.script.duration_s


def test_what_took_longer_than_what_is_left_is_not_begun() -> None:
    place = town("a, value: frontier", "b")
    old = place.lab.clock.moment - 20 * DAY
    place.rows.append(a_row(0, at=old, task="b", duration_s=3000.0))
    done = place.tick(minutes=40)
    assert results(done) == [("a", "collected")]
    assert any("b: it took 50 min" in one for one in done.passed_over)


def test_the_first_of_a_tick_is_begun_whatever_it_took_last() -> None:
    place = town("a")
    place.rows.append(a_row(0, at=place.lab.clock.moment - 20 * DAY, task="a", duration_s=9000.0))
    assert place.tick(minutes=10).measured == 1


def test_gpu_minutes_are_accounted_where_those_of_comments_are() -> None:
    place = town("gpu, gpus: 1", here=replace(HERE, gpu="cuda", gpus=1))
    place.script.duration_s = 600
    assert place.tick().measured == 1
    (spend,) = place.lab.store.spends
    assert (spend.kind, spend.by, spend.pull) == ("gpu", "schedule", 0)
    assert spend.gpu_minutes == pytest.approx(place.rows[0].gpu_minutes)


def test_a_day_whose_gpu_minutes_are_used_up_measures_none() -> None:
    place = Town(config_of("gpu, gpus: 1", top="budget: {per_day_gpu_minutes: 0}\n"), here=replace(HERE, gpu="cuda", gpus=1))
    done = place.tick()
    assert (done.rows, done.exit_code) == ((), 3)
    assert "GPU minutes" in done.stop


def test_an_unreadable_ledger_stops_everything() -> None:
    place = town("slow")
    place.lab.store.ledger.lost.append(BadLine("ledger/2025-03.jsonl:1", "result: bad"))
    with pytest.raises(UsageError, match=r"2025-03\.jsonl:1"):
        place.tick()
    assert place.script.ran == {}


def test_a_row_that_cannot_be_written_ends_the_tick() -> None:
    place = town("a", "b")
    place.lab.store.ledger.refuses = "The disk is full."
    with pytest.raises(InfrastructureError, match="disk is full"):
        place.tick()
    assert place.script.ran == {}


def test_a_wrong_overlay_stops_everything_and_a_right_one_is_run() -> None:
    place = town("a", overlay="{}")
    with pytest.raises(UsageError, match="not a list"):
        place.tick()
    place.overlay = '[{"id": "lab", "run": "./lab"}]'
    assert sorted(results(place.tick())) == [("a", "collected"), ("lab", "collected")]


def test_named_tasks_alone_are_run_and_an_unknown_name_is_an_error() -> None:
    place = town("a", "b")
    assert results(place.tick(only=("b",))) == [("b", "collected")]
    with pytest.raises(UsageError, match="no task c"):
        place.tick(only=("c",))


def test_a_person_may_insist_on_what_is_fresh_or_manual_and_never_on_what_cannot_run_here() -> None:
    place = town("a", "hand, manual: true", "gpu, needs: [cuda]")
    assert place.tick().measured == 1
    done = place.tick(insist=True, forced_by="workflow_dispatch of ada")
    assert sorted(results(done)) == [("a", "collected"), ("hand", "collected")]
    assert place.tick(only=("gpu",), insist=True).measured == 0


def test_a_process_that_takes_too_long_is_a_timeout() -> None:
    place = town("slow")
    place.script.breaks = lambda _: False
    original = place.script.__call__

    class Slow(Commands):
        def __call__(self, request: ProcessRequest) -> Completed:
            done = original(request)
            return replace(done, cause=Cause.TIMEOUT, exit_code=None, signal=9)

    place.script = Slow({"loss": [1]}, {"loss": [1]}, clock=place.lab.clock)
    done = place.tick()
    assert results(done) == [("slow", "timeout")]
    assert done.exit_code == 1


def test_failed_checks_are_degraded_and_not_fresh() -> None:
    place = town("slow, checks: ./check")
    place.script.breaks = lambda name: name == "check"
    done = place.tick()
    assert results(done) == [("slow", "degraded")]
    assert done.after.cells[0].state is CellState.WAITING
    place.script.breaks = lambda _: False
    place.lab.clock.advance(3600)
    assert results(place.tick()) == [("slow", "passed")]


def test_an_open_regression_is_held_against_the_commit_before_it() -> None:
    place = town("slow")
    place.lab.repo.parents |= {HEAD: "c" * 40, "c" * 40: "d" * 40, "d" * 40: BASE}
    place.script.base, place.script.head = {"loss": [90]}, {"loss": [120]}
    assert place.tick().rows[0].base == "c" * 40
    place.lab.repo.parents["f" * 40] = HEAD
    place.lab.clock.advance(2 * 86_400)
    about = replace(place.about, tip="f" * 40)
    again = tick(APPLY, about, place.lab.house(place.script), place.lab.record, place.judge)
    assert (again.rows[0].base, again.rows[0].commit) == ("c" * 40, "f" * 40)


def test_the_first_commit_is_held_against_itself() -> None:
    place = town("slow")
    place.lab.repo.parents = {HEAD: None}
    assert place.tick().rows[0].base == HEAD


def test_a_tick_is_json() -> None:
    found: Any = as_json(town("slow").tick())
    assert (found["schema"], found["measured"], found["healthy"], found["exit_code"]) == ("assay.loop.tick/1", 1, True, 0)
    assert found["attempts"][0]["task"] == "slow"


WEEK = [timedelta(hours=hour) for hour in range(7 * 24)]


@pytest.mark.parametrize("ticks", [WEEK, [one for one in WEEK if one.days not in (2, 5)]], ids=["hourly", "two days missed"])
def test_a_week_of_ticks_spends_no_minute_twice_and_ends_in_the_right_states(ticks: list[timedelta]) -> None:
    place = town("good, value: frontier", "recovering", "dead", "gpu, needs: [cuda]", "never, needs: [metal]", "hand, manual: true")
    start = place.lab.clock.moment
    clock = place.lab.clock
    place.script.breaks = lambda name: name == "dead" or (name == "recovering" and clock.moment < start + 3 * DAY)
    for since in ticks:
        if clock.moment < start + since:
            clock.advance((start + since - clock.moment).total_seconds())
        if since >= 4 * DAY:
            place.here = replace(HERE, gpu="cuda", gpus=1)
        place.tick(minutes=50)
    _nothing_twice(place)
    cells = {one.task.id: one for one in place.tick().before.cells}
    assert {name: one.state for name, one in cells.items()} == {
        "good": CellState.FRESH,
        "recovering": CellState.FRESH,
        "dead": cells["dead"].state,
        "gpu": CellState.FRESH,
        "never": CellState.BLOCKED,
        "hand": CellState.DUE,
    }
    assert cells["dead"].state in (CellState.WAITING, CellState.DUE)
    assert cells["dead"].history.failures >= 15
    assert "hand" not in place.script.ran
    assert "never" not in place.script.ran


def _nothing_twice(place: Town) -> None:
    """No datum was gathered within the window of the one before, no failure within its backoff, and each attempt has one row."""
    by_task: dict[str, list[LedgerRow]] = defaultdict(list)
    for row in place.rows:
        by_task[row.task].append(row)
    for rows in by_task.values():
        gathered = [one.at for one in rows if one.result.gathered]
        assert all(later - earlier >= DAY - HOUR for earlier, later in pairwise(gathered))
        ran = [one for one in rows if one.result.is_failure]
        assert all(later.at - earlier.at >= HOUR - timedelta(minutes=1) for earlier, later in pairwise(ran))
    sessions = {run.session_id for run in place.lab.store.stored.values()}
    assert sum(one.result is not Result.SKIPPED for one in place.rows) == len(sessions)


def test_what_another_loop_has_measured_since_the_tick_began_is_not_measured_again() -> None:
    place = town("one, value: frontier", "two")
    ledger, clock = place.lab.store.ledger, place.lab.clock

    def meanwhile(name: str) -> bool:
        if name == "one" and not any(one.task == "two" for one in ledger.kept):
            ledger.kept.append(a_row(50, at=clock.now(), task="two"))
        return False

    place.script.breaks = meanwhile
    done = place.tick()
    assert (results(done), place.script.ran["two"]) == ([("one", "collected")], 0)
    assert any(one.startswith("two: fresh") for one in done.passed_over)
    assert ledger.held.claims == ()


def test_where_another_loop_has_measured_all_that_was_due_nothing_is_owed() -> None:
    place = town("two")
    ledger, rows = place.lab.store.ledger, [a_row(50, at=place.lab.clock.now(), task="two")]
    taken = type(ledger).claim

    def late(self: FakeLedger, wanted: Claim, now: datetime) -> Claim | None:
        self.kept.extend(rows)  # the other one writes its row and gives its claim back just before ours
        return taken(self, wanted, now)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(ledger), "claim", late)
        done = place.tick()
    assert (done.rows, done.exit_code, done.healthy) == ((), 0, False)


@pytest.mark.parametrize("ahead", [2 * DAY, 365 * 80 * DAY])
def test_a_datum_of_a_clock_that_was_wrong_makes_nothing_fresh(ahead: timedelta) -> None:
    place = town("good")
    place.rows.append(a_row(50, at=place.lab.clock.now() + ahead, task="good"))
    assert results(place.tick()) == [("good", "collected")]
    idle = place.tick()
    assert (idle.rows, idle.after.parts.ledger.ahead) == ((), 1)


def test_a_clock_that_steps_back_by_hours_measures_nothing_twice() -> None:
    place = town("good")
    place.rows.append(a_row(50, at=place.lab.clock.now() + 20 * HOUR, task="good"))
    assert place.tick().rows == ()
