"""Whatever foreign code leaves on the disk can be walked and removed, and nothing beside it is touched."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.hostile import deep_folder

from assay.adapters import trees

NOBODY = 65534


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that anybody can enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder of 1,200 levels, which pytest itself could not clean up."""
    deep_folder(tmp_path / "deep", 1200)
    yield tmp_path / "deep"
    subprocess.run(["rm", "-rf", str(tmp_path / "deep")], check=True)


def as_somebody(work: Callable[[], bool]) -> bool:
    """The answer of a process that is not root; it is nobody's where we are root."""
    if (pid := os.fork()) == 0:
        code = 2
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            code = 0 if work() else 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 1)
    return code == 0


def give_away(folder: Path) -> None:
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def test_a_tree_deeper_than_a_path_can_be_is_removed(deep: Path) -> None:
    assert trees.remove(deep)
    assert list(deep.parent.iterdir()) == []


def test_every_folder_of_a_deep_tree_is_visited_once(deep: Path) -> None:
    seen = [os.fstat(visit.folder).st_ino for visit in trees.visits(deep) if visit.left is None]
    assert len(seen) == len(set(seen)) == 1201


def test_few_descriptors_are_open_at_once(tmp_path: Path) -> None:
    deep_folder(tmp_path / "deep", 30)
    before = psutil.Process().num_fds()
    assert max(psutil.Process().num_fds() for _ in trees.visits(tmp_path / "deep")) == before + 1
    assert psutil.Process().num_fds() == before


def test_links_go_and_what_they_lead_to_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    (tmp_path / "tree" / "inner").mkdir(parents=True)
    (tmp_path / "tree" / "inner" / "folder").symlink_to(tmp_path / "kept")
    (tmp_path / "tree" / "file").symlink_to(tmp_path / "kept" / "file")
    assert trees.remove(tmp_path / "tree")
    assert (tmp_path / "kept" / "file").read_text() == "x"


def test_a_link_in_the_place_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    assert not trees.remove(tmp_path / "link")
    assert (tmp_path / "kept" / "inner").is_dir()


def test_folders_that_are_closed_to_their_owner_are_removed(shared: Path) -> None:
    (shared / "home" / "tree" / "a" / "b").mkdir(parents=True)
    (shared / "home" / "tree" / "a" / "b" / "file").write_text("x")
    give_away(shared / "home")
    for folder in ("a/b", "a", "."):
        (shared / "home" / "tree" / folder).chmod(0)
    assert as_somebody(lambda: trees.remove(shared / "home" / "tree"))


def test_what_resists_is_left_and_the_rest_is_removed(shared: Path) -> None:
    """Such as what a benchmark made as root; without root, the folder around it resists."""
    (shared / "home" / "tree" / "other" / "inner").mkdir(parents=True)
    (shared / "home" / "tree" / "file").write_text("x")
    give_away(shared / "home")
    if os.geteuid() == 0:
        for name in ("other", "other/inner"):
            os.chown(shared / "home" / "tree" / name, 0, 0)
    else:
        (shared / "home").chmod(0o555)
    assert not as_somebody(lambda: trees.remove(shared / "home" / "tree"))
    assert not (shared / "home" / "tree" / "file").exists()
    (shared / "home").chmod(0o755)


def test_a_tree_that_is_not_there_is_gone(tmp_path: Path) -> None:
    assert trees.remove(tmp_path / "absent")
