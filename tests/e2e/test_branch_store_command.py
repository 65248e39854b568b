"""`--store branch` and `assay store` as a person uses them: what one clone measured another reuses."""

from pathlib import Path

from tests.e2e.conftest import World
from tests.repositories import Sandbox


def two_clones(world: World) -> tuple[str, Path]:
    """The base commit, and a second clone of the same bare repository."""
    base = world.project()
    world.change()
    bare, other = world.folder / "origin.git", world.folder / "other"
    world.repo.git("init", "-q", "--bare", str(bare), cwd=world.folder)
    world.repo.git("remote", "add", "origin", str(bare))
    world.repo.git("push", "-q", "origin", "main")
    world.repo.git("clone", "-q", "-b", "main", str(bare), str(other), cwd=world.folder)
    return base, other


def test_what_one_clone_measured_another_reuses(world: World) -> None:
    base, other = two_clones(world)
    first = world.assay("check", "--base", base, "--store", "branch", "--json")
    assert (first.code, first.bench["status"]) == (0, "measured"), first.text
    again = world.assay("check", "--base", base, "--store", "branch", "--json", cwd=other)
    assert (again.code, again.bench["status"], again.bench["run_id"]) == (0, "reused", first.bench["run_id"]), again.text
    assert world.repo.git("branch", "--list") == "* main"


def test_what_could_not_be_sent_waits_and_is_flushed(world: World) -> None:
    base, other = two_clones(world)
    bare, away = world.folder / "origin.git", world.folder / "away.git"
    bare.rename(away)
    done = world.assay("check", "--base", base, "--store", "branch", "--json")
    assert (done.code, done.bench["outcome"]) == (0, "keep"), done.text
    assert list((world.repo.root / ".git/assay/outbox").rglob("run-*.json"))
    away.rename(bare)
    flushed = world.assay("store", "flush")
    assert flushed.code == 0, flushed.text
    assert world.assay("check", "--base", base, "--store", "branch", "--json", cwd=other).bench["status"] == "reused"


def test_any_ref_can_hold_the_store(world: World) -> None:
    base, _ = two_clones(world)
    done = world.assay("check", "--base", base, "--store", "branch:refs/assay/data", "--json")
    assert done.code == 0, done.text
    refs = Sandbox(world.folder / "look").git("ls-remote", str(world.folder / "origin.git"))
    assert "refs/assay/data" in refs
