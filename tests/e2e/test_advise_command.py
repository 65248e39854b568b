"""`assay advise` and the plan that goes by it, on a real repository."""

import json

from tests.e2e.conftest import World

CONFIG = """\
version: 1
machines:
  small: {runs_on: [small], expect: {count: 0}}
benchmarks:
  quick: {run: cat metrics.txt, metric: {name: loss, better: lower}}
  slow: {run: cat metrics.txt, metric: {name: loss, better: lower}, max_time: 5h}
"""


def test_a_plan_begins_with_the_longest_and_says_why(world: World) -> None:
    world.repo.commit({".github/assay.yml": CONFIG, "metrics.txt": "METRIC loss=1\n"})
    world.repo.commit({"metrics.txt": "METRIC loss=2\n"})
    advised = world.assay("advise", "--json").result["benchmarks"]
    assert [(one["benchmark"], one["complexity"], one["machine"]) for one in advised] == [
        ("slow", "heavy", "small"),
        ("quick", "light", "small"),
    ]
    cells = json.loads(world.assay("plan", "--base", "HEAD~1", "--json").out)["include"]
    assert [(cell["benchmark"], cell["complexity"]) for cell in cells] == [("slow", "heavy"), ("quick", "light")]
    assert "it takes up to 5 h" in world.assay("advise").out


def test_past_runs_tell_what_a_benchmark_takes(world: World) -> None:
    world.project()
    world.change()
    assert world.assay("check", "--base", "HEAD~1").code == 0
    (one,) = world.assay("advise", "--json").result["benchmarks"]
    assert one["past_runs"] == 2
    assert 0 < one["seconds"][0] <= one["seconds"][1]
    assert one["memory_bytes"] > 0


def test_a_plan_refuses_what_cannot_fit(world: World) -> None:
    world.repo.commit({".github/assay.yml": CONFIG.replace("max_time: 5h", "machine: small, gpus: 1"), "metrics.txt": "METRIC loss=1\n"})
    world.repo.commit({"metrics.txt": "METRIC loss=2\n"})
    planned = world.assay("plan", "--base", "HEAD~1")
    assert planned.code == 2
    assert "slow on small: it needs 1 GPU, and the machine has 0" in planned.err
    assert "cannot be measured there" in world.assay("advise").out
