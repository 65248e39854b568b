"""A command that is killed at any of its git calls leaves nothing that the next one cannot finish, and no byte is lost."""

import os
from collections.abc import Callable

import pytest
from tests.integration.experiment.lab import Bench

from assay.adapters.git import command
from assay.adapters.git.command import Answer, GitCommand
from assay.core.experiment_errors import AlreadyLoggedError

KILLED = 9
MOST_CALLS = 60


def killed_at(call: int, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Do the work in a process that dies just before its n-th call of git, or for an odd n just after it; false where it lived."""
    counted = 0
    real = GitCommand.ask

    def ask(self: GitCommand, *words: str, **more: object) -> Answer:
        nonlocal counted
        counted += 1
        if counted == call and call % 2 == 0:
            os._exit(KILLED)
        answer = real(self, *words, **more)  # type: ignore[arg-type]
        if counted == call:
            os._exit(KILLED)
        return answer

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(command.GitCommand, "ask", ask)
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def finished(bench: Bench, run: str, work: Callable[[], object]) -> None:
    """Do it again, unless the killed command had come to its very end."""
    try:
        work()
    except AlreadyLoggedError:
        assert bench.state.find(run) is not None


def test_a_discard_that_is_killed_anywhere_is_finished_by_the_next_one(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.begin()
    base = bench.head
    for call in range(1, MOST_CALLS):
        bench.tried(90 + call, "keep", {"src/kept.py": f"KEPT = {call}\n"})
        bench.write({"metrics.txt": "METRIC loss=500\n", "src/model.py": "BAD = 1\n", "src/new.py": "NEW = 1\n", "src/kernel.py": None})
        bench.write({"autoresearch.jsonl": f"{call}\n", "src/staged.py": "STAGED = 1\n"})
        bench.repo.git("add", "src/staged.py")
        run, tip = bench.run().run, bench.head

        def discard(run: str = run) -> object:
            return bench.log(run, "discard", baseline=base)

        was_killed = killed_at(call, discard, monkeypatch)
        finished(bench, run, discard)
        assert bench.head == base
        assert bench.repo.git("diff", "HEAD", "--name-only") == ""
        assert bench.changed() == ["?? autoresearch.jsonl"]
        assert bench.read("autoresearch.jsonl") == f"{call}\n".encode()
        saved = f"refs/assay/discarded/{run}"
        for path, content in (("src/model.py", "BAD = 1"), ("src/new.py", "NEW = 1"), ("src/staged.py", "STAGED = 1")):
            assert bench.repo.git("show", f"{saved}:{path}") == content
        assert bench.repo.git("rev-parse", f"{saved}^1") == tip
        assert bench.state.find(run).newest.discarded == saved  # type: ignore[union-attr]
        if not was_killed:
            return
    raise AssertionError("it never came to its end")


def test_a_keep_that_is_killed_anywhere_is_finished_by_the_next_one(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.begin()
    for call in range(1, MOST_CALLS):
        before = bench.head
        bench.write({"metrics.txt": f"METRIC loss={call}\n", "src/new.py": f"NEW = {call}\n"})
        run = bench.run().run

        def keep(run: str = run) -> object:
            return bench.log(run, "keep")

        was_killed = killed_at(call, keep, monkeypatch)
        finished(bench, run, keep)
        assert bench.repo.git("rev-parse", "HEAD^") == before
        assert bench.repo.git("show", "HEAD:src/new.py") == f"NEW = {call}"
        assert bench.changed() == []
        assert bench.state.find(run).newest.commit == bench.head  # type: ignore[union-attr]
        if not was_killed:
            return
    raise AssertionError("it never came to its end")
