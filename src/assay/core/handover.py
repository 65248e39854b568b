"""What the three thirds of a split check hand over: the plan, and one file for each cell of its matrix.

Both are claims to whoever reads them. A plan is only obeyed where nothing can be lost, in a job without a token; a report takes commits,
benchmark, trust and policy from what it knows itself, and from a cell nothing but the runs, of which it computes the verdict anew.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self, TypeVar

from pydantic import Field, StringConstraints, model_validator

from assay.core.advice import Complexity
from assay.core.comment_command import Command, Verb
from assay.core.config_types import BENCHMARK_NAME
from assay.core.envelope import Run, RunId, Seconds, Sha
from assay.core.model import Trust
from assay.core.record import Envelope, Record

PLAN_SCHEMA: Final = "assay.plan/1"
CELL_SCHEMA: Final = "assay.cell/1"
PLAN_FILE = "plan.json"
CUT_SHORT = "its job was cancelled before it had ended"
"""The reason of a cell that somebody ended: its job may be queued again, and leave another."""

DEFAULT_RUNNER = ("ubuntu-latest",)
MAX_FILE = 32 * 2**20
"""Bytes of one file that is handed over."""

E = TypeVar("E", bound=Envelope)

Name = Annotated[str, StringConstraints(pattern=rf"^(?:{BENCHMARK_NAME})$")]
Line = Annotated[str, StringConstraints(max_length=2000)]


def cell_file(benchmark: str) -> str:
    """The name of the file that a benchmark's cell leaves."""
    return f"cell-{benchmark}.json"


class Cell(Record):
    """One job of the matrix: a benchmark on a machine, which is null where the config names none.

    `complexity` and `expected_s`, seconds up to its last look, are what it will probably take; `advice` says why.
    """

    benchmark: Name
    machine: str | None
    runs_on: tuple[str, ...]
    complexity: Complexity = Complexity.LIGHT
    expected_s: Seconds | None = None
    advice: Line = ""

    @property
    def job(self) -> dict[str, object]:
        """What a workflow's job is told of it."""
        return {
            "benchmark": self.benchmark,
            "machine": self.machine or "",
            "runs_on": list(self.runs_on),
            "complexity": self.complexity.value,
        }


class PlanFile(Envelope):
    """What is to be measured. `base` and `head` are the two commits themselves, `rules` and `extras` those that the config is read from."""

    schema_: Literal["assay.plan/1"] = Field(default=PLAN_SCHEMA, alias="schema")
    base: Sha
    head: Sha
    branch: str | None
    trust: Trust
    vouched: bool
    rules: Sha | None
    extras: Sha | None
    config: str
    seeds: tuple[int, ...]
    repeats: int | None
    model: str | None
    precision: str | None
    forced_by: str | None
    cells: tuple[Cell, ...]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        names = [cell.benchmark for cell in self.cells]
        if len(set(names)) < len(names):
            raise ValueError("a benchmark has two cells")
        return self

    @property
    def command(self) -> Command:
        """The words of a command that change what the config says, as one."""
        return Command(Verb.RUN, model=self.model, precision=self.precision, seeds=self.seeds, repeats=self.repeats)

    @property
    def matrix(self) -> dict[str, object]:
        """What a workflow's `strategy.matrix` takes."""
        both = {"base": self.base, "head": self.head}
        return {"include": [one.job | both for one in self.cells]}


class CellFile(Envelope):
    """What came of one cell: the runs that were measured, or the ids of stored ones that answer, or why there is neither."""

    schema_: Literal["assay.cell/1"] = Field(default=CELL_SCHEMA, alias="schema")
    benchmark: Name
    base: Sha
    head: Sha
    state: Literal["measured", "reused", "failed", "refused"]
    reason: Line
    base_run: RunId | None
    head_run: RunId | None
    runs: Annotated[tuple[Run, ...], Field(max_length=2)]
    warnings: Annotated[tuple[Line, ...], Field(max_length=200)]
    tail: Annotated[tuple[Line, ...], Field(max_length=40)]

    @property
    def cut_short(self) -> bool:
        """Whether its job was ended before it had measured all."""
        return self.state == "failed" and self.reason == CUT_SHORT

    def run(self, run_id: str | None) -> Run | None:
        """One of its own runs."""
        return next((run for run in self.runs if run.run_id == run_id), None)


def sorted_out(files: Mapping[str, bytes | str]) -> tuple[Mapping[str, CellFile], Mapping[str, str]]:
    """Files by benchmark as cells and as reasons why they are none; a text is already such a reason."""
    read = {name: data if isinstance(data, str) else parsed(CellFile, data) for name, data in files.items()}
    good = {name: one for name, one in read.items() if isinstance(one, CellFile)}
    return good, {name: one for name, one in read.items() if isinstance(one, str)}


def parsed(kind: type[E], data: bytes) -> E | str:
    """What a file holds, or why it is none of this kind."""
    if len(data) > MAX_FILE:
        return f"larger than {MAX_FILE} bytes"
    try:
        return kind.from_json(data.decode())
    except (ValueError, RecursionError) as error:
        return str(error)[:300] or type(error).__name__
