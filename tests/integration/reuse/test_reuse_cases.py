"""The cases of reuse that have to hold, each on a real repository and a real store."""

import os
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fakes.runs import ENVIRONMENT, MACHINE, NOW, a_run
from tests.integration.reuse.lineages import FILES, Scene, said

from assay.adapters.git import GitRepo
from assay.adapters.git.command import Answer, GitCommand
from assay.adapters.store_directory import DirectoryStore
from assay.core.envelope import Run, Tombstone
from assay.core.model import Rung
from assay.core.prior import Found
from assay.core.result import LineageKey
from assay.core.timestamp import stamp
from assay.errors import InfrastructureError

PAGE: dict[str, str | bytes | None] = {"docs/notes.md": "more notes\n", "CHANGES.md": "x\n"}
CODE: dict[str, str | bytes | None] = {"src/kernel.py": "TILE = 32\n"}


def test_case_1_the_same_commit_is_reused_and_a_forced_run_is_not(scene: Scene) -> None:
    run = scene.measure()
    verdict = scene.ask()
    assert (verdict.reuse, verdict.via, verdict.run_id, verdict.commit) == (True, "commit", run.run_id, scene.head)
    forced = scene.ask(forced_by="--no-reuse")
    assert "--no-reuse" in said(forced, Rung.FORCED)
    assert forced.forced_by == "--no-reuse"


def test_an_ignored_file_that_is_read_through_a_watched_link_is_not_ignored(scene: Scene) -> None:
    (scene.sandbox.root / "src" / "table.md").symlink_to("../docs/notes.md")
    scene.sandbox.commit({})
    run = scene.measure()
    scene.sandbox.commit({"docs/other.md": "x\n"})
    assert scene.ask().run_id == run.run_id
    scene.sandbox.commit(PAGE)
    assert said(scene.ask(), Rung.CODE) == "1 changed path in watch.code: docs/notes.md"


def test_fingerprints_see_through_links_where_there_is_no_window(scene: Scene) -> None:
    (scene.sandbox.root / "src" / "table.md").symlink_to("../docs/notes.md")
    scene.sandbox.commit({})
    run = scene.measure()
    lost = run.commit
    scene.sandbox.git("checkout", "-q", "--orphan", "again")
    scene.sandbox.commit({"docs/other.md": "x\n"})
    elsewhere = scene.sandbox.root.parent / "elsewhere"
    scene.sandbox.git("clone", "-q", "--branch", "again", "--single-branch", f"file://{scene.sandbox.root}", str(elsewhere))
    assert (scene.ask(elsewhere).via, scene.ask(elsewhere).commit) == ("fingerprint", lost)
    scene.sandbox.commit(PAGE)
    shutil.rmtree(elsewhere)
    scene.sandbox.git("clone", "-q", "--branch", "again", "--single-branch", f"file://{scene.sandbox.root}", str(elsewhere))
    assert "fingerprint" in said(scene.ask(elsewhere), Rung.CODE)


def test_case_2_a_window_of_pages_is_reused_across_commits(scene: Scene) -> None:
    run = scene.measure()
    head = scene.sandbox.commit(PAGE)
    verdict = scene.ask()
    assert (verdict.reuse, verdict.via, verdict.run_id) == (True, "window", run.run_id)
    assert verdict.window is not None
    assert (verdict.window.start, verdict.window.end, verdict.window.resolved) == (run.commit, head, True)
    assert sorted(verdict.window.paths) == ["CHANGES.md", "docs/notes.md"]


def test_case_3_a_touched_harness_means_run_and_its_path_is_named(scene: Scene) -> None:
    scene.measure()
    scene.sandbox.commit({"bench/helper.py": "x = 1\n", **PAGE})
    assert "bench/helper.py (added)" in said(scene.ask(), Rung.HARNESS)


def test_case_4_a_file_moved_out_of_a_watched_folder_means_run(scene: Scene) -> None:
    scene.measure()
    scene.sandbox.git("mv", "src/kernel.py", "docs/kernel.md")
    scene.sandbox.commit()
    assert "src/kernel.py (removed)" in said(scene.ask(), Rung.CODE)


def shallow(scene: Scene, tmp_path: Path) -> Path:
    """A clone of the newest commit alone."""
    clone = tmp_path / "shallow"
    scene.sandbox.git("clone", "-q", "--depth", "1", f"file://{scene.sandbox.root}", str(clone))
    scene.sandbox.git("remote", "remove", "origin", cwd=clone)
    return clone


def test_case_5_in_a_shallow_clone_the_window_is_unresolved_and_without_fingerprints_that_means_run(scene: Scene, tmp_path: Path) -> None:
    scene.measure(fingerprints=False)
    scene.sandbox.commit(PAGE)
    verdict = scene.ask(shallow(scene, tmp_path))
    assert "is unresolved" in said(verdict, Rung.EVIDENCE)
    assert verdict.window is not None
    assert not verdict.window.resolved


def test_case_6_an_invalidated_run_means_run(scene: Scene) -> None:
    run = scene.measure()
    tomb = {"run_id": run.run_id, "created_at": stamp(NOW), "reason": "the GPU was shared", "by": "ada", "replacement": None}
    scene.store.add_tombstone(Tombstone.model_validate({"schema": "assay.tombstone/1", **tomb}))
    assert f"{run.run_id}: it was invalidated" in said(scene.ask(), Rung.EVIDENCE)


def test_case_7_an_unknown_config_equals_no_other(scene: Scene) -> None:
    run = scene.measure()
    assert "config hash" in said(scene.ask(config_hash="unknown"), Rung.CONFIG)
    file = next(scene.store_root.rglob(f"{run.run_id}.json"))
    file.write_text(file.read_text().replace(run.config.hash, "unknown"))
    assert "the hash is not that of the parameters" in said(scene.ask(config_hash="unknown"), Rung.EVIDENCE)


def test_case_8_an_unknown_model_answers_no_question_for_one(scene: Scene) -> None:
    scene.measure(model="unknown")
    verdict = scene.ask(key=LineageKey(scene.head, MACHINE.machine_class, "gpt2", "none"))
    assert "another model: unknown, now gpt2" in said(verdict, Rung.MODEL)
    anything = scene.ask(key=LineageKey(scene.head, MACHINE.machine_class, "any", "none"))
    assert "another model: unknown, now any" in said(anything, Rung.MODEL)


def test_case_9_a_list_of_changes_that_was_cut_short_means_run(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.measure(fingerprints=False)
    scene.sandbox.commit(PAGE)
    ask = GitCommand.ask

    def cut(self: GitCommand, *words: str, feed: bytes | None = None, within_s: float | None = None) -> Answer:
        answer = ask(self, *words, feed=feed, within_s=within_s)
        return replace(answer, out=answer.out[:-4]) if words[0] == "diff-tree" else answer

    monkeypatch.setattr(GitCommand, "ask", cut)
    assert "cut short" in said(scene.ask(), Rung.EVIDENCE)


def test_case_10_of_two_forms_of_a_time_the_later_one_is_the_freshest(scene: Scene) -> None:
    later = scene.measure(1, created_at="2025-03-01T11:00:00.5Z")
    scene.measure(2, created_at="2025-03-01T11:00:00Z")
    assert scene.ask().run_id == later.run_id


@pytest.mark.parametrize(("fact", "value"), [("driver", "535.1"), ("cuda", "12.4"), ("image_digest", "sha256:1"), ("python", "3.12")])
def test_case_11_another_driver_or_image_means_run(scene: Scene, fact: str, value: str) -> None:
    scene.measure()
    verdict = scene.ask(environment=ENVIRONMENT.model_copy(update={fact: value}))
    assert f"now {value}" in said(verdict, Rung.ENVIRONMENT)


# every run is judged


def test_an_older_run_that_holds_is_found_behind_a_fresher_one_that_does_not(scene: Scene) -> None:
    first = scene.measure(1, age=timedelta(days=9))
    scene.sandbox.commit(CODE)
    scene.measure(2, age=timedelta(days=1))
    scene.sandbox.commit({"src/kernel.py": FILES["src/kernel.py"], **PAGE})
    verdict = scene.ask()
    assert (verdict.reuse, verdict.run_id, verdict.considered) == (True, first.run_id, 2)


def test_where_none_holds_the_freshest_is_explained_and_all_are_counted(scene: Scene) -> None:
    for number in range(3):
        scene.sandbox.commit({"src/kernel.py": f"TILE = {number}\n"})
        fresh = scene.measure(number, age=timedelta(days=9 - number))
    scene.sandbox.commit({"configs/small.ini": "batch = 9\n"})
    verdict = scene.ask()
    assert "configs/small.ini" in said(verdict, Rung.CONFIG)
    assert [reason.rung for reason in verdict.reasons] == [Rung.CONFIG]
    assert verdict.window is not None
    assert (verdict.window.start, verdict.considered) == (fresh.commit, 3)


def test_a_run_of_another_machine_is_no_candidate_and_the_verdict_says_so(scene: Scene) -> None:
    scene.measure(machine=MACHINE.model_copy(update={"machine_class": "linux-arm64-other-8c"}))
    verdict = scene.ask()
    assert "another machine: linux-arm64-other-8c" in said(verdict, Rung.EVIDENCE)
    assert (verdict.window, verdict.considered) == (None, 0)


def test_an_empty_store_says_that_it_is_empty(scene: Scene) -> None:
    assert said(scene.ask(), Rung.EVIDENCE) == "no run of bench is stored"


@pytest.mark.parametrize(("axis", "what"), [("commit", "the commit is not known"), ("machine", "the machine is not known")])
def test_without_a_commit_or_a_machine_nothing_can_answer(scene: Scene, axis: str, what: str) -> None:
    scene.measure()
    key = LineageKey(scene.head, MACHINE.machine_class, "none", "none")
    assert what in said(scene.ask(key=replace(key, **{axis: "unknown"})), Rung.EVIDENCE)


def test_damaged_evidence_is_named_and_hides_no_sound_run(scene: Scene) -> None:
    run = scene.measure(1)
    other = next(scene.store_root.rglob(f"{scene.measure(2).run_id}.json"))
    other.write_bytes(other.read_bytes()[:300])
    assert scene.ask().run_id == run.run_id
    next(scene.store_root.rglob(f"{run.run_id}.json")).write_bytes(b"{")
    verdict = scene.ask()
    assert other.stem in said(verdict, Rung.EVIDENCE)
    assert run.run_id in said(verdict, Rung.EVIDENCE)


def test_a_store_that_cannot_be_asked_means_run_and_says_why(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.measure()

    def refuses(*_: object) -> Found:
        raise InfrastructureError("The index is locked.")

    monkeypatch.setattr(DirectoryStore, "search", refuses)
    assert "the store: The index is locked." in said(scene.ask(), Rung.EVIDENCE)


# what git can do to a history


def test_a_squashed_branch_whose_commits_are_gone_is_reused_by_its_fingerprints(scene: Scene) -> None:
    scene.sandbox.git("checkout", "-q", "-b", "topic")
    scene.sandbox.commit(CODE)
    run = scene.measure()
    scene.sandbox.git("checkout", "-q", "main")
    scene.sandbox.git("merge", "-q", "--squash", "topic")
    scene.sandbox.commit(PAGE, "squashed")
    forget(scene, "topic")
    verdict = scene.ask()
    assert (verdict.reuse, verdict.via, verdict.run_id, verdict.commit) == (True, "fingerprint", run.run_id, run.commit)
    assert verdict.window is not None
    assert not verdict.window.resolved


def test_a_force_pushed_commit_that_is_gone_means_run_where_watched_files_differ(scene: Scene) -> None:
    scene.sandbox.git("checkout", "-q", "-b", "topic")
    scene.sandbox.commit(CODE)
    scene.measure()
    scene.sandbox.git("checkout", "-q", "main")
    forget(scene, "topic")
    assert "the files of watch.code differ by their fingerprint" in said(scene.ask(), Rung.CODE)


def forget(scene: Scene, branch: str) -> None:
    """What a force push and a clean-up leave: the commit is nowhere any more."""
    scene.sandbox.git("branch", "-q", "-D", branch)
    scene.sandbox.git("reflog", "expire", "--expire=now", "--all")
    scene.sandbox.git("gc", "-q", "--prune=now")


def test_equal_content_is_reused_in_a_shallow_clone(scene: Scene, tmp_path: Path) -> None:
    run = scene.measure()
    scene.sandbox.commit(PAGE)
    clone = shallow(scene, tmp_path)
    verdict = scene.ask(clone)
    assert (verdict.reuse, verdict.via, verdict.run_id) == (True, "fingerprint", run.run_id)
    (clone / "src" / "kernel.py").write_text("TILE = 32\n")
    scene.sandbox.git("commit", "-q", "-a", "-m", "x", cwd=clone)
    assert not scene.ask(clone).reuse


def test_a_mode_alone_is_a_change(scene: Scene) -> None:
    scene.measure()
    os.chmod(scene.sandbox.root / "bench" / "run.py", 0o755)  # noqa: PTH101 - as git sees it
    scene.sandbox.commit()
    assert "bench/run.py (mode 644 → 755)" in said(scene.ask(), Rung.HARNESS)


def test_a_submodule_that_is_moved_is_a_change(scene: Scene) -> None:
    scene.sandbox.git("update-index", "--add", "--cacheinfo", f"160000,{scene.head},src/vendored")
    scene.sandbox.git("commit", "-q", "-m", "add")
    scene.measure()
    scene.sandbox.git("update-index", "--cacheinfo", f"160000,{scene.head},src/vendored")
    scene.sandbox.git("commit", "-q", "-m", "move")
    assert "src/vendored (submodule)" in said(scene.ask(), Rung.CODE)


def test_names_that_are_no_text_are_paths_like_others(scene: Scene) -> None:
    scene.measure()
    scene.sandbox.commit({"docs/caf\udce9.html": "x", "docs/new\nline.html": "x"})
    assert "docs/new\nline.html" in said(scene.ask(), Rung.UNCLASSIFIED)
    scene.sandbox.commit({"docs/new\nline.html": None})
    assert scene.ask().reuse
    scene.sandbox.commit({"src/caf\udce9.py": "x"})
    assert "src/caf\\xe9.py (added)" in said(scene.ask(), Rung.CODE)


def test_another_case_is_another_path(scene: Scene) -> None:
    scene.measure()
    scene.sandbox.commit({"SRC/kernel.py": "x"})
    assert "SRC/kernel.py" in said(scene.ask(), Rung.UNCLASSIFIED)


def test_a_change_that_was_taken_back_is_no_change(scene: Scene) -> None:
    run = scene.measure()
    scene.sandbox.commit(CODE)
    scene.sandbox.commit({"src/kernel.py": FILES["src/kernel.py"]})
    assert scene.ask().run_id == run.run_id


def test_a_forged_fingerprint_is_not_believed_against_the_window(scene: Scene) -> None:
    equal = scene.measure().fingerprints
    scene.sandbox.commit(CODE)
    assert isinstance(scene.measure(1, fingerprints=False), Run)
    scene.store.add_run(a_run(7, commit=scene.head, fingerprints=equal))
    scene.sandbox.commit({"src/kernel.py": FILES["src/kernel.py"]})
    shutil.rmtree(scene.store_root / "runs")
    scene.store.add_run(a_run(7, commit=scene.sandbox.git("rev-parse", "HEAD~1"), fingerprints=equal))
    assert "window and fingerprints disagree" in said(scene.ask(), Rung.EVIDENCE)


def test_a_lockfile_at_the_top_is_environment_whatever_group_it_is_in(scene: Scene) -> None:
    scene.sandbox.commit({"uv.lock": "1\n"})
    scene.measure()
    scene.sandbox.commit({"uv.lock": "2\n"})
    assert "lockfile uv.lock" in said(scene.ask(), Rung.ENVIRONMENT)


def test_the_verdict_of_a_clone_is_that_of_its_own_head(scene: Scene, tmp_path: Path) -> None:
    scene.measure()
    clone = tmp_path / "clone"
    scene.sandbox.git("clone", "-q", str(scene.sandbox.root), str(clone))
    assert scene.ask(clone).reuse
    assert GitRepo.discover(str(clone)).resolve("HEAD") == scene.head
