"""The text of a config to a Config."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from tests.configs import FULL, SMALL

from assay.core.config import Config, Repeats, SeedRange
from assay.core.config_text import adhoc_config, parse_config
from assay.core.model import Direction
from assay.errors import UsageError


def test_every_key_of_a_full_file_is_read() -> None:
    benchmark = parse_config(FULL).benchmarks["train-small"]
    assert benchmark.model_dump() == {
        "name": "train-small",
        "run": "python bench/train.py --seed {seed} --batch {batch}",
        "metric": {"name": "val_loss", "better": Direction.LOWER, "unit": "nats", "min_effect": 0.01},
        "guards": {"tok_s": {"better": Direction.HIGHER, "max_regression": 0.05, "unit": None}},
        "secondary": {},
        "format": "metric",
        "dialect": "strict",
        "output": "stdout",
        "machine": "a100",
        "setup": "pip install -e .",
        "isolate": "auto",
        "checks": "pytest -q tests/smoke",
        "inputs": ("data/", "ckpt/base.pt"),
        "cache": ("~/.cache/huggingface",),
        "env": {"pass_": ("HF_HOME",), "set": {"OMP_NUM_THREADS": "1"}},
        "workdir": ".",
        "warmup": 1,
        "seeds": (13, 42, 123),
        "repeats": {"min": 4, "max": 10},
        "timeout": 600.0,
        "max_time": 3600.0,
        "max_output": 10**9,
        "gpus": 1,
        "gpu_clock": None,
        "model": "gpt2-small",
        "precision": "bf16",
        "batch": {"size": 128, "min": 8, "on_oom": "halve", "retries": 3, "invariant": False},
        "pilot": {"run": "python bench/train.py --steps 10", "scale": None, "timeout": 120.0},
        "needs": ("cuda",),
        "level": "smoke",
        "value": "frontier",
        "recheck": 14 * 86_400.0,
        "manual": False,
        "alert": {"relative": 0.05, "absolute": 0.0},
        "workload": (),
        "watch": {
            "code": ("src/**",),
            "harness": ("bench/**",),
            "model": ("models/**",),
            "config": ("configs/**",),
            "environment": ("requirements*.txt", "Dockerfile"),
        },
    }


def test_what_a_full_file_says_of_all_benchmarks_are_the_defaults() -> None:
    full, small = parse_config(FULL).model_dump(), parse_config(SMALL).model_dump()
    assert full["machines"]["a100"]["runs_on"] == ("self-hosted", "gpu", "a100")
    assert full["machines"]["a100"]["expect"] == {"os": None, "arch": None, "cpu": None, "gpu": "A100", "count": 1, "memory": None}
    shared = full.keys() - {"machines", "benchmarks"}
    assert {key: full[key] for key in shared} == {key: small[key] for key in shared}
    assert full["reuse"]["max_age"] == 30 * 86_400.0
    assert full["policy"]["max_time"] == 7200.0
    assert full["git"]["max_file"] == 10_000_000


def test_a_benchmark_needs_only_its_command_and_its_metric() -> None:
    benchmark = parse_config(SMALL).benchmarks["bench"]
    assert benchmark.metric is not None
    assert benchmark.metric.min_effect == 0.01
    assert benchmark.repeats == Repeats(min=4, max=10)
    assert "repeats" not in benchmark.model_fields_set
    assert (benchmark.timeout, benchmark.warmup, benchmark.model, benchmark.precision) == (600.0, 1, "none", "none")
    assert benchmark.watch is None


def with_line(line: str) -> Config:
    return parse_config(SMALL + f"    {line}\n")


def test_given_repeats_can_be_told_from_the_default() -> None:
    assert "repeats" in with_line("repeats: {min: 4, max: 10}").benchmarks["bench"].model_fields_set


def test_seeds_may_be_a_range() -> None:
    assert with_line("seeds: {start: 13, min: 3, max: 10}").benchmarks["bench"].seeds == SeedRange(start=13, min=3, max=10)


def test_min_effect_may_be_auto() -> None:
    config = parse_config(SMALL.replace("better: lower", "better: lower, min_effect: auto"))
    metric = config.benchmarks["bench"].metric
    assert metric is not None
    assert metric.min_effect == "auto"


def test_text_is_taken_as_it_was_written_where_text_is_wanted() -> None:
    env = with_line("env: {set: {A: 1, B: 1.10, C: true, D: on, E: 2024-01-31, F: ''}}").benchmarks["bench"].env
    assert env.set == {"A": "1", "B": "1.10", "C": "true", "D": "on", "E": "2024-01-31", "F": ""}
    assert with_line("precision: 16").benchmarks["bench"].precision == "16"


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    assert parse_config("\ufeff" + SMALL.replace("\n", "\r\n")) == parse_config(SMALL)


def test_a_config_survives_its_own_json() -> None:
    config = parse_config(FULL)
    assert Config.model_validate_json(config.model_dump_json(by_alias=True)) == config


def test_a_command_alone_is_a_benchmark_whose_metric_is_found_later() -> None:
    config = adhoc_config("sleep 0.1")
    assert list(config.benchmarks) == ["command"]
    benchmark = config.benchmarks["command"]
    assert (benchmark.name, benchmark.run, benchmark.metric) == ("command", "sleep 0.1", None)


YAMLISH = st.sampled_from(
    [
        "version: 1\n",
        "benchmarks:\n",
        "  b:\n",
        "    run: x\n",
        "    metric: ",
        "{name: t, better: lower}",
        "\n",
        "- ",
        "seeds",
        ": ",
        "[1, 2]",
        "{",
        "}",
        "&a ",
        "*a",
        "!!int ",
        "1e999",
        ".nan",
        "~",
        '"',
        "'",
        "    env: {set: {",
        "    guards: ",
        "<<: ",
        "min_effect: -1%",
        "\x00",
        "\ud800",
        "    ",
    ]
)


def outcome(make: Callable[[str], Config], text: str) -> Config | UsageError:
    try:
        return make(text)
    except UsageError as error:
        return error


@given(st.text(max_size=80) | st.lists(YAMLISH, max_size=30).map("".join))
def test_any_text_is_a_config_or_a_usage_error(text: str) -> None:
    found = outcome(parse_config, text)
    if isinstance(found, UsageError):
        assert found.hint
        lines = found.message.split("\n")
        assert all(line.startswith(".github/assay.yml:") for line in lines)
        assert all(line.isprintable() for line in lines)
    else:
        assert found.benchmarks


@given(st.text(max_size=80))
def test_any_command_is_a_config_or_a_usage_error(command: str) -> None:
    found = outcome(adhoc_config, command)
    if isinstance(found, UsageError):
        assert found.message.startswith("--run: ")
    else:
        assert found.benchmarks["command"].run == command
