"""Whether a cell answers what was asked. Whoever made it may claim anything, so all but the numbers is held against what is known here."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from assay.core.config import Benchmark
from assay.core.config_machines import Expect
from assay.core.envelope import Run
from assay.core.expectation import mismatch
from assay.core.handover import CellFile
from assay.core.lineage import CLOCK_SKEW_S, config_facts, trusts_for
from assay.core.model import Trust
from assay.core.timestamp import moment
from assay.core.values import dataclass

_OF_ITS_MACHINE = frozenset({"env_pass", "env_inherited"})
"""Parameters of which only the machine that measured knows the value."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a cell is to be about: a benchmark, as config and command have it, at two commits, with so much trust, by now,
    and on a machine of which so much is expected.
    """

    benchmark: Benchmark
    base: str
    head: str
    trust: Trust
    now: datetime
    expect: Expect | None = None


def misfit(cell: CellFile, wanted: Wanted) -> str:
    """Why a cell does not answer what was asked, empty where it may. That its numbers are true nobody can tell."""
    if (cell.benchmark, cell.base, cell.head) != (wanted.benchmark.name, wanted.base, wanted.head):
        return "it is about another benchmark or other commits"
    if cell.state == "measured" and cell.run(cell.head_run) is None:
        return "it says measured and holds no run of head"
    if (cell.runs and cell.state in ("reused", "refused")) or (cell.head_run and cell.base_run == cell.head_run):
        return "its runs do not belong to what it says of itself"
    sides = {cell.base_run: (wanted.base, None), cell.head_run: (wanted.head, wanted.base)}
    for run in cell.runs:
        if sides.get(run.run_id) != (run.commit, run.base):
            return f"{run.run_id} is not of the benchmark and commit that it stands for"
        if problem := next(_claims(run, wanted), ""):
            return f"{run.run_id} {problem}"
    return ""


def unfit_to_stand(run: Run, wanted: Wanted) -> str:
    """Why a stored run that a cell names does not answer, empty where it may as far as itself tells."""
    if not run.clean:
        return "is not complete"
    if run.trust not in trusts_for(wanted.trust):
        return f"has less trust: {run.trust}, where {wanted.trust} is needed"
    return next(_of_another_kind(run, wanted.benchmark), "")


def _claims(run: Run, wanted: Wanted) -> Iterator[str]:
    yield from _of_another_kind(run, wanted.benchmark)
    latest = wanted.now + timedelta(seconds=CLOCK_SKEW_S)
    if max(moment(run.created_at), moment(run.finished_at)) > latest:
        yield "is dated in the future"
    if wanted.expect and (problem := mismatch(wanted.expect, run.machine)):
        yield f"is of another machine: {problem}"


def _of_another_kind(run: Run, benchmark: Benchmark) -> Iterator[str]:
    if run.benchmark != benchmark.name:
        yield "is not of the benchmark and commit that it stands for"
    if (run.model, run.precision) != (benchmark.model, benchmark.precision):
        yield "is of another model or precision"
    if _parameters(run.config.parameters) != _parameters(config_facts(benchmark, {}).parameters):
        yield "was measured under another config"


def _parameters(of: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in of.items() if name not in _OF_ITS_MACHINE}
