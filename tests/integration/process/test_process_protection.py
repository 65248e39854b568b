"""What is the user's can be read by a benchmark and not be written to, where the system lets us see to it."""

import os
import sys
from pathlib import Path

import pytest
from tests.fakes.clock import FakeClock

from assay.adapters.process.child import CLONE_NEWNS, CLONE_NEWUSER, system_call
from assay.adapters.process.fork_server import ForkServer
from assay.adapters.process.runner import LocalRunner
from assay.core.model import Completed
from assay.core.process import Account, ProcessRequest, Shell


def system_allows_it() -> bool:
    """Asked in a child, for there is no way back."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if system_call("unshare", CLONE_NEWNS if os.getuid() == 0 else CLONE_NEWNS | CLONE_NEWUSER) else 1)
    return os.waitpid(pid, 0)[1] == 0


ALLOWED = sys.platform == "linux" and system_allows_it()


def run(tmp_path: Path, command: str, *, read_only: list[Path], writable: list[Path], account: Account | None = None) -> Completed:
    request = ProcessRequest(
        command=Shell(command),
        cwd=str(tmp_path),
        env={"PATH": "/usr/bin:/bin"},
        log_file=str(tmp_path / "log"),
        timeout_s=30,
        read_only=tuple(map(str, read_only)),
        writable=tuple(map(str, writable)),
        account=account,
    )
    with LocalRunner(str(tmp_path / "locks"), clock=FakeClock()) as runner:
        return runner.submit(request).wait()


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A protected folder with a cache in it, and a free one."""
    mine, free = tmp_path / "mine with blank", tmp_path / "free"
    cache = mine / "cache"
    cache.mkdir(parents=True)
    free.mkdir()
    (mine / "data").write_text("precious")
    return mine, cache, free


def test_a_protected_folder_is_read_and_all_else_written(folders: tuple[Path, Path, Path], tmp_path: Path) -> None:
    mine, cache, free = folders
    script = (
        f'cat "{mine}/data"; echo spoilt > "{mine}/data"; rm -f "{mine}/data"; echo x > "{cache}/x" && echo y > "{free}/y" && echo done'
    )
    done = run(tmp_path, script, read_only=[mine], writable=[cache])
    assert done.stdout == "preciousdone\n", done.stderr
    assert (cache / "x").exists()
    assert (free / "y").exists()
    assert (mine / "data").exists() is done.shielded is ALLOWED
    if ALLOWED:
        assert (mine / "data").read_text() == "precious"
        assert "Read-only file system" in done.stderr


def test_a_single_file_can_be_protected(folders: tuple[Path, Path, Path], tmp_path: Path) -> None:
    mine, _, _ = folders
    run(tmp_path, f'echo spoilt > "{mine}/data"', read_only=[mine / "data"], writable=[])
    assert ((mine / "data").read_text() == "precious") is ALLOWED


def test_the_command_stays_who_it_is(folders: tuple[Path, Path, Path], tmp_path: Path) -> None:
    assert run(tmp_path, "id -u", read_only=[folders[0]], writable=[]).stdout == f"{os.getuid()}\n"


def test_nothing_of_it_is_seen_outside(folders: tuple[Path, Path, Path], tmp_path: Path) -> None:
    before = Path("/proc/self/mounts").read_text() if sys.platform == "linux" else ""
    run(tmp_path, "true", read_only=[folders[0]], writable=[folders[1]])
    assert (Path("/proc/self/mounts").read_text() if sys.platform == "linux" else "") == before


def test_a_path_that_is_gone_does_not_keep_the_command_from_running(folders: tuple[Path, Path, Path], tmp_path: Path) -> None:
    done = run(tmp_path, "echo ran; echo shielded >&0", read_only=[folders[0], folders[0] / "gone"], writable=[])
    assert (done.stdout, done.shielded) == ("ran\n", False)


def test_where_a_rehearsal_fails_the_command_runs_without_protection(
    folders: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ForkServer, "can_shield", False)
    done = run(tmp_path, f'echo free > "{folders[0]}/data"; echo ran', read_only=[folders[0]], writable=[])
    assert (done.stdout, done.shielded) == ("ran\n", False)
    assert (folders[0] / "data").read_text() == "free\n"
