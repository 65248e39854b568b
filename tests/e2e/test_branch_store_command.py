"""`--store branch` and `assay store` as a person uses them: what one clone measured another reuses."""

from pathlib import Path

from tests.e2e.conftest import World
from tests.loops import a_row
from tests.repositories import Sandbox

from assay.adapters.ledger_files import DirectoryLedger


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


def test_rows_of_an_uploaded_outbox_are_taken_in_and_those_that_wait_are_told_of(world: World) -> None:
    two_clones(world)
    bare, away, artifact = world.folder / "origin.git", world.folder / "away.git", world.folder / "artifact"
    DirectoryLedger(artifact).append(a_row())
    damaged = artifact / "ledger" / "2025-01.jsonl"
    damaged.write_text("{}\n", encoding="utf-8")
    bare.rename(away)
    waiting = world.assay("store", "flush", "--from", str(artifact))
    assert (waiting.code, "1 row of the ledger could not be sent" in waiting.text) == (4, True), waiting.text
    assert "2025-01.jsonl:1 cannot be read" in waiting.text
    away.rename(bare)
    damaged.unlink()
    sent = world.assay("store", "flush", "--from", str(artifact))
    assert (sent.code, "1 row of the ledger sent to" in sent.text) == (0, True), sent.text
    assert a_row().id in Sandbox(world.folder / "look").git(f"--git-dir={bare}", "show", f"assay-data:{a_row().path}")
    kept = world.assay("store", "flush", "--from", str(artifact), "--store", f"dir:{world.folder / 'kept'}")
    assert (kept.code, DirectoryLedger(world.folder / "kept").rows().rows) == (0, (a_row(),)), kept.text


def test_any_ref_can_hold_the_store(world: World) -> None:
    base, _ = two_clones(world)
    done = world.assay("check", "--base", base, "--store", "branch:refs/assay/data", "--json")
    assert done.code == 0, done.text
    refs = Sandbox(world.folder / "look").git("ls-remote", str(world.folder / "origin.git"))
    assert "refs/assay/data" in refs
