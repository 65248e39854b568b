"""What a keep commits, what it leaves to the user, and which run the others are held against."""

import pytest
from tests.integration.experiment.lab import Bench

from assay.core.experiment_errors import OutcomeRefusedError, TreeMovedError
from assay.core.experiment_state import SessionState


def committed(bench: Bench) -> list[str]:
    return bench.repo.git("show", "--format=", "--name-only", "HEAD").splitlines()


def test_a_new_file_that_was_there_at_init_is_in_no_keep(bench: Bench) -> None:
    bench.write({"todo.txt": "mine\n"})
    bench.begin()
    result = bench.tried(90, "keep", {"src/new.py": "NEW = 1\n", "todo.txt": "mine, edited\n"})
    assert committed(bench) == ["metrics.txt", "src/new.py"]
    assert bench.changed() == ["?? todo.txt"]
    assert [note for note in result.notes if "todo.txt" in note and "there before" in note]


def test_a_new_file_that_was_there_before_is_kept_where_it_is_named_or_added(bench: Bench) -> None:
    bench.write({"named.txt": "1\n", "added.txt": "2\n"})
    bench.begin()
    bench.repo.git("add", "added.txt")
    bench.tried(90, "keep", include=("named.txt",))
    assert committed(bench) == ["added.txt", "metrics.txt", "named.txt"]


def test_a_file_that_came_after_the_run_is_nobody_s_from_then_on(bench: Bench) -> None:
    bench.begin()
    bench.write({"metrics.txt": "METRIC loss=90\n"})
    run = bench.run().run
    bench.write({"notes.txt": "later\n"})
    bench.log(run, "keep")
    bench.tried(80, "keep")
    assert committed(bench) == ["metrics.txt"]
    assert bench.changed() == ["?? notes.txt"]


@pytest.mark.parametrize("outcome", ["pending", "errored"])
def test_what_an_open_run_has_left_is_in_the_keep_that_builds_on_it(bench: Bench, outcome: str) -> None:
    bench.begin()
    bench.write({"src/new.py": "NEW = 0\n"})
    bench.log(bench.run("sh", "-c", "exit 1").run, outcome)
    bench.tried(90, "keep", {"src/new.py": "NEW = 1\n"})
    assert committed(bench) == ["metrics.txt", "src/new.py"]


def test_what_an_errored_run_has_left_is_not_removed_with_the_next_one(bench: Bench) -> None:
    bench.begin()
    bench.write({"src/new.py": "NEW = 0\n"})
    bench.log(bench.run("sh", "-c", "exit 1").run, "errored")
    bench.tried(500, "discard", baseline=bench.head)
    assert bench.read("src/new.py") == b"NEW = 0\n"


def test_a_commit_that_the_user_made_before_the_run_is_the_one_of_the_record(bench: Bench) -> None:
    bench.begin()
    first = bench.log(bench.run().run, "keep")
    own = bench.repo.commit({"src/model.py": "WIDTH = 9\n", "metrics.txt": "METRIC loss=90\n"})
    second = bench.log(bench.run().run, "keep")
    assert (first.kept and first.kept.commit, second.kept and second.kept.commit) == (None, own)
    assert [one.newest.commit for one in bench.state.kept] == [None, own]


def test_a_commit_that_the_user_made_of_what_the_run_left_is_the_one_of_the_record(bench: Bench) -> None:
    bench.begin()
    bench.write({"metrics.txt": "METRIC loss=90\n"})
    run = bench.run().run
    own = bench.repo.commit({}, "mine")
    result = bench.log(run, "keep")
    assert (result.kept and result.kept.commit, bench.head) == (own, own)


def test_a_commit_of_something_else_is_not_taken_for_what_was_measured(bench: Bench) -> None:
    bench.begin()
    bench.write({"metrics.txt": "METRIC loss=90\n"})
    run = bench.run().run
    bench.repo.commit({"src/model.py": "WIDTH = 99\n"}, "mine")
    with pytest.raises(TreeMovedError):
        bench.log(run, "keep")


def test_a_run_that_is_run_again_on_one_commit_has_no_commit_of_the_user_s(bench: Bench) -> None:
    bench.begin()
    bench.log(bench.run().run, "keep")
    assert [one.newest.commit for one in _again(bench).kept] == [None, None]


def _again(bench: Bench) -> SessionState:
    bench.log(bench.run().run, "keep")
    return bench.state


def test_the_baseline_is_the_first_clean_run_unless_one_is_named(bench: Bench) -> None:
    bench.begin()
    first = bench.run().run
    assert bench.state.baseline
    assert bench.state.baseline.run == first
    bench.write({"metrics.txt": "METRIC loss=80\n"})
    named = bench.run().run
    bench.log(named, "keep", as_baseline=True)
    assert bench.state.baseline.run == named
    bench.begin()
    assert bench.state.baseline is None


def test_a_run_without_a_number_is_no_baseline(bench: Bench) -> None:
    bench.begin()
    run, before = bench.run("false").run, bench.journal
    with pytest.raises(OutcomeRefusedError, match="no baseline"):
        bench.log(run, "errored", as_baseline=True)
    assert bench.journal == before


def test_a_large_file_stays_out_of_a_keep_also_where_it_is_staged(bench: Bench) -> None:
    small = bench.with_git(max_file="1kB")
    small.begin()
    small.write({"big.bin": "x" * 2000, "src/model.py": "WIDTH = 9\n"})
    small.repo.git("add", "big.bin")
    done = small.log(small.run().run, "keep")
    assert small.repo.git("show", "--format=", "--name-only", "HEAD") == "src/model.py"
    assert small.read("big.bin") == b"x" * 2000
    assert done.notes[0].startswith("big.bin is not in the commit: ")
    small.log(small.run().run, "keep", include=("big.bin",))
    assert small.repo.git("show", "--format=", "--name-only", "HEAD") == "big.bin"
