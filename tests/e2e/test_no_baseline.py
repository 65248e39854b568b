"""A base that is older than the benchmark: head is measured and stored, nothing is said of the change."""

import json
from collections.abc import Callable

import pytest
from tests.e2e.conftest import CONFIG, World


def without_workdir(world: World) -> str:
    base = world.project()
    world.repo.commit(
        {
            ".github/assay.yml": CONFIG + "    workdir: lab\n",
            **{f"lab/{name}": (world.repo.root / name).read_text() for name in ("bench.sh", "extra.sh", "metrics.txt")},
        }
    )
    return base


def with_the_input(world: World) -> str:
    base = world.project(data__train_dot_csv="rows")
    world.repo.git("rm", "-q", "data/train.csv")
    world.repo.commit({".github/assay.yml": CONFIG + "    inputs: [data/train.csv]\n", ".gitignore": "data/\n.assay/\n"})
    world.repo.write({"data/train.csv": "rows"})
    return base


def with_the_cache(world: World) -> str:
    base = world.project(warm__file="1")
    world.repo.git("rm", "-q", "warm/file")
    world.repo.commit({".github/assay.yml": CONFIG + "    cache: [warm]\n"})
    return base


def with_a_link_before_the_input(world: World) -> str:
    (world.repo.root / "data").symlink_to("/etc")
    base = world.project()
    (world.repo.root / "data").unlink()
    world.repo.commit({".github/assay.yml": CONFIG + "    inputs: [data/train.csv]\n", ".gitignore": "data/\n.assay/\n"})
    world.repo.write({"data/train.csv": "rows"})
    return base


@pytest.mark.parametrize("older", [without_workdir, with_the_input, with_the_cache, with_a_link_before_the_input])
def test_a_base_that_cannot_take_the_benchmark_is_no_baseline(world: World, older: Callable[[World], str]) -> None:
    base = older(world)
    done = world.assay("check", "--base", base, "--json")
    assert done.code == 0, done.text
    assert (done.bench["status"], done.bench["outcome"], done.bench["conclusion"]) == ("measured", "pending", "neutral")
    primary = done.bench["comparisons"][0]
    assert (primary["verdict"], primary["base"], primary["head"]) == ("undecided", [], [120] * 4)
    assert "no baseline" in primary["reason"]
    assert any(text.startswith("The base could not be measured") for text in done.bench["warnings"])
    stored = [json.loads(path.read_text()) for path in (world.repo.root / ".assay/store/runs").rglob("run-*.json")]
    assert {run["commit"] == base: run["status"] for run in stored} == {True: "errored", False: "complete"}


@pytest.mark.parametrize("keys", ["    workdir: gone\n", "    inputs: [README.md]\n"])
def test_a_head_that_cannot_take_the_benchmark_is_a_mistake_of_the_config(world: World, keys: str) -> None:
    base = world.project(_dot_github__assay_dot_yml=CONFIG + keys)
    world.change()
    done = world.assay("check", "--base", base)
    assert done.code == 2
    assert "head" in done.err
