"""A child runs as somebody else where that can be had, and cannot look into us where it can not."""

import ctypes
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.integration.process.support import Box

from assay.adapters.process.privileges import AS_ROOT, barrier, capabilities, child_account, harden_self
from assay.core.model import Cause
from assay.core.process import Account, Argv

ROOT = os.geteuid() == 0
NOBODY = Account(65534, 65534)
TOOLS = ["/usr/bin", "/bin", "/bin/sh"]
PR_SET_DUMPABLE = 4


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can enter; the usual one of a test is closed to others."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_child_runs_as_another_user_where_we_are_root(open_folder: Path) -> None:
    """Elsewhere nobody can be become, and that is the end of the run."""
    text = "id -u; id -g; id -G; grep NoNewPrivs /proc/self/status"
    done = Box(open_folder).run(text, account=NOBODY, env={"PATH": "/usr/bin:/bin"})
    if ROOT:
        assert done.stdout == "65534\n65534\n65534\nNoNewPrivs:\t1\n"
    else:
        assert (done.cause, done.detail) == (Cause.NOT_STARTED, "its user account cannot be taken on: operation not permitted")


def test_a_child_of_another_user_leaves_nothing_either(open_folder: Path) -> None:
    account = NOBODY if ROOT else None
    done = Box(open_folder).run("setsid sleep 600 & sleep 600", account=account, timeout_s=0.5, env={"PATH": "/usr/bin:/bin"})
    assert (done.cause, done.escaped) == (Cause.TIMEOUT, 1)


def test_a_folder_that_the_account_cannot_enter_is_told(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    done = Box(open_folder).run(Argv(("true",)), cwd=str(closed), account=NOBODY if ROOT else None, env={"PATH": "/usr/bin:/bin"})
    expected = "its working directory cannot be entered: permission denied" if ROOT else ""
    assert done.detail == expected


def test_the_account_can_use_what_it_is_given_for() -> None:
    account, why = child_account([*TOOLS, "/no/such/folder"])
    assert why == ""
    assert (account is not None) == ROOT
    assert account is None or (account.uid != 0 and account.gid != 0)


def test_as_root_the_reason_is_told_where_a_path_is_closed(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    account, why = child_account([*TOOLS, str(closed)])
    assert account is None
    assert why == (f"{AS_ROOT}: the account `nobody` cannot use {closed}." if ROOT else "")


STRANGER = Account(60_001, 60_001)


def test_every_folder_on_the_way_counts(open_folder: Path) -> None:
    (open_folder / "a" / "b").mkdir(parents=True)
    (open_folder / "a" / "b" / "file").write_text("x")
    assert barrier(str(open_folder / "a" / "b" / "file"), STRANGER) == ""
    (open_folder / "a").chmod(0o750)
    assert barrier(str(open_folder / "a" / "b" / "file"), STRANGER) == f"{open_folder}/a/b/file: {open_folder}/a is closed to it"


def test_folders_that_links_lead_through_count(open_folder: Path) -> None:
    (open_folder / "closed" / "open").mkdir(parents=True)
    (open_folder / "far").mkdir()
    (open_folder / "far" / "link").symlink_to("../closed/open/../open")
    (open_folder / "near").symlink_to(open_folder / "far" / "link")
    assert barrier(str(open_folder / "near"), STRANGER) == ""
    (open_folder / "closed").chmod(0o700)
    assert barrier(str(open_folder / "near"), STRANGER) == f"{open_folder}/near: {open_folder}/closed is closed to it"


@pytest.mark.parametrize(("mode", "usable"), [(0o644, True), (0o640, False), (0o755, True), (0o754, False), (0o711, False), (0o600, False)])
def test_a_file_must_be_readable_and_executable_where_it_is_for_anybody(open_folder: Path, mode: int, usable: bool) -> None:
    (open_folder / "file").write_text("x")
    (open_folder / "file").chmod(mode)
    assert (barrier(str(open_folder / "file"), STRANGER) == "") is usable


def test_the_first_class_that_fits_decides(open_folder: Path) -> None:
    """As in the kernel: an owner without rights has none, whatever others have."""
    file = open_folder / "file"
    file.write_text("x")
    file.chmod(0o044)
    owner = Account(file.stat().st_uid, 60_001)
    assert barrier(str(file), owner) != ""
    assert barrier(str(file), STRANGER) == ""
    file.chmod(0o604)
    assert barrier(str(file), Account(60_001, file.stat().st_gid)) != ""


def test_what_is_not_there_closes_nothing(open_folder: Path) -> None:
    (open_folder / "loop").symlink_to("loop")
    assert barrier(str(open_folder / "gone" / "x"), STRANGER) == ""
    assert barrier(str(open_folder / "loop"), STRANGER) == ""


def test_the_system_says_how_far_it_can_follow() -> None:
    assert capabilities() in {"subreaper", "process group only"}


def forked(action: Callable[[], int]) -> int:
    """What a forked copy of us returns, as a number below 100."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = action()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def looks_into(parent: int) -> int:
    """How many of a process's environment and memory can be opened."""
    opened = 0
    for name in ("environ", "mem"):
        try:
            Path(f"/proc/{parent}/{name}").open("rb").close()
        except PermissionError:
            continue
        opened += 1
    return opened


def seen_by_a_child_of_the_same_user(*, hardened: bool) -> int:
    def parent() -> int:
        if ROOT:
            os.setgroups([])
            os.setgid(NOBODY.gid)
            os.setuid(NOBODY.uid)
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # changing the user has closed us already
        if hardened and not harden_self():
            return 98
        us = os.getpid()
        return forked(lambda: looks_into(us))

    return forked(parent)


def test_a_child_of_our_own_user_cannot_look_into_us_once_hardened() -> None:
    assert seen_by_a_child_of_the_same_user(hardened=False) in {1, 2}
    assert seen_by_a_child_of_the_same_user(hardened=True) == 0
