"""Where Assay may keep things is not always where it usually does: a read-only checkout, a temporary folder named in passing."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.e2e.conftest import World


@pytest.mark.parametrize("named", [".", "scratch/here"])
def test_a_relative_temporary_folder_works_and_is_left_empty(world: World, named: str) -> None:
    base = world.project(_dot_gitignore="scratch/\n.assay/\n")
    world.change()
    (world.repo.root / named).mkdir(parents=True, exist_ok=True)
    before = sorted(world.repo.root.iterdir())
    done = world.assay("check", "--base", base, "--json", env={"TMPDIR": named})
    assert (done.code, done.bench["outcome"]) == (0, "keep"), done.text
    assert [path for path in sorted(world.repo.root.iterdir()) if path.name != ".assay"] == before
    assert list((world.repo.root / named).glob("assay-work-*")) == []


def read_only(folder: Path) -> list[str]:
    """Words before a command, for which this folder is read-only: for root, whom no permission stops, in a view of its own."""
    if os.geteuid() != 0:
        folder.chmod(0o555)
        return []
    text = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return ["unshare", "-m", "sh", "-c", text, str(folder)]


def test_a_read_only_checkout_is_measured_and_all_is_kept_elsewhere(world: World) -> None:
    base = world.project()
    world.change()
    words = read_only(world.repo.root)
    can = subprocess.run([*words, "true"], check=False, capture_output=True).returncode == 0
    first, again = (world.assay("check", "--base", base, "--json", before=words if can else []) for _ in range(2))
    world.repo.root.chmod(0o755)
    assert (first.code, first.bench["outcome"], again.bench["status"]) == (0, "keep", "reused"), first.text
    kept = next((world.folder / "home/.local/state/assay").iterdir()) if can else world.repo.root / ".assay"
    assert {path.name for path in kept.iterdir()} >= {"report", "store", "logs"}
    assert first.err.count("cannot be written to") == (1 if can else 0)
    assert (world.repo.root / ".assay").exists() is not can
