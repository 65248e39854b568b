"""Machines that are reached by Slurm or ssh: what they need is asked for, and no word can become an option or a command."""

import pytest
from tests.fakes.runs import MACHINE

from assay.core.config_machines import Expect
from assay.core.config_text import parse_config
from assay.core.expectation import mismatch
from assay.core.model import UNKNOWN
from assay.errors import UsageError

HALF = 2**29
BENCHMARKS = "version: 1\nbenchmarks:\n  a: {run: x, metric: {name: t, better: lower}, machine: m}\nmachines:\n  m: "


def refusal(machine: str) -> str:
    with pytest.raises(UsageError) as caught:
        parse_config(BENCHMARKS + machine + "\n")
    return str(caught.value)


def test_a_benchmark_is_measured_here_unless_its_machine_says_otherwise() -> None:
    for machine, runner in (("{runs_on: [x]}", "local"), ("{runner: slurm}", "slurm"), ("{runner: ssh, ssh: {host: box}}", "ssh")):
        config = parse_config(BENCHMARKS + machine + "\n")
        assert config.runner_of(config.benchmarks["a"]) == runner


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ("{expect: {gpu: A100}}", "runs_on is missing"),
        ("{runner: ssh}", "no host is given"),
        ("{runs_on: [x], slurm: {partition: gpu}}", "slurm goes with runner: slurm"),
        ("{runner: slurm, ssh: {host: box}}", "ssh goes with runner: ssh"),
        ("{runner: docker}", "docker"),
    ],
)
def test_each_runner_has_its_own_section(machine: str, said: str) -> None:
    assert said in refusal(machine)


@pytest.mark.parametrize("host", ["-oProxyCommand=x", "a b", "box;id", "$(id)", "@box", "a@-x"])
def test_a_host_is_no_option_and_no_command(host: str) -> None:
    assert "is no host" in refusal(f"{{runner: ssh, ssh: {{host: '{host}'}}}}")


@pytest.mark.parametrize("folder", ["../x", "a/../b", "$HOME", "a b", "-x", "~/x", "a'b"])
def test_a_folder_there_is_a_plain_path(folder: str) -> None:
    assert "is no folder" in refusal(f'{{runner: ssh, ssh: {{host: box, folder: "{folder}"}}}}')


@pytest.mark.parametrize("program", ["python; id", "-c", "py thon", "`id`"])
def test_a_python_there_is_a_program(program: str) -> None:
    assert "is no program" in refusal(f'{{runner: ssh, ssh: {{host: box, python: "{program}"}}}}')


@pytest.mark.parametrize("word", ["gpu --wrap=id", "-x", "gpu;id", "a'b"])
def test_a_word_for_slurm_is_one_word(word: str) -> None:
    assert "is no word for Slurm" in refusal(f'{{runner: slurm, slurm: {{partition: "{word}"}}}}')


def test_memory_that_is_expected_has_to_be_there_or_nearly() -> None:
    assert mismatch(Expect(memory=16 * HALF), MACHINE) == ""
    assert mismatch(Expect(memory=17 * HALF), MACHINE) == ""
    assert "memory" in mismatch(Expect(memory=32 * HALF), MACHINE)
    assert "memory" in mismatch(Expect(memory=2 * HALF), MACHINE.model_copy(update={"ram_bytes": UNKNOWN}))
