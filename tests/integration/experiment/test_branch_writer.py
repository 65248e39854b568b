"""Restoring a branch on the forge: one commit on its head, never by force, and only where the head is still the one that was judged."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.store_branch.places import bare, git
from tests.repositories import Sandbox

from assay.adapters.branch_writer import RemoteBranchWriter
from assay.adapters.git.dot_git import find_dot_git
from assay.adapters.store_branch.remote import Remote
from assay.core.effects import RestoreCommit
from assay.core.experiment_errors import HeadMovedError, RestoreConflictError
from assay.errors import InfrastructureError, UsageError

BRANCH = "experiment/try"


class Forge:
    """A remote with a branch that was discarded, and the checkout of a job."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.repo = sandbox
        self.remote = bare(folder / "remote.git")
        self.base = sandbox.commit({"src/a.py": "A = 1\n", "autoresearch.jsonl": "one\n"})
        sandbox.git("checkout", "-q", "-b", BRANCH)
        sandbox.commit({"src/a.py": "BAD\n", "src/new.py": "NEW\n"})
        self.head = sandbox.commit({"autoresearch.jsonl": "one\ntwo\n", ".auto/log.jsonl": "{}\n"})
        sandbox.git("push", "-q", str(self.remote), "main", BRANCH)
        sandbox.git("checkout", "-q", "--detach")
        self.wish = RestoreCommit(BRANCH, self.head, self.base, ("autoresearch.jsonl", ".auto/"), "assay: restore\n\nAssay-Run: run-1\n")
        self.writer = RemoteBranchWriter(find_dot_git(str(sandbox.root)), Remote.parse(str(self.remote), "/"))

    @property
    def tip(self) -> str:
        return git(self.remote, "rev-parse", f"refs/heads/{BRANCH}")

    def files(self, commit: str) -> dict[str, str]:
        names = git(self.remote, "ls-tree", "-r", "--name-only", commit).split("\n")
        return {name: git(self.remote, "show", f"{commit}:{name}") for name in names}


@pytest.fixture
def forge(sandbox: Sandbox, tmp_path: Path) -> Forge:
    return Forge(sandbox, tmp_path)


def test_it_is_one_commit_on_the_head_with_the_baseline_and_the_newest_artefacts(forge: Forge) -> None:
    commit = forge.writer.restore(forge.wish)
    assert (forge.tip, git(forge.remote, "rev-parse", f"{commit}^")) == (commit, forge.head)
    assert forge.files(commit) == {"src/a.py": "A = 1", "autoresearch.jsonl": "one\ntwo", ".auto/log.jsonl": "{}"}


def test_done_again_it_is_the_same_commit(forge: Forge) -> None:
    assert forge.writer.restore(forge.wish) == forge.writer.restore(forge.wish) == forge.tip


def test_where_the_head_has_moved_nothing_is_written(forge: Forge) -> None:
    forge.repo.git("checkout", "-q", BRANCH)
    moved = forge.repo.commit({"src/a.py": "BETTER\n"})
    forge.repo.git("push", "-q", str(forge.remote), BRANCH)
    with pytest.raises(HeadMovedError, match="no longer at"):
        forge.writer.restore(forge.wish)
    assert forge.tip == moved


def test_where_the_branch_is_gone_it_does_not_come_back(forge: Forge) -> None:
    git(forge.remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
    with pytest.raises(HeadMovedError):
        forge.writer.restore(forge.wish)
    assert git(forge.remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_head_that_moves_between_the_look_and_the_push_wins(forge: Forge) -> None:
    forge.repo.git("checkout", "-q", BRANCH)
    moved = forge.repo.commit({"src/a.py": "BETTER\n"})
    forge.repo.git("push", "-q", str(forge.remote), f"{moved}:refs/heads/elsewhere")
    hook = forge.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/{BRANCH} {moved}\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    with pytest.raises((HeadMovedError, InfrastructureError)):
        forge.writer.restore(forge.wish)
    assert forge.tip == moved


def test_a_head_that_is_the_baseline_already_needs_no_commit(forge: Forge) -> None:
    assert forge.writer.restore(replace(forge.wish, baseline=forge.head)) == forge.head
    assert forge.tip == forge.head


def test_a_branch_that_refuses_is_an_error_and_stays(forge: Forge) -> None:
    hook = forge.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'protected branch' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(InfrastructureError, match="was not restored"):
        forge.writer.restore(forge.wish)
    assert forge.tip == forge.head


def test_a_remote_that_does_not_answer_is_an_error(forge: Forge) -> None:
    writer = replace(forge.writer, remote=Remote.parse(str(forge.remote) + "-gone", "/"))
    with pytest.raises(InfrastructureError, match="did not answer"):
        writer.restore(forge.wish)


def test_an_artefact_in_the_place_of_a_file_of_the_baseline_is_a_conflict(forge: Forge) -> None:
    forge.repo.git("checkout", "-q", "--detach", forge.base)
    base = forge.repo.commit({".auto": "a file\n"})
    forge.repo.commit({".auto": None})
    head = forge.repo.commit({".auto/log.jsonl": "{}\n"})
    with pytest.raises(RestoreConflictError, match=r"\.auto"):
        forge.writer.restore(replace(forge.wish, head=head, baseline=base))
    assert forge.tip == forge.head


@pytest.mark.parametrize("branch", ["", "-x", "a..b", "a b", "x.lock"])
def test_an_unsafe_name_is_refused(forge: Forge, branch: str) -> None:
    with pytest.raises(UsageError, match="safe name"):
        forge.writer.restore(replace(forge.wish, branch=branch))
