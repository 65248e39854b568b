"""Nothing of a run outlives it, whatever it starts and whoever is killed."""

import array
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tests.harness.waiting import until
from tests.integration.process.support import Box, alive, python

from assay.adapters.process import supervised
from assay.core.model import Cause

DAEMON = """
import os, time
def daemon(name):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve("/usr/bin/env", ["env", "-i", "/bin/sh", "-c", f"echo $$ > {name}.new; mv {name}.new {name}; exec sleep 600"], {})
        os._exit(0)
    os.wait()
"""
"""Leaves the session, loses its parent and its environment."""

ASSAY = """
import os, signal, sys
from assay.adapters.clock import SystemClock
from assay.adapters.process.runner import LocalRunner
from assay.core.process import Argv, ProcessRequest
folder, program, ending = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell has its background jobs ignore
runner = LocalRunner(folder + "/locks", clock=SystemClock(), grace_s=0.2)
command = Argv((sys.executable, "-I", "-S", "-c", program))
handle = runner.submit(ProcessRequest(command, folder, {"PATH": os.environ["PATH"]}, folder + "/log"))
if ending == "return":
    while not os.path.exists(folder + "/ready"): pass
    sys.exit(0)
try:
    handle.wait()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    runner.close()
    print(handle.wait().cause, flush=True)
"""


@contextmanager
def an_assay(folder: Path, program: str, ending: str = "wait") -> Iterator["subprocess.Popen[str]"]:
    """A process of its own that runs the program through a LocalRunner."""
    command = [sys.executable, "-c", ASSAY, str(folder), program, ending]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def bind_below(server: socket.socket, folder: Path) -> None:
    """Listen as `stranger` in the folder; its path may be longer than an address can be."""
    where = Path.cwd()
    os.chdir(folder)
    try:
        server.bind("stranger")
    finally:
        os.chdir(where)
    server.listen()


def write_pid(name: str) -> str:
    return f"open('{name}.new', 'w').write(f'{{os.getpid()}}\\n'); os.rename('{name}.new', '{name}')\n"


@pytest.mark.parametrize("ending", ["time.sleep(600)", "pass"])
def test_a_daemon_does_not_survive(tmp_path: Path, ending: str) -> None:
    box = Box(tmp_path)
    done = box.python(f"{DAEMON}\nfor name in ('one', 'two'): daemon(name)\nwhile not os.path.exists('two'): pass\n{ending}", timeout_s=2.0)
    assert done.cause is (Cause.TIMEOUT if ending != "pass" else None)
    assert done.escaped == 2
    assert not any(alive(box.pid(name)) for name in ("one", "two"))


def test_the_whole_tree_is_killed_at_the_time_limit(tmp_path: Path) -> None:
    box = Box(tmp_path)
    deaf = "sh -c 'trap \"\" TERM; echo $$ > a; sleep 600 & echo $! > b; wait'"
    away = "setsid sh -c 'echo $$ > c; sleep 600 & echo $! > d; wait'"
    assert box.run(f"{deaf} & {away} & wait", timeout_s=1.0).cause is Cause.TIMEOUT
    assert not any(alive(box.pid(name)) for name in "abcd")


def test_one_who_forks_faster_than_he_is_killed_is_caught(tmp_path: Path) -> None:
    box = Box(tmp_path)
    bomb = """
import os
if os.fork():
    while not os.path.exists("hops"): pass
    os._exit(0)
os.setsid()
while True:
    if os.fork(): os._exit(0)
    open("hops", "a").write(".")
"""
    done = box.python(bomb)
    size = (tmp_path / "hops").stat().st_size
    assert (done.cause, size > 0) == (None, True)
    assert done.escaped >= 1
    assert (tmp_path / "hops").stat().st_size == size


def test_helpers_that_end_by_themselves_are_no_escape(tmp_path: Path) -> None:
    done = Box(tmp_path).run("(read -r line < /dev/null; exit 0) & exit 0")
    assert (done.cause, done.escaped) == (None, 0)


def test_orphans_that_end_during_a_run_are_reaped(tmp_path: Path) -> None:
    program = """
import os
def zombies():
    found = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try: fields = open(f"/proc/{name}/stat").read().rpartition(")")[2].split()
        except OSError: continue
        found += fields[0] == "Z" and int(fields[1]) == os.getppid()
    return found
for _ in range(20):
    if os.fork() == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.wait()
while zombies(): pass
print("none left")
"""
    assert Box(tmp_path).python(program).stdout == "none left\n"


def test_a_stranger_who_holds_the_output_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """The pipe is handed to this test, which is no descendant of the command and keeps it open."""
    program = """
import array, socket
with socket.socket(socket.AF_UNIX) as stranger:
    stranger.connect("stranger")
    stranger.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
    stranger.recv(1)
print("done")
"""
    box = Box(tmp_path)
    with socket.socket(socket.AF_UNIX) as server, box.runner() as runner:
        bind_below(server, tmp_path)
        handle = runner.submit(box.request(python(program)))
        connection, _ = server.accept()
        with connection:
            _, rights, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(4))
            held = array.array("i", rights[0][2])[0]
            connection.send(b"x")
            done = handle.wait()
            os.close(held)
    assert (done.cause, done.stdout) == (None, "done\n")


def test_nothing_survives_when_assay_is_killed(tmp_path: Path) -> None:
    box = Box(tmp_path)
    program = f"{DAEMON}\ndaemon('daemon')\n{write_pid('main')}import signal\nsignal.signal(15, signal.SIG_IGN)\nwhile True: signal.pause()"
    with an_assay(tmp_path, program) as assay:
        pids = [box.pid("main"), box.pid("daemon")]
        pids += [parent.pid for parent in psutil.Process(pids[0]).parents()[:2]]  # its supervisor, and the server of those
        assert all(alive(pid) for pid in pids)
        assay.kill()
        until(lambda: not any(alive(pid) for pid in pids))


def test_nothing_survives_when_assay_just_returns(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with an_assay(tmp_path, f"import os, time\n{write_pid('main')}{write_pid('ready')}time.sleep(600)", "return") as assay:
        main = box.pid("main")
        assert assay.wait() == 0
        until(lambda: not alive(main))


def test_waiting_can_be_interrupted(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with an_assay(tmp_path, f"import os, time\n{write_pid('main')}time.sleep(600)") as assay:
        main = box.pid("main")
        assay.send_signal(signal.SIGINT)
        said, _ = assay.communicate()
    assert said.split() == ["interrupted", "cancelled"]
    assert not alive(main)


def test_a_process_whose_supervisor_is_killed_is_killed_too(tmp_path: Path) -> None:
    box = Box(tmp_path)
    done = box.run("echo METRIC a=1; sleep 600 & echo $! > child; kill -KILL $PPID; sleep 600")
    assert (done.exit_code, done.signal, done.cause) == (None, signal.SIGKILL, Cause.SIGNAL)
    assert done.detail == "its supervisor was killed from outside, so it was killed too"
    assert done.reading.get("a") is not None
    until(lambda: not alive(box.pid("child")))


def test_a_polite_signal_to_the_supervisor_ends_the_run(tmp_path: Path) -> None:
    done = Box(tmp_path).run("kill -TERM $PPID; sleep 600")
    assert (done.cause, done.signal) == (Cause.CANCELLED, signal.SIGTERM)


ENDINGS = """
import pathlib, psutil, sys
from tests.integration.process.support import Box
both = "$(cut -d ' ' -f 4 /proc/$PPID/stat) $PPID"
box, us = Box(pathlib.Path(sys.argv[1])), psutil.Process()
box.run("true")
files = us.num_fds()
for command in ("true", "exit 1", "sleep 600 & exit 0", "kill -KILL $PPID", f"setsid sleep 600 & kill -KILL {both}; sleep 600"):
    box.run(command)
print(us.num_fds() - files, [child.name() for child in us.children(recursive=True)])
"""


def test_no_process_and_no_open_file_is_left_with_us(tmp_path: Path) -> None:
    """Not even one that has ended. In a process of its own, where no other test has left anything."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])}
    done = subprocess.run([sys.executable, "-c", ENDINGS, str(tmp_path)], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "0 []\n"


def test_who_left_the_session_does_not_survive_the_supervisor(tmp_path: Path) -> None:
    box = Box(tmp_path)
    away = "setsid sh -c 'echo $$ > c.new; mv c.new c; sleep 600 & echo $! > d.new; mv d.new d; wait' &"
    until_there = "while [ ! -e d ]; do sleep 0.01; done"
    program = f"{DAEMON}\ndaemon('daemon')\nwhile not os.path.exists('daemon'): pass"
    (tmp_path / "daemon.py").write_text(program)
    done = box.run(f"{away} {sys.executable} -I -S daemon.py; {until_there}; kill -KILL $PPID; sleep 600")
    assert done.cause is Cause.SIGNAL
    assert not any(alive(box.pid(name)) for name in ("c", "d", "daemon"))


def test_who_left_the_session_does_not_survive_supervisor_and_server(tmp_path: Path) -> None:
    box = Box(tmp_path)
    away = "setsid sh -c 'echo $$ > c.new; mv c.new c; sleep 600 & echo $! > d.new; mv d.new d; wait' &"
    both = "$(cut -d ' ' -f 4 /proc/$PPID/stat) $PPID"
    done = box.run(f"{away} while [ ! -e d ]; do sleep 0.01; done; kill -KILL {both}; sleep 600")
    assert done.cause is Cause.SIGNAL
    assert not any(alive(box.pid(name)) for name in "cd")
    assert not any(
        child.status() == psutil.STATUS_ZOMBIE for child in psutil.Process().children() if child.pid in (box.pid("c"), box.pid("d"))
    )


def test_what_others_of_our_own_have_started_is_no_orphan(tmp_path: Path) -> None:
    """Such as a program called python that is asked what it is, or what git leaves behind."""
    box = Box(tmp_path)
    before = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with box.runner() as runner:
        ours = subprocess.Popen(["sleep", "600"])
        try:
            runner.submit(box.request("setsid sleep 600 & kill -KILL $PPID; sleep 600")).wait()
            assert (ours.poll(), before.poll()) == (None, None)
        finally:
            for one in (ours, before):
                one.kill()
                one.wait()


def test_a_killed_supervisor_costs_its_neighbour_nothing(tmp_path: Path) -> None:
    box = Box(tmp_path)
    os.mkfifo(tmp_path / "go")
    with box.runner() as runner:
        other = runner.submit(box.request("setsid sleep 600 & echo $$ > a.new; mv a.new a; read -r go < go; jobs -p"))
        box.pid("a")
        runner.submit(box.request("setsid sleep 600 & kill -KILL $PPID; sleep 600")).wait()
        assert alive(box.pid("a"))
        (tmp_path / "go").write_text("go\n")
        done = other.wait()
    assert (done.cause, done.escaped) == (None, 1)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A supervisor that does not answer is soon given up."""
    monkeypatch.setattr(supervised, "SWEEP_S", 0.1)
    monkeypatch.setattr(supervised, "SLACK_S", 0.3)


STOPPED = "setsid sleep 600 & echo $! > child.new; mv child.new child; sleep 600 & echo METRIC a=1; kill -STOP $PPID; sleep 600"


@pytest.mark.usefixtures("hasty")
def test_a_stopped_supervisor_does_not_hold_up_the_time_limit(tmp_path: Path) -> None:
    box = Box(tmp_path)
    done = box.run(STOPPED, timeout_s=0.5)
    assert (done.cause, done.detail) == (Cause.TIMEOUT, "ran past its time limit; its supervisor did not answer, and both were killed")
    assert done.reading.get("a") is not None
    assert not alive(box.pid("child"))


@pytest.mark.usefixtures("hasty")
def test_a_stopped_supervisor_does_not_hold_up_a_cancel(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        handle = runner.submit(box.request(STOPPED))
        child = box.pid("child")
        handle.cancel()
        done = handle.wait()
    assert done.cause is Cause.CANCELLED
    assert not alive(child)


@pytest.mark.usefixtures("hasty")
def test_a_stopped_supervisor_does_not_hold_up_the_output_limit(tmp_path: Path) -> None:
    done = Box(tmp_path).run("kill -STOP $PPID; exec yes", max_output=1000)
    assert done.cause is Cause.OUTPUT_LIMIT
