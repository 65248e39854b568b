"""Of head's config nothing but new benchmarks is ever in force."""

from assay.core.config import Config
from assay.core.config_merge import merge
from assay.core.config_text import parse_config

BASE = """\
version: 1
machines:
  box: {runs_on: [self-hosted, box]}
benchmarks:
  old: {run: ./old, metric: {name: t, better: lower}}
policy: {fail_on: [errored]}
permissions: {forks: sha}
"""
HEAD = """\
version: 1
machines:
  box: {runs_on: [ubuntu-latest]}
  rack: {runs_on: [self-hosted, rack]}
benchmarks:
  old: {run: "./old --fast", metric: {name: t, better: higher}}
  new: {run: ./new, machine: box, metric: {name: t, better: lower}}
  far: {run: ./far, machine: rack, metric: {name: t, better: lower}}
policy: {fail_on: []}
permissions: {forks: allow, run: admin}
budget: {per_pr_runs: 999}
git: {keep: branch}
ignore: ["**"]
max_concurrent: 200
"""


def both() -> tuple[Config, Config]:
    return parse_config(BASE), parse_config(HEAD)


def test_without_a_head_the_base_is_the_config() -> None:
    base, _ = both()
    merged = merge(base, None)
    assert merged is not None
    assert (merged.config, merged.taken, merged.remarks) == (base, (), ())


def test_a_benchmark_that_only_head_defines_is_taken_and_said_aloud() -> None:
    base, head = both()
    merged = merge(base, head)
    assert merged is not None
    assert merged.taken == ("new",)
    assert list(merged.config.benchmarks) == ["old", "new"]
    assert "new" in merged.remarks[0]


def test_a_benchmark_of_both_is_the_base_s() -> None:
    base, head = both()
    merged = merge(base, head)
    assert merged is not None
    assert merged.config.benchmarks["old"] == base.benchmarks["old"]


def test_nothing_else_of_head_s_is_taken() -> None:
    base, head = both()
    merged = merge(base, head)
    assert merged is not None
    assert merged.config.model_copy(update={"benchmarks": base.benchmarks}) == base


def test_a_benchmark_on_a_machine_that_only_head_defines_is_left_out_and_said_aloud() -> None:
    base, head = both()
    merged = merge(base, head)
    assert merged is not None
    assert any("far" in remark and "rack" in remark for remark in merged.remarks)


def test_without_a_base_the_benchmarks_get_defaults_for_all_else() -> None:
    _, head = both()
    head = head.model_copy(update={"benchmarks": {"old": head.benchmarks["old"]}})
    merged = merge(None, head)
    assert merged is not None
    assert merged.config == Config(version=1, benchmarks={"old": head.benchmarks["old"]})
    assert "no config yet" in merged.remarks[0]


def test_where_nothing_can_be_taken_there_is_no_config() -> None:
    _, head = both()
    assert merge(None, None) is None
    assert merge(None, head.model_copy(update={"benchmarks": {"far": head.benchmarks["far"]}})) is None
