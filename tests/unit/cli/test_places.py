"""What goes along into a job of Slurm: what a benchmark may see and we need, and never what may be a key."""

from pathlib import Path

import pytest

from assay.adapters.slurm.submission import Order, parameters
from assay.cli.places import exported, note_of
from assay.core.config_machines import SlurmSpec
from assay.core.config_text import parse_config

CONFIG = "version: 1\nbenchmarks:\n  a: {run: x, metric: {name: t, better: lower}, env: {pass: [HF_HOME]}}\n"


def test_no_key_goes_along_into_a_job() -> None:
    environ = dict.fromkeys(
        ("PATH", "HOME", "HF_HOME", "CUDA_HOME", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "OTHER"), "x"
    )
    assert exported(environ, parse_config(CONFIG)) == ("CUDA_HOME", "HF_HOME", "HOME", "PATH")


def test_a_job_is_asked_for_as_the_config_says() -> None:
    spec = SlurmSpec(partition="gpu", gres="gpu:2", time=90.0, memory=2**30, requeue=False)
    asked = parameters(Order(spec, 90.0, ("HOME", "PATH"), Path("/x")))
    assert (asked["partition"], asked["gres"], asked["time"], asked["mem"], asked["exclusive"]) == ("gpu", "gpu:2", 2, "1024M", True)
    assert asked["additional_parameters"] == {"export": "HOME,PATH", "chdir": "/", "no-requeue": True}


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, ""),
        ({"SLURM_JOB_ID": "12", "SLURMD_NODENAME": "n1"}, "job 12 of Slurm on n1"),
        (
            {"SLURM_JOB_ID": "13", "SLURM_ARRAY_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "3", "SLURMD_NODENAME": "n1"},
            "job 12_3 of Slurm on n1",
        ),
        ({"SLURM_JOB_ID": "x; rm"}, ""),
    ],
)
def test_an_allocation_is_named_in_the_envelope(environ: dict[str, str], said: str) -> None:
    assert (said in note_of(environ)) if said else note_of(environ) == ""
