"""Logs of old sessions make room, those of sessions that are under way never do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.adapters import log_folder
from assay.adapters.log_folder import KEPT_SESSIONS, LogFolder

HOLDER = """
import sys
from pathlib import Path
from assay.adapters.log_folder import LogFolder
folder = LogFolder(Path(sys.argv[1])).session(sys.argv[2])
print(folder, flush=True)
sys.stdin.read()
"""


def name(number: int) -> str:
    """The name of a session; they sort by number."""
    return f"ses-01JD{number:022d}"


def finished(root: Path, numbers: range, size: int = 1) -> None:
    """Sessions that earlier checks have left."""
    for number in numbers:
        (root / name(number)).mkdir(parents=True)
        (root / name(number) / "000-head.log").write_bytes(b"x" * size)


def left(root: Path) -> list[str]:
    return sorted(entry.name for entry in root.iterdir() if entry.name.startswith("ses-"))


def test_the_newest_sessions_are_kept(tmp_path: Path) -> None:
    finished(tmp_path, range(KEPT_SESSIONS + 7))
    LogFolder(tmp_path).session(name(999))
    assert left(tmp_path) == [name(number) for number in (*range(7, KEPT_SESSIONS + 7), 999)]


def test_of_large_ones_fewer_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_folder, "KEPT_BYTES", 1000)
    finished(tmp_path, range(5), size=400)
    LogFolder(tmp_path).session(name(999))
    assert left(tmp_path) == [name(3), name(4), name(999)]


def test_a_session_of_a_living_check_is_spared_and_of_a_dead_one_is_not(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", HOLDER, str(tmp_path), name(0)]
    with subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == f"{tmp_path / name(0)}\n"
        finished(tmp_path, range(1, KEPT_SESSIONS + 3))
        LogFolder(tmp_path).session(name(998))
        assert left(tmp_path)[:2] == [name(0), name(3)]
        other.kill()
    LogFolder(tmp_path).session(name(999))
    assert name(0) not in left(tmp_path)


def test_nothing_is_removed_once_a_check_is_under_way(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    for number in range(KEPT_SESSIONS + 5):
        logs.session(name(number))
    assert len(left(tmp_path)) == KEPT_SESSIONS + 5


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / name(0)).symlink_to(tmp_path / "elsewhere")
    (tmp_path / "logs" / "mine").mkdir()
    finished(tmp_path / "logs", range(1, KEPT_SESSIONS + 3))
    LogFolder(tmp_path / "logs").session(name(999))
    assert {"mine", name(0)} <= {entry.name for entry in (tmp_path / "logs").iterdir()}
