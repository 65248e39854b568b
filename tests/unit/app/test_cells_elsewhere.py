"""A cell notes each process before the next one, ends in time, and is measured nowhere but where it belongs."""

from dataclasses import replace

import pytest
from tests.fakes.journal import FakeJournal
from tests.fakes.runs import BASE, HEAD
from tests.houses import Lab, Script, config

from assay.app.check import CheckRequest
from assay.app.split_run import Limits, run_cell
from assay.core.envelope import RunStatus
from assay.core.handover import Cell, PlanFile
from assay.core.model import Trust
from assay.core.salvage import salvaged
from assay.errors import UsageError

EQUAL = Script({"loss": [1.0]}, {"loss": [1.0]})
AWAY = config("machine: lab", top=["machines: {lab: {runner: slurm}}"])
HERE = config("repeats: {min: 4, max: 4}")
PLAN = PlanFile(
    schema="assay.plan/1",
    base=BASE,
    head=HEAD,
    branch=None,
    trust=Trust.MEMBER,
    vouched=False,
    rules=None,
    extras=None,
    config=".github/assay.yml",
    seeds=(),
    repeats=None,
    model=None,
    precision=None,
    forced_by=None,
    cells=(Cell(benchmark="bench", machine=None, runs_on=("x",)),),
)


def test_a_benchmark_of_another_machine_is_not_measured_here() -> None:
    lab = Lab()
    with pytest.raises(UsageError, match="belongs on lab, which is reached by slurm"):
        lab.check(EQUAL, AWAY)
    assert lab.commands == []
    with pytest.raises(UsageError, match="belongs on lab"):
        run_cell(PLAN, "bench", AWAY, lab.house(EQUAL))


def test_it_is_measured_where_it_has_arrived() -> None:
    ran = run_cell(PLAN, "bench", AWAY, Lab().house(EQUAL), Limits(arrived=True, note="by job 12"))
    assert ran.cell.state == "measured"
    assert all("by job 12" in run.notes for run in ran.cell.runs)


def test_a_request_knows_whether_it_has_to_go_elsewhere() -> None:
    assert CheckRequest(config=AWAY, base=None, head="HEAD").elsewhere
    assert not CheckRequest(config=HERE, base=None, head="HEAD").elsewhere
    assert not CheckRequest(config=AWAY, base=None, head="HEAD", benchmarks=("other",)).elsewhere


def test_what_a_journal_holds_at_any_moment_is_all_that_has_been_measured() -> None:
    journal = FakeJournal()
    ran = run_cell(PLAN, "bench", HERE, Lab().house(EQUAL), Limits(journal=journal))
    assert {run.run_id for run in ran.cell.runs} == journal.ended.keys() == journal.frames.keys()
    for run in ran.cell.runs:
        again = salvaged(journal.frames[run.run_id], journal.lines)
        assert (again.samples, again.processes, again.metrics) == (run.samples, run.processes, run.metrics)
        assert again.status is RunStatus.PARTIAL
    assert [one.process.order for one in journal.lines] == list(range(10))


def test_a_journal_that_cannot_be_written_is_told_once_and_ends_nothing() -> None:
    lab = Lab()
    ran = run_cell(PLAN, "bench", HERE, lab.house(EQUAL), Limits(journal=FakeJournal(full=True)))
    assert ran.cell.state == "measured"
    assert sum("is not written down meanwhile" in line for line in lab.observer.remarks) == 1
    assert "The disk is full." in ran.cell.warnings


def test_a_cell_ends_its_sampling_within_its_limit() -> None:
    lab = Lab()
    slow = replace(EQUAL, duration_s=10.0, clock=lab.clock)
    ran = run_cell(PLAN, "bench", config("repeats: {min: 4, max: 10}"), lab.house(slow), Limits(within_s=75.0))
    assert ran.cell.state == "measured"
    assert 2 <= len(lab.commands) <= 8


def test_a_seed_alone_is_measured_for_its_seed() -> None:
    lab = Lab()
    seeded = config("run: ./bench {seed}", "seeds: [1, 2, 3]")
    ran = run_cell(PLAN, "bench", seeded, lab.house(EQUAL), Limits(seed=2))
    assert {command for _, command in lab.commands} == {"./bench 2"}
    assert [run.seeds for run in ran.cell.runs] == [(2,), (2,)]
    assert not any("One seed" in line for line in ran.cell.warnings)
