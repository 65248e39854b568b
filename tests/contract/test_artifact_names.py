"""What the jobs of a split check hand over by name: no name of a benchmark makes two artifacts one, and no report reads more than cells."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.app.uploads import PREFIX

ROOT = Path(__file__).parents[2]
SPLIT = ("fork-run.yml", "gpu-comments.yml")
NAMES = ("plan", "bench", "cell-plan", "cell-", "outbox-1", "analyses-1")


def steps(name: str, action: str) -> Iterator[dict[str, Any]]:
    jobs = yaml.safe_load((ROOT / "templates" / "workflows" / name).read_text(encoding="utf-8"))["jobs"]
    for job in jobs.values():
        yield from (step["with"] for step in job["steps"] if action in step.get("uses", ""))


@pytest.mark.parametrize("name", SPLIT)
def test_no_benchmark_has_the_artifact_of_the_plan_or_of_another(name: str) -> None:
    plan, cell = (one["name"] for one in steps(name, "actions/upload-artifact"))
    cells = [cell.replace("${{ matrix.benchmark }}", one) for one in NAMES]
    assert plan == "assay-plan"
    assert len({plan, *cells}) == len(NAMES) + 1
    assert all(one.startswith(PREFIX) for one in cells)
    assert not any(one.startswith(("assay-outbox-", "assay-analyses-")) for one in cells)


def test_the_report_is_given_cells_alone() -> None:
    pattern = next(one["pattern"] for one in steps("gpu-comments.yml", "actions/download-artifact") if "pattern" in one)
    assert fnmatchcase("assay-cell-plan", pattern)
    assert not any(fnmatchcase(other, pattern) for other in ("assay-plan", "assay-outbox-1", "assay-analyses-1"))
