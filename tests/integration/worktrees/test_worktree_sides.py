"""Both sides on disk: what a process finds there, what is left afterwards, and that the user's own tree stays as it was."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.environments import benchmark, run
from tests.fakes.worktrees import FakeWorktrees
from tests.repositories import Sandbox

from assay.adapters.git import GitRepo
from assay.adapters.worktrees.folders import sweep
from assay.adapters.worktrees.local import LocalWorktrees
from assay.core.model import Side
from assay.core.process import Account
from assay.errors import InfrastructureError, UsageError
from assay.worktree_ports import Worktrees

Open = Callable[..., LocalWorktrees]


@pytest.fixture
def opened(sandbox: Sandbox) -> Open:
    def make(**options: object) -> LocalWorktrees:
        home = sandbox.root.parent / "home"
        home.mkdir(exist_ok=True)
        settings: dict[str, object] = {"parent_environment": {"PATH": os.environ["PATH"], "SECRET": "x"}, "home": str(home), **options}
        return LocalWorktrees(GitRepo.discover(str(sandbox.root)).checkout, str(sandbox.root), **settings)  # type: ignore[arg-type]

    return make


@pytest.fixture
def tmp(sandbox: Sandbox) -> Path:
    """Where temporary files go; empty unless something was left."""
    return sandbox.root.parent / "tmp"


def two_commits(sandbox: Sandbox) -> tuple[str, str]:
    base = sandbox.commit({"file": "base", "sub/inner": "1", ".gitignore": "data/\n*.bin\n.assay/\n"})
    return base, sandbox.commit({"file": "head"})


def test_each_side_is_its_commit_with_a_home_of_its_own(sandbox: Sandbox, opened: Open) -> None:
    base, head = two_commits(sandbox)
    with opened() as worktrees:
        one = worktrees.prepare(Side.BASE, base, benchmark(env={"set": {"LAB": "1"}}))
        two = worktrees.prepare(Side.HEAD, head, benchmark(env={"set": {"LAB": "1"}}))
        assert [run(side, "cat file; echo; git rev-parse HEAD").split() for side in (one, two)] == [["base", base], ["head", head]]
        assert (one.side, one.commit, one.account, one.notes) == (Side.BASE, base, None, ())
        for name in ("HOME", "TMPDIR"):
            assert one.env[name] != two.env[name]
            assert Path(one.env[name]).is_dir()
            assert not Path(one.env[name]).is_relative_to(one.root)
        assert one.env["LAB"] == "1"
        assert "SECRET" not in one.env


def test_no_path_of_one_side_is_longer_than_that_of_the_other(sandbox: Sandbox, opened: Open) -> None:
    base, head = two_commits(sandbox)
    with opened() as worktrees:
        one, two = worktrees.prepare(Side.BASE, base, benchmark()), worktrees.prepare(Side.HEAD, head, benchmark())
        assert len(one.root) == len(two.root)
        assert {name: len(value) for name, value in one.env.items()} == {name: len(value) for name, value in two.env.items()}


def test_each_benchmark_has_worktrees_of_its_own(sandbox: Sandbox, opened: Open) -> None:
    _, head = two_commits(sandbox)
    with opened() as worktrees:
        roots = [worktrees.prepare(Side.HEAD, head, benchmark(name)).root for name in ("one", "two")]
        assert len(set(roots)) == 2
        again = worktrees.prepare(Side.HEAD, head, benchmark("one")).root
        assert Path(again).exists()
        assert not Path(roots[0]).exists()


def test_processes_start_in_the_workdir(sandbox: Sandbox, opened: Open) -> None:
    _, head = two_commits(sandbox)
    with opened() as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark(workdir="sub"))
        assert side.cwd == f"{side.root}/sub"


def test_a_workdir_that_a_side_lacks_names_the_side(sandbox: Sandbox, opened: Open) -> None:
    base, _ = two_commits(sandbox)
    with opened() as worktrees, pytest.raises(UsageError, match=f"gone.*base commit {base[:12]}"):
        worktrees.prepare(Side.BASE, base, benchmark(workdir="gone"))


def test_a_workdir_that_a_commit_leads_out_of_the_tree_is_refused(sandbox: Sandbox, opened: Open) -> None:
    (sandbox.root / "out").symlink_to("/etc")
    head = sandbox.commit()
    with opened() as worktrees, pytest.raises(UsageError, match="leads out"):
        worktrees.prepare(Side.HEAD, head, benchmark(workdir="out"))


def test_the_users_repository_keeps_every_byte_also_where_preparing_fails(sandbox: Sandbox, opened: Open) -> None:
    base, head = two_commits(sandbox)
    sandbox.write({"file": "stashed"})
    sandbox.git("stash", "-q")
    sandbox.write({"file": "unsaved", "data/big": "ignored", "new": "1"})
    before = sandbox.snapshot()
    with opened() as worktrees:
        worktrees.prepare(Side.BASE, base, benchmark(inputs=["data/"]))
        worktrees.prepare(Side.HEAD, head, benchmark(inputs=["data/"]))
        with pytest.raises(UsageError):
            worktrees.prepare(Side.HEAD, head, benchmark("other", inputs=["file"]))
        with pytest.raises(UsageError):
            worktrees.prepare(Side.HEAD, "no-such-commit", benchmark("third"))
        worktrees.shared_state()
    assert sandbox.snapshot() == before


# afterwards


def test_nothing_is_left_afterwards(sandbox: Sandbox, opened: Open, tmp: Path) -> None:
    _, head = two_commits(sandbox)
    with opened() as worktrees:
        assert list(tmp.iterdir()) == [], "nothing is made before it is needed"
        worktrees.prepare(Side.HEAD, head, benchmark())
        assert len(list(tmp.iterdir())) == 1
    assert list(tmp.iterdir()) == []
    with pytest.raises(InfrastructureError, match="removed already"):
        worktrees.prepare(Side.HEAD, head, benchmark())


@pytest.mark.parametrize("error", [KeyboardInterrupt, InfrastructureError("x"), ValueError])
def test_nothing_is_left_after_an_error(sandbox: Sandbox, opened: Open, tmp: Path, error: BaseException) -> None:
    _, head = two_commits(sandbox)
    with contextlib.suppress(KeyboardInterrupt, InfrastructureError, ValueError), opened() as worktrees:
        worktrees.prepare(Side.HEAD, head, benchmark())
        assert len(list(tmp.iterdir())) == 1
        raise error
    assert list(tmp.iterdir()) == []


def test_read_only_files_and_folders_are_removed_too(sandbox: Sandbox, opened: Open, tmp: Path) -> None:
    _, head = two_commits(sandbox)
    with opened() as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark())
        run(
            side,
            "mkdir -p locked/inner && touch locked/inner/file && chmod 400 locked/inner/file && chmod 500 locked/inner && chmod 0 locked",
        )
        run(side, "mkdir $HOME/go && touch $HOME/go/x && chmod -R a-w $HOME")
    assert list(tmp.iterdir()) == []


def test_the_users_inputs_survive_the_removal(sandbox: Sandbox, opened: Open, tmp: Path) -> None:
    _, head = two_commits(sandbox)
    sandbox.write({"data/big": "precious", "model.bin": "precious"})
    (sandbox.root / "data").chmod(0o500)
    with opened() as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark(inputs=["data/", "model.bin"], cache=["~/.cache/lab", "warm"]))
        run(side, "ln -s / root; echo kept > $HOME/.cache/lab/file; echo kept > warm/file; chmod -R a-w $HOME")
    assert list(tmp.iterdir()) == []
    assert (sandbox.root / "data").stat().st_mode & 0o777 == 0o500
    assert (sandbox.root / "data/big").read_text() == (sandbox.root / "model.bin").read_text() == "precious"
    assert (sandbox.root.parent / "home/.cache/lab/file").read_text() == (sandbox.root / ".assay/cache/warm/file").read_text() == "kept\n"


KILLED = """\
import os, signal
from assay.adapters.worktrees.folders import WorkFolder
folder = WorkFolder()
(folder.path / "01").mkdir()
(folder.path / "01" / "left").write_text("x")
os.kill(os.getpid(), signal.SIGKILL)
"""
KILLED_AT = """\
import os, signal, sys, tempfile
tempfile.gettempdir()
from assay.adapters.worktrees import folders
def dying(name):
    real = getattr(os, name)
    def call(*words, **options):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*words, **options)
    setattr(os, name, call)
left = int(sys.argv[1])
if sys.argv[2] == "make":
    for name in ("mkdir", "open", "write", "rename"):
        dying(name)
folder = folders.WorkFolder()
(folder.path / "01").mkdir()
(folder.path / "01" / "file").write_text("x")
for name in ("unlink", "rmdir"):
    dying(name)
if sys.argv[2] == "sweep":
    os.close(folder._lock)
    folders.sweep()
else:
    folder.remove()
"""


def python(*words: str) -> int:
    """How an interpreter that can import what we can ends."""
    return subprocess.run([sys.executable, *words], check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).returncode


@pytest.mark.parametrize("work", ["make", "remove", "sweep"])
def test_wherever_a_check_is_killed_what_it_left_is_swept(sandbox: Sandbox, tmp: Path, monkeypatch: pytest.MonkeyPatch, work: str) -> None:
    steps = 0
    while (code := python("-c", KILLED_AT, str(steps), work)) == -signal.SIGKILL:
        young = set(tmp.iterdir())
        sweep()
        assert all(list(folder.iterdir()) in ([], [folder / "lock.new"]) for folder in tmp.iterdir()), "what has a lock goes at once"
        assert set(tmp.iterdir()) <= young
        for folder in tmp.iterdir():
            os.utime(folder, (1, 1))
        sweep()
        assert list(tmp.iterdir()) == []
        steps += 1
    assert code == 0
    assert steps > 3
    assert list(tmp.iterdir()) == []


def test_what_a_killed_check_left_is_swept_by_the_next(sandbox: Sandbox, opened: Open, tmp: Path) -> None:
    _, head = two_commits(sandbox)
    assert python("-c", KILLED) == -signal.SIGKILL
    left = list(tmp.iterdir())
    assert [(left[0] / "01/left").read_text()] == ["x"]
    with opened() as worktrees:
        worktrees.prepare(Side.HEAD, head, benchmark())
        assert not left[0].exists()


def test_the_folder_of_a_living_check_and_those_of_others_are_not_swept(sandbox: Sandbox, opened: Open, tmp: Path) -> None:
    _, head = two_commits(sandbox)
    (tmp / "assay-work-report").mkdir()
    (tmp / "assay-work-abcdefgh").mkdir()
    (tmp / "assay-work-abcdefgh" / "numbers.csv").touch()
    (tmp / "assay-work-file").write_text("not a folder")
    (tmp / "assay-work-link").symlink_to(sandbox.root)
    theirs = sorted(tmp.iterdir())
    for path in theirs:
        os.utime(path, (1, 1), follow_symlinks=False)
    with opened() as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark())
        assert sweep() == ()
        assert Path(side.root, "file").exists()
    assert sorted(tmp.iterdir()) == theirs
    assert (tmp / "assay-work-abcdefgh" / "numbers.csv").exists()


def test_a_relative_temporary_folder_is_meant_from_where_we_are(
    sandbox: Sandbox, opened: Open, tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, head = two_commits(sandbox)
    monkeypatch.chdir(tmp)
    monkeypatch.setattr("tempfile.tempdir", ".")
    with opened() as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark())
        assert Path(side.root).is_relative_to(tmp)
        assert run(side, "cat file") == "head"
    assert list(tmp.iterdir()) == []


def test_a_temporary_folder_that_cannot_be_made_is_explained(sandbox: Sandbox, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    _, head = two_commits(sandbox)
    blocked = sandbox.root.parent / "file"
    blocked.write_text("")
    monkeypatch.setattr("tempfile.tempdir", str(blocked))
    with opened() as worktrees, pytest.raises(InfrastructureError, match="temporary folder") as caught:
        worktrees.prepare(Side.HEAD, head, benchmark())
    assert "TMPDIR" in caught.value.hint


# another account

OTHER = Account(65534, 65534) if os.geteuid() == 0 else Account(os.geteuid(), os.getegid())


def choose(_paths: Sequence[str]) -> tuple[Account | None, str]:
    return OTHER, ""


def everything(folder: Path) -> Iterator[Path]:
    return (Path(parent, name) for parent, folders, names in os.walk(folder) for name in (*folders, *names))


def test_a_side_belongs_to_the_account_that_its_processes_run_as(sandbox: Sandbox, opened: Open) -> None:
    _, head = two_commits(sandbox)
    sandbox.write({"data/big": "1"})
    with opened(choose_account=choose) as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark(inputs=["data"], cache=["warm"]))
        slot = Path(side.root).parent
        assert side.account == OTHER
        assert {path.lstat().st_uid for path in everything(slot)} == {OTHER.uid}
        assert slot.stat().st_uid == os.geteuid()
        assert all(above.stat().st_mode & 0o777 == 0o711 for above in (slot.parent, slot.parent.parent))
    assert (sandbox.root / ".assay/cache/warm").stat().st_uid == OTHER.uid
    assert {path.lstat().st_uid for path in everything(sandbox.root / "data")} == {os.geteuid()}
    assert (sandbox.root / "data").stat().st_uid == os.geteuid()


def test_git_trusts_a_worktree_that_was_handed_over(sandbox: Sandbox, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    _, head = two_commits(sandbox)
    monkeypatch.setattr("tempfile.tempdir", "/tmp")  # pytest's own folders are closed to other accounts
    with opened(choose_account=choose) as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark())
        worktrees.enter(side)
        words = ["git", "-C", side.root, "rev-parse", "HEAD"]
        done = subprocess.run(words, check=False, cwd="/", env=side.env, capture_output=True, text=True, user=OTHER.uid, group=OTHER.gid)
        assert done.stdout.strip() == head, done.stderr


def test_a_cache_that_the_account_cannot_write_to_is_replaced_by_one_of_its_own(sandbox: Sandbox, opened: Open) -> None:
    _, head = two_commits(sandbox)
    with opened(choose_account=choose) as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark(cache=["~/.cache/lab", "~/.cache/lab/nested"]))
        linked = Path(side.env["HOME"], ".cache/lab").readlink()
    theirs, ours = sandbox.root.parent / "home/.cache/lab", sandbox.root / ".assay/cache/home/.cache/lab"
    assert linked == (theirs if OTHER.uid == os.geteuid() else ours)
    assert side.account == OTHER
    if linked == ours:
        assert ours.stat().st_uid == OTHER.uid
        assert len([note for note in side.notes if "~/.cache/lab" in note]) == 1


def closed_to_others(*closed: str) -> Callable[[Sequence[str]], tuple[Account | None, str]]:
    def choose_unless(paths: Sequence[str]) -> tuple[Account | None, str]:
        found = next((path for path in paths if path in closed), None)
        return (None, f"{found} is closed") if found else (OTHER, "")

    return choose_unless


def test_what_the_account_cannot_use_of_the_path_is_left_out_and_said_once(sandbox: Sandbox, opened: Open) -> None:
    _, head = two_commits(sandbox)
    environment = {"PATH": f"/closed/bin:{os.environ['PATH']}:/closed/sbin:/usr/games"}
    with opened(choose_account=closed_to_others("/closed/bin", "/closed/sbin"), parent_environment=environment) as worktrees:
        side = worktrees.prepare(Side.HEAD, head, benchmark())
    assert side.account == OTHER
    assert side.env["PATH"] == f"{os.environ['PATH']}:/usr/games"
    assert [note for note in side.notes if "/closed/bin, /closed/sbin" in note] == list(side.notes)


def test_without_a_python_or_an_input_there_is_no_other_account_and_the_path_stays(sandbox: Sandbox, opened: Open) -> None:
    _, head = two_commits(sandbox)
    sandbox.write({"data/big": "1"})
    for closed in (str(sandbox.root / "data"), str(Path(os.environ["TMPDIR"]))):
        with opened(choose_account=closed_to_others(closed)) as worktrees:
            side = worktrees.prepare(Side.HEAD, head, benchmark(inputs=["data"]))
        assert (side.account, side.notes) == (None, (f"{closed} is closed",))
        assert side.env["PATH"] == os.environ["PATH"]


def test_the_fake_answers_to_the_same_port(sandbox: Sandbox, opened: Open) -> None:
    _, head = two_commits(sandbox)
    sandbox.write({"data/big": "1"})
    real, fake = opened(), FakeWorktrees(inputs={"data": "sha256:1"})
    for worktrees in (real, fake):
        with worktrees:
            port: Worktrees = worktrees
            side = port.prepare(Side.HEAD, head, benchmark(inputs=["data"]))
            assert (side.side, side.commit, side.root == side.cwd, side.account) == (Side.HEAD, head, True, None)
            assert port.foreign_editables(side) == ()
            assert list(port.input_identities(benchmark(inputs=["data"]))) == ["data"]
            assert port.shared_state() == port.shared_state()
    assert fake.calls[0] == ("prepare", "head", head, "bench")
