"""Kept runs become review branches: all of them or none, and nothing of the user's is moved."""

from dataclasses import replace
from typing import Any

import pytest
from tests.integration.experiment.lab import Bench

from assay.app.finalize import Finalized, FinalizeRequest, finalize
from assay.core.experiment import Branch, FinalizePayload, SessionStatus
from assay.core.experiment_errors import (
    BranchExistsError,
    CherryPickConflictError,
    MergeBaseError,
    NoKeptRunsError,
    PlanError,
    SessionNotActiveError,
)
from assay.core.finalize_plan import GroupWish
from assay.errors import InfrastructureError


def kept(bench: Bench, path: str, content: str | None, group: str | None = None, **more: str | bytes | None) -> str:
    """A kept run that changes one file."""
    bench.write({path: content, **{name.replace("__", "/"): text for name, text in more.items()}})
    ran = bench.run("echo", "METRIC loss=1")
    bench.log(ran.run, "keep", asi={"group": group} if group else {}, message=f"change {path}")
    return ran.run


def ended(bench: Bench, **asked: Any) -> Finalized:
    return finalize(bench.lab, FinalizeRequest(bench.session, **asked))


def files(bench: Bench, branch: str) -> list[str]:
    return bench.repo.git("diff", "--name-status", "--no-renames", f"main...{branch}").split("\n")


def branches(bench: Bench) -> set[str]:
    return set(bench.repo.git("for-each-ref", "refs/heads", "--format=%(refname:short)").split())


def test_each_group_has_its_own_commits_and_the_user_keeps_what_is_checked_out(bench: Bench) -> None:
    bench.begin()
    runs = [
        kept(bench, "src/one.py", "X = 1\n", "alpha"),
        kept(bench, "src/two.py", "X = 2\n", "beta"),
        kept(bench, "src/one.py", "X = 3\n", "alpha"),
    ]
    bench.tried(500, "discard", {"src/bad.py": "x\n"}, baseline=bench.head)
    bench.write({"notes.txt": "not committed\n", "src/kernel.py": "DIRTY = 1\n"})
    head, changed = bench.head, bench.changed()
    result = ended(bench, summary="two ideas")
    alpha, beta = result.plan.groups
    assert (alpha.runs, beta.runs) == ((runs[0], runs[2]), (runs[1],))
    assert (files(bench, alpha.branch), files(bench, beta.branch)) == (["A\tsrc/one.py"], ["A\tsrc/two.py"])
    assert bench.repo.git("log", "--format=%s", f"main..{alpha.branch}").split("\n") == ["change src/one.py", "change src/one.py"]
    assert (bench.head, bench.changed(), bench.repo.git("branch", "--show-current")) == (head, changed, "experiment/try")
    payload = bench.journal.records[-1].payload
    assert isinstance(payload, FinalizePayload)
    assert (payload.kept, len(payload.discarded), payload.summary, len(payload.branches)) == (tuple(runs), 1, "two ideas", 2)
    assert bench.journal.header.status is SessionStatus.FINALIZED


def test_the_branches_carry_author_message_and_trailers_of_the_kept_commits(bench: Bench) -> None:
    bench.begin()
    run = kept(bench, "src/one.py", "X = 1\n")
    made = ended(bench).made
    (tip,) = made.tips.values()
    assert f"Assay-Run: {run}" in bench.repo.git("log", "-1", "--format=%B", tip)
    assert bench.repo.git("log", "-1", "--format=%an %at", tip) == bench.repo.git("log", "-1", "--format=%an %at", bench.head)


def test_deleted_renamed_and_executable_files_arrive(bench: Bench) -> None:
    bench.begin()
    bench.repo.git("mv", "src/model.py", "src/renamed model.py")
    (bench.repo.root / "metrics.txt").chmod(0o755)
    kept(bench, "src/kernel.py", None)
    (group,) = ended(bench).plan.groups
    assert files(bench, group.branch) == ["M\tmetrics.txt", "D\tsrc/kernel.py", "D\tsrc/model.py", "A\tsrc/renamed model.py"]
    assert bench.repo.git("diff", group.branch, "experiment/try") == ""


def test_session_artefacts_are_in_no_branch(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n", None, **{"autoresearch.jsonl": "{}\n", ".auto__log.jsonl": "{}\n"})
    kept(bench, "autoresearch.jsonl", "{}\n{}\n")
    (group,) = ended(bench).plan.groups
    assert files(bench, group.branch) == ["A\tsrc/one.py"]
    assert len(bench.repo.git("rev-list", f"main..{group.branch}").split()) == 1


def test_groups_that_share_a_file_are_refused_by_name(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n", "alpha")
    kept(bench, "src/one.py", "X = 2\n", "beta")
    before = branches(bench)
    with pytest.raises(PlanError, match=r"alpha.*beta.*src/one\.py"):
        ended(bench)
    assert branches(bench) == before
    assert bench.journal.header.status is SessionStatus.ACTIVE
    assert "src/one.py" in " ".join(ended(bench, dry_run=True).warnings)


def test_a_dry_run_makes_and_records_nothing(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n")
    before = (branches(bench), bench.journal)
    result = ended(bench, dry_run=True)
    assert [one.branch for one in result.plan.groups] == [f"experiment/{bench.session.lower()}/segment-1-1"]
    assert (branches(bench), bench.journal) == before


def test_a_plan_regroups_reorders_and_names(bench: Bench) -> None:
    bench.begin()
    one, two = kept(bench, "src/one.py", "X = 1\n", "alpha"), kept(bench, "src/two.py", "X = 1\n", "beta")
    result = ended(bench, wishes=(GroupWish("Both", "review/both", (two, one)),))
    assert bench.repo.git("log", "--format=%s", "main..review/both").split("\n") == ["change src/one.py", "change src/two.py"]
    assert result.made.created == ("review/both",)


def test_a_commit_that_needs_another_group_names_group_and_commit(bench: Bench) -> None:
    bench.begin()
    one = kept(bench, "src/one.py", "A = 1\nB = 1\nC = 1\n")
    two = kept(bench, "src/one.py", "A = 1\nB = 2\nC = 1\n")
    before = branches(bench)
    with pytest.raises(CherryPickConflictError, match="Second"):
        ended(bench, wishes=(GroupWish("Second", None, (two, one)),))
    assert (branches(bench), bench.journal.header.status) == (before, SessionStatus.ACTIVE)


def test_changes_of_one_file_in_other_places_are_merged(bench: Bench) -> None:
    lines = [f"L{number} = 0" for number in range(30)]
    bench.repo.commit({"src/one.py": "\n".join(lines) + "\n"})
    bench.repo.git("branch", "-f", "main")
    bench.begin()
    lines[2] = "L2 = 1"
    one = kept(bench, "src/one.py", "\n".join(lines) + "\n")
    lines[25] = "L25 = 1"
    two = kept(bench, "src/one.py", "\n".join(lines) + "\n")
    ended(bench, wishes=(GroupWish("Both", "both", (two, one)),))
    assert bench.repo.git("show", "both:src/one.py") == "\n".join(lines)


def test_a_branch_that_exists_is_left_alone_and_nothing_else_is_made(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n", "alpha")
    kept(bench, "src/two.py", "X = 1\n", "beta")
    taken = f"experiment/{bench.session.lower()}/beta-2"
    bench.repo.git("branch", taken, "main")
    before, refs = branches(bench), bench.repo.git("for-each-ref")
    with pytest.raises(BranchExistsError, match=taken):
        ended(bench)
    assert (branches(bench), bench.repo.git("for-each-ref")) == (before, refs)


def test_a_branch_in_the_way_of_all_of_them_is_an_error_of_its_own(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n")
    bench.repo.git("branch", f"experiment/{bench.session.lower()}", "main")
    with pytest.raises(BranchExistsError):
        ended(bench)
    assert bench.journal.header.status is SessionStatus.ACTIVE


def test_a_change_that_no_run_kept_is_named_and_one_to_the_same_file_is_refused(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n")
    bench.repo.commit({"docs/by-hand.md": "by hand\n"})
    kept(bench, "src/two.py", "X = 1\n")
    assert any("docs/by-hand.md" in one for one in ended(bench).warnings)
    bench.begin("again")
    bench.repo.commit({"src/model.py": "WIDTH = 9\n"})
    kept(bench, "src/model.py", "WIDTH = 10\n")
    with pytest.raises(CherryPickConflictError, match=r"src/model\.py"):
        ended(bench)


def test_without_a_kept_commit_there_is_nothing_to_finalize(bench: Bench) -> None:
    bench.begin()
    bench.log(bench.run().run, "keep")
    with pytest.raises(NoKeptRunsError):
        ended(bench)
    assert bench.journal.header.status is SessionStatus.ACTIVE


def test_an_unknown_branch_to_go_into_is_named(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n")
    with pytest.raises(MergeBaseError, match="nowhere"):
        ended(bench, integration="nowhere")


def test_histories_without_a_common_ancestor_are_an_error_of_their_own(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n")
    bench.repo.git("branch", "other", bench.repo.git("commit-tree", "-m", "alone", "HEAD^{tree}"))
    with pytest.raises(MergeBaseError, match="no common ancestor"):
        ended(bench, integration="other")


def test_a_finalized_session_is_over(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n")
    ended(bench)
    for act in (lambda: ended(bench), bench.run):
        with pytest.raises(SessionNotActiveError):
            act()
    assert bench.begin().created


def test_when_the_record_cannot_be_written_the_branches_go_again(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n")
    before = branches(bench)
    real = bench.lab.sessions

    class Full:
        """A store that is full when the branches have been made."""

        get, all = real.get, real.all

        def change(self, edit: Any) -> Any:
            if len(branches(bench)) > len(before):
                raise InfrastructureError("the disk is full")
            return real.change(edit)

    full = replace(bench, lab=replace(bench.lab, sessions=Full()))
    with pytest.raises(InfrastructureError):
        ended(full)
    assert (branches(bench), bench.journal.header.status) == (before, SessionStatus.ACTIVE)


def test_what_a_killed_finalize_left_is_taken_up(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 1\n")
    dry = ended(bench, dry_run=True)
    from assay.core.effects import MakeBranches

    assert bench.lab.branches is not None
    made = bench.lab.branches.make(MakeBranches(tuple(one.wish for one in dry.plan.groups), None, bench.lab.git.preserve))
    bench.lab.sessions.change(lambda _: bench.journal.with_status(SessionStatus.FINALIZING, bench.lab.now()))
    result = ended(bench)
    assert (result.made.tips, result.made.created) == (made.tips, ())
    payload = bench.journal.records[-1].payload
    assert isinstance(payload, FinalizePayload)
    assert [type(one) for one in payload.branches] == [Branch]


def committed(bench: Bench, path: str) -> str:
    """A commit of the user's own."""
    bench.write({path: f"of {path}\n"})
    bench.repo.git("add", path)
    bench.repo.git("commit", "-q", "-m", f"add {path}")
    return bench.head


@pytest.mark.parametrize("when", ["before the run", "after the run"])
def test_all_commits_that_the_user_made_for_a_kept_run_go_with_it(bench: Bench, when: str) -> None:
    bench.begin()
    kept(bench, "src/zero.py", "X = 0\n", "before")
    if when == "before the run":
        committed(bench, "src/one.py")
        bench.log(bench.run("false").run, "errored")
        committed(bench, "src/two.py")
        run = bench.run().run
    else:
        bench.write({f"src/{name}.py": f"of src/{name}.py\n" for name in ("one", "two")})
        run = bench.run().run
        committed(bench, "src/one.py")
        committed(bench, "src/two.py")
    bench.log(run, "keep", asi={"group": "mine"})
    result = ended(bench)
    before, mine = result.plan.groups
    assert (mine.runs, result.warnings) == ((run,), ())
    assert (files(bench, before.branch), files(bench, mine.branch)) == (["A\tsrc/zero.py"], ["A\tsrc/one.py", "A\tsrc/two.py"])
    subjects = bench.repo.git("log", "--reverse", "--format=%s", f"main..{mine.branch}").split("\n")
    assert subjects == ["add src/one.py", "add src/two.py"]


def test_a_commit_that_was_discarded_and_stays_is_in_no_branch(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/zero.py", "X = 0\n")
    committed(bench, "src/bad.py")
    bench.with_git(on_discard="report").log(bench.run().run, "discard", baseline="HEAD~1")
    kept(bench, "src/good.py", "X = 1\n")
    result = ended(bench)
    assert files(bench, result.plan.groups[0].branch) == ["A\tsrc/good.py", "A\tsrc/zero.py"]
    assert result.warnings == ("In no branch, for no kept run has changed it: src/bad.py.",)


def test_groups_share_what_is_changed_by_a_commit_behind_a_kept_one(bench: Bench) -> None:
    bench.begin()
    kept(bench, "src/one.py", "X = 0\n", "alpha")
    committed(bench, "src/one.py")
    committed(bench, "src/two.py")
    bench.log(bench.run().run, "keep", asi={"group": "beta"})
    with pytest.raises(PlanError, match=r"both change src/one\.py"):
        ended(bench)
    assert bench.journal.header.status is SessionStatus.ACTIVE
