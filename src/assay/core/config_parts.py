"""The sections of a benchmark's config, in the order of a file. Descriptions are for the schema and the docs."""

from typing import Literal, Self

from pydantic import Field, model_validator

from assay.core.config_rules import batch_rules, enforce, limits_rules, pilot_rules
from assay.core.config_types import (
    MAX_WHOLE,
    Amount,
    Command,
    Duration,
    Fraction,
    Glob,
    MetricName,
    MinEffect,
    Part,
    PassedVariable,
    Truth,
    Unit,
    Variable,
    VariableText,
    Whole,
)
from assay.core.model import Direction

Need = Literal["offline", "weights", "dataset", "cuda", "metal", "net"]


class PrimaryMetric(Part):
    """The number that decides."""

    name: MetricName = Field(description="Its name in the METRIC lines.", examples=["val_loss"])
    better: Direction = Field(description="Which way is better: `lower` or `higher`.", examples=["lower"])
    unit: Unit | None = Field(default=None, description="Its unit, for people.", examples=["nats"])
    min_effect: MinEffect = Field(
        default=0.01,
        description="The smallest change worth acting on, a percentage or a fraction; `auto` is learned from runs of unchanged code.",
        examples=["1%"],
    )


class GuardMetric(Part):
    """A secondary metric that must not get worse by more than its limit."""

    better: Direction = Field(description="Which way is better: `lower` or `higher`.", examples=["higher"])
    max_regression: Fraction = Field(description="How much worse it may get, as a percentage or a fraction.", examples=["5%"])
    unit: Unit | None = Field(default=None, description="Its unit, for people.", examples=["tok/s"])


class SecondaryMetric(Part):
    """A metric that is shown and compared but decides nothing."""

    better: Direction = Field(description="Which way is better: `lower` or `higher`.", examples=["lower"])
    unit: Unit | None = Field(default=None, description="Its unit, for people.", examples=["GiB"])


class EnvConfig(Part):
    """The benchmark's environment, beyond the few variables that every benchmark gets."""

    pass_: tuple[PassedVariable, ...] = Field(
        default=(),
        validation_alias="pass",
        serialization_alias="pass",
        description="Variables of the job that the benchmark may see. Names of credentials are refused.",
        examples=[["HF_HOME"]],
    )
    set: dict[Variable, VariableText] = Field(
        default_factory=dict, description="Variables with a value given here.", examples=[{"OMP_NUM_THREADS": "1"}]
    )


class SeedRange(Part):
    """Consecutive seeds, as many of them as the evidence asks for."""

    start: Whole = Field(ge=0, le=MAX_WHOLE, description="The first seed.", examples=[13])
    min: Whole = Field(default=3, ge=1, le=1000, description="How many seeds at least.")
    max: Whole = Field(default=10, ge=1, le=1000, description="How many seeds at most.")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        enforce(limits_rules(self))
        return self


class Repeats(Part):
    """How many counted processes each side gets. They run interleaved, and a clear answer ends them early."""

    min: Whole = Field(default=4, ge=2, le=1000, description="How many at least, before the first look at the numbers.")
    max: Whole = Field(default=10, ge=2, le=1000, description="How many at most.")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        enforce(limits_rules(self))
        return self


class Batch(Part):
    """The batch size that fills `{batch}`, and what happens when memory runs out."""

    size: Whole = Field(ge=1, le=MAX_WHOLE, description="The size to begin with.", examples=[128])
    min: Whole = Field(default=1, ge=1, le=MAX_WHOLE, description="Never go below this size.", examples=[8])
    on_oom: Literal["halve", "fail"] = Field(default="halve", description="When memory runs out: try again with half the size, or fail.")
    retries: Whole = Field(default=3, ge=0, le=32, description="How many times to try again.")
    invariant: Truth = Field(
        default=False, description="Whether the metrics do not depend on the batch size, so that sizes may differ between the sides."
    )

    @model_validator(mode="after")
    def _rules(self) -> Self:
        enforce(batch_rules(self))
        return self


class Alert(Part):
    """How large a regression on the default branch has to be to get an issue; both floors have to be reached."""

    relative: Fraction = Field(default=0.05, description="At least so much worse, as a percentage or a fraction.", examples=["5%"])
    absolute: Amount = Field(default=0.0, description="And by at least so much, in the unit of the metric.", examples=[0.5])


class Pilot(Part):
    """A small run that has to print the metric before the full runs begin."""

    run: Command | None = Field(default=None, description="A smaller command than `run`.", examples=["python bench/train.py --steps 10"])
    scale: Fraction | None = Field(
        default=None, description="The same command, with this in the place of `{scale}`, which is 1 in a full run.", examples=["10%"]
    )
    timeout: Duration | None = Field(default=None, description="The longest that it may take. Default: the benchmark's.", examples=["2m"])

    @model_validator(mode="after")
    def _rules(self) -> Self:
        enforce(pilot_rules(self))
        return self


class Watch(Part):
    """Which paths bear on the benchmark. A change of one of them stops reuse, and the group it is in says why."""

    code: tuple[Glob, ...] = Field(default=(), description="What is measured.", examples=[["src/**"]])
    harness: tuple[Glob, ...] = Field(default=(), description="What measures. A change of it asks for a review.", examples=[["bench/**"]])
    model: tuple[Glob, ...] = Field(default=(), description="Model definitions and weights.", examples=[["models/**"]])
    config: tuple[Glob, ...] = Field(default=(), description="Parameters of the run.", examples=[["configs/**"]])
    environment: tuple[Glob, ...] = Field(
        default=(), description="Dependencies and images.", examples=[["requirements*.txt", "Dockerfile"]]
    )
