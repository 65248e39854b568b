"""`assay selftest` on a real repository: what it prints, what it stores, what it never touches."""

import json

from tests.e2e.conftest import CONFIG, World


def own_files(world: World) -> dict[str, str]:
    """All that is the user's: what is neither Assay's own nor git's note of when a folder changed."""
    found = world.repo.snapshot()
    return {name: facts for name, facts in found.items() if not name.startswith(".assay") and name not in (".", ".git")}


def test_equal_code_raises_no_alarm_and_nothing_of_the_user_is_touched(world: World) -> None:
    commit = world.project()
    before = own_files(world)
    done = world.assay("selftest", "--aa", "2", "--json")
    assert done.code == 0, done.text
    document = json.loads(done.out)
    (one,) = document["benchmarks"]
    assert (document["commit"], one["name"], one["sessions"], one["units"]) == (commit, "bench", 2, 6)
    assert one["false_alarms"]["observed"] == 0
    assert len(one["run_ids"]) == 4
    assert own_files(world) == before
    stored = {path.stem for path in (world.repo.root / ".assay/store/runs").rglob("run-*.json")}
    assert stored == set(one["run_ids"])


def test_people_read_it_and_auto_learns_from_it(world: World) -> None:
    world.project()
    base = world.repo.commit({".github/assay.yml": CONFIG.replace("lower}", "lower, min_effect: auto}")})
    done = world.assay("selftest", "--aa", "2")
    assert done.code == 0, done.text
    assert "false alarms    0 of 2 sessions" in done.out
    assert "`min_effect: auto` is 0.1 %, from 3 pairs" in done.out
    assert "bench: 2 sessions of up to" in done.err
    world.change()
    checked = world.assay("check", "--base", base, "--json")
    assert any("`min_effect: auto` is 0.1 %" in warning for warning in checked.bench["warnings"])


def test_a_benchmark_that_fails_is_exit_1_and_an_unknown_one_2(world: World) -> None:
    world.project()
    assert world.assay("selftest", "--benchmark", "other").code == 2
    world.repo.commit({"bench.sh": "exit 3\n"})
    done = world.assay("selftest", "--aa", "1")
    assert done.code == 1
    assert "bench: failed" in done.out
