"""One small interpreter forks the supervisors of all runs, and no run depends on its fate."""

import sys
from pathlib import Path

import psutil
import pytest
from tests.integration.process.support import Box, alive

from assay.adapters.process import fork_server, supervised
from assay.errors import InfrastructureError

SERVER = "cut -d ' ' -f 4 /proc/$PPID/stat"
"""Prints the parent of the supervisor."""


def test_all_runs_have_supervisors_of_one_server(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        first, second = (runner.submit(box.request(f"{SERVER}; echo $PPID")).wait().stdout.split() for _ in range(2))
    assert first[0] == second[0]
    assert first[1] != second[1]


def test_a_server_that_was_killed_is_started_anew(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        killed = runner.submit(box.request(f"{SERVER}; kill -KILL $({SERVER})")).wait()
        assert (killed.exit_code, killed.cause) == (0, None)
        assert runner.submit(box.request("echo alive")).wait().stdout == "alive\n"


def test_no_server_outlives_its_runner(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        server = int(runner.submit(box.request(SERVER)).wait().stdout)
        assert alive(server)
    assert not psutil.pid_exists(server)


def test_a_stopped_server_does_not_hold_up_the_end(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        server = int(runner.submit(box.request(f"{SERVER}; kill -STOP $({SERVER})")).wait().stdout)
    assert not psutil.pid_exists(server)


def test_a_stopped_server_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "PATIENCE_S", 0.3)
    box = Box(tmp_path)
    with box.runner() as runner:
        stopped = int(runner.submit(box.request(f"{SERVER}; kill -STOP $({SERVER})")).wait().stdout)
        assert int(runner.submit(box.request(SERVER)).wait().stdout) != stopped
    assert not psutil.pid_exists(stopped)


def test_waiting_for_a_new_server_is_not_counted_against_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a run that has little time itself."""
    monkeypatch.setattr(fork_server, "PATIENCE_S", 2.0)
    monkeypatch.setattr(supervised, "SWEEP_S", 0.0)
    monkeypatch.setattr(supervised, "SLACK_S", 1.0)
    box = Box(tmp_path)
    with box.runner() as runner:
        runner.submit(box.request(f"kill -STOP $({SERVER})")).wait()
        done = runner.submit(box.request("sleep 600", timeout_s=0.2)).wait()
    assert done.detail == "ran past its time limit and was killed"


def test_a_supervisor_that_cannot_be_forked_is_no_fault_of_the_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = "import posix\ndef fork(): raise BlockingIOError(11, 'no more')\nposix.fork = fork\n"
    monkeypatch.setattr(fork_server, "_PROGRAM", refusing + fork_server._PROGRAM)
    with pytest.raises(InfrastructureError, match="could not be started: Resource temporarily unavailable"):
        Box(tmp_path).run("true")


def test_a_server_that_cannot_be_started_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    with pytest.raises(InfrastructureError, match="could not be started: No such file or directory"):
        Box(tmp_path).run("true")
