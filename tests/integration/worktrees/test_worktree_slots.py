"""The idle side: closed to another account, looked at where we are our own, and what counts as a change."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.adapters.worktrees import slots
from assay.adapters.worktrees.slots import Slots
from assay.core.model import Side
from assay.core.process import Account

US = Account(os.geteuid(), os.getegid())


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    for side in ("base", "head"):
        (tmp_path / side / "tree" / "deep").mkdir(parents=True)
        (tmp_path / side / "tree" / "deep" / "file").write_text(side)
        (tmp_path / side / "tree" / "outside").symlink_to(tmp_path)
    return tmp_path / "base", tmp_path / "head"


def filled(sides: tuple[Path, Path], account: Account | None = None) -> Slots:
    made = Slots()
    for side, folder in zip(Side, sides, strict=True):
        made.add(side, side, folder, account)
    return made


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_one_slot_at_a_time_can_be_passed_by_another_account(sides: tuple[Path, Path]) -> None:
    made = filled(sides, US)
    assert [mode(folder) for folder in sides] == [0o700, 0o700]
    made.open("head")
    assert [mode(folder) for folder in sides] == [0o700, 0o711]
    made.open("base")
    assert [mode(folder) for folder in sides] == [0o711, 0o700]
    assert made.close("base") == ()
    assert [mode(folder) for folder in sides] == [0o700, 0o700]


def write(base: Path) -> None:
    (base / "tree/deep/file").write_text("BASE")


def put_back(base: Path) -> None:
    file = base / "tree/deep/file"
    facts = file.stat()
    file.write_text("BASE")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def add(base: Path) -> None:
    (base / "tree/deep/more").touch()


def remove(base: Path) -> None:
    (base / "tree/deep/file").unlink()


def exchange(base: Path) -> None:
    (base / "tree/deep").rename(base / "old")
    (base / "tree/deep").symlink_to(base / "old")


def close(base: Path) -> None:
    (base / "tree/deep").chmod(0)


@pytest.mark.parametrize("change", [write, put_back, add, remove, exchange, close])
def test_every_change_of_the_idle_side_is_found_once(sides: tuple[Path, Path], change: Callable[[Path], None]) -> None:
    made = filled(sides)
    made.open("head")
    change(sides[0])
    found = made.close("head")
    assert found
    assert all(name.startswith("base: ") for name in found)
    made.open("head")
    assert made.close("head") == ()


def test_what_a_side_does_to_itself_is_its_own_affair(sides: tuple[Path, Path]) -> None:
    made = filled(sides)
    for _ in range(2):
        for side, folder in zip(Side, sides, strict=True):
            made.open(side)
            write(folder)
            add(folder)
            assert made.close(side) == ()


def test_a_file_out_of_a_cache_may_be_linked_again(sides: tuple[Path, Path], tmp_path: Path) -> None:
    """As installers do that link packages out of one cache into both environments."""
    (tmp_path / "cached").write_text("package")
    (sides[0] / "tree/package").hardlink_to(tmp_path / "cached")
    made = filled(sides)
    made.open("head")
    (sides[1] / "tree/package").hardlink_to(tmp_path / "cached")
    assert made.close("head") == ()
    made.open("head")
    (sides[0] / "tree/package").write_text("forged!")
    assert made.close("head") == ("base: tree/package",)


def test_a_link_to_a_file_of_the_other_side_alone_is_a_change(sides: tuple[Path, Path]) -> None:
    made = filled(sides)
    made.open("head")
    (sides[1] / "tree/grip").hardlink_to(sides[0] / "tree/deep/file")
    assert made.close("head") == ("base: tree/deep/file",)


def test_links_are_not_followed_and_the_top_comes_first(sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(slots.look(sides[0])) == {".", "tree", "tree/deep", "tree/deep/file", "tree/outside"}
    monkeypatch.setattr(slots, "LOOK_LIMIT", 3)
    assert set(slots.look(sides[0])) == {".", "tree", "tree/deep", "tree/outside"}
