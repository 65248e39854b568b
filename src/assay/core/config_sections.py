"""The sections of the config that all benchmarks share, in the order of a file. Descriptions are for the schema and the docs."""

from typing import Literal, Self

from pydantic import Field, model_validator

from assay.core.config_rules import enforce, fusion_rules
from assay.core.config_types import (
    MAX_WHOLE,
    Alpha,
    Amount,
    BranchPattern,
    CachePath,
    Duration,
    Glob,
    Part,
    RelativePath,
    Size,
    Text,
    Truth,
    Variable,
    Whole,
)

FailOn = Literal["regressed", "checks_failed", "errored", "undecided", "needs_review"]
_DAY = 86_400.0


class ReuseConfig(Part):
    """When a stored run is taken instead of a new one."""

    base: Truth = Field(
        default=False, description="Whether a stored base may be compared with a fresh head; the spread between sessions is then charged."
    )
    remeasure: Whole = Field(
        default=10, ge=0, le=MAX_WHOLE, description="Every so many reusable runs one is measured all the same; 0 is never."
    )
    max_age: Duration = Field(default=30 * _DAY, description="Older runs are not reused.", examples=["30d"])


class Policy(Part):
    """What follows from a comparison."""

    mode: Literal["auto", "gate", "ratchet"] = Field(
        default="auto",
        description="`gate` lets everything pass that does no harm, `ratchet` keeps only improvements; "
        "`auto` is ratchet on `git.experiment_branches` and gate elsewhere.",
    )
    alpha: Alpha = Field(default=0.05, description="The accepted rate of false alarms of one benchmark.", examples=[0.05])
    confirm: Truth = Field(
        default=False, description="Whether a regression counts only after it was found once more, in a fresh session with fresh processes."
    )
    fail_on: tuple[FailOn, ...] = Field(
        default=("regressed", "checks_failed", "errored"), description="What makes the command, and with it the job, fail."
    )
    harness_change: Literal["neutral", "success", "failure", "action_required"] = Field(
        default="neutral", description="The conclusion where a pull request changes its own harness, checks or config."
    )
    max_time: Duration = Field(
        default=7200.0,
        description="The longest that the benchmarks of a check may take together, from the first setup on.",
        examples=["2h"],
    )


class GitConfig(Part):
    """What becomes of a branch after a decision. A local `assay check` never touches one."""

    keep: Literal["auto", "data", "branch"] = Field(
        default="auto",
        description="Where a kept run is recorded: on the data branch, or as a commit on the branch itself; "
        "`auto` is branch on `experiment_branches` and data elsewhere.",
    )
    on_discard: Literal["auto", "report", "restore"] = Field(
        default="auto",
        description="Whether a discarded change is only reported, or the branch restored to its baseline; "
        "`auto` is restore on `experiment_branches` and report elsewhere.",
    )
    experiment_branches: tuple[BranchPattern, ...] = Field(
        default=("experiment/**", "autoresearch/**"), description="Branches on which experiments run."
    )
    allow: tuple[Glob, ...] = Field(default=("**",), description="Paths that a kept commit may hold.")
    max_file: Size = Field(default=10 * 10**6, description="The largest file that a kept commit may hold.", examples=["10MB"])
    preserve: tuple[Glob, ...] = Field(
        default=(
            "autoresearch.jsonl",
            "autoresearch.md",
            "autoresearch.ideas.md",
            "autoresearch.sh",
            "autoresearch.checks.sh",
            "autoresearch.config.json",
            "autoresearch.hooks/",
            ".auto/",
        ),
        description="Paths that outlive a restored branch.",
    )
    lfs: Truth = Field(default=False, description="Whether files of Git LFS are fetched for the worktrees.")


class CommentConfig(Part):
    """The sticky comment of a pull request."""

    when: Literal["always", "on-change", "on-alert"] = Field(
        default="always", description="On every check, when the result changed, or from the first alert on."
    )


class Price(Part):
    """What a model costs, in US dollars for a million tokens."""

    input: Amount = Field(description="Of the prompt.", examples=[0.15])
    output: Amount = Field(description="Of the answer.", examples=[0.6])


class FusionConfig(Part):
    """The analyses that are fused into one narrative. They never change a decision."""

    enabled: Truth = Field(default=True, description="Whether a check is analysed at all.")
    candidates: tuple[Text, ...] = Field(
        default=("offline:effect", "offline:noise", "offline:history"),
        min_length=1,
        max_length=16,
        description="Analysts that write blind of each other: `offline:effect`, `offline:noise`, `offline:history`, `openai:MODEL`, "
        "`command:ARGV`.",
    )
    evaluator: Text = Field(default="offline", description="Who compares the candidates: `offline`, `openai:MODEL` or `command:ARGV`.")
    merger: Text = Field(default="offline", description="Who writes the merged text: `offline`, `openai:MODEL` or `command:ARGV`.")
    quorum: Whole = Field(default=2, ge=1, le=16, description="How many candidates must succeed; as many as there are is all or nothing.")
    base_url: Text | None = Field(
        default=None,
        description="The server of `openai:` routes, if it is not OpenAI's own.",
        examples=["https://models.github.ai/inference"],
    )
    key: Variable = Field(default="OPENAI_API_KEY", description="The variable of the job that holds the key of that server.")
    env: tuple[Variable, ...] = Field(
        default=(), description="Variables of the job that `command:` routes may see, keys included.", examples=[["ANTHROPIC_API_KEY"]]
    )
    timeout: Duration = Field(default=300.0, description="The longest that one answer may take.", examples=["5m"])
    max_input_tokens: Whole = Field(
        default=120_000, ge=1000, le=MAX_WHOLE, description="The largest prompt, by an upper bound of its tokens."
    )
    price: Price | None = Field(default=None, description="What the model costs, so that a report can say what an analysis did.")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        enforce(fusion_rules(self))
        return self


class Permissions(Part):
    """Who may make the bot run something."""

    run: Literal["write", "admin"] = Field(default="write", description="The permission that a commenter needs.")
    forks: Literal["deny", "sha", "allow"] = Field(
        default="deny", description="Code of a fork: never, only at a full sha that a maintainer's command names, or always."
    )


class Invariants(Part):
    """What a change must not break, whatever it improves."""

    paths: tuple[Glob, ...] = Field(default=(), description="Patterns of paths that hold it.", examples=[["src/loss.py"]])
    tags: tuple[Text, ...] = Field(
        default=(), description="Words for it that a commit's first line has in square brackets.", examples=[["invariant"]]
    )


class AttemptsConfig(Part):
    """How often may be tried before a person is asked. Nothing is counted unless the config has this section."""

    stage: Literal["implementation", "tuning", "method", "ablation"] = Field(
        default="tuning", description="What the attempts are for; each stage has a number of its own."
    )
    complexity: Literal["auto", "light", "medium", "heavy"] = Field(
        default="auto", description="How much one asks for; `auto` is inferred from declared needs and past durations."
    )
    limit: Whole | None = Field(default=None, ge=1, le=MAX_WHOLE, description="Another number than that of the table.", examples=[25])
    invariants: Invariants = Field(default_factory=Invariants, description="What the strikes are counted for.")
    strikes: Whole = Field(default=3, ge=1, le=100, description="So many failed attempts in a row at an invariant stop everything.")
    label: Text = Field(default="assay: stopped", description="The label of a pull request on which that has happened.")


class Budget(Part):
    """Limits of what comments and schedules may spend."""

    per_pr_runs: Whole = Field(default=20, ge=0, le=MAX_WHOLE, description="Runs of one pull request.")
    per_person_day_runs: Whole = Field(default=40, ge=0, le=MAX_WHOLE, description="Runs that one person may ask for in a day.")
    per_day_gpu_minutes: Whole = Field(default=600, ge=0, le=MAX_WHOLE, description="GPU minutes of one day, over all runs.")


class LoopConfig(Part):
    """What a schedule does, and what it can use."""

    minutes: Whole = Field(default=60, ge=1, le=MAX_WHOLE, description="How long one scheduled job may go on; the input `minutes` wins.")
    overlay: RelativePath | None = Field(
        default=None, description="A JSON file with further tasks, beside the benchmarks.", examples=["bench/tasks.json"]
    )
    weights: tuple[CachePath, ...] = Field(
        default=(), description="Where model weights lie; one of them that exists is enough.", examples=[["~/.cache/huggingface/hub"]]
    )
    datasets: tuple[CachePath, ...] = Field(
        default=(), description="Where data sets lie; one of them that exists is enough.", examples=[["data/"]]
    )
    issues: Truth = Field(default=True, description="Whether a regression of the default branch gets an issue.")
    status: Literal["summary", "issue"] = Field(
        default="summary", description="Where a schedule leaves its status: in the summary of its job alone, or in one issue as well."
    )


class PublishConfig(Part):
    """Where results are published."""

    file: RelativePath | None = Field(
        default=None, description="The Markdown document with the table of results, between two markers.", examples=["docs/results.md"]
    )
