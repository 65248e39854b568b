"""One small interpreter forks the supervisors of all runs, and no run depends on its fate."""

import sys
from pathlib import Path

import psutil
import pytest
from tests.integration.process.support import Box, alive

from assay.adapters.process import fork_server
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


def test_a_supervisor_that_cannot_be_forked_is_no_fault_of_the_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = "import posix\ndef fork(): raise BlockingIOError(11, 'no more')\nposix.fork = fork\n"
    monkeypatch.setattr(fork_server, "_PROGRAM", refusing + fork_server._PROGRAM)
    with pytest.raises(InfrastructureError, match="could not be started: Resource temporarily unavailable"):
        Box(tmp_path).run("true")


def test_a_server_that_cannot_be_started_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    with pytest.raises(InfrastructureError, match="could not be started: No such file or directory"):
        Box(tmp_path).run("true")
