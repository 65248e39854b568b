"""The loop that the docs show really runs: all four outcomes, and clean branches at its end."""

import subprocess
import sys
from pathlib import Path

from tests.e2e.conftest import World

EXAMPLE = Path(__file__).parents[2] / "examples" / "experiment_loop.py"
RUNS = 8


def test_the_example_runs_to_its_end(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "loop"
    command = [sys.executable, str(EXAMPLE), "--runs", str(RUNS), "--dir", str(folder)]
    env = {**world.env, "ASSAY": f"{sys.executable} -m assay"}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line[:3].strip().isdigit()]
    assert len(rows) == RUNS
    assert {row[1] for row in rows} == {"keep", "discard", "checks_failed", "errored"}
    made = [line for line in done.stdout.splitlines() if line.startswith("  experiment/")]
    assert made
    for line in made:
        name = line.split(":")[0].strip()
        setting = name.rpartition("/")[2].rpartition("-")[0]
        changed = subprocess.run(
            ["git", "diff", "--name-only", f"main...{name}"], cwd=folder, env=world.env, capture_output=True, text=True, check=True
        )
        assert changed.stdout.split() == [f"kernel/{setting}.txt"]
