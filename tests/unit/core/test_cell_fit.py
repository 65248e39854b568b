"""What a cell and a stored run may claim before the reporting job takes them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.fakes.runs import BASE, HEAD, NOW, a_run, an_id

from assay.core.cell_fit import Wanted, misfit, unfit_to_stand
from assay.core.config_machines import Expect
from assay.core.config_text import parse_config
from assay.core.envelope import ConfigFacts, Run, RunStatus
from assay.core.handover import CellFile
from assay.core.lineage import config_facts
from assay.core.model import Trust
from assay.core.timestamp import stamp

TEXT = "version: 1\nbenchmarks:\n  bench: {run: ./bench, env: {pass: [HF_HOME]}, metric: {name: loss, better: lower}}\n"
BENCH = parse_config(TEXT, "f").benchmarks["bench"]
WANTED = Wanted(BENCH, BASE, HEAD, Trust.MEMBER, NOW)
FACTS = config_facts(BENCH, {"HF_HOME": "/where/only/the/cell/knows"})
IDS = an_id("run", 1), an_id("run", 2)


def measured(**changes: Any) -> Run:
    facts: dict[str, Any] = {"benchmark": "bench", "config": FACTS, "model": BENCH.model, "precision": BENCH.precision, **changes}
    return a_run().model_copy(update=facts)


def sides(**changes: Any) -> tuple[Run, Run]:
    """The runs of base and head, with changes of head's."""
    base = measured(run_id=IDS[0], commit=BASE, base=None)
    return base, measured(**{"run_id": IDS[1], "commit": HEAD, "base": BASE, **changes})


def cell(runs: tuple[Run, ...] = sides(), **changes: Any) -> CellFile:
    facts: dict[str, Any] = {"schema": "assay.cell/1", "benchmark": "bench", "base": BASE, "head": HEAD, "state": "measured", "reason": ""}
    facts |= {"base_run": IDS[0], "head_run": IDS[1], "runs": runs, "warnings": (), "tail": ()}
    return CellFile.model_validate(facts | changes)


def test_an_honest_cell_fits() -> None:
    assert misfit(cell(), WANTED) == ""
    assert misfit(cell(sides()[1:], base_run=None), WANTED) == ""
    assert misfit(cell((), state="failed", base_run=None, head_run=None), WANTED) == ""


@pytest.mark.parametrize(
    ("forged", "says"),
    [
        (cell(benchmark="other"), "another benchmark"),
        (cell(head="c" * 40), "other commits"),
        (cell(()), "holds no run of head"),
        (cell(state="reused"), "do not belong"),
        (cell(base_run=IDS[1]), "do not belong"),
        (cell(sides(commit=BASE)), "not of the benchmark and commit"),
        (cell(sides(base=None)), "not of the benchmark and commit"),
        (cell(sides(base="c" * 40)), "not of the benchmark and commit"),
        (cell(sides(benchmark="other")), "not of the benchmark and commit"),
        (cell(sides()[::-1], base_run=IDS[1], head_run=IDS[0]), "not of the benchmark and commit"),
        (cell(sides(model="other")), "another model"),
        (cell(sides(precision="fp8")), "another model or precision"),
        (cell(sides(config=a_run().config)), "another config"),
        (cell(sides(finished_at=stamp(NOW + timedelta(hours=1)))), "in the future"),
        (cell(sides(created_at="2099-01-01T00:00:00Z")), "in the future"),
    ],
)
def test_what_a_cell_must_not_claim(forged: CellFile, says: str) -> None:
    assert says in misfit(forged, WANTED)


def test_a_run_of_another_machine_than_the_config_expects_does_not_fit() -> None:
    assert "of another machine" in misfit(cell(), replace(WANTED, expect=Expect(gpu="A100")))
    assert misfit(cell(), replace(WANTED, expect=Expect(cpu="test"))) == ""


@pytest.mark.parametrize(
    ("trust", "asked", "stands"),
    [(one, other, list(Trust).index(one) >= list(Trust).index(other)) for one in Trust for other in (Trust.FORK, Trust.MEMBER)],
)
def test_less_trust_never_stands_for_more(trust: Trust, asked: Trust, stands: bool) -> None:
    assert (unfit_to_stand(measured(trust=trust), replace(WANTED, trust=asked)) == "") == stands


@pytest.mark.parametrize(
    "run",
    [
        measured(status=RunStatus.PARTIAL),
        measured(dirty=True),
        measured(benchmark="other"),
        measured(model="other"),
        measured(config=ConfigFacts(**a_run().config.model_dump())),
    ],
)
def test_a_stored_run_of_another_kind_does_not_stand(run: Run) -> None:
    assert unfit_to_stand(run, WANTED) != ""
