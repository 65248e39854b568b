"""What one may use only alone is used by one at a time, in this process and across the processes of a box."""

import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.harness.waiting import until
from tests.integration.process.support import Box

from assay.adapters.clock import SystemClock
from assay.adapters.process import lock_folder
from assay.adapters.process.claims import Admission, BoxClaims, Ticket
from assay.adapters.process.lock_folder import own_folder, shared_folder
from assay.adapters.process.runner import LocalRunner
from assay.core.model import Cause
from assay.core.process import ProcessRequest
from assay.errors import InfrastructureError

HOLDER = "echo $$ > {name}.new; mv {name}.new {name}; read -r go < go-{name}"

OTHER_ASSAY = """
import os, sys
from assay.adapters.clock import SystemClock
from assay.adapters.process.runner import LocalRunner
from assay.core.process import ProcessRequest, Shell
folder, text, *claims = sys.argv[1:]
with LocalRunner(folder + "/locks", 3, clock=SystemClock()) as runner:
    env, log = {"PATH": os.environ["PATH"]}, f"{folder}/{os.getpid()}"
    requests = [ProcessRequest(Shell(text), folder, env, f"{log}-{number}", claims=tuple(claims)) for number in range(6)]
    print([handle.wait().exit_code for handle in [runner.submit(request) for request in requests]])
"""


def holder(box: Box, name: str, *claims: str) -> ProcessRequest:
    """A process that stays until somebody opens its fifo for writing."""
    os.mkfifo(box.folder / f"go-{name}")
    return box.request(HOLDER.format(name=name), claims=claims)


def let_go(box: Box, name: str) -> None:
    (box.folder / f"go-{name}").write_text("go\n")


def other_assay(box: Box, text: str, *claims: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", OTHER_ASSAY, str(box.folder), text, *claims]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, stdout=subprocess.PIPE, text=True)


def test_no_more_run_at_once_than_there_are_slots(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner(max_concurrent=2) as runner:
        handles = [runner.submit(holder(box, name)) for name in ("a", "b", "c")]
        box.pid("a")
        box.pid("b")
        assert handles[2].cancel()
        done = handles[2].wait()
        assert (done.cause, done.detail, done.exit_code) == (Cause.CANCELLED, "was cancelled before it started", None)
        for name in ("a", "b"):
            let_go(box, name)
        assert [handle.wait().cause for handle in handles[:2]] == [None, None]


def test_a_slot_that_becomes_free_is_given_on(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner(max_concurrent=1) as runner:
        handles = [runner.submit(box.request(f"echo {name} >> order")) for name in "abcdef"]
        assert [handle.wait().cause for handle in handles] == [None] * 6
    assert (tmp_path / "order").read_text().split() == list("abcdef")


def test_who_claims_the_same_waits_and_who_does_not_passes(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner(max_concurrent=3) as runner:
        first = runner.submit(holder(box, "first", "gpu:0", "tree"))
        box.pid("first")
        same = runner.submit(box.request("true", claims=("gpu:0",)))
        other = runner.submit(box.request("true", claims=("gpu:1",)))
        assert other.wait().cause is None
        same.cancel()
        assert same.wait().detail == "was cancelled before it started"
        later = runner.submit(box.request("true", claims=("tree",)))
        let_go(box, "first")
        assert (first.wait().cause, later.wait().cause) == (None, None)


def test_a_claim_of_another_process_is_waited_for(tmp_path: Path) -> None:
    box = Box(tmp_path)
    os.mkfifo(tmp_path / "go-a")
    with box.runner() as runner, other_assay(box, f"[ -e a ] || {{ {HOLDER.format(name='a')}; }}", "gpu:0") as other:
        box.pid("a")
        waiting = runner.submit(box.request("true", claims=("gpu:0",)))
        assert runner.submit(box.request("true", claims=("gpu:1",))).wait().cause is None
        waiting.cancel()
        assert waiting.wait().detail == "was cancelled before it started"
        later = runner.submit(box.request("true", claims=("gpu:0",)))
        let_go(box, "a")
        assert later.wait().cause is None
        assert other.communicate()[0] == "[0, 0, 0, 0, 0, 0]\n"


def test_processes_that_claim_in_different_orders_neither_meet_nor_block(tmp_path: Path) -> None:
    """Only one can make the folder; who finds it there has met another."""
    alone = "mkdir inside && sleep 0.01 && rmdir inside"
    others = [other_assay(Box(tmp_path), alone, *claims) for claims in (("a", "b", "tree"), ("tree", "b", "a"), ("b", "tree"))]
    assert [other.communicate()[0] for other in others] == ["[0, 0, 0, 0, 0, 0]\n"] * 3


class Impatience(threading.Event):
    """Gives up instead of waiting."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return True


def is_free(claims: BoxClaims, name: str) -> bool:
    """Whether a claim can be had at once."""
    with claims.held(Ticket(frozenset({name}), Impatience())) as held:
        return held


def test_everybody_takes_claims_in_the_same_order(tmp_path: Path) -> None:
    """So whoever waits for one holds only those before it."""
    claims, ticket = BoxClaims(str(tmp_path / "locks")), Ticket(frozenset("abcdefghi"))

    def take() -> None:
        with claims.held(ticket):
            pass

    waiting = threading.Thread(target=take)
    with claims.held(Ticket(frozenset("e"))):
        waiting.start()
        until(lambda: not is_free(claims, "d"))
        assert [name for name in "abcdfghi" if is_free(claims, name)] == list("fghi")
    waiting.join()
    assert is_free(claims, "a")


def test_a_claim_dies_with_its_holder(tmp_path: Path) -> None:
    box = Box(tmp_path)
    os.mkfifo(tmp_path / "go-a")
    with box.runner() as runner, other_assay(box, HOLDER.format(name="a"), "gpu:0") as other:
        box.pid("a")
        waiting = runner.submit(box.request("true", claims=("gpu:0",)))
        other.kill()
        assert waiting.wait().cause is None


def enters(admission: Admission, ticket: Ticket) -> bool:
    """Whether a ticket gets in without anybody leaving; it goes away otherwise."""
    answer: list[bool] = []
    thread = threading.Thread(target=lambda: answer.append(admission.enter(ticket)))
    thread.start()
    admission.cancel(ticket)
    thread.join()
    return answer[0]


def test_nobody_passes_one_who_waits_for_the_same_claim() -> None:
    admission = Admission(3)
    inside, waiting, behind = (admission.ask(frozenset(claims)) for claims in ({"a"}, {"a", "b"}, {"b"}))
    assert admission.enter(inside)
    assert not enters(admission, behind)
    assert not enters(admission, waiting)
    assert admission.enter(admission.ask(frozenset({"b"})))


def test_claims_given_back_are_free() -> None:
    admission = Admission(1)
    for _ in range(3):
        ticket = admission.ask(frozenset({"a"}))
        assert admission.enter(ticket)
        admission.leave(ticket)


def test_the_same_claim_named_twice_is_one(tmp_path: Path) -> None:
    assert Box(tmp_path).run("true", claims=("a", "a")).cause is None


@pytest.mark.parametrize("name", ["../../x", "a/b", "", "x" * 5000, "\ud800"])
def test_any_name_can_be_claimed(tmp_path: Path, name: str) -> None:
    with BoxClaims(str(tmp_path / "locks")).held(Ticket(frozenset({name}))) as held:
        assert held
        (lock,) = (tmp_path / "locks").iterdir()
        assert lock.suffix == ".lock"
    assert list((tmp_path / "locks").iterdir()) == []


def test_a_lock_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks").chmod(0o777)
    with pytest.raises(InfrastructureError, match="not a folder of our own"):
        Box(tmp_path).run("true", claims=("a",))


def test_a_lock_folder_that_is_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").write_text("")
    for name in ("link", "file"):
        with pytest.raises(InfrastructureError):
            own_folder(tmp_path / name)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A /tmp, a folder of the login session and a home that are nobody's."""
    for name in ("tmp", "run", "home"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setattr(lock_folder, "SHARED", tmp_path / "tmp")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def test_the_folder_of_a_box_is_the_same_for_every_process_of_a_user(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a login session or not: else two checks could have one GPU."""
    folder = places / "tmp" / f"assay-locks-{os.geteuid()}"
    assert shared_folder() == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setenv("TMPDIR", str(places))
    assert shared_folder() == folder


def squatted(places: Path, how: str) -> None:
    """Somebody else has taken the name in /tmp."""
    name = places / "tmp" / f"assay-locks-{os.geteuid()}"
    match how:
        case "link":
            name.symlink_to(places)
        case "file":
            name.write_text("")
        case "open":
            name.mkdir()
            name.chmod(0o777)


@pytest.mark.parametrize("how", ["link", "file", "open"])
def test_a_name_that_somebody_else_has_taken_is_passed_over(places: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    squatted(places, how)
    assert shared_folder() == places / "run" / "assay-locks"
    (places / "run").chmod(0o777)
    assert shared_folder().is_relative_to(places / "home" / ".cache" / "assay")
    (places / "home" / ".cache").rename(places / "home" / "old")
    (places / "home" / ".cache").write_text("")
    with pytest.raises(InfrastructureError, match="no folder for locks"):
        shared_folder()


def test_lock_files_of_killed_processes_are_removed_and_those_in_use_are_not(places: Path) -> None:
    folder = shared_folder()
    (folder / "left.lock").write_text("")
    with BoxClaims().held(Ticket(frozenset({"gpu:0"}))):
        assert len(list(folder.iterdir())) == 1
        shared_folder()
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


def test_a_lock_that_was_removed_when_it_was_freed_is_not_taken_for_held(tmp_path: Path) -> None:
    """Whoever opened it before that must not believe to have it: another may hold a new file of that name."""
    inside: list[str] = []

    def work(name: str) -> None:
        claims = BoxClaims(str(tmp_path))
        for _ in range(200):
            with claims.held(Ticket(frozenset({"gpu:0"}))) as held:
                assert held
                inside.append(name)
                assert inside == [name]
                inside.remove(name)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, name) for name in "abcd"]:
            done.result()


def test_waiting_for_a_gpu_ends_with_the_time(tmp_path: Path) -> None:
    box = Box(tmp_path)
    heard: list[str] = []
    os.mkfifo(tmp_path / "go-a")
    with other_assay(box, f"[ -e a ] || {{ {HOLDER.format(name='a')}; }}", "gpu:0") as other:
        box.pid("a")
        with LocalRunner(str(tmp_path / "locks"), clock=SystemClock(), on_wait=heard.append) as runner:
            done = runner.submit(box.request("true", claims=("gpu:0",), within_s=0.3)).wait()
        let_go(box, "a")
        other.communicate()
    assert (done.cause, done.duration_s, heard) == (Cause.TIMEOUT, 0.0, ["gpu:0"])
    assert done.detail == "waited for its turn until its time was over: gpu:0 was in use"


def test_waiting_for_a_slot_ends_with_the_time_and_running_does_too(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner(max_concurrent=1) as runner:
        first = runner.submit(box.request("sleep 600", within_s=0.5))
        second = runner.submit(box.request("true", within_s=0.2))
        assert (second.wait().cause, second.wait().duration_s) == (Cause.TIMEOUT, 0.0)
        assert first.wait().cause is Cause.TIMEOUT


def test_a_runner_has_a_slot(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one slot"):
        Box(tmp_path).runner(max_concurrent=0)
