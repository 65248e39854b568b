"""The config, `.github/assay.yml`, as frozen values. `core.config_text` reads the file, `core.config_rules` has the rules between keys."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, Tag, field_validator, model_validator

from assay.core.config_machines import Expect, MachineSpec, SlurmSpec, SshSpec
from assay.core.config_parts import (
    Alert,
    Batch,
    EnvConfig,
    GuardMetric,
    Need,
    Pilot,
    PrimaryMetric,
    Repeats,
    SecondaryMetric,
    SeedRange,
    Watch,
)
from assay.core.config_rules import benchmark_rules, config_rules, enforce
from assay.core.config_sections import (
    AttemptsConfig,
    Budget,
    CommentConfig,
    FailOn,
    FusionConfig,
    GitConfig,
    LoopConfig,
    Permissions,
    Policy,
    PublishConfig,
    ReuseConfig,
)
from assay.core.config_types import (
    MAX_WHOLE,
    SEED_FORMS,
    BenchmarkName,
    BuiltFormat,
    BuiltOutput,
    CachePath,
    Command,
    Duration,
    Fact,
    Glob,
    MetricName,
    Part,
    RelativePath,
    Size,
    Text,
    Truth,
    Whole,
)
from assay.core.model import NONE
from assay.core.process import DEFAULT_MAX_OUTPUT, DEFAULT_TIMEOUT_S

__all__ = [
    "Alert",
    "AttemptsConfig",
    "Batch",
    "Benchmark",
    "Budget",
    "CommentConfig",
    "Config",
    "EnvConfig",
    "Expect",
    "FailOn",
    "FusionConfig",
    "GitConfig",
    "GuardMetric",
    "LoopConfig",
    "MachineSpec",
    "Need",
    "Permissions",
    "Pilot",
    "Policy",
    "PrimaryMetric",
    "PublishConfig",
    "Repeats",
    "ReuseConfig",
    "SecondaryMetric",
    "SeedRange",
    "SlurmSpec",
    "SshSpec",
    "Watch",
]

_Seed = Annotated[Whole, Field(ge=0, le=MAX_WHOLE)]
_Seeds = Annotated[
    Annotated[tuple[_Seed, ...], Field(min_length=1, max_length=1000), Tag("list")] | Annotated[SeedRange, Tag("range")], SEED_FORMS
]


class Benchmark(Part):
    """One named command, with its primary metric.

    `name` is the key under `benchmarks`. `metric` is None only for a command without a config: the first METRIC printed
    is then primary, else the wall time.
    """

    name: BenchmarkName = Field(description="The key under `benchmarks`.")
    run: Command = Field(
        description="The command, for `sh`. `{seed}` and `{batch}` are filled in; it prints `METRIC name=value` lines.",
        examples=["python bench/train.py --seed {seed} --batch {batch}"],
    )
    metric: PrimaryMetric | None = Field(default=None, description="The primary metric: the number that decides.")
    guards: dict[MetricName, GuardMetric] = Field(
        default_factory=dict,
        description="Metrics that must not get worse, by name.",
        examples=[{"tok_s": {"better": "higher", "max_regression": "5%"}}],
    )
    secondary: dict[MetricName, SecondaryMetric] = Field(
        default_factory=dict,
        description="The direction of other metrics, by name, so that their change gets a verdict.",
        examples=[{"peak_mem": {"better": "lower"}}],
    )
    workload: tuple[MetricName, ...] = Field(
        default=(),
        description="Metrics that count the work done. Where they differ between the sides, the rest is not comparable.",
        examples=[["tokens", "errors"]],
    )
    format: BuiltFormat = Field(default="metric", description="How the output is read. Only `metric` is built.")
    dialect: Literal["strict", "wide"] = Field(
        default="strict", description="Which METRIC lines are taken; `wide` adds forms such as `+5`, `.5` and several pairs on a line."
    )
    output: BuiltOutput = Field(default="stdout", description="Where the output is read. Only `stdout` is built.")
    machine: Text | None = Field(default=None, description="The machine, by its name under `machines`.", examples=["a100"])
    setup: Command | None = Field(default=None, description="Run once per worktree, not timed.", examples=["pip install -e ."])
    isolate: Literal["auto", "none"] = Field(
        default="auto", description="`auto` gives each worktree an environment of its own where `setup` installs Python packages."
    )
    checks: Command | None = Field(
        default=None, description="The correctness check; it must have passed for a change to be kept.", examples=["pytest -q tests/smoke"]
    )
    inputs: tuple[RelativePath, ...] = Field(
        default=(),
        description="Ignored paths that the benchmark needs; linked read-only into each worktree.",
        examples=[["data/", "ckpt/base.pt"]],
    )
    cache: tuple[CachePath, ...] = Field(default=(), description="Folders kept between runs.", examples=[["~/.cache/huggingface"]])
    env: EnvConfig = Field(default_factory=EnvConfig, description="The benchmark's environment variables.")
    workdir: RelativePath = Field(default=".", description="The folder that the commands run in.", examples=["bench"])
    warmup: Whole = Field(default=1, ge=0, le=1000, description="Processes of each side that are run first and not counted.")
    seeds: _Seeds | None = Field(
        default=None,
        description="What fills `{seed}`: a list, or a range that may grow. With seeds, the seed is the unit of evidence.",
        examples=[[13, 42, 123], {"start": 13, "min": 3, "max": 10}],
    )
    repeats: Repeats = Field(default_factory=Repeats, description="How many counted processes each side gets.")
    timeout: Duration = Field(default=DEFAULT_TIMEOUT_S, description="The longest that one process may take.", examples=["10m"])
    max_time: Duration | None = Field(
        default=None, description="The longest that all of it may take: setup, waiting for a GPU, sampling and checks.", examples=["60m"]
    )
    max_output: Size = Field(
        default=DEFAULT_MAX_OUTPUT, description="The most that one process may print before it is killed.", examples=["1GB"]
    )
    gpus: Whole = Field(default=0, ge=0, le=1024, description="How many GPUs one process needs.", examples=[1])
    gpu_clock: Whole | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="Hold the clocks of the benchmark's NVIDIA GPUs at so many MHz while it runs; needs root. Not if left out.",
        examples=[1410],
    )
    model: Fact = Field(
        default=NONE, description="The model that is measured; part of what must be equal for reuse.", examples=["gpt2-small"]
    )
    precision: Fact = Field(default=NONE, description="The precision it runs in; part of what must be equal for reuse.", examples=["bf16"])
    batch: Batch | None = Field(default=None, description="What fills `{batch}`.")
    pilot: Pilot | None = Field(default=None, description="A small run that has to print the metric before the full runs begin.")
    needs: tuple[Need, ...] = Field(default=(), description="What the machine must offer for the benchmark to run.", examples=[["cuda"]])
    level: Literal["smoke", "serving", "e2e"] = Field(default="smoke", description="How much of the system it exercises.")
    value: Literal["frontier", "witness", "regression", "coverage", "smoke", "other"] = Field(
        default="other", description="What its evidence is worth to the control loop."
    )
    recheck: Duration = Field(default=14 * 86_400.0, description="After this time a scheduled benchmark is due again.", examples=["14d"])
    manual: Truth = Field(default=False, description="Whether only a person starts it, never a schedule.")
    alert: Alert = Field(default_factory=Alert, description="From which size on a regression of the default branch gets an issue.")
    watch: Watch | None = Field(default=None, description="Which paths bear on it. Without it every path does that is not under `ignore`.")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        enforce(benchmark_rules(self))
        return self


class Config(Part):
    """The whole config."""

    version: Literal[1] = Field(description="The version of this format.", examples=[1])
    machines: dict[Text, MachineSpec] = Field(default_factory=dict, description="Classes of runners, by a name that benchmarks use.")
    benchmarks: dict[BenchmarkName, Benchmark] = Field(min_length=1, description="The benchmarks, by name.")
    ignore: tuple[Glob, ...] = Field(default=("docs/**", "**/*.md", "LICENSE*"), description="Paths that bear on no benchmark.")
    reuse: ReuseConfig = Field(default_factory=ReuseConfig, description="When a stored run is taken instead of a new one.")
    policy: Policy = Field(default_factory=Policy, description="What follows from a comparison.")
    git: GitConfig = Field(default_factory=GitConfig, description="What becomes of a branch after a decision.")
    comment: CommentConfig = Field(default_factory=CommentConfig, description="The sticky comment of a pull request.")
    fusion: FusionConfig = Field(default_factory=FusionConfig, description="The analyses that explain a decision.")
    permissions: Permissions = Field(default_factory=Permissions, description="Who may make the bot run something.")
    budget: Budget = Field(default_factory=Budget, description="Limits of what comments and schedules may spend.")
    loop: LoopConfig = Field(default_factory=LoopConfig, description="What a schedule does, and what it can use.")
    publish: PublishConfig = Field(default_factory=PublishConfig, description="Where results are published.")
    attempts: AttemptsConfig | None = Field(default=None, description="How often may be tried before a person is asked.")
    hooks: Truth = Field(
        default=False,
        description="Whether `assay experiment` runs the scripts `before.sh` and `after.sh` of `.auto/hooks/` or `autoresearch.hooks/`.",
    )
    max_concurrent: Whole = Field(
        default=2,
        ge=1,
        le=256,
        description="How many benchmark processes one command may run at a time. A check runs one after the other whatever this says.",
    )

    @field_validator("benchmarks", mode="before")
    @classmethod
    def _named(cls, value: object) -> object:
        """Hand each benchmark the key it stands under."""
        if not isinstance(value, Mapping):
            return value
        return {key: {"name": key, **one} if isinstance(one, Mapping) else one for key, one in value.items()}

    def runner_of(self, benchmark: Benchmark) -> Literal["local", "slurm", "ssh"]:
        """How the machine of a benchmark is reached; one that it names and the config does not have is wherever we are."""
        machine = self.machines.get(benchmark.machine) if benchmark.machine else None
        return machine.runner if machine else "local"

    @model_validator(mode="after")
    def _rules(self) -> Self:
        enforce(config_rules(self))
        return self
