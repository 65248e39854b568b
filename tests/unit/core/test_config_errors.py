"""What people are told of their mistakes: file, line, place, the offending text, and what would be right."""

import re

import pytest
from tests.configs import SMALL

from assay.core.config_problems import MAX_SHOWN, ConfigError
from assay.core.config_text import adhoc_config, parse_config


def refused(text: str) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        parse_config(text)
    assert raised.value.exit_code == 2
    assert not re.search(r"pydantic|input_type|Value error|\[type=|Traceback|validation", raised.value.message)
    return raised.value.message.splitlines()


def refused_line(line: str) -> str:
    """The one message about a sixth line, which belongs to the benchmark."""
    (message,) = refused(SMALL + f"    {line}\n")
    prefix = ".github/assay.yml:6: benchmarks.bench"
    assert message.startswith(prefix), message
    return message.removeprefix(prefix).lstrip(".: ")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("repeat: {min: 3, max: 4}", 'unknown key "repeat". Did you mean "repeats"?'),
        ("max-time: 5m", 'unknown key "max-time". Did you mean "max_time"?'),
        ("alpha: 0.01", 'unknown key "alpha". It belongs under policy.'),
        ("max_concurrent: 3", 'unknown key "max_concurrent". It belongs under the top of the file.'),
        ("name: x", 'unknown key "name". The name of a benchmark is the key that it stands under.'),
        ("xyzzy: 1", 'unknown key "xyzzy". Valid here: run, metric, guards, '),
        ("env: {pass_: [A]}", 'env: unknown key "pass_". Did you mean "pass"?'),
        ("timeout: 10 min", 'timeout: "10 min" is not a duration such as 90s, 10m or 1h30m'),
        ("timeout: 0", "timeout: 0 is not more than 0"),
        ("timeout: 1:30", 'timeout: "1:30" is not a duration'),
        ("timeout: [1m]", "timeout: the list is not a duration"),
        ("timeout: .inf", 'timeout: ".inf" is not a duration'),
        ("max_output: 1 gig", 'max_output: "1 gig" is not a size such as 64KB or 1GB'),
        ("warmup: -1", "warmup: -1 must be at least 0"),
        ("warmup: 1_000", 'warmup: "1_000" must be a whole number, without quotes'),
        ("warmup: 2000", "warmup: 2000 must be at most 1000"),
        ("warmup: true", "warmup: true must be a whole number"),
        ("gpus: 1.5", "gpus: 1.5 must be a whole number"),
        ('gpus: "1"', 'gpus: "1" must be a whole number, without quotes'),
        ("manual: yes", 'manual: "yes" must be true or false'),
        ("manual: 1", "manual: 1 must be true or false"),
        ("level: e2", 'level: "e2" is not one of smoke, serving, e2e. Did you mean "e2e"?'),
        ("needs: [gpu]", 'needs[0]: "gpu" is not one of offline, weights, dataset, cuda, metal, net.'),
        ("inputs: data/", 'inputs: "data/" must be a list: put it in [ ]'),
        ("inputs: [a, ../x]", 'inputs[1]: "../x" leads out of the repository'),
        ("inputs: [/data]", 'inputs[0]: "/data" is not relative'),
        ("inputs: [.git/config]", 'inputs[0]: ".git/config" leads into .git'),
        ("workdir: ~/x", 'workdir: "~/x" is not relative'),
        ("cache: [/var/cache]", 'cache[0]: "/var/cache" is absolute'),
        ("cache: [~/../x]", 'cache[0]: "~/../x" leads out'),
        ("env: {pass: [HF_HOME, HF_TOKEN]}", 'env.pass[1]: "HF_TOKEN" is kept from benchmarks, for it looks like the name of a credential'),
        ("env: {pass: [ACTIONS_CACHE_URL]}", 'env.pass[0]: "ACTIONS_CACHE_URL" is kept from benchmarks'),
        ("env: {set: {1A: x}}", 'env.set.1A: the key "1A" is no name of an environment variable'),
        ("env: {set: {A: }}", "env.set.A: has no value: give it one or leave it out"),
        ("env: {set: {A: [1]}}", "env.set.A: the list must be a text"),
        ("checks:", "checks: has no value: give it one or leave it out"),
        ("checks: {seed}", "checks: the mapping must be a text: put it in quotes"),
        ('setup: ""', 'setup: "" is an empty command'),
        ("format: hyperfine", 'format: "hyperfine" is not built yet: only metric is'),
        ("output: out.json", 'output: "out.json" is not built yet'),
        ("model: unknown", 'model: "unknown" is reserved'),
        ("seeds: 13", "seeds: 13 must be a list such as [13, 42, 123] or a range"),
        ("seeds: []", "seeds: the list has too few entries: at least 1"),
        ("seeds: [1, x]", 'seeds[1]: "x" must be a whole number'),
        ("seeds: [1, 2, 1]", "seeds: seeds has 1 more than once"),
        ("seeds: {min: 3}", 'seeds: the key "start" is missing. The first seed.'),
        ("seeds: {start: 1, min: 5, max: 3}", "seeds.min: min is 5, above max, which is 3"),
        ("repeats: {min: 12}", "repeats.min: min is 12, above max, which is 10"),
        ("repeats: {min: 1}", "repeats.min: 1 must be at least 2"),
        ("repeats: 5", "repeats: 5 must be a mapping"),
        ("batch: {size: 4, min: 8}", "batch.min: min is 8, above size, which is 4"),
        ("guards: {t: {better: lower, max_regression: 5%}}", "guards.t: t is the primary metric and cannot stand under guards as well"),
        ("guards: {a b: {better: lower, max_regression: 5%}}", 'guards.a b: the key "a b" cannot stand in a METRIC line'),
        ("guards: {__proto__: {better: lower, max_regression: 5%}}", "cannot stand in a METRIC line"),
        ("guards: {g: {better: lower}}", 'guards.g: the key "max_regression" is missing'),
        ("guards: {g: {better: lower, max_regression: -5%}}", 'guards.g.max_regression: "-5%" is negative'),
        ("guards: {g: {better: lower, max_regression: 5}}", "guards.g.max_regression: 5 could be meant as 5% or as 500%"),
        ("secondary: {t: {better: lower}}", "secondary.t: t is the primary metric"),
        ("secondary: {µs: {better: lower}}", "secondary.µs: µs can be printed in the wide dialect only"),
        ("watch: {code: [./src]}", 'watch.code[0]: "./src" never matches'),
        ("watch: {code: src/**}", 'watch.code: "src/**" must be a list'),
        ("watch: {codes: [src/**]}", 'watch: unknown key "codes". Did you mean "code"?'),
    ],
)
def test_a_mistake_of_a_benchmark_is_told(line: str, said: str) -> None:
    assert said in refused_line(line)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("version: 1", "version: 2", 1, "version: 2 is not a supported version of this format: write version: 1"),
        ("version: 1", 'version: "1"', 1, "version: "),
        ("version: 1\n", "", 1, 'the key "version" is missing'),
        ("better: lower", "better: less", 5, 'benchmarks.bench.metric.better: "less" is not one of lower, higher.'),
        ("better: lower", "better: lower, min_effect: -1%", 5, 'benchmarks.bench.metric.min_effect: "-1%" is negative'),
        ("better: lower", "better: lower, min_effect: .nan", 5, 'benchmarks.bench.metric.min_effect: ".nan" is not a percentage'),
        ("better: lower", "better: lower, unit: m(s)", 5, 'benchmarks.bench.metric.unit: "m(s)" holds a parenthesis'),
        (", better: lower", "", 5, 'benchmarks.bench.metric: the key "better" is missing. Which way is better: `lower` or `higher`.'),
        ("name: t", "name: 1t", 5, 'benchmarks.bench.metric.name: "1t" cannot stand in a METRIC line'),
        ("./bench.sh", "./bench.sh {seed}", 4, "benchmarks.bench.run: run has {seed}, but there are no seeds to fill it"),
        ("./bench.sh", "./bench.sh {batch}", 4, "benchmarks.bench.run: run has {batch}, but there is no batch to fill it"),
        ("./bench.sh", '"a\\0b"', 4, "holds a NUL character"),
        ("    run: ./bench.sh\n", "", 3, 'benchmarks.bench: the key "run" is missing'),
        ("    run: ./bench.sh\n", "    run:\n", 4, "benchmarks.bench.run: has no value"),
        ("    metric: {name: t, better: lower}\n", "", 3, 'benchmarks.bench: the key "metric" is missing. The primary metric'),
        ("  bench:", "  be nch:", 3, 'benchmarks.be nch: the key "be nch" is no name for a benchmark'),
        ("  bench:", "  -x:", 3, 'benchmarks.-x: the key "-x" is no name for a benchmark'),
        ("  bench:", f"  {'x' * 65}:", 3, "is no name for a benchmark"),
    ],
)
def test_a_mistake_elsewhere_is_told(old: str, new: str, line: int, said: str) -> None:
    (message,) = refused(SMALL.replace(old, new))
    assert message.startswith(f".github/assay.yml:{line}: ")
    assert said in message


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("policy: {alpha: 0.7}", "policy.alpha: 0.7 is not between 0 and 0.5"),
        ("policy: {alpha: 0}", "policy.alpha: 0 is not between 0 and 0.5"),
        (
            "policy: {fail_on: [needs-review]}",
            'policy.fail_on[0]: "needs-review" is not one of regressed, checks_failed, errored, undecided, needs_review.',
        ),
        ("policy:", "policy: has no value"),
        ("fusion: {quorum: 4}", "fusion.quorum: quorum is 4, but there are only 3 candidates"),
        ("git: {experiment_branches: ['a b']}", 'git.experiment_branches[0]: "a b" is no pattern of branch names'),
        ("git: {max_file: -1}", "git.max_file: -1 is negative"),
        ("comment: {when: on_change}", 'comment.when: "on_change" is not one of always, on-change, on-alert. Did you mean "on-change"?'),
        ("ignore: ['#x']", 'ignore[0]: "#x" begins with #'),
        ("max_concurrent: 0", "max_concurrent: 0 must be at least 1"),
        ("on: {push: }", 'unknown key "on"'),
        ("benchmark: {}", 'unknown key "benchmark". Did you mean "benchmarks"?'),
    ],
)
def test_a_mistake_of_a_section_is_told(section: str, said: str) -> None:
    (message,) = refused(SMALL + section + "\n")
    assert message.startswith(".github/assay.yml:6: ")
    assert said in message


def test_a_benchmark_on_an_unknown_machine_is_told_the_nearest() -> None:
    (message,) = refused(SMALL + "    machine: a10\nmachines: {a100: {runs_on: [gpu]}}\n")
    assert message == ".github/assay.yml:6: benchmarks.bench.machine: a10 is not among machines. Did you mean a100?"


def test_any_machine_may_be_named_where_no_machines_are_given() -> None:
    assert parse_config(SMALL + "    machine: a10\n").benchmarks["bench"].machine == "a10"


def test_the_wide_dialect_may_name_micro_signs() -> None:
    assert parse_config(SMALL + "    dialect: wide\n    secondary: {µs: {better: lower}}\n").benchmarks["bench"].secondary.keys() == {"µs"}


@pytest.mark.parametrize("text", ["version: 1\n", "version: 1\nbenchmarks: {}\n", "version: 1\nbenchmarks:\n"])
def test_a_config_without_benchmarks_is_refused(text: str) -> None:
    (message,) = refused(text)
    assert "benchmarks" in message


def test_all_mistakes_are_told_together_in_the_order_of_their_lines() -> None:
    lines = refused(SMALL + "    warmup: x\n    warmup: 3\n    gpus: many\n    checks:\nmax_concurrent: 0\nignored: []\n")
    places = [line.split(": ", 1)[0] for line in lines]
    assert places == [f".github/assay.yml:{number}" for number in (6, 7, 8, 9, 10, 11)]
    assert 'the key "warmup" stands twice, first on line 6' in lines[1]


def test_no_more_than_ten_mistakes_are_told_at_once() -> None:
    lines = refused(SMALL + "".join(f"key{number}: 1\n" for number in range(25)))
    assert len(lines) == MAX_SHOWN + 1
    assert lines[-1] == ".github/assay.yml: and 15 more"


def test_every_problem_has_its_line_for_an_annotation() -> None:
    with pytest.raises(ConfigError) as raised:
        parse_config(SMALL + "    warmup: x\n", file="other.yml")
    (problem,) = raised.value.problems
    assert (raised.value.file, problem.line, problem.where) == ("other.yml", 6, "benchmarks.bench.warmup")
    assert raised.value.message.startswith("other.yml:6: ")
    assert "docs/configuration.md" in raised.value.hint


def test_quoted_text_is_bounded_and_shows_no_control_characters() -> None:
    (message,) = refused(SMALL + '    level: "\\e[31m' + "x" * 5000 + '\\nB"\n')
    assert len(message) < 250
    assert message.isprintable()


def test_a_hostile_key_is_shown_harmlessly() -> None:
    for message in refused(SMALL + '"a\\e[2J\\n::error::b": 1\n'):
        assert message.isprintable()


def test_an_adhoc_command_with_a_placeholder_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"--run: benchmarks|--run: run: run has \{seed\}"):
        adhoc_config("bench {seed}")
