"""Runs that meet: one at a time in a tree, seen and cancelled from elsewhere, counted when their turn has come."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.harness.waiting import until
from tests.integration.experiment.lab import Bench

from assay.adapters.hook_scripts import HookScripts
from assay.app.experiment import archive, cancel
from assay.app.experiment_run import Ran
from assay.core.experiment import HookName
from assay.core.experiment_errors import MaxIterationsError, RefusedError, TreeBusyError, UnknownRunError
from assay.core.model import Cause

DEADLINE_S = 60.0


class Background:
    """A run in a thread of its own, with its answer or its error."""

    def __init__(self, bench: Bench, *command: str) -> None:
        self.ran: Ran | None = None
        self.error: RefusedError | None = None
        self._thread = threading.Thread(target=self._work, args=(bench, command))
        self._thread.start()

    def _work(self, bench: Bench, command: tuple[str, ...]) -> None:
        try:
            self.ran = bench.run(*command)
        except RefusedError as error:
            self.error = error

    def join(self) -> "Background":
        self._thread.join()
        return self


@contextmanager
def held(bench: Bench, gate: Path) -> Iterator[Background]:
    """A run that has started and waits for a file."""
    begun = gate.with_suffix(".begun")
    script = f"touch '{begun}'; while [ ! -e '{gate}' ]; do sleep 0.02; done; echo METRIC loss=1"
    one = Background(bench, "sh", "-c", script)
    until(begun.exists)
    try:
        yield one
    finally:
        gate.touch()
        one.join()


def test_two_runs_never_work_in_one_tree_at_once(bench: Bench, tmp_path: Path) -> None:
    bench.begin()
    log = tmp_path / "log"
    script = f"echo in >> '{log}'; sleep 0.05; echo out >> '{log}'; echo METRIC loss=1"
    others = [Background(bench, "sh", "-c", script) for _ in range(4)]
    assert all(one.join().ran for one in others)
    assert log.read_text().split() == ["in", "out"] * 4


def test_the_limit_is_counted_when_a_run_has_its_turn(bench: Bench) -> None:
    bench.begin(max_iterations=2)
    others = [Background(bench, "echo", "METRIC loss=1") for _ in range(5)]
    ended = [one.join() for one in others]
    assert sum(one.ran is not None for one in ended) == 2
    assert all(isinstance(one.error, MaxIterationsError) for one in ended if one.ran is None)
    assert len(bench.state.here) == 2


def test_a_running_and_a_queued_run_can_be_seen(bench: Bench, tmp_path: Path) -> None:
    bench.begin()
    with held(bench, tmp_path / "gate"):
        queued = Background(bench, "echo", "METRIC loss=1")
        until(lambda: len(bench.live) == 2)
        assert sorted(active for _, active in bench.live) == [False, True]
    queued.join()
    assert bench.live == []


def test_a_queued_run_can_be_cancelled_and_leaves_no_record(bench: Bench, tmp_path: Path) -> None:
    bench.begin()
    with held(bench, tmp_path / "gate"):
        queued = Background(bench, "touch", str(tmp_path / "ran"))
        until(lambda: len(bench.live) == 2)
        cancel(bench.lab, next(handle for handle, active in bench.live if not active))
        queued.join()
    assert queued.ran is not None
    assert (queued.ran.done.cause, queued.ran.row) == (Cause.CANCELLED, None)
    assert not (tmp_path / "ran").exists()
    assert len(bench.state.here) == 1


def test_a_running_run_can_be_cancelled_and_is_recorded_as_such(bench: Bench, tmp_path: Path) -> None:
    bench.begin()
    with held(bench, tmp_path / "gate") as one:
        ((handle, _),) = bench.live
        cancel(bench.lab, handle)
        one.join()
    assert one.ran is not None
    (trial,) = bench.state.here
    assert (trial.stored.cause, trial.stored.ended, trial.settled) == (Cause.CANCELLED, True, False)
    assert bench.log(handle, "errored").record.seq == 3


def test_a_run_that_has_ended_cannot_be_cancelled(bench: Bench) -> None:
    bench.begin()
    with pytest.raises(UnknownRunError):
        cancel(bench.lab, bench.run().run)


def test_nothing_is_logged_and_nothing_archived_of_a_run_that_is_running(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.app.experiment_log.PATIENCE_S", 0.1)
    bench.begin()
    done = bench.run().run
    with held(bench, tmp_path / "gate"):
        with pytest.raises(TreeBusyError):
            bench.log(done, "discard", baseline=bench.head)
        with pytest.raises(TreeBusyError):
            archive(bench.lab, bench.session)
    bench.log(done, "discard", baseline=bench.head)


def test_checks_run_after_a_good_run_alone(bench: Bench, tmp_path: Path) -> None:
    bench.begin(checks=f"echo checked >> '{tmp_path}/checked'; grep -q 'WIDTH = 8' src/model.py")
    assert not bench.run("false").good
    assert not (tmp_path / "checked").exists()
    assert bench.run("echo", "METRIC loss=1").good
    bench.write({"src/model.py": "WIDTH = 9\n"})
    broken = bench.run("echo", "METRIC loss=1")
    assert not broken.good
    assert broken.row is not None
    assert (broken.row.cause, broken.row.checks.state) == (None, "failed")
    bench.log(broken.run, "checks_failed", baseline=bench.head)
    assert bench.read("src/model.py") == b"WIDTH = 8\n"


def test_asi_comes_from_the_output_and_from_the_log(bench: Bench) -> None:
    bench.begin()
    ran = bench.run("printf", "ASI hypothesis=tiles\nASI group=a\nMETRIC loss=1\n")
    bench.log(ran.run, "pending", asi={"group": "b"})
    assert bench.state.find(ran.run).newest.asi == {"hypothesis": "tiles", "group": "b"}  # type: ignore[union-attr]


def hook(bench: Bench, name: str, script: str) -> None:
    file = bench.repo.root / f"autoresearch.hooks/{name}.sh"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_hooks_are_told_of_the_run_and_leave_their_record(bench: Bench) -> None:
    bench.begin()
    hook(bench, "before", 'echo "told: $ASSAY_EVENT"')
    hook(bench, "after", 'echo "$ASSAY_EVENT"; echo why >&2; exit 3')
    ran = bench.run("echo", "METRIC loss=7")
    assert ran.hook is not None
    assert f'"run": "{ran.run}"' in ran.hook.message
    logged = bench.log(ran.run, "keep")
    assert logged.hook is not None
    assert (logged.hook.exit_code, logged.hook.stderr) == (3, "why\n")
    told = json.loads(logged.hook.message)
    assert (told["outcome"], told["value"], told["session"]["best"], told["session"]["runs"]) == ("keep", 7, 7, 1)
    assert [one.type for one in bench.journal.records] == ["config", "run", "hook", "run", "hook"]


def test_a_hook_that_hangs_is_ended_and_stops_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.app.experiment_run.TIMEOUT_S", 0.3)
    bench.begin()
    hook(bench, "before", "sleep 1000")
    ran = bench.run("echo", "METRIC loss=7")
    assert ran.good
    assert ran.hook is not None
    assert ran.hook.timed_out


def test_a_run_that_is_cancelled_during_its_hook_does_not_start(bench: Bench, tmp_path: Path) -> None:
    bench.begin()
    hook(bench, "before", f"touch '{tmp_path}/begun'; sleep 1000")
    one = Background(bench, "touch", str(tmp_path / "ran"))
    until((tmp_path / "begun").exists)
    ((handle, _),) = bench.live
    cancel(bench.lab, handle)
    one.join()
    assert one.ran is not None
    assert one.ran.row is not None
    assert one.ran.row.cause is Cause.CANCELLED
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("how", ["not executable", "a link", "not allowed"])
def test_only_a_script_that_may_be_run_is_a_hook(bench: Bench, how: str) -> None:
    hook(bench, "before", "touch hooked")
    file = bench.repo.root / "autoresearch.hooks/before.sh"
    if how == "not executable":
        file.chmod(0o644)
    if how == "a link":
        file.rename(file.with_name("other.sh"))
        file.symlink_to("other.sh")
    found = HookScripts(bench.repo.root, allowed=how != "not allowed").find(HookName.BEFORE)
    assert found is None


@pytest.mark.parametrize("removed", [".assay", ".assay/store", ".assay/store/sessions"])
def test_a_command_that_removes_the_store_loses_nothing_of_its_session(bench: Bench, removed: str) -> None:
    bench.begin()
    bench.tried(3, "discard", baseline="HEAD")
    ran = bench.run("sh", "-c", f"rm -rf {removed} && echo METRIC loss=2")
    trials = bench.state.trials
    assert [one.value for one in trials] == [3.0, 2.0]
    assert [one.settled for one in trials] == [True, False]
    assert [one.seq for one in bench.journal.records] == [1, 2, 3, 4]
    assert bench.log(ran.run, "keep").record.seq == 5
