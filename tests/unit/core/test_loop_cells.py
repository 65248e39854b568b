"""How a task stands on a class of machines, at one moment, by its rows alone."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import NOW
from tests.loops import DAY, HERE, HOUR, a_row, config_of, task_of

from assay.core.loop.capabilities import Capabilities, gap_of
from assay.core.loop.cells import SESSIONS_TO_LEARN, Cell, History, backoff, cell_of, history_of, ranked, score_of
from assay.core.loop.claims import claim
from assay.core.loop.ledger import LedgerRow
from assay.core.loop.task import Task, tasks_of
from assay.core.loop.vocabulary import CellState, Result, ValueClass

LEARNED = SESSIONS_TO_LEARN


def stands(
    rows: list[LedgerRow], task: Task | None = None, now: datetime = NOW, sessions: int = LEARNED, here: Capabilities = HERE
) -> Cell:
    task = task or task_of()
    return cell_of(task, history_of(task.id, here.machine, here.box, rows, sessions=sessions), here, (), now)


def test_a_task_that_was_never_collected_is_due() -> None:
    cell = stands([])
    assert (cell.state, cell.until) == (CellState.DUE, None)
    assert "never collected" in cell.reason


@pytest.mark.parametrize(("age", "state"), [(12 * HOUR, CellState.FRESH), (14 * DAY - HOUR, CellState.FRESH), (14 * DAY, CellState.DUE)])
def test_a_datum_is_fresh_within_the_recheck_window(age: timedelta, state: CellState) -> None:
    assert stands([a_row(at=NOW - age)]).state is state


def test_until_a_metric_has_eight_sessions_each_task_is_due_daily() -> None:
    rows = [a_row(at=NOW - DAY)]
    assert stands(rows, sessions=7).state is CellState.DUE
    assert stands(rows, sessions=8).state is CellState.FRESH


@pytest.mark.parametrize("result", [one for one in Result if not one.gathered])
def test_no_other_result_makes_a_task_fresh(result: Result) -> None:
    old, new = a_row(at=NOW - 20 * DAY), a_row(1, at=NOW - 9 * HOUR, result=result)
    cell = stands([old, new])
    assert cell.state is CellState.DUE
    assert cell.history.gathered_at == old.at


def test_what_another_class_of_machines_collected_says_nothing_of_this_one() -> None:
    assert stands([a_row(at=NOW - HOUR, machine="linux-arm64-other-4c")]).state is CellState.DUE


def test_a_measurement_by_any_other_command_counts() -> None:
    history = history_of("bench", HERE.machine, HERE.box, (), measured_at=NOW - HOUR, sessions=LEARNED)
    assert cell_of(task_of(), history, HERE, (), NOW).state is CellState.FRESH


@pytest.mark.parametrize(("failures", "hours"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 8), (9, 8), (10_000, 8)])
def test_failures_back_off_from_one_hour_to_eight(failures: int, hours: int) -> None:
    assert backoff(failures) == hours * HOUR


def test_a_failed_task_waits_and_says_until_when() -> None:
    rows = [a_row(number, at=NOW - (4 - number) * HOUR, result=Result.FAILED) for number in range(3)]
    cell = stands(rows)
    assert (cell.state, cell.until) == (CellState.WAITING, rows[-1].at + 4 * HOUR)
    assert stands(rows, now=NOW + 2 * HOUR).state is CellState.DUE


def test_a_success_forgets_the_failures_before_it() -> None:
    rows = [a_row(0, at=NOW - 20 * DAY, result=Result.TIMEOUT), a_row(1, at=NOW - 15 * DAY), a_row(2, at=NOW - HOUR, result=Result.FAILED)]
    assert stands(rows).history.failures == 1


def test_a_held_task_is_probed_again_after_six_hours_on_the_box_that_held_it() -> None:
    held = a_row(at=NOW - 5 * HOUR, result=Result.SKIPPED, held_by="input data/")
    assert stands([held]).state is CellState.HELD
    assert stands([held], now=NOW + HOUR).state is CellState.DUE
    elsewhere = held.model_copy(update={"box": "fedcba9876543210"})
    assert stands([elsewhere]).state is CellState.DUE


def test_an_answer_of_a_stored_run_holds_a_day_and_is_no_datum() -> None:
    rows = [a_row(0, at=NOW - 20 * DAY), a_row(1, at=NOW - HOUR, result=Result.SKIPPED, reused=True)]
    cell = stands(rows)
    assert (cell.state, cell.history.reuses, cell.history.gathered_at) == (CellState.REUSED, 1, rows[0].at)
    assert stands(rows, now=NOW + DAY).state is CellState.DUE


def test_a_claim_lasts_half_an_hour_and_is_reclaimed_after() -> None:
    other = claim(("bench", HERE.machine), "box", "lease-1", NOW)
    history = History(sessions=LEARNED)
    assert cell_of(task_of(), history, HERE, (other,), NOW + 29 * HOUR / 60).state is CellState.RUNNING
    assert cell_of(task_of(), history, HERE, (other,), NOW + HOUR / 2).state is CellState.DUE


def test_what_a_task_lacks_is_named() -> None:
    cell = stands([], task_of(more="needs: [cuda], value: frontier"))
    assert (cell.state, cell.gap, cell.feasible) == (CellState.BLOCKED, "cuda", False)


@pytest.mark.parametrize(
    ("more", "here", "gap"),
    [
        ("needs: [offline]", HERE, ""),
        ("needs: [weights]", HERE, "weights"),
        ("needs: [dataset]", HERE, "dataset"),
        ("needs: [net]", Capabilities("b", "m", net=False), "net"),
        ("needs: [metal]", Capabilities("b", "m", gpu="cuda", gpus=1), "metal"),
        ("needs: [cuda, weights]", Capabilities("b", "m", gpu="cuda", gpus=1), "weights"),
        ("needs: [cuda], gpus: 2", Capabilities("b", "m", gpu="cuda", gpus=1), "2 GPUs"),
        ("needs: [cuda]", Capabilities("b", "m", gpu="unknown"), "cuda"),
        ("inputs: [data/]", Capabilities("b", "m", missing={"bench": "data/"}), "input data/"),
    ],
)
def test_needs_hold_together_and_what_is_unknown_is_not_there(more: str, here: Capabilities, gap: str) -> None:
    assert gap_of(task_of(more=more), here) == gap


def test_no_gpu_minute_left_keeps_tasks_with_a_gpu_waiting_and_no_other() -> None:
    here = Capabilities(HERE.box, HERE.machine, gpu="cuda", gpus=1)
    with_gpu, without = task_of(more="gpus: 1"), task_of()
    assert cell_of(with_gpu, History(), here, (), NOW, spent="spent").state is CellState.WAITING
    assert cell_of(without, History(), here, (), NOW, spent="spent").state is CellState.DUE


def test_scores_are_those_of_the_weights() -> None:
    new = History()
    fresh = History(gathered_at=NOW, sessions=LEARNED)
    stale = History(gathered_at=NOW - 14 * DAY, sessions=LEARNED)
    assert score_of(task_of(more="value: smoke"), new, NOW) == pytest.approx(0.5025)
    assert score_of(task_of(more="value: frontier"), fresh, NOW) == pytest.approx(0.35)
    assert score_of(task_of(more="value: frontier"), stale, NOW) == pytest.approx(0.55)


def test_feasible_tasks_go_first_then_score_value_and_id() -> None:
    config = config_of("d, value: smoke", "c, value: frontier", "b, value: smoke", "a, needs: [cuda], value: frontier")
    cells = ranked(cell_of(task, History(), HERE, (), NOW) for task in tasks_of(config))
    assert [one.task.id for one in cells] == ["c", "b", "d", "a"]


def test_values_rank_as_they_are_listed() -> None:
    assert [one.rank for one in ValueClass] == [5, 4, 3, 2, 1, 0]


@given(st.lists(st.tuples(st.integers(0, 400), st.sampled_from(Result), st.booleans()), max_size=12), st.integers(0, 400))
def test_every_state_but_due_ends_by_itself_or_says_what_is_lacking(attempts: list[tuple[int, Result, bool]], hours: int) -> None:
    rows = [a_row(n, at=NOW + h * HOUR, result=result, held_by="x" if held else None) for n, (h, result, held) in enumerate(attempts)]
    cell = stands(rows, now=NOW + hours * HOUR)
    assert cell.state is CellState.DUE or (cell.until is not None and cell.until > NOW + hours * HOUR)
    later = stands(rows, now=NOW + timedelta(hours=2000))
    assert later.state is CellState.DUE


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("./bench", True),
        ("./bench < input.txt", True),
        ("./bench --n 3 > out", True),
        ("./bench <checkpoint>", False),
        ("start the server → run it", False),
        ("start the server -> run it", False),
    ],
)
def test_a_recipe_for_a_person_is_never_run(command: str, runs: bool) -> None:
    task = task_of()
    changed = task.benchmark.model_copy(update={"run": command})
    assert Task("bench", "bench", task.source, changed).runs_by_itself is runs


def test_manual_tasks_and_those_with_a_credential_are_for_a_person() -> None:
    assert not task_of(more="manual: true").runs_by_itself
    task = task_of()
    assert not Task("bench", "bench", task.source, task.benchmark, credentials=("HF_TOKEN",)).runs_by_itself
