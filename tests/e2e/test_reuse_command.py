"""`assay reuse`, `assay store invalidate` and the rule to remeasure, as a person uses them."""

import json
from pathlib import Path

from tests.e2e.conftest import CONFIG, World
from tests.e2e.test_branch_store_command import two_clones


def measured(world: World) -> tuple[str, str, str]:
    """Base, head and the id of head's run."""
    base = world.project()
    head = world.change()
    done = world.assay("check", "--base", base, "--json")
    assert done.code == 0, done.text
    return base, head, done.bench["run_id"]


def test_a_stored_run_answers_and_the_ladder_says_why(world: World) -> None:
    _, head, run_id = measured(world)
    world.repo.commit({"README.md": "more\n"})
    done = world.assay("reuse", "--explain")
    assert done.code == 0, done.text
    for part in (f"bench need not run: {run_id} answers", head, "The ladder:", "ok   code", "README.md"):
        assert part in done.out
    verdict = world.assay("reuse", "--benchmark", "bench", "--json").result
    assert (verdict["reuse"], verdict["run_id"], verdict["via"], verdict["commit"]) == (True, run_id, "window", head)


def test_a_refusal_names_the_path_and_the_exit_code_is_still_0(world: World) -> None:
    measured(world)
    world.repo.commit({"new.py": "x\n"})
    done = world.assay("reuse", "--explain")
    assert done.code == 0
    assert "bench must run: no stored run answers." in done.out
    assert "STOP unclassified" in done.out
    assert "new.py (added)" in done.out


def test_asking_writes_nothing(world: World) -> None:
    measured(world)
    world.assay("reuse")
    before = world.repo.snapshot()
    assert world.assay("reuse", "--json").code == 0
    assert world.repo.snapshot() == before


def test_a_repository_without_a_commit_is_answered(world: World) -> None:
    world.repo.write({".github/assay.yml": CONFIG})
    verdict = world.assay("reuse", "--json").result
    assert (verdict["reuse"], verdict["key"]["commit"]) == (False, "unknown")
    assert "the commit is not known" in verdict["reasons"][0]["detail"]


def test_wrong_words_are_usage_errors(world: World) -> None:
    world.project()
    for words, what in ((("--benchmark", "bnch"), 'Did you mean "bench"?'), (("--head", "nowhere"), "Git knows no commit")):
        done = world.assay("reuse", *words)
        assert (done.code, what in done.err) == (2, True), done.text


def test_an_invalidated_run_is_measured_again_and_the_reason_is_kept(world: World) -> None:
    base, _, run_id = measured(world)
    done = world.assay("store", "invalidate", run_id, "--reason", "the GPU was shared", "--json", env={"USER": "ada"})
    assert done.code == 0, done.text
    assert (done.result["run_id"], done.result["by"]) == (run_id, "ada")
    tomb = json.loads(Path(done.result["path"]).read_text())
    assert (tomb["schema"], tomb["reason"], tomb["replacement"]) == ("assay.tombstone/1", "the GPU was shared", None)
    assert f"{run_id}: it was invalidated" in world.assay("reuse").out
    again = world.assay("check", "--base", base, "--json")
    assert (again.code, again.bench["status"]) == (0, "measured"), again.text
    replaced = world.assay("store", "invalidate", again.bench["run_id"], "--reason", "x", "--replacement", run_id)
    assert replaced.code == 2, "an invalidated run stands in for nothing"


def test_what_cannot_be_invalidated_is_a_usage_error(world: World) -> None:
    _, _, run_id = measured(world)
    for words in ((run_id[:-1] + "0", "--reason", "x"), ("nonsense", "--reason", "x"), (run_id, "--reason", "  "), (run_id,)):
        assert world.assay("store", "invalidate", *words).code == 2
    assert world.assay("reuse", "--json").result["reuse"] is True


def test_a_run_is_invalidated_for_all_clones(world: World) -> None:
    base, other = two_clones(world)
    first = world.assay("check", "--base", base, "--store", "branch", "--json")
    done = world.assay("store", "invalidate", first.bench["run_id"], "--reason", "shared GPU", "--store", "branch")
    assert done.code == 0, done.text
    again = world.assay("check", "--base", base, "--store", "branch", "--json", cwd=other)
    assert (again.code, again.bench["status"]) == (0, "measured"), again.text


def test_every_so_many_reusable_checks_one_is_measured_all_the_same(world: World) -> None:
    base = world.project()
    world.repo.commit({".github/assay.yml": (world.repo.root / ".github/assay.yml").read_text() + "reuse: {remeasure: 3}\n"})
    world.change()
    seen = []
    for _ in range(6):
        done = world.assay("check", "--base", base, "--json")
        assert done.code == 0, done.text
        seen.append((done.bench["status"], done.bench["reuse"]["forced_by"]))
    reused, again = ("reused", None), ("measured", "remeasure")
    assert seen == [("measured", None), reused, reused, again, reused, reused]
