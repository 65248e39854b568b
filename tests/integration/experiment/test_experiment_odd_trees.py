"""Trees that a benchmark or its author may leave: nothing measured is lost, nothing of the user's is touched, nothing goes unsaid."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.integration.experiment.lab import Bench
from tests.repositories import Sandbox

from assay.core.experiment_errors import OutcomeRefusedError, TreeBusyError


def test_a_folder_that_became_a_link_is_a_folder_again_and_what_it_led_to_is_untouched(bench: Bench) -> None:
    bench.begin()
    outside = bench.repo.root.parent / "outside"
    outside.mkdir()
    (outside / "model.py").write_text("precious\n")
    shutil.rmtree(bench.repo.root / "src")
    (bench.repo.root / "src").symlink_to(outside)
    result = bench.log(bench.run().run, "discard", baseline=bench.head)
    assert (bench.read("src/model.py"), bench.changed()) == (b"WIDTH = 8\n", [])
    assert [one.name for one in outside.iterdir()] == ["model.py"]
    assert (outside / "model.py").read_text() == "precious\n"
    assert result.restored
    assert bench.repo.git("cat-file", "-p", f"{result.restored.discarded}:src") == str(outside)


def test_a_run_whose_tree_cannot_be_recorded_keeps_its_numbers(bench: Bench) -> None:
    bench.begin()
    file = bench.repo.root / "src/model.py"
    file.unlink()
    os.mkfifo(file)
    run = bench.run().run
    (trial,) = bench.state.trials
    assert (trial.value, trial.stored.ended, trial.stored.tree) == (100, True, None)
    with pytest.raises(OutcomeRefusedError, match="not recorded"):
        bench.log(run, "keep")
    with pytest.raises(TreeBusyError, match="pipe"):
        bench.log(run, "discard", baseline=bench.head)
    file.unlink()
    bench.log(run, "discard", baseline=bench.head)
    assert bench.read("src/model.py") == b"WIDTH = 8\n"


def test_a_merge_that_a_run_began_loses_no_number(bench: Bench) -> None:
    bench.begin()
    bench.run("sh", "-c", "git rev-parse HEAD > .git/MERGE_HEAD; echo METRIC loss=7")
    assert [one.value for one in bench.state.trials] == [7]


@pytest.mark.parametrize("outcome", ["keep", "discard"])
def test_what_git_is_told_not_to_look_at_is_named(bench: Bench, outcome: str) -> None:
    bench.begin()
    bench.repo.git("update-index", "--skip-worktree", "src/model.py", "src/kernel.py")
    result = bench.tried(90, outcome, {"src/model.py": "LOCAL = 1\n"}, baseline=bench.head)
    assert bench.read("src/model.py") == b"LOCAL = 1\n"
    assert [note for note in result.notes if "src/model.py" in note]
    assert not [note for note in result.notes if "src/kernel.py" in note]
    assert bench.repo.git("ls-files", "-v", "src/model.py").startswith("S")


def with_submodule(bench: Bench) -> Path:
    """A submodule at `lib`, committed; its folder."""
    library = Sandbox(bench.repo.root.parent / "library")
    library.commit({"f": "1\n"})
    bench.repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib")
    bench.repo.git("commit", "-qm", "a submodule")
    return bench.repo.root / "lib"


def move_on(folder: Path) -> None:
    (folder / "g").write_text("2\n")
    for words in (("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "2")):
        subprocess.run(["git", *words], cwd=folder, check=True)


def replace_by_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("a file\n")


@pytest.mark.parametrize("change", [move_on, replace_by_a_file, shutil.rmtree])
@pytest.mark.parametrize("outcome", ["keep", "discard"])
def test_a_submodule_is_left_as_it_is_and_that_is_said(bench: Bench, change: Callable[[Path], None], outcome: str) -> None:
    folder = with_submodule(bench)
    bench.begin()
    pinned = bench.repo.git("rev-parse", "HEAD:lib")
    quiet = bench.log(bench.run().run, "discard", baseline=bench.head)
    assert not [note for note in quiet.notes if note.startswith("lib ")]
    change(folder)
    said = bench.tried(90, outcome, baseline=bench.head).notes
    assert [note for note in said if note.startswith("lib ")]
    assert bench.repo.git("rev-parse", "HEAD:lib") == pinned


@pytest.mark.parametrize("how", ["gone", "a link"])
def test_without_an_index_what_is_tracked_stays_so(bench: Bench, how: str) -> None:
    bench.write({"build/tracked.bin": "1\n"})
    bench.repo.git("add", "-f", "build/tracked.bin")
    bench.repo.git("commit", "-qm", "a tracked file that a pattern ignores")
    bench.begin()
    index = bench.repo.root / ".git/index"
    if how == "gone":
        index.unlink()
    else:
        index.rename(index.with_name("real"))
        index.symlink_to("real")
    bench.tried(90, "keep")
    assert bench.repo.git("show", "--format=", "--name-status", "HEAD") == "M\tmetrics.txt"


def test_names_that_look_like_options_patterns_or_no_text_are_names(bench: Bench) -> None:
    names = [b"caf\xe9.txt", b"-x", b":(glob)**", b"a\nb", b"*.py", b"\xff\xfe", b" lead", b'q"q']
    bench.begin()
    for outcome in ("discard", "keep"):
        for name in names:
            (bench.repo.root / os.fsdecode(name)).write_bytes(b"x")
        bench.log(bench.run().run, outcome, baseline=bench.head)
        assert bench.changed() == []
    listed = bench.repo.git("-c", "core.quotePath=false", "show", "--format=", "--name-only", "-z", "HEAD").split("\0")
    assert sorted(map(os.fsencode, filter(None, listed))) == sorted(names)


def test_a_replaced_object_is_not_taken_for_the_one_that_was_committed(bench: Bench) -> None:
    bench.begin()
    evil = bench.repo.git("hash-object", "-w", "metrics.txt")
    bench.repo.git("replace", bench.repo.git("rev-parse", "HEAD:src/model.py"), evil)
    bench.tried(500, "discard", {"src/model.py": "BAD = 1\n"}, baseline=bench.head)
    assert bench.read("src/model.py") == b"WIDTH = 8\n"


def test_a_repository_in_a_tracked_folder_stays_and_the_files_around_it_go_back(bench: Bench) -> None:
    bench.begin()
    bench.repo.git("init", "-q", str(bench.repo.root / "src"))
    bench.tried(500, "discard", {"src/model.py": "BAD = 1\n", "src/new.py": "N\n"}, baseline=bench.head)
    assert (bench.read("src/model.py"), bench.read("src/new.py")) == (b"WIDTH = 8\n", None)
    assert (bench.repo.root / "src/.git/HEAD").is_file()
