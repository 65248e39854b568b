"""The machines of the config: what benchmarks can be measured on, how one gets there, and what is expected to be found."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from assay.core.config_rules import enforce, machine_rules
from assay.core.config_types import MAX_WHOLE, Duration, Part, Size, Text, Truth, Whole

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,:=/*()\[\]&|+-]{0,199}")
_HOST = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}@)?[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}")
_PATH = re.compile(r"/?[A-Za-z0-9_.][A-Za-z0-9_./+-]{0,199}")
_PROGRAM = re.compile(r"/?[A-Za-z0-9_][A-Za-z0-9_./+-]{0,199}")


def check_scheduler_word(value: str) -> str:
    """A word for the scheduler: it stands in a batch file."""
    if not _WORD.fullmatch(value):
        raise ValueError("is no word for Slurm: letters, digits and _ . , : = / * ( ) [ ] & | + -")
    return value


def check_host(value: str) -> str:
    """A host for ssh, perhaps with a user; never an option."""
    if not _HOST.fullmatch(value):
        raise ValueError("is no host for ssh such as gpu-box or ada@gpu-box.example.org")
    return value


def check_remote_folder(value: str) -> str:
    """A folder on another machine, absolute or below the home folder there."""
    if not _PATH.fullmatch(value) or ".." in value.split("/"):
        raise ValueError("is no folder there such as .cache/assay or /scratch/assay: letters, digits and _ . / + -, without ..")
    return value


def check_program(value: str) -> str:
    """A program on another machine, by name or by path."""
    if not _PROGRAM.fullmatch(value):
        raise ValueError("is no program such as python3.12 or /opt/conda/bin/python")
    return value


SchedulerWord = Annotated[str, AfterValidator(check_scheduler_word)]
Host = Annotated[str, AfterValidator(check_host)]
RemoteFolder = Annotated[str, AfterValidator(check_remote_folder)]
Program = Annotated[str, AfterValidator(check_program)]


class Expect(Part):
    """What a runner of the class must turn out to be; what is left out may be anything."""

    os: Text | None = Field(default=None, description="Operating system.", examples=["linux"])
    arch: Text | None = Field(default=None, description="Processor architecture.", examples=["x86_64"])
    cpu: Text | None = Field(default=None, description="Part of the CPU's model name.", examples=["EPYC 7763"])
    gpu: Text | None = Field(default=None, description="Part of the GPU's model name.", examples=["A100"])
    count: Whole | None = Field(default=None, ge=0, le=1024, description="How many GPUs there are.", examples=[1])
    memory: Size | None = Field(
        default=None, description="How much memory there is at least; a little less is taken for it.", examples=["64GiB"]
    )


class SlurmSpec(Part):
    """How a job of Slurm is asked for. What is left out is the cluster's own default."""

    partition: SchedulerWord | None = Field(default=None, description="The partition.", examples=["gpu"])
    gres: SchedulerWord | None = Field(default=None, description="Generic resources, such as GPUs.", examples=["gpu:a100:1"])
    exclusive: Truth = Field(
        default=True, description="Whether nobody else may be on the node meanwhile; numbers are worth little otherwise."
    )
    time: Duration | None = Field(
        default=None, description="The limit of one job. By default what `policy.max_time` and handing over take.", examples=["2h"]
    )
    cpus: Whole | None = Field(default=None, ge=1, le=MAX_WHOLE, description="CPUs of the job.", examples=[16])
    memory: Size | None = Field(default=None, description="Memory of the job.", examples=["64GiB"])
    account: SchedulerWord | None = Field(default=None, description="The account that is charged.", examples=["lab42"])
    qos: SchedulerWord | None = Field(default=None, description="The quality of service.", examples=["low"])
    constraint: SchedulerWord | None = Field(default=None, description="Features that the node must have.", examples=["a100&nvlink"])
    nodelist: SchedulerWord | None = Field(default=None, description="Only on these nodes.", examples=["node[01-04]"])
    requeue: Truth = Field(default=True, description="Whether a job whose node fails, or that is pushed out, is measured anew.")
    spread: Truth = Field(
        default=False,
        description="Whether each seed of a list is a job of its own, with base and head side by side; all are one array.",
    )
    parallel: Whole = Field(default=8, ge=1, le=1000, description="How many jobs of one array may run at a time.", examples=[4])


class SshSpec(Part):
    """How a machine is reached by ssh. Keys, ports and jump hosts are the business of your `~/.ssh/config`."""

    host: Host = Field(description="The host, as `ssh` takes it.", examples=["ada@gpu-box"])
    folder: RemoteFolder = Field(
        default=".cache/assay",
        description="Where Assay may keep its files there; relative to the home folder.",
        examples=["/scratch/assay"],
    )
    python: Program = Field(
        default="python3",
        description="A Python there, 3.11 or newer, with Assay's dependencies; Assay itself is brought along.",
        examples=["/opt/assay/bin/python"],
    )


class MachineSpec(Part):
    """A class of machines that benchmarks can name."""

    runner: Literal["local", "slurm", "ssh"] = Field(
        default="local",
        description="How one gets there: `local` is whatever machine the command is run on, as a job that `runs_on` names; "
        "`slurm` and `ssh` are reached from here.",
    )
    runs_on: tuple[Text, ...] = Field(
        default=(),
        description="Labels of the runner, as in a workflow's `runs-on`. Needed where `runner` is `local`.",
        examples=[["self-hosted", "gpu", "a100"]],
    )
    slurm: SlurmSpec | None = Field(default=None, description="With `runner: slurm`: what is asked of the cluster.")
    ssh: SshSpec | None = Field(default=None, description="With `runner: ssh`: which host.")
    expect: Expect = Field(default_factory=Expect, description="What is expected there; another machine is refused.")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        enforce(machine_rules(self))
        return self
