"""Which benchmarks a worker leaves to others."""

import pytest
from tests.fakes.runs import MACHINE

from assay.core.config_text import parse_config
from assay.core.queue.belonging import elsewhere

TEXT = """\
version: 1
machines:
  lab: {runner: slurm}
  box: {runs_on: [gpu], expect: {os: plan9}}
  desk: {runs_on: [cpu]}
benchmarks:
  anywhere: {run: a, metric: {name: m, better: lower}}
  on-lab: {run: a, metric: {name: m, better: lower}, machine: lab}
  on-box: {run: a, metric: {name: m, better: lower}, machine: box}
  on-desk: {run: a, metric: {name: m, better: lower}, machine: desk}
"""


@pytest.mark.parametrize(("here", "left"), [(None, {"on-lab", "on-box"}), ("lab", {"on-box", "on-desk"}), ("desk", {"on-lab", "on-box"})])
def test_a_worker_leaves_what_belongs_on_another_machine(here: str | None, left: set[str]) -> None:
    found = elsewhere(parse_config(TEXT, "assay.yml"), here, lambda: MACHINE)
    assert found.keys() == left
    assert "belongs on lab" in found.get("on-lab", "belongs on lab")
