"""The faults of earlier experiment loops, one by one: none of them may ever come back."""

import os
import subprocess
import sys

import pytest
from tests.integration.experiment.lab import Bench

from assay.core.experiment_errors import OutcomeRefusedError, RestoreConflictError, TreeBusyError
from assay.core.model import Cause, Outcome
from assay.errors import InfrastructureError

LOG = "autoresearch.jsonl"


def with_artefact(bench: Bench) -> str:
    """The baseline: a commit that has a preserved artefact."""
    head = bench.repo.commit({LOG: "one\n", "autoresearch.hooks/be fore.sh": "true\n"})
    bench.begin()
    return head


def test_01_a_lone_changed_artefact_keeps_its_newest_bytes(bench: Bench) -> None:
    base = with_artefact(bench)
    result = bench.tried(100, "discard", {LOG: "one\ntwo\n"}, baseline=base)
    assert bench.read(LOG) == b"one\ntwo\n"
    assert result.restored is not None
    assert result.restored.preserved == (LOG,)


def test_02_a_discarded_change_does_not_come_back_beside_a_changed_artefact(bench: Bench) -> None:
    base = with_artefact(bench)
    bench.tried(500, "discard", {LOG: "one\ntwo\n", "src/model.py": "BAD = 1\n"}, baseline=base)
    assert bench.read("src/model.py") == b"WIDTH = 8\n"
    assert bench.read("metrics.txt") == b"METRIC loss=100\n"
    assert bench.read(LOG) == b"one\ntwo\n"


def test_03_new_files_of_a_discarded_run_leak_neither_into_the_next_run_nor_into_a_keep(bench: Bench) -> None:
    bench.begin()
    base = bench.head
    bench.tried(500, "discard", {"src/leak.py": "LEAK = 1\n", "out/deep/trace.log": "x\n"}, baseline=base)
    assert not (bench.repo.root / "src/leak.py").exists()
    assert not (bench.repo.root / "out").exists()
    kept = bench.tried(90, "keep").kept
    assert kept is not None
    assert bench.repo.git("show", "--format=", "--name-only", "HEAD") == "metrics.txt"


def test_04_an_artefact_that_a_keep_has_committed_survives_a_baseline_older_than_that_keep(bench: Bench) -> None:
    bench.begin()
    base = bench.head
    bench.tried(90, "keep", {LOG: "one\n"})
    bench.tried(500, "discard", {LOG: "one\ntwo\n"}, baseline=base)
    assert bench.read(LOG) == b"one\ntwo\n"
    assert bench.head == base
    assert b"<<<<" not in (bench.read(LOG) or b"")
    assert bench.repo.git("stash", "list") == ""
    assert bench.changed() == [f"?? {LOG}"]


@pytest.mark.parametrize("text", ["keep $(touch pwned)", "`touch pwned`; touch pwned", "a\n\nb \\n $HOME \"q\" 'q'", "--amend", "-m x"])
def test_05_a_message_is_data_whatever_it_contains(bench: Bench, text: str) -> None:
    bench.begin()
    bench.tried(90, "keep", message=text)
    assert bench.repo.git("log", "-1", "--format=%B").startswith(text)
    assert list(bench.repo.root.rglob("pwned")) == []


def test_06_a_failed_commit_leaves_no_keep_behind(bench: Bench) -> None:
    bench.begin()
    bench.write({"metrics.txt": "METRIC loss=90\n"})
    run = bench.run().run
    before = bench.journal
    branch = bench.repo.root / ".git/refs/heads/experiment/try.lock"
    branch.touch()
    with pytest.raises(InfrastructureError):
        bench.log(run, "keep")
    assert bench.journal == before
    branch.unlink()
    assert bench.log(run, "keep").kept is not None
    assert [one.run for one in bench.state.kept] == [run]


def test_07_the_best_run_follows_direction_and_value(bench: Bench) -> None:
    bench.begin()
    runs = {loss: bench.tried(loss, "keep").record.payload.run for loss in (50, 30, 40)}  # type: ignore[union-attr]
    assert bench.state.best is not None
    assert bench.state.best.run == runs[30]


def test_08_the_primary_metric_is_the_one_that_was_named(bench: Bench) -> None:
    bench.begin()
    row = bench.run("printf", "METRIC warmup=1\nMETRIC loss=7 (nats)\n").row
    assert row is not None
    assert (row.primary_metric and (row.primary_metric.value, row.primary_metric.unit)) == (7, "nats")
    silent = bench.run("printf", "METRIC warmup=1\n").row
    assert silent is not None
    assert (silent.primary_metric, silent.cause) == (None, Cause.NO_METRIC)


def test_09_a_new_segment_has_its_own_metric_direction_and_limit(bench: Bench) -> None:
    bench.begin(max_iterations=1)
    bench.tried(50, "keep")
    begun = bench.begin(metric="speed", better="higher", max_iterations=2)
    assert (begun.created, begun.journal.segment) == (False, 2)
    state = bench.state
    assert (state.config.metric, state.config.max_iterations, state.best, len(state.here)) == ("speed", 2, None, 0)
    assert bench.run("echo", "METRIC speed=3").row is not None


def test_10_a_timeout_ends_grandchildren_and_tells_its_cause_and_true_duration(bench: Bench) -> None:
    bench.begin()
    late = bench.repo.root.parent / "late"
    script = f"sleep 1000 & echo METRIC loss=1; (trap '' TERM; while [ ! -e {late}.go ]; do sleep 0.02; done; touch '{late}') & wait"
    ran = bench.run("sh", "-c", script, timeout_s=0.5)
    assert (ran.done.timed_out, ran.row and ran.row.cause) == (True, Cause.TIMEOUT)
    assert _children_of("sleep 1000") == []
    (bench.repo.root.parent / "late.go").touch()
    assert not late.exists()


def _children_of(words: str) -> list[str]:
    done = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if line == words]


@pytest.mark.parametrize("path", ["autoresearch.hooks/be fore.sh", 'autoresearch.hooks/ümlaut\n"x".sh', ".auto/a\tb"])
def test_11_paths_of_any_spelling_are_preserved(bench: Bench, path: str) -> None:
    base = with_artefact(bench)
    bench.tried(500, "discard", {path: "newest\n"}, baseline=base)
    assert bench.read(path) == b"newest\n"


def test_11_a_renamed_file_is_restored_on_both_sides(bench: Bench) -> None:
    bench.begin()
    base = bench.head
    bench.repo.git("mv", "src/model.py", "src/renamed model.py")
    bench.tried(500, "discard", baseline=base)
    assert bench.read("src/model.py") == b"WIDTH = 8\n"
    assert bench.changed() == []


def test_12_a_keep_on_a_clean_tree_is_a_keep_without_a_commit(bench: Bench) -> None:
    bench.begin()
    head = bench.head
    result = bench.log(bench.run().run, "keep")
    assert (result.kept and result.kept.commit, bench.head) == (None, head)
    assert len(bench.state.kept) == 1


def test_13_the_benchmark_does_not_see_the_environment_of_the_caller(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "canary")
    monkeypatch.setenv("LAB_SECRET", "canary")
    bench.begin()
    ran = bench.run(sys.executable, "-c", "import os; print(dict(os.environ)); print('METRIC loss=1')", env={"LAB_THREADS": "3"})
    assert "canary" not in ran.done.stdout
    assert "'LAB_THREADS': '3'" in ran.done.stdout
    assert f"'HOME': '{os.environ.get('HOME')}'" not in ran.done.stdout


def test_15_a_restore_in_the_middle_of_a_merge_is_refused_with_everything_as_it_was(bench: Bench) -> None:
    bench.begin()
    run, before = bench.run().run, bench.repo.git("status", "--porcelain")
    (bench.repo.root / ".git/MERGE_HEAD").write_text(bench.head + "\n")
    with pytest.raises(TreeBusyError, match="a merge"):
        bench.log(run, "discard", baseline=bench.head)
    assert bench.repo.git("status", "--porcelain") == before


def test_16_a_stash_of_the_user_is_never_touched(bench: Bench) -> None:
    base = with_artefact(bench)
    bench.write({"src/kernel.py": "MINE = 1\n"})
    bench.repo.git("stash")
    stash = bench.repo.git("rev-parse", "stash@{0}")
    bench.tried(500, "discard", {LOG: "one\ntwo\n", "src/model.py": "BAD = 1\n"}, baseline=base)
    assert bench.repo.git("rev-parse", "stash@{0}") == stash
    assert len(bench.repo.git("stash", "list").splitlines()) == 1


def test_an_errored_run_is_never_kept(bench: Bench) -> None:
    bench.begin()
    ran = bench.run("sh", "-c", "echo METRIC loss=1; exit 3")
    with pytest.raises(OutcomeRefusedError, match="exit status 3"):
        bench.log(ran.run, "keep")
    result = bench.log(ran.run, "errored")
    assert (result.record.payload.status, result.restored) == (Outcome.ERRORED, None)  # type: ignore[union-attr]


def test_an_ignored_artefact_in_the_place_of_a_tracked_one_keeps_its_bytes(bench: Bench) -> None:
    base = bench.repo.commit({".auto/log.jsonl": "one\n"})
    bench.repo.git("rm", "-q", "--cached", ".auto/log.jsonl")
    bench.repo.commit({".gitignore": "build/\n.auto/\n", ".auto/log.jsonl": "one\ntwo\n"})
    bench.begin()
    bench.tried(500, "discard", baseline=base)
    assert bench.read(".auto/log.jsonl") == b"one\ntwo\n"
    assert bench.head == base


def test_an_ignored_file_in_the_way_of_the_baseline_is_a_conflict_and_stays(bench: Bench) -> None:
    bench.repo.write({"build/out.bin": "tracked\n"})
    bench.repo.git("add", "-f", "build/out.bin")
    base = bench.repo.commit()
    bench.repo.git("rm", "-q", "--cached", "build/out.bin")
    bench.repo.git("commit", "-qm", "ignore it")
    bench.write({"build/out.bin": "precious\n"})
    bench.begin()
    run, head = bench.run().run, bench.head
    with pytest.raises(RestoreConflictError, match=r"build/out\.bin"):
        bench.log(run, "discard", baseline=base)
    assert bench.read("build/out.bin") == b"precious\n"
    assert (bench.head, bench.state.find(run).settled) == (head, False)  # type: ignore[union-attr]
